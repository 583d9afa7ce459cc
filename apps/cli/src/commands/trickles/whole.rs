//! A file that is there whole or not at all.

use std::path::Path;

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::failure::Failure;
use crate::key::folder_of;
use crate::talk::shown;

/// Has `bring` write a file, or to stdout if that is meant; it answers how many bytes it wrote. What is cut off leaves
/// nothing behind.
///
/// # Errors
/// As `bring`, or if the file cannot be written.
pub(super) async fn write(
    to: &Path,
    bring: impl AsyncFnOnce(&mut (dyn AsyncWrite + Unpin)) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    if to == Path::new("-") {
        return bring(&mut tokio::io::stdout()).await;
    }
    let what = || format!("writing {}", shown(to));
    // Beside, and then renamed.
    let beside = tempfile::Builder::new().prefix(".tng-").suffix(".part").tempfile_in(folder_of(to));
    let beside = beside.map_err(|error| Failure::write(what(), &error))?;
    let file = beside.as_file().try_clone().map_err(|error| Failure::write(what(), &error))?;
    let mut file = tokio::fs::File::from_std(file);
    let len = bring(&mut file).await?;
    file.shutdown().await.map_err(|error| Failure::write(what(), &error))?;
    beside.persist(to).map_err(|error| Failure::write(what(), &error.error))?;
    Ok(len)
}
