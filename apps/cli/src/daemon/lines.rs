//! An access log: lines of JSON, at the end of a file or on stdout.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::exit::Exit;
use crate::failure::{Failure, reason};

/// Where a log goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LogPlace {
    /// To stdout.
    Stdout,
    /// To the end of a file.
    File(PathBuf),
}

impl LogPlace {
    /// As it is said on a command line: `-`, or a file.
    pub fn of_argument(path: PathBuf) -> LogPlace {
        if path.as_os_str() == "-" { LogPlace::Stdout } else { LogPlace::File(path) }
    }
}

/// Where lines go.
#[derive(Debug)]
pub enum Lines {
    /// Nowhere.
    None,
    /// To stdout.
    Stdout,
    /// To the end of a file.
    File(File),
}

impl Lines {
    /// Opens a place; a file that is made is for this user alone: who was served is nobody else's business.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(place: Option<&LogPlace>) -> Result<Lines, Failure> {
        match place {
            None => Ok(Lines::None),
            Some(LogPlace::Stdout) => Ok(Lines::Stdout),
            Some(LogPlace::File(path)) => {
                let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
                let failed = |error| Failure::write(format!("opening the access log {}", path.display()), &error);
                opened.map(Lines::File).map_err(failed)
            }
        }
    }

    /// Opens a place anew, by a process that is confined to the log's folder if `sandboxed`.
    ///
    /// # Errors
    /// If it cannot be written: because another folder has that name now, perhaps.
    pub fn reopen(place: Option<&LogPlace>, sandboxed: bool) -> Result<Lines, Failure> {
        Lines::open(place).map_err(|failure| match failure.exit {
            Exit::Write if sandboxed && failure.why == reason(&io::ErrorKind::PermissionDenied.into()) => {
                let why = format!("{}; the sandbox keeps to the folder that was there at the start", failure.why);
                Failure { why, ..failure }.or_try("restart it, if that folder was replaced; move the log alone away")
            }
            _ => failure,
        })
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If it cannot be written: a full disk, say.
    pub fn write(&self, line: &str) -> io::Result<()> {
        match self {
            Lines::None => Ok(()),
            Lines::Stdout => writeln!(io::stdout().lock(), "{line}"),
            // In one call: lines of several processes stay whole.
            Lines::File(file) => (&mut &*file).write_all(format!("{line}\n").as_bytes()),
        }
    }
}

/// An address as people know it: a socket for both families shows IPv4 addresses as IPv6 ones.
pub fn shown(address: SocketAddr) -> String {
    SocketAddr::new(address.ip().to_canonical(), address.port()).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_access_log_is_for_its_owner_alone_and_goes_on_where_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        for line in ["one", "two"] {
            Lines::open(Some(&LogPlace::File(path.clone()))).expect("opened").write(line).expect("written");
        }
        assert_eq!(fs::read_to_string(&path).expect("there"), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
