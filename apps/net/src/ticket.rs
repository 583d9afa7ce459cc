//! All that is needed to reach a host, as one word to paste.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::str::FromStr;

use tng_base::Eid;
use tng_crypto::{Zeroizing, sha256};
use tng_stack::Target;
use tng_wire::{Malformed, Reader};

/// Who a host is, where it may be found, and the capability that opens its door: what
/// [`Endpoint::connect`](crate::Endpoint::connect) needs.
///
/// The text form is `tng1` and base32 (lower case, no padding; upper case is read too) of:
///
/// | bytes | field |
/// |---|---|
/// | 1 | version, now 1 |
/// | 32 | EID |
/// | 1 | count of addresses, at most [`ADDRESSES_MAX`](Ticket::ADDRESSES_MAX) |
/// | 7 or 19 each | `4` or `6`, IP address, port |
/// | 1 | length of the capability, at most [`CAPABILITY_MAX`](Ticket::CAPABILITY_MAX); 0 for none |
/// | … | the capability |
/// | 4 | the first bytes of SHA-256 over all before |
///
/// Where a mail program has folded the text, with line breaks, spaces, `> ` before lines or `=` at their ends, it is
/// read all the same.
///
/// Numbers are big-endian. A later version may change everything but the version and the checksum at the end.
///
/// A ticket with a capability is a secret: its holder gets in. So it prints in full, but not with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket {
    eid: Eid,
    addresses: Vec<SocketAddr>,
    capability: Vec<u8>,
}

/// Why a text is not a [`Ticket`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TicketError {
    /// It does not begin with `tng1`.
    #[error("a ticket begins with {}, this does not", Ticket::PREFIX)]
    Prefix,
    /// Characters are missing, most likely at its end.
    #[error("the ticket is cut off, or has lost characters within: copy all of it, to its last character")]
    CutOff,
    /// A character that no ticket has.
    #[error("the ticket has a typing error: character {0} is none of a-z and 2-7, which tickets are made of")]
    Character(usize),
    /// The checksum does not fit, and would if one character were another.
    #[error("the ticket has a typing error: character {position} is wrong, in {part}")]
    Wrong {
        /// Which, counted from 1.
        position: usize,
        /// What it is a part of.
        part: TicketPart,
    },
    /// The checksum does not fit, and would without this character, counted from 1.
    #[error("the ticket has a typing error: there is a character too many at character {0}")]
    TooMany(usize),
    /// The checksum does not fit: more than one character is wrong.
    #[error("the ticket has more than one typing error: copy it again instead of typing it")]
    Typos,
    /// Made by a later version.
    #[error("the ticket has version {0}, this program knows version {version}: it needs an \
             update", version = Ticket::VERSION)]
    Version(u8),
}

/// What a part of a ticket says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TicketPart {
    /// Its version, and the host's key.
    Host,
    /// Where the host is.
    Addresses,
    /// What opens its door.
    Capability,
    /// The checksum.
    Checksum,
}

impl fmt::Display for TicketPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TicketPart::Host => "the host's key",
            TicketPart::Addresses => "the host's addresses",
            TicketPart::Capability => "the secret that opens its door",
            TicketPart::Checksum => "the checksum",
        })
    }
}

/// More than a ticket holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a ticket holds {} addresses and a capability of {} bytes at most",
    Ticket::ADDRESSES_MAX,
    Ticket::CAPABILITY_MAX
)]
pub struct TicketFull;

impl Ticket {
    /// How the text form begins.
    pub const PREFIX: &str = "tng1";
    /// The version that is written.
    pub const VERSION: u8 = 1;
    /// Most addresses in a ticket.
    pub const ADDRESSES_MAX: usize = 8;
    /// Longest capability in bytes; the longest that set-up carries.
    pub const CAPABILITY_MAX: usize = 64;

    /// A ticket for the host `eid`, its addresses best first. An IPv6 scope or flow label is lost in the text form: a
    /// scope means something on one host alone. Who dials tries a link-local address on every link that it has
    /// ([`on_every_link`](crate::on_every_link)).
    ///
    /// # Errors
    /// If there are too many addresses or the capability is too long.
    pub fn new(eid: Eid, addresses: Vec<SocketAddr>, capability: Vec<u8>) -> Result<Ticket, TicketFull> {
        if addresses.len() > Ticket::ADDRESSES_MAX || capability.len() > Ticket::CAPABILITY_MAX {
            return Err(TicketFull);
        }
        Ok(Ticket { eid, addresses, capability })
    }

    /// Who the host is.
    pub const fn eid(&self) -> Eid {
        self.eid
    }

    /// Where it may be found, best first.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// What lets its holder in; empty if nothing is needed.
    pub fn capability(&self) -> &[u8] {
        &self.capability
    }

    /// What the character at this place behind the prefix is a part of.
    fn part_at(&self, at: usize) -> TicketPart {
        let bytes = self.to_bytes().len();
        match at * 5 / 8 {
            0..33 => TicketPart::Host,
            at if at >= bytes - 4 => TicketPart::Checksum,
            at if at >= bytes - 4 - self.capability.len() => TicketPart::Capability,
            _ => TicketPart::Addresses,
        }
    }

    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(vec![Ticket::VERSION]);
        out.extend_from_slice(self.eid.as_bytes());
        out.push(self.addresses.len() as u8);
        for address in &self.addresses {
            match address.ip() {
                IpAddr::V4(ip) => {
                    out.push(4);
                    out.extend_from_slice(&ip.octets());
                }
                IpAddr::V6(ip) => {
                    out.push(6);
                    out.extend_from_slice(&ip.octets());
                }
            }
            out.extend_from_slice(&address.port().to_be_bytes());
        }
        out.push(self.capability.len() as u8);
        out.extend_from_slice(&self.capability);
        let sum = checksum(&out);
        out.extend_from_slice(&sum);
        out
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let [a, b, c, d, ..] = sha256(&[bytes]);
    [a, b, c, d]
}

/// What a ticket of version 1 holds, as far as `reader` goes. Anything that is wrong in it is a typing error, unless
/// the end comes too early.
fn body(reader: &mut Reader<'_>) -> Result<Result<Ticket, TicketError>, Malformed> {
    let eid = Eid::from_bytes(reader.array()?);
    let count = reader.u8()?;
    if usize::from(count) > Ticket::ADDRESSES_MAX {
        return Ok(Err(TicketError::Typos));
    }
    let mut addresses = Vec::new();
    for _ in 0..count {
        let ip = match reader.u8()? {
            4 => IpAddr::from(reader.array::<4>()?),
            6 => IpAddr::from(reader.array::<16>()?),
            _ => return Ok(Err(TicketError::Typos)),
        };
        addresses.push(SocketAddr::new(ip, reader.u16()?));
    }
    let len = usize::from(reader.u8()?);
    if len > Ticket::CAPABILITY_MAX {
        return Ok(Err(TicketError::Typos));
    }
    let capability = reader.bytes(len)?.to_vec();
    reader.array::<4>()?;
    Ok(if reader.is_empty() { Ok(Ticket { eid, addresses, capability }) } else { Err(TicketError::Typos) })
}

/// Longest text behind the prefix in characters: no ticket is longer.
pub const TEXT_MAX: usize = (1 + 32 + 1 + Ticket::ADDRESSES_MAX * 19 + 1 + Ticket::CAPABILITY_MAX + 4) * 8 / 5 + 1;

/// A text as it was before a mail program folded it: without spaces, line breaks, marks of quotation at the beginning
/// of lines, and soft line breaks (RFC 2045, section 6.7) at their ends.
fn unfolded(text: &str) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(text.len()));
    for line in text.split_inclusive('\n') {
        let is_broken = line.ends_with('\n');
        let line = line.trim_start_matches(|c: char| c == '>' || c.is_whitespace()).trim_end();
        let line = line.strip_suffix('=').filter(|_| is_broken).unwrap_or(line);
        out.extend(line.split_whitespace());
    }
    out
}

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

fn encode(bytes: &[u8], out: &mut impl fmt::Write) -> fmt::Result {
    let (mut bits, mut held) = (0u16, 0);
    for byte in bytes {
        bits = bits << 8 | u16::from(*byte);
        held += 8;
        while held >= 5 {
            held -= 5;
            out.write_char(ALPHABET[usize::from(bits >> held & 31)].into())?;
        }
    }
    if held > 0 { out.write_char(ALPHABET[usize::from(bits << (5 - held) & 31)].into()) } else { Ok(()) }
}

/// What each letter stands for.
fn values(text: &str) -> Result<Zeroizing<Vec<u8>>, TicketError> {
    let mut values = Zeroizing::new(Vec::with_capacity(text.len()));
    for (at, character) in text.chars().enumerate() {
        let lower = character.to_ascii_lowercase();
        let value = ALPHABET.iter().position(|letter| char::from(*letter) == lower);
        values.push(value.ok_or(TicketError::Character(Ticket::PREFIX.len() + at + 1))? as u8);
    }
    Ok(values)
}

/// Decodes as many whole bytes as there are, and tells whether `encode` would have ended the text like this. A decoder
/// that refuses a text of the wrong length could not say that the end is missing.
fn decode(values: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    let (mut bits, mut held) = (0u16, 0);
    for value in values {
        bits = bits << 5 | u16::from(*value);
        held += 5;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    held < 5 && bits == 0
}

impl From<&Ticket> for Target {
    fn from(ticket: &Ticket) -> Target {
        let capability = Some(ticket.capability.clone()).filter(|capability| !capability.is_empty());
        Target { eid: ticket.eid, addresses: ticket.addresses.clone(), capability, via: Vec::new() }
    }
}

impl FromStr for Ticket {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Ticket, TicketError> {
        let text = unfolded(text);
        let (prefix, rest) = text.split_at_checked(Ticket::PREFIX.len()).ok_or(TicketError::Prefix)?;
        if !prefix.eq_ignore_ascii_case(Ticket::PREFIX) {
            return Err(TicketError::Prefix);
        }
        let values = values(rest)?;
        match read(&values) {
            Err(TicketError::Typos) => Err(locate(values)),
            ticket => ticket,
        }
    }
}

/// Reads what follows the prefix.
fn read(values: &[u8]) -> Result<Ticket, TicketError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(values.len()));
    let well_ended = decode(values, &mut bytes);
    let version = *bytes.first().ok_or(TicketError::CutOff)?;
    let sum = is_signed(&bytes);
    if version != Ticket::VERSION {
        return Err(if sum { TicketError::Version(version) } else { TicketError::Typos });
    }
    let mut reader = Reader::new(&bytes[1..]);
    match body(&mut reader) {
        Err(Malformed) => Err(TicketError::CutOff),
        Ok(Err(error)) => Err(error),
        Ok(Ok(ticket)) if sum && well_ended => Ok(ticket),
        Ok(Ok(_)) => Err(TicketError::Typos),
    }
}

/// Whether the last four bytes are the checksum of the others.
fn is_signed(bytes: &[u8]) -> bool {
    bytes.split_last_chunk::<4>().is_some_and(|(signed, sum)| *sum == checksum(signed))
}

/// Where the one error is in a text that is no ticket, by trying: a checksum of four bytes is not met by chance. Nobody
/// is told what would have been right.
fn locate(mut tried: Zeroizing<Vec<u8>>) -> TicketError {
    let first = Ticket::PREFIX.len() + 1;
    if tried.len() > TEXT_MAX {
        return TicketError::Typos;
    }
    // A few thousand tries, none of them allocates.
    let mut bytes = Zeroizing::new(Vec::with_capacity(tried.len()));
    for at in 0..tried.len() {
        let typed = tried[at];
        for value in 0..ALPHABET.len() {
            tried[at] = value as u8;
            decode(&tried, &mut bytes);
            if is_signed(&bytes) {
                let right = body(&mut Reader::new(&bytes[1..]));
                let Ok(Ok(ticket)) = right else { return TicketError::Typos };
                return TicketError::Wrong { position: first + at, part: ticket.part_at(at) };
            }
        }
        tried[at] = typed;
    }
    // The letter at the beginning moves on through the others, which leaves each out in turn.
    if tried.is_empty() {
        return TicketError::Typos;
    }
    let mut left_out = tried.remove(0);
    for at in 0..=tried.len() {
        decode(&tried, &mut bytes);
        if is_signed(&bytes) {
            return TicketError::TooMany(first + at);
        }
        if let Some(next) = tried.get_mut(at) {
            core::mem::swap(next, &mut left_out);
        }
    }
    TicketError::Typos
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Ticket::PREFIX)?;
        encode(&self.to_bytes(), f)
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = if self.capability.is_empty() { "none" } else { "(hidden)" };
        f.debug_struct("Ticket")
            .field("eid", &self.eid)
            .field("addresses", &self.addresses)
            .field("capability", &format_args!("{hidden}"))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> Ticket {
        let addresses = ["192.0.2.7:4860", "[2001:db8::1]:4861"].map(|a| a.parse().expect("an address")).to_vec();
        Ticket::new(Eid::from_bytes([0xa5; 32]), addresses, vec![3; 16]).expect("within bounds")
    }

    #[test]
    fn a_ticket_survives_its_text_form_in_either_case() {
        let text = ticket().to_string();
        assert_eq!(text.len(), 4 + (1 + 32 + 1 + 7 + 19 + 1 + 16 + 4_usize) * 8 / 5 + 1);
        assert_eq!(text.parse(), Ok(ticket()));
        assert_eq!(text.to_uppercase().parse(), Ok(ticket()));
        assert_eq!(format!(" {text}\n").parse(), Ok(ticket()));
        let bare = Ticket::new(ticket().eid(), Vec::new(), Vec::new()).expect("within bounds");
        assert_eq!(bare.to_string().parse(), Ok(bare));
    }

    #[test]
    fn a_ticket_that_a_mail_program_has_folded_is_read_and_anything_else_in_it_is_not() {
        let text = ticket().to_string();
        let (a, b, c) = (&text[..30], &text[30..70], &text[70..]);
        for folded in [
            format!("{a}\n{b}\r\n{c}\n"),
            format!("  {a} {b}\t{c}"),
            format!("> {a}\n> {b}\n> {c}\n"),
            format!(">> {a}=\n>> {b}=\n> > {c}"),
            format!("{a}=\r\n{b}=\r\n{c}"),
            format!("tn\ng1{}", &text[4..]),
        ] {
            assert_eq!(folded.parse(), Ok(ticket()), "{folded:?}");
        }
        for foreign in [format!("{a}={b}{c}"), format!("{a}>{b}{c}"), format!("{a}\n-{b}{c}"), format!("{text}=")] {
            let error = foreign.parse::<Ticket>().expect_err("it is no ticket's");
            assert!(matches!(error, TicketError::Character(_)), "{foreign:?}: {error}");
        }
        assert_eq!(format!("> {a}\n> {b}\n").parse::<Ticket>(), Err(TicketError::CutOff));
    }

    #[test]
    fn base32_is_that_of_eids() {
        let mut text = String::new();
        encode(&[0xa5; 32], &mut text).expect("a string takes all");
        assert_eq!(text, Eid::from_bytes([0xa5; 32]).to_string());
    }

    #[test]
    fn a_ticket_that_is_cut_anywhere_says_so() {
        let text = ticket().to_string();
        for cut in Ticket::PREFIX.len()..text.len() {
            assert_eq!(text[..cut].parse::<Ticket>(), Err(TicketError::CutOff), "after {cut} of {}", text.len());
        }
        assert_eq!("tng".parse::<Ticket>(), Err(TicketError::Prefix));
    }

    #[test]
    fn every_single_wrong_character_is_noticed() {
        let text = ticket().to_string();
        for at in Ticket::PREFIX.len()..text.len() {
            for wrong in ["a", "z", "7"] {
                let mut typed = text.clone();
                typed.replace_range(at..=at, wrong);
                let typo = typed.parse::<Ticket>();
                assert!(typed == text || typo.is_err(), "{typed}");
            }
        }
    }

    #[test]
    fn one_typing_error_is_found_at_its_place_and_the_ticket_is_not_told() {
        let text = ticket().to_string();
        let other = |at: usize| if &text[at..=at] == "a" { "b" } else { "a" };
        for (at, part) in [
            (4, TicketPart::Host),
            (20, TicketPart::Host),
            (60, TicketPart::Addresses),
            (text.len() - 20, TicketPart::Capability),
            (text.len() - 3, TicketPart::Checksum),
        ] {
            let mut typed = text.clone();
            typed.replace_range(at..=at, other(at));
            let error = typed.parse::<Ticket>().expect_err("a typing error");
            assert_eq!(error, TicketError::Wrong { position: at + 1, part }, "{error}");
            assert!(
                !error.to_string().contains(&text[at..at + 3]) && !format!("{error:?}").contains(&text[at..at + 3])
            );
        }
        let mut typed = text.clone();
        typed.insert(40, 'q');
        let near = |error: TicketError| matches!(error, TicketError::TooMany(at) if (40..=42).contains(&at));
        assert!(near(typed.parse::<Ticket>().expect_err("one too many")));
        typed.replace_range(39..42, "");
        let missing = typed.parse::<Ticket>().expect_err("two are missing");
        assert!(matches!(missing, TicketError::CutOff | TicketError::Typos), "{missing}");
        let mut typed = text.clone();
        typed.replace_range(20..21, other(20));
        typed.replace_range(50..51, other(50));
        assert_eq!(typed.parse::<Ticket>(), Err(TicketError::Typos));
        let mut typed = text;
        typed.replace_range(9..10, "0");
        assert_eq!(typed.parse::<Ticket>(), Err(TicketError::Character(10)));
    }

    #[test]
    fn a_later_version_asks_for_an_update() {
        let mut bytes = vec![2, 9, 9, 9];
        bytes.extend_from_slice(&checksum(&bytes));
        let mut text = Ticket::PREFIX.to_owned();
        encode(&bytes, &mut text).expect("a string takes all");
        assert_eq!(text.parse::<Ticket>(), Err(TicketError::Version(2)));
    }

    #[test]
    fn more_than_a_ticket_holds_is_refused() {
        let (eid, address) = (ticket().eid(), ticket().addresses()[0]);
        assert_eq!(Ticket::new(eid, vec![address; 9], Vec::new()), Err(TicketFull));
        assert_eq!(Ticket::new(eid, Vec::new(), vec![0; 65]), Err(TicketFull));
        let full = Ticket::new(eid, vec![ticket().addresses()[1]; 8], vec![7; 64]).expect("within bounds");
        assert_eq!(full.to_string().parse(), Ok(full));
    }

    #[test]
    fn a_capability_is_not_printed_by_accident() {
        assert!(!format!("{:?}", ticket()).contains('3'), "{:?}", ticket());
    }
}
