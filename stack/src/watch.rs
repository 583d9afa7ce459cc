//! What a host tells its observers: notes of what its channels do, and the keys that captures are read with.

use core::net::IpAddr;

use tng_base::{Fields, Instant, Note, Value};
use tng_channel::{Channel, Describe};
use tng_endpoint::Path;
use tng_isolation::{Established, Limits, Role};

use crate::names::Owner;
use crate::{ConnectionId, PathId};
use tng_flow::Ended;

/// Lines for a key log that wait to be taken, at most; while there are as many, the keys of further channels are not
/// told.
pub const KEY_LINES_MAX: usize = 1_024;

/// What a host is to tell of itself. Nothing by default, which costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// Notes of every packet and of what becomes of it, in qlog's words: see
    /// [`Host::poll_note`](crate::Host::poll_note).
    pub notes: bool,
    /// The secrets of every channel: see [`Host::poll_key_line`](crate::Host::poll_key_line). Who has them reads
    /// everything.
    pub secrets: bool,
}

/// A note, and the channel that it is of.
#[derive(Clone, PartialEq, Debug)]
pub struct HostNote {
    /// The connection.
    pub connection: ConnectionId,
    /// Its channel. Packet numbers are a channel's own.
    pub path: PathId,
    /// What happened.
    pub note: Note,
}

/// A message that set a channel up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SetUp {
    Init,
    Reply,
}

/// The frames of what rode in a set-up message.
pub(crate) fn frames(describe: Describe, payload: Option<&[u8]>) -> Vec<Value> {
    let mut frames = Vec::new();
    describe(payload.unwrap_or_default(), &mut frames);
    frames
}

/// Notes that a message of `len` bytes with these frames, packet number 0 of its sender, was sent, or received.
pub(crate) fn note_set_up(
    now: Instant,
    channel: &mut Channel,
    sent: bool,
    (message, len): (SetUp, usize),
    frames: impl FnOnce() -> Vec<Value>,
) {
    let name = if sent { "transport:packet_sent" } else { "transport:packet_received" };
    channel.note(now, name, || {
        // What rides in an INIT is sealed under other keys than what follows, in the same number space.
        let (kind, word) = match message {
            SetUp::Init => ("0RTT", "INIT"),
            SetUp::Reply => ("1RTT", "REPLY"),
        };
        Fields::new()
            .with("header", Fields::new().with("packet_type", kind).with("packet_number", 0u64))
            .with("raw", Fields::new().with("length", len))
            .with("frames", frames())
            .with("tng_message", word)
    });
}

/// The first notes of a channel.
type Beginning = Vec<(&'static str, Fields)>;

/// What to note first of a channel whose exchange is done.
pub(crate) fn beginning(owner: Owner, established: &Established, peer_limits: &Limits, path: &Path) -> Beginning {
    let Path { remote, local, .. } = *path;
    let unspecified = if remote.is_ipv4() { IpAddr::from([0; 4]) } else { IpAddr::from([0; 16]) };
    let channel = Fields::new()
        .with("connection", owner.connection.0)
        .with("channel", owner.channel.0)
        .with("initiator", established.role() == Role::Initiator)
        .with("peer", established.peer.to_string())
        .with("cipher", format!("{:?}", established.cipher));
    let addresses = Fields::new()
        .with("ip_version", if remote.is_ipv4() { "v4" } else { "v6" })
        .with("src_ip", local.map_or(unspecified, |local| local.ip()).to_string())
        .with("dst_ip", remote.ip().to_string())
        .with("protocol", "TNG")
        .with("dst_port", u64::from(remote.port()))
        .with("src_cid", format!("{:?}", established.local_id))
        .with("dst_cid", format!("{:?}", established.remote_id));
    let parameters = Fields::new()
        .with("owner", "remote")
        .with("max_idle_timeout", peer_limits.idle_timeout_ms)
        .with("max_udp_payload_size", peer_limits.udp_payload_max)
        .with("max_ack_delay", peer_limits.ack_delay_max_us / 1_000);
    vec![
        ("tng:channel_started", channel),
        ("connectivity:connection_started", addresses),
        ("transport:parameters_set", parameters),
    ]
}

/// Begins to watch a channel, if anybody does.
pub(crate) fn begin(now: Instant, channel: &mut Channel, (beginning, describe): (Option<Beginning>, Describe)) {
    let Some(beginning) = beginning else { return };
    channel.watch(describe);
    for (name, data) in beginning {
        channel.note(now, name, || data);
    }
}

/// Notes how far a channel has come.
pub(crate) fn note_state(now: Instant, channel: &mut Channel, state: &'static str) {
    channel.note(now, "connectivity:connection_state_updated", || Fields::new().with("new", state));
}

/// Notes why a channel has ended.
pub(crate) fn note_ended(now: Instant, channel: &mut Channel, ended: &Ended) {
    channel.note(now, "connectivity:connection_closed", || match ended {
        Ended::Peer { code, reason } => Fields::new()
            .with("owner", "remote")
            .with("application_code", *code)
            .with("reason", reason.exact().to_owned())
            .with("trigger", "clean"),
        Ended::Violation(violation) => Fields::new()
            .with("owner", "local")
            .with("connection_code", violation.code)
            .with("reason", violation.reason)
            .with("trigger", "error"),
        Ended::Idle | Ended::Unacknowledged => Fields::new().with("owner", "local").with("trigger", "idle_timeout"),
        Ended::KeysUsedUp => {
            Fields::new().with("owner", "local").with("reason", "keys used up").with("trigger", "error")
        }
    });
}
