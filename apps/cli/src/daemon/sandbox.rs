//! What a daemon gives up once it is bound: files but its own (landlock), and calls that it never makes (seccomp). Both
//! where the kernel allows; where not, that is said.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::talk::Talk;

/// What the process may still do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Allowed {
    /// Files and folders that it reads.
    pub read: Vec<PathBuf>,
    /// Folders in which it makes, writes and removes files.
    pub write: Vec<PathBuf>,
    /// Folders in which it makes files and writes to them.
    pub log: Vec<PathBuf>,
    /// Whether it connects to others by TCP.
    pub connects: bool,
}

/// What came of it, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sandboxed {
    /// Of files.
    pub files: String,
    /// Of calls.
    pub calls: String,
}

impl Sandboxed {
    /// Says it.
    pub fn say(&self, talk: Talk) {
        talk.say(format_args!("sandbox: files: {}; calls: {}", self.files, self.calls));
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "files": self.files, "calls": self.calls })
    }
}

/// Gives up all else. To be called while the process has one thread: those that it starts afterwards have no more.
#[cfg(target_os = "linux")]
pub fn enter(allowed: &Allowed) -> Sandboxed {
    let files = match linux::restrict_files(allowed) {
        Ok(how) => how.to_owned(),
        Err(error) => format!("not restricted: {error}"),
    };
    let calls = match linux::restrict_calls() {
        Ok(count) => format!("{count} are refused"),
        Err(error) => format!("not restricted: {error}"),
    };
    Sandboxed { files, calls }
}

/// Elsewhere there is nothing of the kind.
#[cfg(not(target_os = "linux"))]
pub fn enter(_: &Allowed) -> Sandboxed {
    let no = || "not restricted: this system has no such thing".to_owned();
    Sandboxed { files: no(), calls: no() }
}

/// The folder of a file, to be allowed.
pub fn folder_of(path: &Path) -> PathBuf {
    crate::key::folder_of(path).to_owned()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::error::Error;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, RestrictionStatus, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
    };
    use nix::libc;
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

    use super::Allowed;

    /// What the rules are written for; an older kernel keeps to what it knows of them.
    const KNOWN: ABI = ABI::V4;

    pub(super) fn restrict_files(allowed: &Allowed) -> Result<&'static str, Box<dyn Error>> {
        let (all, read) = (AccessFs::from_all(KNOWN), AccessFs::from_read(KNOWN) & !AccessFs::Execute);
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            // It listens already.
            .handle_access(if allowed.connects { AccessNet::BindTcp.into() } else { AccessNet::from_all(KNOWN) })?
            .create()?
            // What the runtime asks of the system.
            .add_rules(path_beneath_rules(["/proc/self", "/sys/fs/cgroup", "/dev/urandom", "/dev/null"], read))?
            .add_rules(path_beneath_rules(&allowed.read, read))?
            .add_rules(path_beneath_rules(&allowed.write, all & !AccessFs::Execute))?
            .add_rules(path_beneath_rules(&allowed.log, AccessFs::MakeReg | AccessFs::WriteFile))?;
        let RestrictionStatus { ruleset, .. } = ruleset.restrict_self()?;
        match ruleset {
            RulesetStatus::FullyEnforced => Ok("its own alone"),
            RulesetStatus::PartiallyEnforced => Ok("its own alone, as far as this kernel knows how"),
            RulesetStatus::NotEnforced => Err("this kernel has no landlock, or it is switched off".into()),
        }
    }

    /// Calls that no daemon ever makes, and that somebody would who had taken it over.
    const REFUSED: &[libc::c_long] = &[
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_setns,
        libc::SYS_unshare,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_kexec_file_load,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_clock_adjtime,
        libc::SYS_adjtimex,
        libc::SYS_open_by_handle_at,
        libc::SYS_name_to_handle_at,
        libc::SYS_acct,
        libc::SYS_quotactl,
        libc::SYS_setuid,
        libc::SYS_setgid,
        libc::SYS_setreuid,
        libc::SYS_setregid,
        libc::SYS_setresuid,
        libc::SYS_setresgid,
        libc::SYS_setgroups,
        libc::SYS_capset,
        libc::SYS_personality,
        libc::SYS_io_uring_setup,
    ];

    pub(super) fn restrict_calls() -> Result<usize, Box<dyn Error>> {
        let rules: BTreeMap<i64, Vec<_>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
        let arch = TargetArch::try_from(std::env::consts::ARCH)?;
        let refuse = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?;
        let program: BpfProgram = filter.try_into()?;
        // It takes no privileges back that it has given up.
        apply_filter(&program)?;
        Ok(REFUSED.len())
    }
}
