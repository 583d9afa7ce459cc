//! The one list of labels that separate the uses of keys and hashes.
//!
//! Every derivation in the project names a label from here, so that two uses can never meet by accident. No label is
//! the beginning of another.

/// What a key or a hash is for; goes into its derivation as these bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(&'static str);

impl Label {
    /// The bytes that are hashed.
    pub const fn as_bytes(self) -> &'static [u8] {
        self.0.as_bytes()
    }
}

/// Key of the first MAC of an INIT, from the responder's EID.
pub const MAC1: Label = Label("tng1 mac1");
/// Key of the MACs of small answers to an INIT, from the responder's EID.
pub const ANSWER: Label = Label("tng1 answer");
/// Prologue of the Noise exchange.
pub const PROLOGUE: Label = Label("tng1 prologue");
/// What a WRONG_KEY answer signs.
pub const WRONG_KEY: Label = Label("tng1 wrong key");
/// AEAD key of a phase, from its traffic secret.
pub const KEY: Label = Label("tng1 key");
/// AEAD nonce mask of a phase, from its traffic secret.
pub const IV: Label = Label("tng1 iv");
/// Header-protection key of a direction, from its first traffic secret.
pub const HEADER: Label = Label("tng1 header");
/// The next phase's traffic secret.
pub const NEXT: Label = Label("tng1 next");
/// Checksum key of a direction in weak mode, from its first traffic secret.
pub const CHECKSUM: Label = Label("tng1 checksum");
/// The secret that an exchange leaves for the layers above.
pub const EXPORTER: Label = Label("tng1 exporter");
/// A host's stateless-reset key, from its identity.
pub const RESET_KEY: Label = Label("tng1 reset key");
/// A capability that a host gives out, from its identity and what it opens.
pub const CAPABILITY: Label = Label("tng1 capability");

/// The name of the streams that an exchange began.
pub const SESSION: Label = Label("tng1 session");

/// Keying material for applications.
pub const EXPORTED: Label = Label("tng1 exported");

/// MAC key of a section's packets toward the responder, from its hop key.
pub const HOP_OUTWARD: Label = Label("tng1 hop outward");
/// MAC key of a section's packets toward the initiator, from its hop key.
pub const HOP_HOMEWARD: Label = Label("tng1 hop homeward");
/// AEAD key of what proves a renewal, from a capability's key.
pub const RENEWAL: Label = Label("tng1 renew");
/// AEAD key of the JOIN of a section, from its hop key.
pub const JOIN: Label = Label("tng1 join out");
/// AEAD key of the JOINED of a section, from its hop key.
pub const JOINED: Label = Label("tng1 join home");
/// AEAD key of an order, from the key of the capability.
pub const ORDER: Label = Label("tng1 order");
/// AEAD key of capabilities, from a helper's secret.
pub const HELP: Label = Label("tng1 help seal");
/// Keys of the capabilities that a helper gives out, from its secret.
pub const HELP_KEYS: Label = Label("tng1 help keys");
/// AEAD key of an offer of help, from what two keys of the helper and the ephemeral key of an INIT agree on.
pub const OFFER: Label = Label("tng1 offer");
/// What a helper in the path knows a client's address by, from its secret.
pub const IN_PATH: Label = Label("tng1 in path");
/// A helper's stateless-reset key, from its secret.
pub const HELP_RESET: Label = Label("tng1 help reset");

/// What a generator of secrets gives, and its next state, from its state.
pub const DRAW: Label = Label("tng1 draw");
/// Key of the nonces of what is sealed under a key, from that key.
pub const NONCE: Label = Label("tng1 nonce");
/// Block key of range nonces, from the secret of an epoch or of a host.
pub const RANGE_NONCE: Label = Label("tng1 range nonce");

/// Prologue of the Noise exchange that sets up a Trickles connection.
pub const TRICKLES_PROLOGUE: Label = Label("tng1 trickles prologue");
/// The id of a Trickles connection, from the messages that set it up.
pub const TRICKLES_ID: Label = Label("tng1 trickles id");
/// The key of the next epoch of Trickles servers, from that of the one before.
pub const TRICKLES_NEXT: Label = Label("tng1 trickles next");
/// MAC key of transport continuations, from the key of their epoch.
pub const TRICKLES_TRANSPORT: Label = Label("tng1 trickles transport");
/// MAC key of user continuations, from the key of their epoch.
pub const TRICKLES_USER: Label = Label("tng1 trickles user");
/// MAC key of minisockets that have left their server, from the key of their epoch.
pub const TRICKLES_EXTRACTED: Label = Label("tng1 trickles extracted");
/// Key of the secrets of connections, from the key of their epoch.
pub const TRICKLES_CONNECTION: Label = Label("tng1 trickles connection");
/// MAC key of address tokens, from the key of their epoch.
pub const TRICKLES_ADDRESS: Label = Label("tng1 trickles address");
/// Key of the tags of lines, from the key of their epoch.
pub const TRICKLES_TAG: Label = Label("tng1 trickles tag");
/// What a publisher signs of a module.
pub const STP_MANIFEST: Label = Label("tng1 stp manifest");
/// What a publisher signs that takes code or keys back.
pub const STP_REVOCATION: Label = Label("tng1 stp revocation");
/// MAC key of compiled code, from the secret of a store.
pub const STP_COMPILED: Label = Label("tng1 stp compiled");
/// What a host signs of itself for registries.
pub const REGISTRY_STATEMENT: Label = Label("tng1 registry statement");
/// What the heir of a host's key signs.
pub const REGISTRY_HEIR: Label = Label("tng1 registry heir");

/// MAC key of puzzles, from the key of their epoch.
pub const TRICKLES_PUZZLE: Label = Label("tng1 trickles puzzle");

/// All of them.
pub const ALL: [Label; 43] = [
    MAC1,
    ANSWER,
    PROLOGUE,
    WRONG_KEY,
    KEY,
    IV,
    HEADER,
    NEXT,
    CHECKSUM,
    EXPORTER,
    RESET_KEY,
    CAPABILITY,
    SESSION,
    EXPORTED,
    HOP_OUTWARD,
    HOP_HOMEWARD,
    JOIN,
    JOINED,
    ORDER,
    RENEWAL,
    HELP,
    HELP_KEYS,
    HELP_RESET,
    OFFER,
    IN_PATH,
    DRAW,
    NONCE,
    RANGE_NONCE,
    TRICKLES_PROLOGUE,
    TRICKLES_ID,
    TRICKLES_NEXT,
    TRICKLES_TRANSPORT,
    TRICKLES_USER,
    TRICKLES_EXTRACTED,
    TRICKLES_CONNECTION,
    TRICKLES_ADDRESS,
    TRICKLES_TAG,
    TRICKLES_PUZZLE,
    STP_MANIFEST,
    STP_REVOCATION,
    STP_COMPILED,
    REGISTRY_STATEMENT,
    REGISTRY_HEIR,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_the_beginning_of_another() {
        for (i, a) in ALL.iter().enumerate() {
            assert!(a.0.starts_with("tng1 "), "{a:?}");
            for (j, b) in ALL.iter().enumerate() {
                assert!(i == j || !a.0.starts_with(b.0), "{a:?} begins with {b:?}");
            }
        }
    }
}
