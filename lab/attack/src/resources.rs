//! The resource model: what every message that a host takes may cost it at worst, by whom it may be sent.
//! docs/resources.md is gathered from here, and a test fails for a message of the wire formats that has no row.
//!
//! A bound of work is in instructions for one datagram full of the message, in a release build, the crypto library's
//! included: what was counted (work.rs), and a margin. A bound of memory is in bytes that the host holds because of the
//! messages, for one who sends them, and for all of them together.

use crate::{find, work};

/// Who can bring a host to take a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sender {
    /// Anybody, from an address that need not be theirs.
    Unproven,
    /// A host that receives at the address.
    Proven,
    /// A peer whose key is known, on a channel.
    Authenticated,
}

impl Sender {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Sender::Unproven => "unproven",
            Sender::Proven => "proven",
            Sender::Authenticated => "authenticated",
        }
    }
}

/// What takes a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// Set-up messages and small answers (wire.md, section 2).
    SetUp,
    /// What stands around a payload (section 3).
    Channel,
    /// Servers that keep nothing of a connection (sections 2.9 and 2.10).
    Trickles,
    /// Frames of the control block (section 3.2).
    Control,
    /// Frames of structured streams (section 4).
    Streams,
    /// The file service (section 6).
    Files,
    /// Ping and pipe (section 7).
    Echo,
    /// TCP connections (section 8).
    Forward,
    /// Measurements (section 9).
    Perf,
}

impl Layer {
    /// All of them, in the order of wire.md.
    pub const ALL: [Layer; 9] = [
        Layer::SetUp,
        Layer::Trickles,
        Layer::Channel,
        Layer::Control,
        Layer::Streams,
        Layer::Files,
        Layer::Echo,
        Layer::Forward,
        Layer::Perf,
    ];

    /// A heading.
    pub const fn title(self) -> &'static str {
        match self {
            Layer::SetUp => "Set-up and small answers (wire.md, section 2)",
            Layer::Trickles => "Trickles (sections 2.9 and 2.10)",
            Layer::Channel => "Around a payload (section 3)",
            Layer::Control => "Control frames (section 3.2)",
            Layer::Streams => "Stream frames (section 4)",
            Layer::Files => "Files (section 6)",
            Layer::Echo => "Ping and pipe (section 7)",
            Layer::Forward => "Forward (section 8)",
            Layer::Perf => "Perf (section 9)",
        }
    }
}

/// A datagram may cost so many times what the dearest was counted to cost. Processors, compilers and the crypto
/// library's ways differ, and what is rare may not have been met among those that were counted.
pub const WORK_MARGIN: u64 = 2;

/// And so many instructions more: small counts differ by more than large ones.
pub const WORK_MARGIN_INSTRUCTIONS: u64 = 1_000;

/// The budget (`HostConfig::memory_max`, `tng serve --memory`) of the host that the model is of.
pub const MODEL_MEMORY: u64 = 32 << 20;

/// What leaves nothing behind: an answer that waits, at the most.
pub const ANSWER_HELD_MAX: u64 = 4 << 10;
/// The half-open entries of one network, with all that stands for the connections that may come of them.
pub const HALF_OPEN_HELD_MAX: u64 = 4 << 20;
/// A connection, its channels and their tables, without streams' data.
pub const CHANNEL_HELD_MAX: u64 = 1 << 20;
/// What one peer may fill by streams and datagrams: its part of the budget, and a page for each of its streams.
pub const PEER_HELD_MAX: u64 = MODEL_MEMORY / 4 + (8 << 20);

/// Stateless answers that wait, for the host.
pub const ANSWERS_HELD_HOST_MAX: u64 = 1 << 20;
/// All half-open entries.
pub const HALF_OPEN_HELD_HOST_MAX: u64 = 32 << 20;
/// All that peers make a host hold: its budget, and what stands for connections, packets and half-open entries.
pub const HELD_HOST_MAX: u64 = MODEL_MEMORY + (16 << 20);

/// What drives the worst case of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drive {
    /// This attack, on a host in virtual time and on `tng serve`.
    Attack(&'static str),
    /// This attack, but on `tng serve` alone, or on a client of the tool: what takes the message is no host, but a
    /// program.
    Process(&'static str),
    /// None: the reason is in the words.
    None,
}

/// A row of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// What takes it.
    pub layer: Layer,
    /// Its name, as in the code.
    pub message: &'static str,
    /// Who can send it.
    pub from: Sender,
    /// Bytes held for one who sends it, at most.
    pub held_max: u64,
    /// Bytes held for all who send it, at most.
    pub held_host_max: u64,
    /// What drives it.
    pub drive: Drive,
    /// What bounds it.
    pub why: &'static str,
}

impl Resource {
    /// The attack on a host in memory under which its work is counted; `None` if nothing drives it.
    pub fn counted_under(&self) -> Option<&'static crate::Attack> {
        match self.drive {
            // What a server does to a client is counted at the client.
            Drive::Attack(name) | Drive::Process(name) => find(name),
            Drive::None => None,
        }
    }

    /// Instructions for the dearest datagram that was counted, if any was.
    pub fn work(&self) -> Option<u64> {
        let attack = self.counted_under()?;
        work::COUNTED.iter().find(|(name, _)| *name == attack.name).map(|(_, work)| *work)
    }

    /// Instructions for a datagram, at most.
    pub fn work_max(&self) -> Option<u64> {
        self.work().map(|work| WORK_MARGIN * work + WORK_MARGIN_INSTRUCTIONS)
    }
}

/// Bounds that go together: bytes for one, bytes for all.
type Bounds = (u64, u64);

const DROPPED: Bounds = (0, 0);
const ANSWERED: Bounds = (ANSWER_HELD_MAX, ANSWERS_HELD_HOST_MAX);
const EXCHANGE: Bounds = (HALF_OPEN_HELD_MAX, HALF_OPEN_HELD_HOST_MAX);
const PACKET: Bounds = (CHANNEL_HELD_MAX, HELD_HOST_MAX);
const STORED: Bounds = (PEER_HELD_MAX, HELD_HOST_MAX);

/// What takes a message, and who can send it.
type Origin = (Layer, Sender);

const STRANGERS: Origin = (Layer::SetUp, Sender::Unproven);
const PROVEN: Origin = (Layer::SetUp, Sender::Proven);
const TRICKLES: Origin = (Layer::Trickles, Sender::Authenticated);
const AROUND: Origin = (Layer::Channel, Sender::Unproven);
const SEALED: Origin = (Layer::Channel, Sender::Authenticated);
const CONTROL: Origin = (Layer::Control, Sender::Authenticated);
const STREAMS: Origin = (Layer::Streams, Sender::Authenticated);

const fn row(
    (layer, from): Origin,
    message: &'static str,
    (held_max, held_host_max): Bounds,
    drive: Drive,
    why: &'static str,
) -> Resource {
    Resource { layer, message, from, held_max, held_host_max, drive, why }
}

/// A row that an attack on a host drives.
const fn driven(from: Origin, message: &'static str, bounds: Bounds, by: &'static str, why: &'static str) -> Resource {
    row(from, message, bounds, Drive::Attack(by), why)
}

const fn service(layer: Layer, message: &'static str, drive: Drive, why: &'static str) -> Resource {
    row((layer, Sender::Authenticated), message, STORED, drive, why)
}

use Drive::{Attack, None as Undriven, Process};

/// All of them.
pub const RESOURCES: &[Resource] = &[
    driven(
        STRANGERS,
        "INIT",
        EXCHANGE,
        "init-flood",
        "entries up to a threshold, then cookies alone; exchanges in vain are limited",
    ),
    driven(
        PROVEN,
        "INIT with a cookie",
        EXCHANGE,
        "cookie-storm",
        "a cookie is good for one message; entries are shared out among networks",
    ),
    driven(STRANGERS, "INIT for another key", ANSWERED, "wrong-key", "signatures are limited for the host"),
    driven(
        STRANGERS,
        "INIT that attaches",
        EXCHANGE,
        "attach-flood",
        "as INIT; a session that is not known leaves nothing",
    ),
    row(
        STRANGERS,
        "INIT of a registered protocol",
        EXCHANGE,
        Undriven,
        "as INIT; its factory is asked after access, places and memory, and what it promises counts in the budget; the \
         tool registers none",
    ),
    driven(STRANGERS, "REPLY", DROPPED, "storm-reply", "only for a name that this host has asked with"),
    driven(STRANGERS, "COOKIE", DROPPED, "storm-cookie", "the same, from an address that was asked, with a MAC"),
    driven(STRANGERS, "VERSION", DROPPED, "storm-version", "as COOKIE"),
    driven(STRANGERS, "WRONG_KEY", DROPPED, "storm-wrong-key", "as COOKIE; its signature is checked for such alone"),
    driven(STRANGERS, "UNSERVED", DROPPED, "storm-unserved", "nobody takes it"),
    driven(STRANGERS, "JOIN", EXCHANGE, "storm-join", "the INIT in it is judged as any"),
    driven(STRANGERS, "JOINED", DROPPED, "storm-joined", "only from the neighbour that was asked"),
    driven(STRANGERS, "ANSWERED", DROPPED, "storm-answered", "the same"),
    driven(STRANGERS, "DECLINED", DROPPED, "storm-declined", "the same"),
    driven(STRANGERS, "ORDER", DROPPED, "storm-order", "of helpers alone; elsewhere dropped"),
    driven(
        STRANGERS,
        "TUNNEL",
        DROPPED,
        "storm-tunnel",
        "within the sealed instructions to a helper; elsewhere dropped",
    ),
    driven(
        STRANGERS,
        "PUNCH",
        DROPPED,
        "storm-punch",
        "dropped unless it names an introduction; then one as long goes back, three times for each address at most",
    ),
    driven(
        STRANGERS,
        "OFFER",
        DROPPED,
        "storm-offer",
        "only for a name that this host has asked with in the last second; 8 of those are opened",
    ),
    row(
        (Layer::Trickles, Sender::Unproven),
        "INIT",
        DROPPED,
        Process("trickles-init-spoof"),
        "one exchange, up to the bucket for addresses that have shown nothing, then a hash and a COOKIE; three bytes \
         for one",
    ),
    row(
        TRICKLES,
        "request with a forged continuation",
        DROPPED,
        Process("continuation-forge"),
        "opened, its seal computed; nothing is burnt and nothing answered. Honest ones between are in the count",
    ),
    row(
        TRICKLES,
        "request that was spent before",
        DROPPED,
        Process("continuation-replay"),
        "the same, and a bit in a filter of fixed size. Honest ones between are in the count",
    ),
    row(
        TRICKLES,
        "REQUEST",
        DROPPED,
        Process("proof-forge"),
        "its continuation is spent before its proof is looked at, of 64 ranges at most; what it releases is bounded by \
         the window",
    ),
    row(
        TRICKLES,
        "request for what is expensive",
        DROPPED,
        Process("expensive-requests"),
        "as many PUTs as a datagram holds; each is computed three times in 15 s for a connection, and under load a \
         puzzle, which is verified by two hashes, comes before. What computing costs is the application's",
    ),
    row(
        TRICKLES,
        "RESPONSE",
        DROPPED,
        Undriven,
        "to a client that keeps the request which it answers, sealed for that; the client's buffers bound what it asks \
         for",
    ),
    driven(AROUND, "packet of no channel", ANSWERED, "reset-probe", "one reset, smaller, limited for the host"),
    driven(AROUND, "stateless reset", ANSWERED, "reset-echo", "tokens are looked up in a table with a keyed hash"),
    driven(AROUND, "packet of a mode that is not served", ANSWERED, "unserved", "one answer, limited for the port"),
    driven(
        AROUND,
        "copy or forgery of a packet",
        PACKET,
        "number-jump",
        "opened once, and dropped; after so many forgeries the channel ends",
    ),
    driven(SEALED, "acknowledgment", PACKET, "ack-bomb", "63 ranges; of what was not sent, the channel closes"),
    driven(
        SEALED,
        "acknowledgment withheld",
        STORED,
        "no-ack",
        "what is in flight is bounded by window and credit; a silent path fails",
    ),
    driven(
        SEALED,
        "move to another address",
        STORED,
        "path-hop",
        "three bytes for one until the address is proven; an epoch for each move, no sweep",
    ),
    row(
        SEALED,
        "payload of a registered protocol",
        STORED,
        Undriven,
        "the protocol's own bounds; what it holds counts in the budget and gives way like streams; the tool registers \
         none",
    ),
    driven(CONTROL, "PAD", PACKET, "storm-pad", "a byte each"),
    driven(CONTROL, "PING", PACKET, "storm-ping", "acknowledgments are delayed and for many"),
    driven(CONTROL, "CLOSE", PACKET, "text-escape", "the first ends the channel"),
    driven(CONTROL, "NEW_ID", PACKET, "id-storm", "eight ids are held"),
    driven(CONTROL, "RETIRE_ID", PACKET, "retire-storm", "of an id that was never given: the channel closes"),
    driven(
        CONTROL,
        "CHALLENGE",
        PACKET,
        "challenge-flood",
        "three wait; 64 control frames are owed, then the channel closes",
    ),
    driven(CONTROL, "RESPONSE", PACKET, "storm-response", "compared with what was asked, and forgotten"),
    driven(CONTROL, "LOST", PACKET, "storm-lost", "ignored where numbers are masked"),
    driven(CONTROL, "PAYLOAD_MAX", PACKET, "storm-payload-max", "of sections alone: elsewhere the channel closes"),
    driven(CONTROL, "CARRY", PACKET, "storm-carry", "a bit"),
    driven(CONTROL, "RENEW", PACKET, "storm-renew", "of sections alone: elsewhere the channel closes"),
    driven(STREAMS, "PAD", PACKET, "storm-padding", "a byte each"),
    driven(STREAMS, "INIT", PACKET, "stream-bomb", "streams are granted by count, and each beginning is bounded"),
    driven(STREAMS, "REFUSE", PACKET, "storm-refuse", "of a stream that this side did not begin: the channel closes"),
    driven(STREAMS, "RESET", PACKET, "storm-reset", "a stream each, of those that were granted"),
    driven(STREAMS, "STOP", PACKET, "storm-stop", "the same"),
    driven(STREAMS, "CREDIT", PACKET, "storm-credit", "numbers that only rise"),
    driven(STREAMS, "RECEIVED", PACKET, "storm-received", "a number that only rises, of bytes that were sent"),
    driven(STREAMS, "HOST_CREDIT", PACKET, "storm-host-credit", "a number that only rises"),
    driven(STREAMS, "CREATE_CREDIT", PACKET, "storm-create-credit", "a number that only rises"),
    driven(STREAMS, "PRIORITY", PACKET, "priority-flood", "a place in a tree; counts that only rise"),
    driven(STREAMS, "INIT_DATAGRAM", PACKET, "storm-datagrams", "streams, by the same count"),
    driven(STREAMS, "REQUEST", PACKET, "storm-requests", "streams, by the same count, and credit"),
    driven(STREAMS, "DATA", STORED, "gap-bomb", "credit; pages are shared by small pieces"),
    driven(STREAMS, "DATAGRAM", STORED, "datagram-flood", "what has room is held, for 10 s; the rest is dropped"),
    service(Layer::Files, "LIST", Attack("storm-list"), "16 listings at once for the host, a thread each"),
    service(
        Layer::Files,
        "GET",
        Process("unread-answers"),
        "requests at once for each peer; what nobody reads is bounded",
    ),
    service(
        Layer::Files,
        "GET with have",
        Process("hash-flood"),
        "hashing is bounded by peer and host, and ends with its stream",
    ),
    service(
        Layer::Files,
        "PUT",
        Attack("storm-put"),
        "refused unless the server takes files; then names and bytes count against a quota",
    ),
    service(Layer::Files, "MAKE", Attack("storm-make"), "the same"),
    service(Layer::Files, "LINK", Attack("storm-make"), "the same; the target is never followed out of what is served"),
    service(Layer::Files, "SAME", Attack("storm-make"), "the same, for the name alone: no byte is copied"),
    service(Layer::Files, "REMOVE", Attack("storm-make"), "refused unless the server has files taken away"),
    service(Layer::Files, "FILE", Attack("storm-put"), "after PUT alone"),
    service(Layer::Files, "DATA", Attack("storm-data"), "after FILE alone, up to its size and the quota"),
    service(Layer::Files, "END", Attack("storm-put"), "after DATA alone"),
    service(
        Layer::Files,
        "HAVE",
        Undriven,
        "to a client that brings a file and asked for it, once in a stream: it hashes its own file up to there",
    ),
    service(
        Layer::Files,
        "BLOCKS",
        Undriven,
        "after GET alone: 131,072 of them are read, and kept as far as there is room; looking for them is rationed as \
         hashing is",
    ),
    service(Layer::Files, "COPY", Undriven, "after FILE alone, of what was told of, up to its size and the quota"),
    service(
        Layer::Files,
        "STORED",
        Undriven,
        "to a client that brings a file or makes a folder: one byte, ends the answer",
    ),
    service(
        Layer::Files,
        "ENTRY",
        Process("listing-bomb"),
        "to a client that lists: a bound on the bytes of a listing",
    ),
    service(Layer::Files, "LISTED", Undriven, "to a client that lists: two numbers, which end the answer"),
    service(Layer::Files, "LEFT_OUT", Undriven, "to a client that lists: 1,024 of 255 bytes at most; more is a breach"),
    service(Layer::Files, "FAULT", Undriven, "instead of any message: 255 bytes, printable, the last in its stream"),
    service(Layer::Echo, "ping", Attack("storm-echo"), "requests of 1,024 bytes at most, answered at once"),
    service(
        Layer::Echo,
        "pipe",
        Process("storm-pipe"),
        "one peer, whose bytes go where the user said; others are refused",
    ),
    service(
        Layer::Forward,
        "CONNECT",
        Process("storm-forward"),
        "destinations that the operator named; connections at once are bounded",
    ),
    service(Layer::Forward, "BIND", Process("storm-forward"), "only where the operator allows it; the same bound"),
    service(
        Layer::Forward,
        "OK",
        Undriven,
        "to a peer that asked, once in a stream: read into a buffer of 515 bytes, the longest message",
    ),
    service(Layer::Forward, "REFUSED", Undriven, "the same, and the last in its stream"),
    service(Layer::Perf, "TEST", Process("storm-perf"), "one test at a time; lanes, time, bytes and rate have limits"),
    service(Layer::Perf, "START", Process("storm-perf"), "in its turn, once"),
    service(Layer::Perf, "END", Process("storm-perf"), "the same; results are 2^20 bytes at most"),
    service(Layer::Perf, "READY", Undriven, "to a client, in its turn, once: no body"),
    service(
        Layer::Perf,
        "RESULTS",
        Undriven,
        "from either side after END alone, once in a test: 2^20 bytes at most, as many lanes as the test has",
    ),
    service(Layer::Perf, "OUTPUT", Undriven, "to a client that wants it, once in a test: 2^20 bytes at most"),
    service(Layer::Perf, "DONE", Undriven, "to a client, in its turn, once: no body"),
    service(Layer::Perf, "FAULT", Undriven, "to a client: 255 bytes, printable, the last in its stream"),
];
