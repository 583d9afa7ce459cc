//! Who may look a host up.

use tng_base::Eid;
use tng_crypto::{equal, sha256};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::LISTED_MAX;
use crate::help::Token;

const PUBLIC: u8 = 0;
const LISTED: u8 = 1;
const TOKEN: u8 = 2;

/// SHA-256 of a token: a registry cannot show the token elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenHash(pub [u8; 32]);

impl TokenHash {
    /// That of this token.
    pub fn of(token: &Token) -> TokenHash {
        TokenHash(sha256(&[token.expose()]))
    }
}

/// Who may look a host up, and be introduced to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Everybody.
    Public,
    /// These hosts, and nobody else; at most [`LISTED_MAX`]. With none of them it is found by nobody, and can still be
    /// introduced where it asks for that.
    Listed(Vec<Eid>),
    /// Who shows this token.
    Token(TokenHash),
}

impl Policy {
    /// Whether `caller`, who shows this, may look up the host `of`. A host may look itself up.
    pub fn permits(&self, of: Eid, caller: Eid, shown: Option<&Token>) -> bool {
        match self {
            _ if caller == of => true,
            Policy::Public => true,
            Policy::Listed(listed) => listed.contains(&caller),
            Policy::Token(hash) => shown.is_some_and(|token| equal(&TokenHash::of(token).0, &hash.0)),
        }
    }
}

impl Repr<'_> for Policy {
    fn parse(reader: &mut Reader<'_>) -> Result<Policy, Malformed> {
        match reader.u8()? {
            PUBLIC => Ok(Policy::Public),
            LISTED => {
                let count = usize::from(reader.u8()?);
                if count > LISTED_MAX {
                    return Err(Malformed);
                }
                let listed = (0..count).map(|_| reader.array().map(Eid::from_bytes));
                Ok(Policy::Listed(listed.collect::<Result<_, Malformed>>()?))
            }
            TOKEN => Ok(Policy::Token(TokenHash(reader.array()?))),
            _ => Err(Malformed),
        }
    }

    fn wire_len(&self) -> usize {
        1 + match self {
            Policy::Public => 0,
            Policy::Listed(listed) => 1 + listed.len() * 32,
            Policy::Token(_) => 32,
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Policy::Public => writer.u8(PUBLIC),
            Policy::Listed(listed) => {
                writer.u8(LISTED)?;
                writer.u8(u8::try_from(listed.len()).map_err(|_| Full)?)?;
                listed.iter().try_for_each(|eid| writer.bytes(eid.as_bytes()))
            }
            Policy::Token(TokenHash(hash)) => {
                writer.u8(TOKEN)?;
                writer.bytes(hash)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_lets_in_whom_it_names_and_the_host_itself() {
        let [of, listed, other] = [1, 2, 3].map(|n| Eid::from_bytes([n; 32]));
        let token = |text: &str| Token::new(text).expect("a token");
        let by_token = Policy::Token(TokenHash::of(&token("sesame")));
        let by_list = Policy::Listed(vec![listed]);
        assert!(Policy::Public.permits(of, other, None));
        assert!(by_list.permits(of, listed, None) && !by_list.permits(of, other, Some(&token("sesame"))));
        assert!(by_token.permits(of, other, Some(&token("sesame"))));
        assert!(!by_token.permits(of, other, Some(&token("sesam"))) && !by_token.permits(of, other, None));
        assert!(by_list.permits(of, of, None) && by_token.permits(of, of, None));
        assert!(!Policy::Listed(Vec::new()).permits(of, listed, None), "nobody");
    }
}
