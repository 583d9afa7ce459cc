//! What hosts say of themselves, signed.

use core::net::{IpAddr, SocketAddr};

use tng_base::Eid;
use tng_crypto::{SIGNATURE_LEN, labels, verify};
use tng_stack::Identity;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{ADDRESSES_MAX, CLOCKS_APART_MAX_S};

const RECORD: u8 = 1;
const SUCCESSION: u8 = 2;
const REVOCATION: u8 = 3;

/// Where a host is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Greater than that of every record before.
    pub number: u64,
    /// Until when it is good, in seconds since 1970.
    pub expires_s: u64,
    /// Where the host is, as far as it knows itself, the likeliest first; at most [`ADDRESSES_MAX`].
    pub addresses: Vec<SocketAddr>,
}

/// That a host goes by another key from now on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Succession {
    /// When it was said, in seconds since 1970.
    pub made_s: u64,
    /// The key.
    pub heir: Eid,
    /// The signature of the heir: nobody is made another's heir without knowing.
    pub consent: [u8; SIGNATURE_LEN],
}

/// What a host says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// Where it is.
    Here(Record),
    /// It goes by another key.
    Succeeded(Succession),
    /// Its key is not to be believed any more. Made beforehand, kept where the key is not, and published when the key
    /// is lost.
    Revoked {
        /// When it was said, in seconds since 1970.
        made_s: u64,
    },
}

/// Which of two statements of a host counts: the greater. A revocation is above every succession, and that above every
/// record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Order {
    /// 0 record, 1 succession, 2 revocation.
    pub rank: u8,
    /// The record's number, or when the other was made.
    pub number: u64,
}

/// What a host says of itself, and its signature. It may be anybody's until it is [checked](Statement::check).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Who says it.
    pub eid: Eid,
    /// What.
    pub word: Word,
    /// The signature.
    pub signature: [u8; SIGNATURE_LEN],
}

/// Why a statement is not believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// It is another host's.
    #[error("it is a statement of {seen}, another host")]
    Stranger {
        /// Whose.
        seen: Eid,
    },
    /// The host has not signed it.
    #[error("its signature is not the host's")]
    Signature,
    /// It was good until some time ago.
    #[error("it expired {ago_s} s ago; the host has not renewed it, or one of the clocks is wrong")]
    Expired {
        /// How long ago, in seconds.
        ago_s: u64,
    },
}

impl Word {
    /// How it compares with others of the same host.
    pub const fn order(&self) -> Order {
        match self {
            Word::Here(record) => Order { rank: 0, number: record.number },
            Word::Succeeded(succession) => Order { rank: 1, number: succession.made_s },
            Word::Revoked { made_s } => Order { rank: 2, number: *made_s },
        }
    }

    /// The key that takes the place of the host's, if one does.
    pub const fn heir(&self) -> Option<Eid> {
        match self {
            Word::Succeeded(succession) => Some(succession.heir),
            Word::Here(_) | Word::Revoked { .. } => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Word::Here(record) => 8 + 8 + 1 + record.addresses.iter().map(|at| address_len(*at)).sum::<usize>(),
            Word::Succeeded(_) => 8 + 32 + SIGNATURE_LEN,
            Word::Revoked { .. } => 8,
        }
    }
}

impl Succession {
    /// That the host `old` goes by the key of `heir` from now on.
    pub fn new(old: Eid, heir: &Identity, made_s: u64) -> Succession {
        let consent = heir.sign(labels::REGISTRY_HEIR, &consented(old, heir.eid(), made_s));
        Succession { made_s, heir: heir.eid(), consent }
    }
}

fn consented(old: Eid, heir: Eid, made_s: u64) -> Vec<u8> {
    [old.as_bytes(), heir.as_bytes(), &made_s.to_be_bytes()[..]].concat()
}

impl Statement {
    /// The statement of this host.
    pub fn new(identity: &Identity, word: Word) -> Statement {
        let mut statement = Statement { eid: identity.eid(), word, signature: [0; SIGNATURE_LEN] };
        statement.signature = identity.sign(labels::REGISTRY_STATEMENT, &statement.signed());
        statement
    }

    /// How it compares with others of the same host.
    pub const fn order(&self) -> Order {
        self.word.order()
    }

    /// What the signature is over.
    fn signed(&self) -> Vec<u8> {
        let mut bytes = self.to_vec();
        bytes.truncate(bytes.len() - SIGNATURE_LEN);
        bytes
    }

    /// Whether it is what `of` says of itself, and still good at `now_s`, in seconds since 1970.
    ///
    /// # Errors
    /// See [`Flaw`].
    pub fn check(&self, of: Eid, now_s: u64) -> Result<(), Flaw> {
        if self.eid != of {
            return Err(Flaw::Stranger { seen: self.eid });
        }
        let is_signed = |label: labels::Label, by: Eid, bytes: &[u8], signature| {
            verify(by.as_bytes(), &[label.as_bytes(), bytes].concat(), signature)
        };
        if !is_signed(labels::REGISTRY_STATEMENT, of, &self.signed(), &self.signature) {
            return Err(Flaw::Signature);
        }
        match &self.word {
            Word::Here(record) => match now_s.saturating_sub(record.expires_s) {
                ago_s if ago_s > CLOCKS_APART_MAX_S => Err(Flaw::Expired { ago_s }),
                _ => Ok(()),
            },
            Word::Succeeded(Succession { made_s, heir, consent }) => {
                let said = consented(of, *heir, *made_s);
                is_signed(labels::REGISTRY_HEIR, *heir, &said, consent).then_some(()).ok_or(Flaw::Signature)
            }
            Word::Revoked { .. } => Ok(()),
        }
    }
}

pub(super) const fn address_len(address: SocketAddr) -> usize {
    1 + 2 + if address.is_ipv4() { 4 } else { 16 }
}

/// Reads an address, as they stand in tickets. An IPv4 address has one form.
pub(super) fn address(reader: &mut Reader<'_>) -> Result<SocketAddr, Malformed> {
    let ip = match reader.u8()? {
        4 => IpAddr::from(reader.array::<4>()?),
        6 => IpAddr::from(reader.array::<16>()?),
        _ => return Err(Malformed),
    };
    Ok(SocketAddr::new(ip, reader.u16()?))
}

pub(super) fn emit_address(writer: &mut Writer<'_>, address: SocketAddr) -> Result<(), Full> {
    match address.ip() {
        IpAddr::V4(ip) => {
            writer.u8(4)?;
            writer.bytes(&ip.octets())?;
        }
        IpAddr::V6(ip) => {
            writer.u8(6)?;
            writer.bytes(&ip.octets())?;
        }
    }
    writer.u16(address.port())
}

/// Reads a count, and so many addresses.
pub(super) fn addresses(reader: &mut Reader<'_>, most: usize) -> Result<Vec<SocketAddr>, Malformed> {
    let count = usize::from(reader.u8()?);
    if count > most {
        return Err(Malformed);
    }
    (0..count).map(|_| address(reader)).collect()
}

pub(super) fn emit_addresses(writer: &mut Writer<'_>, addresses: &[SocketAddr]) -> Result<(), Full> {
    writer.u8(u8::try_from(addresses.len()).map_err(|_| Full)?)?;
    addresses.iter().try_for_each(|at| emit_address(writer, *at))
}

impl Repr<'_> for Statement {
    fn parse(reader: &mut Reader<'_>) -> Result<Statement, Malformed> {
        let (kind, eid) = (reader.u8()?, Eid::from_bytes(reader.array()?));
        let word = match kind {
            RECORD => {
                let (number, expires_s) = (reader.u64()?, reader.u64()?);
                Word::Here(Record { number, expires_s, addresses: addresses(reader, ADDRESSES_MAX)? })
            }
            SUCCESSION => {
                let (made_s, heir) = (reader.u64()?, Eid::from_bytes(reader.array()?));
                Word::Succeeded(Succession { made_s, heir, consent: reader.array()? })
            }
            REVOCATION => Word::Revoked { made_s: reader.u64()? },
            _ => return Err(Malformed),
        };
        Ok(Statement { eid, word, signature: reader.array()? })
    }

    fn wire_len(&self) -> usize {
        1 + 32 + self.word.len() + SIGNATURE_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match &self.word {
            Word::Here(_) => RECORD,
            Word::Succeeded(_) => SUCCESSION,
            Word::Revoked { .. } => REVOCATION,
        };
        writer.u8(kind)?;
        writer.bytes(self.eid.as_bytes())?;
        match &self.word {
            Word::Here(Record { number, expires_s, addresses }) => {
                writer.u64(*number)?;
                writer.u64(*expires_s)?;
                emit_addresses(writer, addresses)?;
            }
            Word::Succeeded(Succession { made_s, heir, consent }) => {
                writer.u64(*made_s)?;
                writer.bytes(heir.as_bytes())?;
                writer.bytes(consent)?;
            }
            Word::Revoked { made_s } => writer.u64(*made_s)?,
        }
        writer.bytes(&self.signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1_800_000_000;

    fn host(n: u8) -> Identity {
        Identity::from_seed([n; 32])
    }

    fn record(number: u64, expires_s: u64) -> Word {
        Word::Here(Record { number, expires_s, addresses: vec!["192.0.2.7:4860".parse().expect("an address")] })
    }

    #[test]
    fn what_a_host_signed_is_believed_and_with_any_bit_changed_it_is_not() {
        let succession = Word::Succeeded(Succession::new(host(1).eid(), &host(2), NOW_S));
        for word in [record(7, NOW_S), succession, Word::Revoked { made_s: NOW_S }] {
            let statement = Statement::new(&host(1), word);
            assert_eq!(statement.check(host(1).eid(), NOW_S), Ok(()));
            let bytes = statement.to_vec();
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                let Ok(changed) = Statement::parse(&mut Reader::new(&changed)) else { continue };
                assert!(changed.check(host(1).eid(), NOW_S).is_err(), "byte {at} of {statement:?}");
            }
        }
    }

    #[test]
    fn what_another_host_says_is_told_from_what_is_not_signed() {
        let statement = Statement::new(&host(1), record(7, NOW_S));
        assert_eq!(statement.check(host(2).eid(), NOW_S), Err(Flaw::Stranger { seen: host(1).eid() }));
        let forged = Statement { eid: host(2).eid(), ..statement };
        assert_eq!(forged.check(host(2).eid(), NOW_S), Err(Flaw::Signature));
    }

    #[test]
    fn a_record_is_good_until_its_end_and_for_as_long_as_clocks_may_be_apart() {
        let statement = Statement::new(&host(1), record(7, NOW_S));
        let at = |later_s| statement.check(host(1).eid(), NOW_S + later_s);
        assert_eq!(at(CLOCKS_APART_MAX_S), Ok(()));
        assert_eq!(at(CLOCKS_APART_MAX_S + 1), Err(Flaw::Expired { ago_s: CLOCKS_APART_MAX_S + 1 }));
    }

    #[test]
    fn nobody_becomes_an_heir_without_having_signed_for_it() {
        let stolen = Succession { heir: host(3).eid(), ..Succession::new(host(1).eid(), &host(2), NOW_S) };
        let statement = Statement::new(&host(1), Word::Succeeded(stolen));
        assert_eq!(statement.check(host(1).eid(), NOW_S), Err(Flaw::Signature));
        // What was signed for one host is no consent to another.
        let other = Statement::new(&host(4), Word::Succeeded(Succession::new(host(1).eid(), &host(2), NOW_S)));
        assert_eq!(other.check(host(4).eid(), NOW_S), Err(Flaw::Signature));
    }

    #[test]
    fn a_revocation_counts_above_every_succession_and_that_above_every_record() {
        let record = record(u64::MAX, NOW_S).order();
        let succession = Word::Succeeded(Succession::new(host(1).eid(), &host(2), 1)).order();
        let revocation = Word::Revoked { made_s: 0 }.order();
        assert!(record < succession && succession < revocation);
        assert!(Order { rank: 0, number: 1 } < Order { rank: 0, number: 2 });
    }
}
