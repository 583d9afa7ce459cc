//! What a process gives up before it has a guest's code: descriptors, limits, and calls of the system.

use core::fmt;

/// Bytes of memory that the process may write to: those of the compiler, and then those of one instance. (What is
/// merely set aside, as the engine does with 4 GiB, does not count.)
pub const DATA_MAX: u64 = 256 << 20;

/// Which calls of the system are let through. What is not is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// While code is compiled: memory may become code.
    Compiling,
    /// While it runs.
    Running,
}

/// Why a process cannot shut itself in. It runs nothing then.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConfineError {
    /// Environment: the system has nothing to do it with.
    Unsupported(&'static str),
    /// Environment: the system refuses.
    Refused(String),
}

impl fmt::Display for ConfineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfineError::Unsupported(why) => {
                write!(f, "a guest's process cannot be shut in here: {why}; accept only what is pinned or signed")
            }
            ConfineError::Refused(why) => write!(
                f,
                "a guest's process was not let shut itself in: {why}; accept only what is pinned or signed, or run on \
                 a kernel with seccomp"
            ),
        }
    }
}

impl core::error::Error for ConfineError {}

#[cfg(target_os = "linux")]
pub(crate) use linux::{close_others, limit, limit_files};

#[cfg(target_os = "linux")]
impl Filter {
    /// Closes it behind all threads of this process, for good.
    ///
    /// # Errors
    /// See [`ConfineError`].
    pub fn close(self) -> Result<(), ConfineError> {
        linux::close(self)
    }
}

#[cfg(not(target_os = "linux"))]
impl Filter {
    /// There is none.
    ///
    /// # Errors
    /// Always.
    pub fn close(self) -> Result<(), ConfineError> {
        Err(ConfineError::Unsupported("it takes seccomp, which Linux has"))
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn close_others(_: &impl std::os::fd::AsRawFd) -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported("it takes seccomp, which Linux has"))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn limit() -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported("it takes seccomp, which Linux has"))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn limit_files() -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported("it takes seccomp, which Linux has"))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::fd::{AsRawFd, RawFd};

    use nix::libc;
    use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch, apply_filter_all_threads,
    };

    use super::{ConfineError, DATA_MAX, Filter};

    fn refused(error: impl ToString) -> ConfineError {
        ConfineError::Refused(error.to_string())
    }

    /// Closes every descriptor but this.
    pub(crate) fn close_others(kept: &impl AsRawFd) -> Result<(), ConfineError> {
        let listed = fs::read_dir("/proc/self/fd").map_err(refused)?;
        let numbers: Vec<RawFd> = listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
        for number in numbers.into_iter().filter(|number| *number != kept.as_raw_fd()) {
            // The one by which they were listed is closed already.
            let _ = nix::unistd::close(number);
        }
        Ok(())
    }

    /// What may be used of the system; and the process ends when the one that started it does.
    pub(crate) fn limit() -> Result<(), ConfineError> {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(refused)?;
        set([
            (Resource::Data, DATA_MAX),
            (Resource::Fsize, DATA_MAX),
            (Resource::Core, 0),
            (Resource::Memlock, 0),
            (Resource::Msgqueue, 0),
        ])
    }

    /// What the engine needs to lay out a module, since an image in memory is a file to the system, and nobody
    /// afterwards.
    pub(crate) fn limit_files() -> Result<(), ConfineError> {
        set([(Resource::Nofile, 0), (Resource::Fsize, 0)])
    }

    fn set<const N: usize>(limits: [(Resource, u64); N]) -> Result<(), ConfineError> {
        for (resource, most) in limits {
            setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).map_err(refused)?;
        }
        Ok(())
    }

    /// Memory, the pair of sockets, waiting for a lock or for time, signals of its own, threads that begin, its end.
    const LET_THROUGH: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_munmap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        // The engine's thread may only be beginning: without the first it would end the process.
        libc::SYS_rseq,
        libc::SYS_set_robust_list,
        libc::SYS_sched_getaffinity,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// What the engine needs to lay out a module.
    const TO_COMPILE: &[libc::c_long] =
        &[libc::SYS_memfd_create, libc::SYS_ftruncate, libc::SYS_fcntl, libc::SYS_membarrier, libc::SYS_mremap];

    pub(super) fn close(filter: Filter) -> Result<(), ConfineError> {
        let none_of = |argument, bits: libc::c_int| {
            let masked = SeccompCmpOp::MaskedEq(bits as u64);
            SeccompCondition::new(argument, SeccompCmpArgLen::Dword, masked, 0).map_err(refused)
        };
        let all = |conditions| Ok(vec![SeccompRule::new(conditions).map_err(refused)?]);
        // While code runs no memory becomes code, and there is none that the limit on data does not count.
        let (map, protect) = match filter {
            Filter::Compiling => (Vec::new(), Vec::new()),
            Filter::Running => {
                let counted = none_of(3, libc::MAP_SHARED | libc::MAP_GROWSDOWN)?;
                (all(vec![none_of(2, libc::PROT_EXEC)?, counted])?, all(vec![none_of(2, libc::PROT_EXEC)?])?)
            }
        };
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        rules.extend(LET_THROUGH.iter().map(|call| (*call, Vec::new())));
        rules.extend([(libc::SYS_mmap, map), (libc::SYS_mprotect, protect)]);
        if filter == Filter::Compiling {
            rules.extend(TO_COMPILE.iter().map(|call| (*call, Vec::new())));
            // The limits and the filter that come afterwards: limits of its own alone.
            rules.extend([libc::SYS_seccomp, libc::SYS_prctl].map(|call| (call, Vec::new())));
            let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0).map_err(refused)?;
            rules.insert(libc::SYS_prlimit64, all(vec![own])?);
        }
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(refused)?;
        let refuse = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).map_err(refused)?;
        let program: BpfProgram = filter.try_into().map_err(refused)?;
        apply_filter_all_threads(&program).map_err(refused)
    }
}
