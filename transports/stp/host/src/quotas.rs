//! What a guest may use.

/// Quotas of one instance. What is beyond is denied, and counted; what is denied too often ends the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quotas {
    /// Bytes of memory of a module.
    pub memory: u64,
    /// Entries of a module's table.
    pub table: u64,
    /// Bytes of a module's stack.
    pub stack: u64,
    /// Fuel of one callback: about an instruction of WebAssembly each.
    pub fuel: u64,
    /// Fuel of all callbacks of a second in which nothing is sent or received. When it is used up, what the guest
    /// should hear waits.
    pub fuel_per_sec: u64,
    /// What each segment that comes or leaves gives it beside that.
    pub fuel_per_segment: u64,
    /// Segments sent that have not met their fate.
    pub scoreboard: usize,
    /// Bytes in the send buffer of the socket.
    pub send_buffer: u64,
    /// Bytes in the receive buffer, and in segments that the guest keeps.
    pub receive_buffer: u64,
    /// Bytes of segments that wait to leave.
    pub queued: usize,
    /// Lines that it writes for people, in all.
    pub log_lines: u32,
    /// Requests that are denied before the guest is stopped.
    pub denials: u64,
}

impl Default for Quotas {
    fn default() -> Quotas {
        Quotas {
            memory: 4 << 20,
            table: 1_024,
            stack: 64 << 10,
            fuel: 2_000_000,
            fuel_per_sec: 10_000_000,
            fuel_per_segment: 8_000,
            scoreboard: 8_192,
            send_buffer: 256 << 10,
            receive_buffer: 256 << 10,
            queued: 64 << 10,
            log_lines: 64,
            denials: 10_000,
        }
    }
}

/// What was denied, by quota.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Denials {
    /// Growth of memory, or of a table.
    pub memory: u64,
    /// Segments beyond the scoreboard, or what may wait to leave.
    pub segments: u64,
    /// Bytes beyond the receive buffer.
    pub buffer: u64,
    /// Acknowledgments that nothing asked for.
    pub acknowledgments: u64,
    /// Sums that prove nothing.
    pub proofs: u64,
    /// Lines.
    pub lines: u64,
    /// Segments that the policer did not let leave.
    pub policed: u64,
}

impl Denials {
    /// Each kind by its name.
    pub fn kinds(&self) -> [(&'static str, u64); 7] {
        let Denials { memory, segments, buffer, acknowledgments, proofs, lines, policed } = *self;
        [
            ("memory", memory),
            ("segments", segments),
            ("buffer", buffer),
            ("acknowledgments", acknowledgments),
            ("proofs", proofs),
            ("lines", lines),
            ("policed", policed),
        ]
    }

    /// All that say that the guest is at fault. To be told to wait is none: who sends as fast as it may hears it often.
    /// Nor is a buffer or a scoreboard that is full: a reader that is slow fills the one, and a long path the other. Of
    /// sums that prove nothing the peer may be the cause; they are counted apart.
    pub fn faults(&self) -> u64 {
        let Denials { memory, segments: _, buffer: _, acknowledgments, proofs: _, lines, policed: _ } = *self;
        memory + acknowledgments + lines
    }
}
