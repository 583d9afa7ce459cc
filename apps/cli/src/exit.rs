//! What the tool's exit codes mean. They are curl's numbers where the meaning is the same, so that scripts can be
//! shared.

use std::process::ExitCode;

use crate::talk::hung;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// All was done.
    Done = 0,
    /// What was to be checked ran, and a check does not hold: of an experiment, of a guest, of the store of transports.
    Unmet = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A host name has no address.
    Resolve = 6,
    /// No connection: no answer, or the peer does not speak tng.
    Connect = 7,
    /// The peer answers what the protocol does not allow.
    Protocol = 8,
    /// No permission: the peer does not let us in, does not hand this out or does not take it, the policy for
    /// transports refuses code, or this user is not root where that is needed.
    Denied = 9,
    /// Not all was moved: the transfer ended in the middle, or something was left out. What arrived is kept.
    Partial = 18,
    /// Writing here failed: disk full, no permission.
    Write = 23,
    /// Reading here failed: no such file, no permission, not a key file.
    Read = 26,
    /// Nothing was heard for too long.
    Timeout = 28,
    /// Set-up failed: no common version or cipher.
    Handshake = 35,
    /// Sending failed in the middle.
    Send = 55,
    /// Receiving failed in the middle, or what arrived has the wrong hash.
    Receive = 56,
    /// The peer has another key than the one expected.
    WrongPeer = 60,
    /// The peer's disk is full, it takes no more, or writing there failed.
    RemoteFull = 70,
    /// Something of that name is there already and is not replaced: a file here or at the peer, a network here.
    Exists = 73,
    /// The peer has no such file, or failed to read it.
    NotFound = 78,
    /// Programs still use what should go away.
    Busy = 81,
    /// A program that should run is there but cannot be run; a transport is none that the sandbox takes.
    NotRunnable = 126,
    /// A program that should run is not there.
    NoProgram = 127,
    /// Stopped with Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Every exit code, in order.
    pub const ALL: [Exit; 22] = [
        Exit::Done,
        Exit::Unmet,
        Exit::Usage,
        Exit::Resolve,
        Exit::Connect,
        Exit::Protocol,
        Exit::Denied,
        Exit::Partial,
        Exit::Write,
        Exit::Read,
        Exit::Timeout,
        Exit::Handshake,
        Exit::Send,
        Exit::Receive,
        Exit::WrongPeer,
        Exit::RemoteFull,
        Exit::Exists,
        Exit::NotFound,
        Exit::Busy,
        Exit::NotRunnable,
        Exit::NoProgram,
        Exit::Interrupted,
    ];

    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "all was done",
            Exit::Unmet => "a check failed: of an experiment, a guest, the store of guests, or this machine",
            Exit::Usage => "the command line makes no sense",
            Exit::Resolve => "a host name has no address",
            Exit::Connect => "no connection: no answer, or the peer does not speak tng",
            Exit::Protocol => "the peer violates the protocol",
            Exit::Denied => "denied: by the peer, by the policy for guests, or because it needs root",
            Exit::Partial => "incomplete: the transfer was cut off or something was left out; what arrived is kept",
            Exit::Write => "a local write failed",
            Exit::Read => "a local read failed",
            Exit::Timeout => "timeout: nothing came from the peer for too long",
            Exit::Handshake => "handshake failed: no common version or cipher",
            Exit::Send => "sending failed in the middle",
            Exit::Receive => "receiving failed in the middle, or the hash is wrong",
            Exit::WrongPeer => "the peer has another key than the one expected",
            Exit::RemoteFull => "the peer's disk is full, it accepts no more, or writing there failed",
            Exit::Exists => {
                "something of that name exists and is not replaced: a file here or there, or a local network"
            }
            Exit::NotFound => "the peer has no such file, or failed to read it",
            Exit::Busy => "busy: another program still uses the network, file or socket; end it, or try again later",
            Exit::NotRunnable => "a program that `tng link exec` should run, or a guest, cannot be run",
            Exit::NoProgram => "a program that `tng link exec` should run does not exist",
            Exit::Interrupted => "stopped with Ctrl-C",
        }
    }

    /// The table for `--help`.
    pub fn table() -> String {
        let row = |exit: &Exit| hung(&format!("  {:>3}  ", exit.code()), exit.meaning()) + "\n";
        format!(
            "Exit codes (curl's, where the meaning is the same):\n{}",
            Exit::ALL.iter().map(row).collect::<String>()
        )
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_every_code_once_and_in_order() {
        assert!(Exit::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
        let table = Exit::table();
        let is_row = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        assert_eq!(table.lines().filter(is_row).count(), Exit::ALL.len());
        assert!(table.contains("\n   60  the peer has another key"), "{table}");
    }
}
