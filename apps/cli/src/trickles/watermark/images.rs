//! Images and where their MCUs begin, kept between requests: all of it may be made again at any moment.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use tng::trickles::ClientNetwork;
use tng_services::files::SafePath;
use tng_services::watermark::{IMAGE_LEN_MAX, Image, ImageError, Layout, Mark, Work};

use super::super::descriptors::Descriptors;
use super::super::given::Stamp;
use super::super::jobs::{self, Bounds, Jobs, Known, Turn};
use super::super::{Wrong, changed};
use crate::files::Root;

/// Images that are kept taken apart, at most; fewer if there is no room for them.
pub const IMAGES_KEPT_MAX: usize = 64;
/// Of what may be remembered, layouts have one part of so many, and images the others.
const LAYOUTS_PART: usize = 3;
/// Layouts that are remembered, each of an image for a client, or for all, at most; fewer if there is no room for them.
pub const LAYOUTS_KEPT_MAX: usize = 1_024;
/// Images that wait to be laid out, at most.
pub const LAYOUTS_WAITING_MAX: usize = 32;
/// The same for clients at one address, or in one network of IPv6 (/64).
pub const LAYOUTS_WAITING_EACH_MAX: usize = 4;
/// An image of so many bytes is laid out at once: that takes some milliseconds. For a longer one there is a thread.
pub const LAID_AT_ONCE_MAX: usize = 1 << 18;

/// An image in a state, and the client that it is for; nobody, if it is laid out for all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) path: SafePath,
    pub(super) stamp: Stamp,
    pub(super) name: Option<String>,
}

impl Key {
    /// What tells it from others, in bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let name = self.name.as_deref().unwrap_or_default();
        // No name has a zero in it, nor has a path.
        [&self.stamp.fingerprint().to_be_bytes(), name.as_bytes(), &[0], self.path.as_str().as_bytes(), &[0]].concat()
    }
}

/// Where the MCUs of an image begin; for a client, with the hash of its file.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) layout: Layout,
    pub(super) hash: [u8; 32],
}

type Result_ = Result<Arc<Laid>, ImageError>;

/// An image to lay out.
struct Job {
    key: Key,
    image: Arc<Image>,
    mark: Option<Mark>,
    done: Arc<Mutex<Work>>,
}

impl jobs::Job for Job {
    type Key = Key;
    type Done = Result_;

    fn key(&self) -> &Key {
        &self.key
    }

    fn held(key: &Key, done: &Result_) -> usize {
        let laid = done.as_ref().map_or(0, |laid| size_of::<Laid>() + laid.layout.held());
        size_of_val(key) + key.path.as_str().len() + key.name.as_ref().map_or(0, String::len) + laid
    }

    fn go_on(&mut self) -> Turn<Result_> {
        let mut work = Work::default();
        let laid = lay(&self.image, self.mark.as_ref(), &mut work);
        add(&self.done, work);
        Turn::Done(laid)
    }
}

fn add(to: &Mutex<Work>, work: Work) {
    let mut sum = to.lock().unwrap_or_else(PoisonError::into_inner);
    (sum.coded, sum.surveyed) = (sum.coded + work.coded, sum.surveyed + work.surveyed);
}

/// Images, and who lays them out.
pub(super) struct Images {
    descriptors: Descriptors,
    /// Bytes that images may have which are kept: the last one is, whatever its length.
    bytes: usize,
    kept: VecDeque<(SafePath, Stamp, Arc<Image>)>,
    layouts: Jobs<Job>,
    /// What was done so far.
    done: Arc<Mutex<Work>>,
}

impl Images {
    /// Starts the thread, which ends with this. Images and layouts have so many bytes together, but for the last ones.
    pub(super) fn start(bytes: usize) -> io::Result<Images> {
        let (waiting, waiting_each, kept_bytes) = (LAYOUTS_WAITING_MAX, LAYOUTS_WAITING_EACH_MAX, bytes / LAYOUTS_PART);
        let layouts = Jobs::start("layouts", Bounds { kept: LAYOUTS_KEPT_MAX, kept_bytes, waiting, waiting_each })?;
        let bytes = bytes - kept_bytes;
        Ok(Images { descriptors: Descriptors::default(), bytes, kept: VecDeque::new(), layouts, done: Arc::default() })
    }

    /// Bytes of images, and of layouts.
    #[cfg(test)]
    pub(super) fn held(&self) -> [usize; 2] {
        [held(&self.kept), self.layouts.held()]
    }

    /// The image at `path`, and what it is.
    pub(super) fn open(&mut self, root: &Root, path: &SafePath) -> Result<(Arc<Image>, Stamp), Wrong> {
        let (file, stamp) = self.descriptors.open(root, path)?;
        let known = self.kept.iter().position(|(known, of, _)| known == path && *of == stamp);
        if let Some(known) = known.and_then(|known| self.kept.remove(known)) {
            let image = Arc::clone(&known.2);
            self.kept.push_back(known);
            return Ok((image, stamp));
        }
        if stamp.len > IMAGE_LEN_MAX as u64 {
            return Err(ImageError::TooLong.into());
        }
        let mut bytes = vec![0; stamp.len as usize];
        file.read_exact_at(&mut bytes, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => changed(),
            _ => error.into(),
        })?;
        let image = Arc::new(Image::parse(&bytes)?);
        self.kept.retain(|(known, _, _)| known != path);
        self.kept.push_back((path.clone(), stamp, Arc::clone(&image)));
        while self.kept.len() > IMAGES_KEPT_MAX || self.kept.len() > 1 && held(&self.kept) > self.bytes {
            self.kept.pop_front();
        }
        Ok((image, stamp))
    }

    pub(super) fn known(&self, key: &Key) -> Known<Result_> {
        self.layouts.look(key)
    }

    /// Lays an image out now.
    pub(super) fn lay(&self, key: Key, image: &Image, mark: Option<&Mark>) -> Result_ {
        let mut work = Work::default();
        let laid = lay(image, mark, &mut work);
        self.add(work);
        self.layouts.remember(key, laid.clone());
        laid
    }

    /// Has an image laid out whose layout is not known. Answers whether there is room for it.
    pub(super) fn request(&self, key: Key, place: ClientNetwork, image: Arc<Image>, mark: Option<Mark>) -> bool {
        self.layouts.request(place, Job { key, image, mark, done: Arc::clone(&self.done) })
    }

    /// Counts what was done beside.
    pub(super) fn add(&self, work: Work) {
        add(&self.done, work);
    }

    /// What was done so far.
    pub(super) fn work(&self) -> Work {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all.
    #[cfg(test)]
    pub(super) fn drop_all(&mut self) {
        self.kept.clear();
        self.descriptors.drop_all();
        self.forget_places();
    }

    /// Forgets where MCUs begin.
    #[cfg(test)]
    pub(super) fn forget_places(&mut self) {
        self.layouts.forget();
    }
}

fn held(kept: &VecDeque<(SafePath, Stamp, Arc<Image>)>) -> usize {
    kept.iter().map(|(path, _, image)| path.as_str().len() + image.held()).sum()
}

fn lay(image: &Image, mark: Option<&Mark>, work: &mut Work) -> Result_ {
    let laid = match mark {
        Some(mark) => Layout::alignments(image, mark, work).map(|(layout, hash)| Laid { layout, hash }),
        None => Layout::skips(image, work).map(|layout| Laid { layout, hash: [0; 32] }),
    };
    laid.map(Arc::new)
}
