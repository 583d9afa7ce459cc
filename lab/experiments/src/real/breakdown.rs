//! What processors do for processes, by what the functions are there for in which `perf` finds them.

use core::time::Duration;
use std::process::{Command, Stdio};

use tng_emulator::transfer::Origin;

use super::used::ticks;

/// Samples of each second of processor time.
const SAMPLES_PER_S: u32 = 1_999;

/// What a function is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Moves bytes, or sums them up.
    Copying,
    /// Seals, opens, proves, and derives keys for it.
    Crypto,
    /// Decides what is sent: of the process, or the kernel's TCP.
    Protocol,
    /// The kernel's packets below that: UDP, IP, buffers, queues, devices.
    Packets,
    /// Enters and leaves the kernel.
    Syscalls,
    /// Falls asleep there and is woken: a processor that does this has little else to do.
    Waiting,
    /// Everything else: files above all.
    Other,
}

impl Purpose {
    /// Every one, in the order of a table.
    pub(crate) const ALL: [Purpose; 7] = [
        Purpose::Copying,
        Purpose::Crypto,
        Purpose::Protocol,
        Purpose::Packets,
        Purpose::Syscalls,
        Purpose::Waiting,
        Purpose::Other,
    ];

    /// What a table calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Purpose::Copying => "copy and checksum",
            Purpose::Crypto => "crypto",
            Purpose::Protocol => "protocol",
            Purpose::Packets => "UDP, IP, devices",
            Purpose::Syscalls => "system calls",
            Purpose::Waiting => "sleeping, waking, interrupts",
            Purpose::Other => "other",
        }
    }

    /// That of a function, by its name and where it is.
    fn of(symbol: &str, object: &str) -> Purpose {
        let has = |words: &[&str]| words.iter().any(|word| symbol.contains(word));
        let begins = |words: &[&str]| words.iter().any(|word| symbol.starts_with(word));
        let kernel = object.starts_with("[kernel") || object.starts_with("[guest.kernel");
        match kernel {
            _ if has(&["copy", "memmove", "memset", "csum", "rep_movs", "clear_page", "memcpy"]) => Purpose::Copying,
            false if has(&CRYPTO) => Purpose::Crypto,
            false if object.contains("vdso") => Purpose::Other,
            false => Purpose::Protocol,
            true if begins(&["tcp_", "__tcp", "tcp4", "bictcp", "cubictcp", "inet_csk"]) => Purpose::Protocol,
            true if begins(&PACKETS) || has(&["skb", "napi", "xmit"]) => Purpose::Packets,
            true if begins(&WAITING) || has(&["wake", "irq"]) => Purpose::Waiting,
            true if begins(&SYSCALLS) || has(&["syscall", "epoll", "SYSCALL"]) => Purpose::Syscalls,
            true => Purpose::Other,
        }
    }
}

const CRYPTO: [&str; 12] = [
    "aws_lc",
    "ring_core",
    "ring::",
    "blake3",
    "siphash",
    "Sip",
    "chacha",
    "poly1305",
    "gcm",
    "aes",
    "tng_crypto",
    "tng_nonce",
];
const PACKETS: [&str; 26] = [
    "udp",
    "__udp",
    "ip_",
    "__ip",
    "ip4",
    "inet_",
    "fib_",
    "dev_",
    "__dev",
    "netif",
    "__netif",
    "tun_",
    "sock_",
    "__sk",
    "sk_",
    "release_sock",
    "lock_sock",
    "qdisc",
    "__qdisc",
    "pfifo",
    "fq_",
    "net_",
    "nf_",
    "loopback",
    "dst_",
    "rt_",
];
const WAITING: [&str; 8] =
    ["finish_task_switch", "schedule", "__schedule", "pick_next", "update_", "enqueue_", "dequeue_", "hrtimer"];
const SYSCALLS: [&str; 14] = [
    "entry_",
    "exit_to_user",
    "__x64_sys",
    "do_sys",
    "__sys_",
    "___sys_",
    "ksys_",
    "vfs_",
    "fget",
    "__fget",
    "fput",
    "ep_",
    "do_iter",
    "import_iovec",
];

/// What processors did for processes in a while: shares, whose sum is one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Breakdown {
    /// By `perf`: for each purpose, in the order of all, and of how many samples.
    Sampled([f64; Purpose::ALL.len()], usize),
    /// Where there is no `perf`: what was their own, and what was the kernel's.
    Ticks([f64; 2]),
}

/// Looks at processes for so long.
pub(crate) fn look(pids: &[u32], time: Duration) -> Breakdown {
    let before = ticks(pids);
    let sampled = sample(pids, time);
    let after = ticks(pids);
    sampled.unwrap_or_else(|| {
        let [own, kernel] = [0, 1].map(|place| (after[place] - before[place]) as f64);
        let sum = (own + kernel).max(1.0);
        Breakdown::Ticks([own / sum, kernel / sum])
    })
}

fn sample(pids: &[u32], time: Duration) -> Option<Breakdown> {
    let folder = tempfile::tempdir().ok()?;
    let (file, pids) = (folder.path().join("perf.data"), pids.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
    let mut record = Command::new("perf");
    record.args(["record", "-q", "-F", &SAMPLES_PER_S.to_string(), "-p", &pids, "-o"]).arg(&file);
    record.args(["--", "sleep", &time.as_secs_f64().to_string()]);
    let quiet = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
    };
    if !quiet(&mut record) {
        // Where it is not there, time passes all the same.
        Origin::now().rest_until(time);
        return None;
    }
    let mut script = Command::new("perf");
    script.args(["script", "-F", "ip,sym,dso", "-i"]).arg(&file).stdin(Stdio::null()).stderr(Stdio::null());
    let out = script.output().ok()?;
    shares(&String::from_utf8_lossy(&out.stdout))
}

/// Of what `perf script` says: a line for each sample, with an address, the function and, in brackets, where it is.
fn shares(script: &str) -> Option<Breakdown> {
    let (mut counts, mut all) = ([0_usize; Purpose::ALL.len()], 0);
    for line in script.lines() {
        let Some((named, object)) = line.trim().strip_suffix(')').and_then(|line| line.rsplit_once(" (")) else {
            continue;
        };
        let symbol = named.split_once(' ').map_or("", |(_, symbol)| symbol);
        let purpose = Purpose::of(symbol, object);
        let place = Purpose::ALL.iter().position(|known| *known == purpose)?;
        counts[place] += 1;
        all += 1;
    }
    (all > 0).then(|| Breakdown::Sampled(counts.map(|count| count as f64 / all as f64), all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_told_apart_by_what_their_functions_are_there_for() {
        let script = "  ffffffff81 rep_movs_alternative ([kernel.kallsyms])\n\
                      ffffffff82 tcp_write_xmit ([kernel.kallsyms])\n\
                      ffffffff83 entry_SYSCALL_64 ([kernel.kallsyms])\n\
                      ffffffff84 udp_sendmsg ([kernel.kallsyms])\n\
                      55d0 tng_trickles::server::Server<A>::answer (/usr/bin/tng)\n\
                      55d1 aws_lc_0_40_0_aes_gcm_enc_update_vaes_avx2 (/usr/bin/tng)\n\
                      55d2 __memmove_avx_unaligned_erms (/lib/libc.so.6)\n\
                      ffffffff85 finish_task_switch.isra.0 ([kernel.kallsyms])\n\nnonsense\n";
        let Some(Breakdown::Sampled(shares, 8)) = shares(script) else { panic!("eight samples") };
        assert_eq!(shares, [0.25, 0.125, 0.25, 0.125, 0.125, 0.125, 0.0]);
        assert_eq!(super::shares("nothing"), None);
    }
}
