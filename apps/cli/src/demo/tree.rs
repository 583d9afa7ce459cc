//! A tree of files that a seed determines.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use tng_base::Rng;

/// Files in the tree.
pub const FILES: usize = 2_000;
/// Least size of the whole tree in bytes.
pub const SIZE_MIN: u64 = 300_000_000;
/// Files in a folder.
const FILES_PER_FOLDER: usize = 50;

/// A file of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sown {
    /// Path below the tree's folder.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// BLAKE3 of its content.
    pub hash: [u8; 32],
}

/// Sizes as a home folder has them: most files small, most bytes in few files.
fn sizes(rng: &mut Rng) -> Vec<u64> {
    let mut sizes: Vec<u64> = (0..FILES)
        .map(|i| match i % 200 {
            0 => 8 << 20,
            1..20 => (256 << 10) + rng.below(1_280 << 10),
            20 => 0,
            _ => 1 + rng.below(64 << 10),
        })
        .collect();
    let short = SIZE_MIN.saturating_sub(sizes.iter().sum());
    sizes[0] += short;
    sizes
}

/// Writes the tree that `seed` determines into `folder`.
///
/// # Errors
/// If the disk does not take it.
pub fn sow(folder: &Path, seed: u64) -> io::Result<Vec<Sown>> {
    fs::create_dir_all(folder)?;
    let mut rng = Rng::from_u64(seed);
    let mut buf = vec![0; 64 << 10];
    let mut sown = Vec::with_capacity(FILES);
    for (i, size) in sizes(&mut rng).into_iter().enumerate() {
        let (upper, lower) = (i / FILES_PER_FOLDER / 8, i / FILES_PER_FOLDER % 8);
        let (shelf, path) = (format!("shelf {upper}"), format!("shelf {upper}/box {lower}/{i:04}.bin"));
        // Not the folder itself: who takes it away wants no more of this.
        make_folder(&folder.join(&shelf))?;
        make_folder(&folder.join(format!("{shelf}/box {lower}")))?;
        let (mut file, mut hasher, mut left) = (File::create(folder.join(&path))?, blake3::Hasher::new(), size);
        while left > 0 {
            let n = left.min(buf.len() as u64);
            let piece = &mut buf[..n as usize];
            rng.fill(piece);
            hasher.update(piece);
            file.write_all(piece)?;
            left -= n;
        }
        sown.push(Sown { path, size, hash: hasher.finalize().into() });
    }
    Ok(sown)
}

fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// The first of `sown` that is not in `folder` as it should be.
///
/// # Errors
/// If a file that is there cannot be read.
pub fn wrong<'a>(folder: &Path, sown: &'a [Sown]) -> io::Result<Option<&'a Sown>> {
    let mut buf = vec![0; 64 << 10];
    for expected in sown {
        let mut file = match File::open(folder.join(&expected.path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(expected)),
            opened => opened?,
        };
        let mut hasher = blake3::Hasher::new();
        loop {
            match file.read(&mut buf)? {
                0 => break,
                n => hasher.update(&buf[..n]),
            };
        }
        if *hasher.finalize().as_bytes() != expected.hash {
            return Ok(Some(expected));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_large_enough_and_the_same_for_the_same_seed() {
        for seed in 0..20 {
            let planned = sizes(&mut Rng::from_u64(seed));
            assert_eq!(planned.len(), FILES);
            assert!((SIZE_MIN..400_000_000).contains(&planned.iter().sum()), "seed {seed}");
            assert_eq!(planned, sizes(&mut Rng::from_u64(seed)));
        }
    }

    #[test]
    fn a_file_that_is_missing_or_differs_by_a_bit_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sown: Vec<Sown> = ["a", "b"]
            .into_iter()
            .map(|name| {
                fs::write(folder.path().join(name), name).expect("written");
                Sown { path: name.into(), size: 1, hash: blake3::hash(name.as_bytes()).into() }
            })
            .collect();
        assert_eq!(wrong(folder.path(), &sown).expect("read"), None);
        fs::write(folder.path().join("b"), "c").expect("written");
        assert_eq!(wrong(folder.path(), &sown).expect("read"), Some(&sown[1]));
        fs::remove_file(folder.path().join("a")).expect("removed");
        assert_eq!(wrong(folder.path(), &sown).expect("read"), Some(&sown[0]));
    }
}
