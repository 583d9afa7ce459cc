//! Places for what a run leaves behind, tried before it begins: nobody wants to learn after minutes that there is no
//! such folder.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::failure::Failure;

/// Fails now if a file cannot be written there later. What stands there stays as it is; pipes and devices are not
/// tried.
///
/// # Errors
/// As writing it would have failed.
pub fn try_file(path: &Path) -> Result<(), Failure> {
    let failure = |error| Failure::write(format!("writing {}", path.display()), &error);
    let before = fs::metadata(path);
    if before.as_ref().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path).map_err(failure)?;
    // A link to a file that was not there stays; the file that it led to has been made, and goes away.
    let made = || fs::canonicalize(path).and_then(fs::remove_file).map_err(failure);
    if before.is_err() { made() } else { Ok(()) }
}

/// The same of a folder in which files will be made, one of them of this name. If it is not there it can be made, and
/// so can those above it, but none is left behind: [`make_folder`] does that once there is something to write.
///
/// # Errors
/// As making it or writing there failed.
pub fn try_folder(folder: &Path, file: &str) -> Result<(), Failure> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !is_there(above)).collect();
    let tried = make_folder(folder).and_then(|()| try_file(&folder.join(file)));
    // The innermost first, of those that could be made. One that somebody has put something into meanwhile stays.
    let made = missing.into_iter().skip_while(|missing| !is_there(missing));
    made.take_while(|made| fs::remove_dir(made).is_ok()).for_each(drop);
    tried
}

/// Whether something stands there; the empty path is the folder in which the tool runs.
fn is_there(path: &Path) -> bool {
    path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok()
}

/// Makes a folder, and those above it, if it is not there.
///
/// # Errors
/// As making it failed.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::write(format!("making the folder {}", folder.display()), &error))
}

/// Opens a file that holds keys, as `options` say beyond writing it and making it: if it is made, it is for this user
/// alone.
///
/// # Errors
/// It cannot be written.
pub fn open_private(path: &Path, options: &mut OpenOptions) -> Result<File, Failure> {
    let opened = options.write(true).create(true).mode(0o600).open(path);
    opened.map_err(|error| Failure::write(format!("writing {}", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn trying_a_place_changes_nothing_there() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (fresh, old) = (folder.path().join("fresh.html"), folder.path().join("old.html"));
        fs::write(&old, "as before").expect("written");
        assert_eq!((try_file(&fresh), try_file(&old)), (Ok(()), Ok(())));
        assert_eq!((fresh.exists(), fs::read_to_string(&old).ok().as_deref()), (false, Some("as before")));
        assert_eq!(try_file(Path::new("/dev/null")), Ok(()));
    }

    #[test]
    fn a_link_that_leads_to_no_file_yet_stays_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (link, target) = (folder.path().join("latest.html"), folder.path().join("run.html"));
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        assert_eq!(try_file(&link), Ok(()));
        assert_eq!((fs::read_link(&link).ok(), target.exists()), (Some(target), false));
    }

    #[test]
    fn a_file_for_keys_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("keys.txt");
        open_private(&path, OpenOptions::new().truncate(true)).expect("it can be made");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_place_that_cannot_be_written_fails_with_what_to_try() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = try_file(&folder.path().join("no/such.html")).expect_err("no folder");
        assert_eq!((missing.exit, missing.remedy.contains("make the folder")), (Exit::Write, true), "{missing}");
        assert_eq!(try_file(folder.path()).expect_err("a folder").exit, Exit::Write);
        let results = folder.path().join("some/results");
        assert_eq!(try_folder(&results, "README.md"), Ok(()));
        assert!(!folder.path().join("some").exists(), "nothing was written, so there is nothing");
        let too_long = folder.path().join("some").join("n".repeat(300)).join("results");
        assert_eq!(try_folder(&too_long, "README.md").expect_err("no such name can be").exit, Exit::Write);
        assert!(!folder.path().join("some").exists(), "what could be made before it is taken away");
        make_folder(&results).expect("it can be made");
        fs::write(results.join("page.md"), "a page").expect("written");
        assert_eq!(try_folder(&results, "README.md"), Ok(()));
        assert!(results.join("page.md").exists() && !results.join("README.md").exists());
    }
}
