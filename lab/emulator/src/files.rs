//! How many files this process may have open.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Lets this process have so many files open, sockets among them, if it may not already. Root may beyond the hard
/// limit, too.
///
/// # Errors
/// No permission, or more than the system has at all.
pub fn open_many(files: u64) -> io::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < files {
        setrlimit(Resource::RLIMIT_NOFILE, files, hard.max(files))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_open_already_changes_nothing_and_what_nobody_may_is_refused() {
        let before = getrlimit(Resource::RLIMIT_NOFILE).expect("told");
        open_many(1).expect("allowed");
        assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).expect("told"), before);
        assert!(before.0 == u64::MAX || open_many(u64::MAX).is_err());
    }
}
