//! Code that is here, by what its user calls it: its hash, the beginning of its hash, or its name.

use std::path::Path;

use tng::CodeHash;
use tng::congestion::Choice as Native;
use tng::stp::manager::{Choice, Knowledge, Policy};
use tng::stp::{GUEST_PREFIX, Kind};

use crate::failure::Failure;

/// Digits of a hash that are enough to name code that is here, if no other hash begins with them.
pub const SHORT_HASH_MIN: usize = 4;

/// Which code counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// All that is here, whether or not it may run.
    All,
    /// What carries a stream, to run it.
    Transports,
    /// What regulates, to run it.
    Controllers,
}

impl Among {
    fn of(self, known: &Knowledge) -> Vec<CodeHash> {
        match self {
            Among::All => known.all().map(|(hash, _)| hash).collect(),
            Among::Transports => known.transports(),
            Among::Controllers => known.controllers(),
        }
    }

    /// What it is called.
    const fn word(self) -> &'static str {
        match self {
            Among::All => "code",
            Among::Transports => "transport",
            Among::Controllers => "controller",
        }
    }
}

/// Why a text does not name code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotNamed {
    /// Caller: none that is here is called so.
    Nothing,
    /// Caller: these are called so, or their hashes begin like this.
    Several(Vec<CodeHash>),
    /// Caller: it carries where something is to regulate, or the other way round.
    OtherKind(CodeHash),
    /// Policy: these call themselves so, and nobody vouches for that.
    NobodyVouches(Vec<CodeHash>),
}

/// The code that a text names. A name goes before the beginning of a hash: somebody vouches for a name, and code can be
/// tried until its hash begins like one. A name for which nobody vouches is enough to look at code, and not to run it.
///
/// # Errors
/// See [`NotNamed`].
pub fn find(policy: &Policy, known: &Knowledge, text: &str, among: Among) -> Result<CodeHash, NotNamed> {
    let all = among.of(known);
    let chosen = text.parse().ok().and_then(|choice: Choice| known.chosen(policy, &choice));
    if let Some(hash) = chosen {
        return if all.contains(&hash) { Ok(hash) } else { Err(NotNamed::OtherKind(hash)) };
    }
    let mut called = known.called(text);
    called.retain(|hash| all.contains(hash));
    match (&called[..], among) {
        ([], _) => {}
        ([hash], Among::All) => return Ok(*hash),
        (_, Among::All) => return Err(NotNamed::Several(called)),
        (_, Among::Transports | Among::Controllers) => return Err(NotNamed::NobodyVouches(called)),
    }
    if text.len() < SHORT_HASH_MIN {
        return Err(NotNamed::Nothing);
    }
    let begins = text.to_ascii_lowercase();
    let begin = |all: Vec<CodeHash>| -> Vec<CodeHash> {
        all.into_iter().filter(|hash| hash.to_string().starts_with(&begins)).collect()
    };
    match (&begin(all)[..], &begin(Among::All.of(known))[..]) {
        ([hash], _) => Ok(*hash),
        ([], []) => Err(NotNamed::Nothing),
        ([], [other, ..]) => Err(NotNamed::OtherKind(*other)),
        (several, _) => Err(NotNamed::Several(several.to_vec())),
    }
}

impl NotNamed {
    /// That what is being done lacks the code that a text should name.
    pub fn failure(&self, doing: &str, known: &Knowledge, text: &str, among: Among) -> Failure {
        let prefix = if among == Among::Controllers { GUEST_PREFIX } else { "" };
        let name = |hash: &CodeHash| known.name(hash).map_or_else(|| hash.short(), str::to_owned);
        let with_hash = |hash: &CodeHash| format!("{} {}", hash.short(), known.name(hash).unwrap_or("without a name"));
        let listed = |hashes: &[CodeHash]| hashes.iter().map(with_hash).collect::<Vec<_>>().join(", ");
        let word = among.word();
        let (why, remedy) = match self {
            // One that is native, and no guest.
            NotNamed::Nothing if among == Among::Transports && text.parse::<Native>().is_ok() => {
                (is_controller(text), format!("-C {text} of `tng perf`, or controller = {text:?} of `tng relay`"))
            }
            NotNamed::Nothing if is_file(text) => {
                let why = format!("{text:?} is a file, and a {word} is named by its name or hash");
                (why, format!("tng stp install {text} first, then its hash in place of the file"))
            }
            NotNamed::Nothing => {
                let here = among.of(known).iter().map(|hash| format!("{prefix}{}", name(hash))).collect::<Vec<_>>();
                let here = here.join(", ");
                let why = format!("{text:?} is no {word} that is here, by name or hash; here are {here}");
                (why, "tng stp list, or tng stp install FILE.wasm".to_owned())
            }
            NotNamed::Several(hashes) => {
                (format!("{text:?} names several: {}", listed(hashes)), "more digits of the hash".to_owned())
            }
            NotNamed::OtherKind(hash) if among == Among::Transports && carries_messages(known, hash) => {
                let why = format!("{text:?} carries messages, where a stream is needed");
                (why, "a guest of kind stream; tng stp list tells".to_owned())
            }
            NotNamed::OtherKind(hash) if among == Among::Transports => {
                let guest = format!("{GUEST_PREFIX}{}", name(hash));
                (is_controller(text), format!("-C {guest} of `tng perf`, or controller = {guest:?} of `tng relay`"))
            }
            NotNamed::OtherKind(hash) => {
                let why = format!("{text:?} is a transport, and regulates nothing");
                (why, format!("--transport {}, or a controller of `tng stp list`", name(hash)))
            }
            NotNamed::NobodyVouches(hashes) => {
                let why = format!("nobody vouches for what calls itself {text:?} here: {}", listed(hashes));
                (why, format!("{prefix}HASH in place of the name, or tng stp pin HASH"))
            }
        };
        Failure::usage(doing, why).or_try(remedy)
    }
}

/// Whether a text is the path of a module rather than its name.
pub fn is_file(text: &str) -> bool {
    text.contains('/') || text.ends_with(".wasm") || Path::new(text).is_file()
}

fn carries_messages(known: &Knowledge, hash: &CodeHash) -> bool {
    known.all().any(|(other, kind)| other == *hash && kind == Kind::Messages)
}

fn is_controller(text: &str) -> String {
    format!("{text:?} is a congestion controller: it says how fast streams are sent, and carries nothing itself")
}

#[cfg(test)]
mod tests {
    use tng::stp::manager::BuiltIn;

    use super::*;

    /// A hash that begins with these four bytes.
    fn hash(first: [u8; 4], last: u8) -> CodeHash {
        let mut bytes = [last; 32];
        bytes[..4].copy_from_slice(&first);
        CodeHash::from_bytes(bytes)
    }

    fn known() -> Knowledge {
        let guest = |name: &str, hash, kind| BuiltIn { name: name.to_owned(), hash, kind, bytes: &[] };
        let built_in = vec![
            guest("sack", hash([0xa1, 0xb2, 0xc3, 0xd4], 1), Kind::Transport),
            guest("rap", hash([0xa1, 0xb2, 0xc3, 0xd4], 2), Kind::Transport),
            guest("flood", hash([0xf1, 0x00, 0x0d, 0x00], 5), Kind::Messages),
            guest("cubic", hash([0xde, 0xad, 0xbe, 0xef], 3), Kind::Controller),
            guest("deadbeef", hash([0xff, 0xff, 0xff, 0xff], 4), Kind::Transport),
        ];
        Knowledge { built_in, ..Knowledge::default() }
    }

    fn named(text: &str, among: Among) -> Result<CodeHash, NotNamed> {
        find(&Policy::default(), &known(), text, among)
    }

    #[test]
    fn code_is_found_by_its_name_its_hash_and_four_digits_that_only_it_begins_with() {
        let (sack, rap) = (hash([0xa1, 0xb2, 0xc3, 0xd4], 1), hash([0xa1, 0xb2, 0xc3, 0xd4], 2));
        for among in [Among::All, Among::Transports] {
            for text in ["sack", &sack.to_string(), "a1b2c3d401", "A1B2C3D401"] {
                assert_eq!(named(text, among), Ok(sack), "{text}");
            }
            for text in ["a1b2", "a1b2c3d4"] {
                assert_eq!(named(text, among), Err(NotNamed::Several(vec![sack, rap])), "{text}");
            }
            assert_eq!(named("ffff", among), Ok(hash([0xff; 4], 4)));
            for text in ["", "fff", "fffffffff0", "reno", &hash([0; 4], 9).to_string()] {
                assert_eq!(named(text, among), Err(NotNamed::Nothing), "{text}");
            }
        }
        let failure = named("a1b2", Among::All).expect_err("several").failure("x", &known(), "a1b2", Among::All);
        assert!(failure.why.contains("a1b2c3d40101 sack, a1b2c3d40202 rap"), "{failure}");
    }

    #[test]
    fn what_carries_nothing_is_no_transport_and_it_is_said_what_to_write_instead() {
        let cubic = hash([0xde, 0xad, 0xbe, 0xef], 3);
        let instead = |text: &str, among| named(text, among).expect_err(text).failure("x", &known(), text, among);
        for text in ["cubic", "dead", &cubic.to_string()] {
            assert_eq!(named(text, Among::Transports), Err(NotNamed::OtherKind(cubic)), "{text}");
            assert_eq!(named(text, Among::All), Ok(cubic), "control: {text}");
            assert_eq!(named(text, Among::Controllers), Ok(cubic), "{text}");
            let failure = instead(text, Among::Transports);
            assert!(failure.why.contains("is a congestion controller") && failure.remedy.contains("-C guest-cubic"));
        }
        let flood = hash([0xf1, 0x00, 0x0d, 0x00], 5);
        assert_eq!(named("flood", Among::Transports), Err(NotNamed::OtherKind(flood)), "nor is what carries messages");
        assert!(instead("flood", Among::Transports).why.contains("carries messages"));
        assert_eq!(named("flood", Among::All), Ok(flood), "control");
        let native = instead("vegas", Among::Transports);
        assert!(native.why.contains("is a congestion controller") && native.remedy.contains("-C vegas"), "{native}");
        let sack = instead("sack", Among::Controllers);
        assert!(sack.why.contains("is a transport") && sack.remedy.contains("--transport sack"), "{sack}");
        assert!(instead("nothing", Among::Transports).why.contains("here are sack, rap, deadbeef"));
    }

    #[test]
    fn who_names_a_file_is_told_to_install_it_first() {
        for text in ["a/fast", "fast.wasm", "./fast.wasm"] {
            let failure =
                named(text, Among::Transports).expect_err(text).failure("x", &known(), text, Among::Transports);
            assert!(failure.why.contains("is a file"), "{failure}");
            assert!(failure.remedy.starts_with(&format!("tng stp install {text}")), "{failure}");
        }
    }

    #[test]
    fn a_name_that_looks_like_the_beginning_of_a_hash_is_a_name() {
        assert_eq!(named("deadbeef", Among::All), Ok(hash([0xff; 4], 4)));
        assert_eq!(named("deadbeef0", Among::All), Ok(hash([0xde, 0xad, 0xbe, 0xef], 3)), "control");
    }
}
