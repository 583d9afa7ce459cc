//! What a host offers, and agrees to, in a set-up.

use core::time::Duration;

use tng_base::{ChannelId, Eid};
use tng_channel::AckPolicy;
use tng_isolation::{CipherPolicy, Limits, Opening, ResetToken, VERSIONS};
use tng_wire::VARINT_MAX;

use crate::HostConfig;
use crate::semantics::Semantics;

/// The shortest idle timeout of a peer that is heeded: a channel costs more to set up again than to remember that long.
pub const IDLE_TIMEOUT_MIN: Duration = Duration::from_secs(1);

/// The largest UDP payload that this host takes.
pub const UDP_PAYLOAD_MAX: u64 = 65_507;

/// What this host can take.
pub(crate) fn limits(config: &HostConfig) -> Limits {
    let idle_timeout_ms = config.idle_timeout.map_or(0, |timeout| timeout.as_millis().min(VARINT_MAX.into()) as u64);
    let ack_delay_max_us = AckPolicy::default().max_delay.as_micros() as u64;
    Limits { idle_timeout_ms, udp_payload_max: UDP_PAYLOAD_MAX, ack_delay_max_us }
}

/// The ciphers that this host speaks.
pub(crate) fn ciphers(config: &HostConfig) -> CipherPolicy {
    CipherPolicy { hardware_aes: tng_crypto::hardware_aes(), danger_weak: config.danger_weak }
}

/// What an initiator offers, but for its capability and its data.
pub(crate) fn opening(
    eid: Eid,
    channel: ChannelId,
    config: &HostConfig,
    semantics: &Semantics,
    reset_token: [u8; 16],
) -> Opening {
    Opening {
        eid,
        channel,
        versions: VERSIONS.to_vec(),
        ciphers: ciphers(config).offer(),
        extensions: Vec::new(),
        path: Vec::new(),
        hop_key: None,
        limits: limits(config),
        reset_token: Some(ResetToken::from_bytes(reset_token)),
        capability: None,
        protocol: semantics.name().unwrap_or_default().into(),
        set_up: semantics.set_up_item(),
        transports: semantics.offer().cloned(),
        attach: None,
        payload: None,
    }
}

/// The shorter of two idle timeouts, 0 ms standing for none.
pub(crate) fn idle_timeout(config: &HostConfig, peer: &Limits) -> Option<Duration> {
    let theirs = (peer.idle_timeout_ms > 0).then(|| Duration::from_millis(peer.idle_timeout_ms).max(IDLE_TIMEOUT_MIN));
    [config.idle_timeout, theirs].into_iter().flatten().min()
}
