//! What the system grants: buffers, devices, namespaces.

use std::fs;
use std::io;
use std::process::{Command, Stdio};

use tng::SOCKET_BUFFER;

use super::Finding;
use crate::failure::reason;

/// Socket buffers, by the limits that the system sets.
pub fn buffers() -> Finding {
    let limit = |way: &str| -> io::Result<u64> {
        let text = fs::read_to_string(format!("/proc/sys/net/core/{way}mem_max"))?;
        text.trim().parse().map_err(|_| io::ErrorKind::InvalidData.into())
    };
    match (limit("r"), limit("w")) {
        (Ok(receive), Ok(send)) => judge_buffers(receive, send),
        (Err(error), _) | (_, Err(error)) => Finding::lacking(
            "buffers",
            format!("nobody says how large they may be: {}", reason(&error)),
            "mount /proc; on other systems than Linux see kern.ipc.maxsockbuf",
        ),
    }
}

fn judge_buffers(receive: u64, send: u64) -> Finding {
    let (wanted, kib) = (SOCKET_BUFFER as u64, |bytes: u64| bytes / 1024);
    let found = format!("{} KiB to receive, {} KiB to send, of {} KiB", kib(receive), kib(send), kib(wanted));
    if receive.min(send) >= wanted {
        return Finding::good("buffers", found);
    }
    let remedy = format!("sysctl -w net.core.rmem_max={wanted} net.core.wmem_max={wanted}: bursts are lost otherwise");
    Finding::lacking("buffers", found, remedy)
}

/// The device by which `tng link` and tunnels of a relay reach other programs.
pub fn tun() -> Finding {
    let opened = fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    judge_tun(opened.map(drop).map_err(|error| error.kind()))
}

fn judge_tun(opened: Result<(), io::ErrorKind>) -> Finding {
    match opened {
        Ok(()) => Finding::good("tun", "/dev/net/tun opens"),
        Err(io::ErrorKind::PermissionDenied) => Finding::lacking(
            "tun",
            "/dev/net/tun is not for this user",
            "as root; tng link and tunnels of relays need it",
        ),
        Err(_) => Finding::lacking(
            "tun",
            "there is no /dev/net/tun",
            "modprobe tun, or give the container the device; tng link and tunnels of relays need it",
        ),
    }
}

/// Networks of their own, for `tng link`, `tng lab run --real` and `tng demo`.
pub fn namespaces() -> Finding {
    let made = |options: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(options).args(["--net", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|status| status.success())
    };
    let root = nix::unistd::geteuid().is_root();
    judge_namespaces(root, made(if root { &[] } else { &["--user"] }).ok())
}

fn judge_namespaces(root: bool, made: Option<bool>) -> Finding {
    match (root, made) {
        (true, Some(true)) => Finding::good("namespaces", "networks of their own can be made"),
        (false, Some(true)) => Finding::lacking(
            "namespaces",
            "they can be made, but links between them need root",
            "sudo tng link, lab run --real and demo",
        ),
        (_, Some(false)) => Finding::lacking(
            "namespaces",
            "the system lets this user make none",
            "as root, in a container with CAP_SYS_ADMIN; tng link and lab run --real need them",
        ),
        (_, None) => Finding::lacking("namespaces", "there is no program unshare to try it with", "install util-linux"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn buffers_below_what_is_asked_for_are_told_with_what_to_set() {
        let wanted = SOCKET_BUFFER as u64;
        assert_eq!(judge_buffers(wanted, wanted).verdict, Verdict::Good);
        for (receive, send) in [(wanted - 1, wanted), (wanted, 212_992)] {
            let small = judge_buffers(receive, send);
            assert_eq!(
                (small.verdict, small.remedy.contains("rmem_max=4194304")),
                (Verdict::Lacking, true),
                "{small:?}"
            );
        }
    }

    #[test]
    fn a_device_that_is_away_is_told_apart_from_one_that_is_for_others() {
        assert_eq!(judge_tun(Ok(())).verdict, Verdict::Good);
        assert!(judge_tun(Err(io::ErrorKind::PermissionDenied)).remedy.starts_with("as root"));
        assert!(judge_tun(Err(io::ErrorKind::NotFound)).remedy.starts_with("modprobe"));
    }

    #[test]
    fn namespaces_are_good_for_root_alone() {
        assert_eq!(judge_namespaces(true, Some(true)).verdict, Verdict::Good);
        for (root, made) in [(false, Some(true)), (true, Some(false)), (true, None)] {
            let lacking = judge_namespaces(root, made);
            assert!(lacking.verdict == Verdict::Lacking && !lacking.remedy.is_empty(), "{lacking:?}");
        }
    }
}
