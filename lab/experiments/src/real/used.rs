//! What processes have used up, and what they hold: of `/proc`.

use core::time::Duration;
use std::fs;
use std::path::Path;

/// Bytes of a page.
const PAGE: u64 = 4_096;

/// Processor time that these processes have had, to the nanosecond, and what interrupts did while they had it.
pub(crate) fn processor(pids: &[u32]) -> Duration {
    let threads = pids.iter().flat_map(|pid| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten());
    threads.map(|thread| ran(&thread.path())).sum()
}

/// The same of one thread, by what `/proc/thread-self` leads to there.
pub(crate) fn thread(link: &Path) -> Duration {
    ran(&Path::new("/proc").join(link))
}

fn ran(thread: &Path) -> Duration {
    let told = fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
    Duration::from_nanos(told.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

/// What they have had themselves, and what the kernel had for them: in ticks of 10 ms.
pub(crate) fn ticks(pids: &[u32]) -> [u64; 2] {
    pids.iter().fold([0; 2], |sum, pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let mut fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace().skip(11);
        let mut next = || fields.next().and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
        [sum[0] + next(), sum[1] + next()]
    })
}

/// What a process has in memory, bytes; nothing of one that is gone.
pub(crate) fn resident_of(pid: u32) -> Option<u64> {
    kibibytes_of(pid, "VmRSS:")
}

fn kibibytes_of(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1_024)
}

/// What these have in memory that is of no file: processes of one program share the rest.
pub(crate) fn own(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| kibibytes_of(*pid, "RssAnon:")).sum()
}

/// The same of all of these.
pub(crate) fn resident(pids: &[u32]) -> u64 {
    pids.iter().filter_map(|pid| resident_of(*pid)).sum()
}

/// Processes that a process has started and that have not been waited for.
pub(crate) fn started_by(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Files that this process has open, sockets among them.
pub(crate) fn open_files() -> u64 {
    fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64)
}

/// What the kernel has for TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TcpHeld {
    /// Connections that stand in the namespace of the thread that asked.
    pub(crate) connections: u64,
    /// Bytes of buffers, of all namespaces of the machine.
    pub(crate) buffers: u64,
}

/// What `/proc/net/sockstat` says, in the namespace of the calling thread.
pub(crate) fn tcp_held() -> TcpHeld {
    tcp_of(&fs::read_to_string("/proc/thread-self/net/sockstat").unwrap_or_default())
}

/// Bytes of buffers that the kernel lets all TCP of the machine have, if it says so.
pub(crate) fn tcp_most() -> Option<u64> {
    let pages = fs::read_to_string("/proc/sys/net/ipv4/tcp_mem").ok()?;
    Some(pages.split_whitespace().nth(2)?.parse::<u64>().ok()? * PAGE)
}

fn tcp_of(sockstat: &str) -> TcpHeld {
    let line = sockstat.lines().find_map(|line| line.strip_prefix("TCP:")).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let of = |name: &str| {
        let pair = words.chunks(2).find(|pair| pair[0] == name);
        pair.and_then(|pair| pair.get(1)?.parse::<u64>().ok()).unwrap_or(0)
    };
    TcpHeld { connections: of("inuse"), buffers: of("mem") * PAGE }
}

/// Bytes of the kernel's structures for a socket of TCP: the socket, its inode and its file. Not all systems tell.
pub(crate) fn tcp_structures() -> Option<u64> {
    structures_of(&fs::read_to_string("/proc/slabinfo").ok()?)
}

fn structures_of(slabinfo: &str) -> Option<u64> {
    let size = |name: &str| {
        let row = slabinfo.lines().find(|line| line.split_whitespace().next() == Some(name))?;
        row.split_whitespace().nth(3)?.parse::<u64>().ok()
    };
    Some(size("TCP")? + size("sock_inode_cache")? + size("filp")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_holds_for_tcp_is_read_from_its_tables() {
        let sockstat = "sockets: used 27\nTCP: inuse 12 orphan 0 tw 3 alloc 13 mem 5\nUDP: inuse 0 mem 177\n";
        assert_eq!(tcp_of(sockstat), TcpHeld { connections: 12, buffers: 5 * 4_096 });
        assert_eq!(tcp_of(""), TcpHeld::default());
        let slabinfo = "# name <active_objs>\nTCPv6 26 26 2496 13\nfilp 9 9 192 21\nTCP 118 169 2368 13\n\
                        sock_inode_cache 1 2 832 19\n";
        assert_eq!(structures_of(slabinfo), Some(2_368 + 832 + 192));
        assert_eq!(structures_of("TCP 1 2 3 4"), None);
    }

    #[test]
    fn this_process_has_something_in_memory() {
        let this = std::process::id();
        assert!(resident_of(this).is_some_and(|bytes| bytes > 1 << 20));
        assert!(own(&[this]) > 0 && Some(own(&[this])) < resident_of(this));
        assert_eq!(own(&[this, this]) / own(&[this]), 2);
        assert_eq!(resident_of(u32::MAX), None);
    }

    #[test]
    fn a_process_knows_what_it_has_used_itself() {
        let own = [std::process::id()];
        let link = fs::read_link("/proc/thread-self").expect("there");
        // The kernel tells it after a tick.
        assert!((0..10_000_000).any(|_| thread(&link) > Duration::ZERO));
        let of_this = thread(&link);
        assert!(of_this <= processor(&own));
        assert!(processor(&own) > Duration::ZERO && resident(&own) > 1 << 20);
        assert_eq!((processor(&[u32::MAX]), resident(&[u32::MAX]), ticks(&[u32::MAX])), (Duration::ZERO, 0, [0; 2]));
    }
}
