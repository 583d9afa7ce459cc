//! What a process on this host holds and has worked, by what the system says of it: `/proc` of Linux. Elsewhere, and of
//! others' processes, nothing is known.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::perf::cpu::{TICKS_PER_SECOND, ticks_of};

/// How often the memory of a process is looked at.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A process of this host.
#[derive(Clone, Debug)]
pub struct Process(PathBuf);

impl Process {
    /// The process with this number.
    pub fn of(id: u32) -> Process {
        Process(Path::new("/proc").join(id.to_string()))
    }

    /// The process that listens at a UDP address of this host, if that can be seen.
    pub fn at(address: SocketAddr) -> Option<Process> {
        let socket = format!("socket:[{}]", inode(address)?);
        let holds = |process: &Path| {
            let files = fs::read_dir(process.join("fd")).ok()?;
            files.flatten().find(|file| fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == &*socket))
        };
        let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
        processes.into_iter().find(|process| holds(process).is_some()).map(Process)
    }

    /// Bytes of memory that it holds now.
    pub fn memory_bytes(&self) -> Option<u64> {
        let status = fs::read_to_string(self.0.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib << 10)
    }

    /// Processor time that it has used so far.
    pub fn worked(&self) -> Option<Duration> {
        let stat = fs::read_to_string(self.0.join("stat")).ok()?;
        let (user, system) = ticks_of(&stat)?;
        Some(Duration::from_secs(user + system) / TICKS_PER_SECOND)
    }
}

/// The inode of the socket that is bound to an address, or to its port on every address.
fn inode(address: SocketAddr) -> Option<u64> {
    let port = format!("{:04X}", address.port());
    let found = |table: &str| {
        let table = fs::read_to_string(table).ok()?;
        let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut ours = lines.into_iter().filter(|fields| {
            let local = fields.get(1).and_then(|local| local.rsplit_once(':'));
            local.is_some_and(|(ip, at)| at == port && (is_any(ip) || is(ip, address)))
        });
        ours.next()?.get(9)?.parse().ok()
    };
    found("/proc/net/udp").or_else(|| found("/proc/net/udp6"))
}

fn is_any(ip: &str) -> bool {
    ip.bytes().all(|digit| digit == b'0')
}

/// Whether the system's way to write an address, words in the order of the processor, means this one.
fn is(ip: &str, address: SocketAddr) -> bool {
    let octets = match address {
        SocketAddr::V4(v4) => v4.ip().octets().to_vec(),
        SocketAddr::V6(v6) => v6.ip().octets().to_vec(),
    };
    let words = octets.chunks_exact(4).map(|word| {
        let word = word.try_into().map_or(0, u32::from_ne_bytes);
        format!("{word:08X}")
    });
    words.collect::<String>() == ip
}

/// What a process was seen to hold and to work while something went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Bytes of memory from which its growth counts: before the first attack of a row.
    pub base_bytes: u64,
    /// Bytes of memory at the beginning.
    pub before_bytes: u64,
    /// Bytes of memory at the most.
    pub most_bytes: u64,
    /// Processor time used.
    pub worked: Duration,
}

impl Footprint {
    /// Watches a process that held `base_bytes` once, if it is seen, for as long as `work` takes.
    pub async fn during<T>(watched: Option<&(Process, u64)>, work: impl Future<Output = T>) -> (T, Option<Footprint>) {
        let Some((process, base_bytes)) = watched else { return (work.await, None) };
        let look = || process.memory_bytes().unwrap_or_default();
        let (before, worked) = (look(), process.worked());
        let (mut most, mut work) = (before, std::pin::pin!(work));
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                () = tokio::time::sleep(LOOK_EVERY) => most = most.max(look()),
            }
        };
        let worked =
            process.worked().zip(worked).map_or(Duration::ZERO, |(after, before)| after.saturating_sub(before));
        let (base_bytes, most_bytes) = (*base_bytes, most.max(look()));
        (done, Some(Footprint { base_bytes, before_bytes: before, most_bytes, worked }))
    }

    /// By how much it grew at most since the first attack began, in bytes.
    pub fn growth_bytes(&self) -> u64 {
        self.most_bytes.saturating_sub(self.base_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_holds_a_udp_port_of_this_host_is_found_with_its_memory() {
        for local in ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0"] {
            let Ok(socket) = std::net::UdpSocket::bind(local) else { continue };
            let port = socket.local_addr().expect("bound").port();
            let address = SocketAddr::new(local.parse::<SocketAddr>().expect("an address").ip(), port);
            let process = Process::at(address).expect("this process");
            let named = |process: &Process| fs::read_to_string(process.0.join("comm")).expect("Linux says so");
            assert_eq!(named(&process), named(&Process::of(std::process::id())), "{local}");
            assert!(process.memory_bytes() > Some(1 << 20) && process.worked().is_some());
            drop(socket);
        }
        assert!(Process::at("127.0.0.1:1".parse().expect("an address")).is_none());
    }
}
