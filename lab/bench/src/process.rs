//! What the operating system says about a process, and where it runs.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::unistd::{Pid, SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::Failure;

/// What a process has used up, and holds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time so far, the process's own and the kernel's for it, in seconds.
    pub cpu_s: f64,
    /// Resident memory of its own (heap, stacks, written data) in bytes: not the pages of code, which come and go as
    /// they are run.
    pub rss: u64,
    /// Connections accepted so far; flows that there are, of what stands between.
    pub accepted: u64,
    /// Bytes passed on so far, where they are counted.
    pub passed: Option<u64>,
    /// What was asked and answered so far, where it is counted.
    pub served: Option<Served>,
}

/// What a server has answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Served {
    /// Requests that it has answered.
    pub requests: u64,
    /// Packets that it has sent in answer.
    pub packets: u64,
    /// Calls in which they left.
    pub sends: u64,
}

impl Served {
    /// What was served between the two.
    pub const fn since(self, before: Served) -> Served {
        Served {
            requests: self.requests - before.requests,
            packets: self.packets - before.packets,
            sends: self.sends - before.sends,
        }
    }
}

impl Usage {
    /// Of this process, which has `accepted` so many connections.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn now(accepted: u64) -> Result<Usage, Failure> {
        let usage = getrusage(UsageWho::RUSAGE_SELF)?;
        let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6;
        let cpu_s = seconds(usage.user_time()) + seconds(usage.system_time());
        Ok(Usage { cpu_s, rss: rss("self")?, accepted, passed: None, served: None })
    }

    /// Of another process; its processor time in steps of a clock tick.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn of(pid: u32) -> Result<Usage, Failure> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The name, in brackets, may have anything in it.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks = |at: usize| fields.split_whitespace().nth(at).and_then(|text| text.parse::<f64>().ok());
        // utime and stime, fields 14 and 15 of proc_pid_stat(5): 11 and 12 behind the name.
        let (user, system) = ticks(11).zip(ticks(12)).ok_or("/proc/PID/stat does not tell the processor time")?;
        let per_s = sysconf(SysconfVar::CLK_TCK)?.ok_or("no clock tick")? as f64;
        Ok(Usage {
            cpu_s: (user + system) / per_s,
            rss: rss(&pid.to_string())?,
            accepted: 0,
            passed: None,
            served: None,
        })
    }
}

/// Resident memory of a process's own, in bytes.
fn rss(process: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let kb = field(&status, "RssAnon:").and_then(|v| v.split(' ').next()?.parse::<u64>().ok());
    Ok(kb.ok_or("/proc/PID/status does not tell RssAnon")? * 1024)
}

/// As many open files as this process may have without asking anybody.
///
/// # Errors
/// If the system does not allow it.
pub fn files_max() -> Result<(), Failure> {
    let hard = files_limit()?;
    Ok(setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?)
}

/// How many those are.
///
/// # Errors
/// If the system does not tell.
pub fn files_limit() -> Result<u64, Failure> {
    Ok(getrlimit(Resource::RLIMIT_NOFILE)?.1)
}

/// The processors that this process may use.
pub fn cpus() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else { return Vec::new() };
    (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false)).collect()
}

/// Keeps this process, and the threads that it starts from now on, on one processor.
///
/// # Errors
/// If the system does not allow it.
pub fn pin(cpu: usize) -> Result<(), Failure> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// Where, and beside what, the figures were measured.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// How many of them this process may use.
    pub cpus: usize,
    /// The kernel's release.
    pub kernel: String,
    /// The processors that server and client are pinned to; `None` where there are not two.
    pub pinned: Option<[usize; 2]>,
    /// Processes that wanted to run, averaged over a minute, before the first round. The bench itself wants at most
    /// two.
    pub load_before: f64,
    /// The same after the last round.
    pub load_after: f64,
}

impl Machine {
    /// This one, now.
    pub fn now() -> Machine {
        let cpus = cpus();
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Machine {
            cpu: field(&info, "model name").unwrap_or("unknown").trim_start_matches([':', ' ', '\t']).to_owned(),
            cpus: cpus.len(),
            kernel: kernel.trim().to_owned(),
            pinned: cpus.first_chunk().copied(),
            load_before: load(),
            load_after: 0.0,
        }
    }

    /// The last round is over.
    pub fn over(&mut self) {
        self.load_after = load();
    }
}

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|one| one.parse().ok()).unwrap_or(f64::NAN)
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}
