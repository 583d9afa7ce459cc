//! What sockets of this machine can do, found out between two of them.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tng::{Ecn, RECEIVE_BATCH, RECEIVE_BUFFER, Received, Socket, Transmit, UdpSocket};
use tokio::time::timeout;

use super::Finding;
use crate::failure::reason;

/// How long a datagram may take from one socket of this host to another.
const ACROSS: Duration = Duration::from_secs(2);

/// Bytes of each datagram of the batch.
const SEGMENT: usize = 1_200;

/// Least MTU of a path that tng goes by: its smallest packets, and the headers of IPv6 and UDP.
pub const MTU_MIN: u64 = 1_200 + 48;

/// What arrived of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Arrived {
    bytes: usize,
    /// Several came as one.
    coalesced: bool,
    marked: bool,
}

/// UDP, segmentation offload and ECN, between two sockets on the loopback.
pub async fn sockets() -> Vec<Finding> {
    match try_sockets().await {
        Ok((segments, arrived)) => judge_sockets(segments, arrived),
        Err(error) => vec![Finding::failed(
            "udp",
            format!("nothing passes between two sockets of this host: {}", reason(&error)),
            "let programs use UDP on 127.0.0.1: look at nft list ruleset, and at the sandbox of this shell",
        )],
    }
}

async fn try_sockets() -> io::Result<(usize, Arrived)> {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let (from, to) = (UdpSocket::bind(any)?, UdpSocket::bind(any)?);
    let (remote, segments) = (to.local_addr()?, from.segments_max());
    let len = SEGMENT * segments.clamp(1, 8);
    let transmit = Transmit { remote, local: None, ecn: Ecn::Ect0, len, segment_size: SEGMENT };
    from.try_send(&transmit, &vec![0x5a; len])?;
    let mut arrived = Arrived { marked: true, ..Arrived::default() };
    let mut buffer = vec![0; RECEIVE_BATCH * RECEIVE_BUFFER];
    let all = async {
        while arrived.bytes < len {
            std::future::poll_fn(|cx| to.poll_readable(cx)).await?;
            let mut received = [Received::default(); RECEIVE_BATCH];
            match to.try_receive(&mut buffer, &mut received) {
                Ok(count) => {
                    for one in &received[..count] {
                        arrived.bytes += one.len;
                        arrived.coalesced |= one.segment_size < one.len;
                        arrived.marked &= one.ecn == Ecn::Ect0;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    timeout(ACROSS, all).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    Ok((segments, arrived))
}

fn judge_sockets(segments: usize, arrived: Arrived) -> Vec<Finding> {
    let udp = Finding::good("udp", format!("{} bytes passed between two sockets of this host", arrived.bytes));
    let offload = match (segments > 1, arrived.coalesced) {
        (true, true) => Finding::good("gso/gro", format!("{segments} packets leave in one call, and arrive in one")),
        (true, false) => Finding::lacking(
            "gso/gro",
            format!("{segments} packets leave in one call, and arrive one by one"),
            "Linux 5.0 or later",
        ),
        (false, _) => Finding::lacking(
            "gso/gro",
            "packets leave one by one: fast transfers cost much more of a processor",
            "Linux 4.18 or later, and a sandbox that lets UDP_SEGMENT be set (gVisor does not)",
        ),
    };
    let ecn = match arrived.marked {
        true => Finding::good("ecn", "marks are sent, and read again"),
        false => Finding::lacking(
            "ecn",
            "marks are lost on the way through this host: congestion shows by loss alone",
            "a system that lets IP_TOS be set and read",
        ),
    };
    vec![udp, offload, ecn]
}

/// The MTU of this host's own links.
pub fn links() -> Finding {
    let read = |path: std::path::PathBuf| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let links = fs::read_dir("/sys/class/net").into_iter().flatten().flatten().filter_map(|link| {
        let (name, path) = (link.file_name().into_string().ok()?, link.path());
        let up = read(path.join("operstate"))? == "up";
        (up && name != "lo").then_some((name, read(path.join("mtu"))?.parse().ok()?))
    });
    judge_links(&links.collect::<Vec<_>>())
}

fn judge_links(links: &[(String, u64)]) -> Finding {
    let Some((name, mtu)) = links.iter().min_by_key(|(_, mtu)| *mtu) else {
        return Finding::lacking("mtu", "no link of this host is up but its loopback", "connect it to a network");
    };
    if *mtu < MTU_MIN {
        let remedy = format!("ip link set dev {name} mtu 1280, or more: smaller packets tng does not have");
        return Finding::failed("mtu", format!("{mtu} bytes on {name}"), remedy);
    }
    let most = links.iter().map(|(_, mtu)| *mtu).max().unwrap_or(*mtu);
    Finding::good(
        "mtu",
        if most == *mtu { format!("{mtu} bytes") } else { format!("{mtu} bytes on {name}, up to {most}") },
    )
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[tokio::test]
    async fn udp_passes_on_the_loopback() {
        let findings = sockets().await;
        assert_eq!((findings[0].name, findings[0].verdict), ("udp", Verdict::Good), "{findings:?}");
    }

    #[test]
    fn what_sockets_cannot_do_is_lacking_and_no_failure() {
        let whole = Arrived { bytes: 9_600, coalesced: true, marked: true };
        let verdicts =
            |segments, arrived| judge_sockets(segments, arrived).iter().map(|it| it.verdict).collect::<Vec<_>>();
        let (good, lacking) = (Verdict::Good, Verdict::Lacking);
        assert_eq!(verdicts(64, whole), [good, good, good]);
        assert_eq!(verdicts(64, Arrived { coalesced: false, ..whole }), [good, lacking, good]);
        assert_eq!(verdicts(1, Arrived { coalesced: false, marked: false, ..whole }), [good, lacking, lacking]);
    }

    #[test]
    fn a_link_whose_packets_are_too_small_fails_by_name() {
        let links = |links: &[(&str, u64)]| {
            judge_links(&links.iter().map(|(name, mtu)| ((*name).to_owned(), *mtu)).collect::<Vec<_>>())
        };
        assert_eq!(links(&[("eth0", 1_500), ("wg0", 1_420)]).verdict, Verdict::Good);
        let small = links(&[("eth0", 1_500), ("ppp0", MTU_MIN - 1)]);
        assert_eq!((small.verdict, small.remedy.contains("ppp0")), (Verdict::Failed, true), "{small:?}");
        assert_eq!(links(&[]).verdict, Verdict::Lacking);
    }
}
