//! Images and where their MCUs begin, kept between requests: all of it may be made again at any moment.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tng::trickles::Place;
use tng_services::files::SafePath;
use tng_services::watermark::{IMAGE_LEN_MAX, Image, ImageError, Layout, Mark, Work};

use super::super::descriptors::Descriptors;
use super::super::given::Stamp;
use super::super::{Wrong, changed};
use crate::files::Root;

/// Images that are kept taken apart, at most; fewer if they are large.
pub const IMAGES_KEPT_MAX: usize = 64;
/// Bytes that they have, at most: the last one is kept whatever its length.
pub const IMAGES_HELD_MAX: usize = 64 << 20;
/// Layouts that are remembered, each of an image for a client, or for all.
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

/// Where the MCUs of an image begin; for a client, with the hash of its file.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) layout: Layout,
    pub(super) hash: [u8; 32],
}

type Result_ = Result<Arc<Laid>, ImageError>;

/// What is known of a layout.
#[derive(Debug)]
pub(super) enum Known {
    Laid(Result_),
    /// It is being made.
    UnderWay,
    No,
}

struct Job {
    place: Place,
    key: Key,
    image: Arc<Image>,
    mark: Option<Mark>,
}

#[derive(Default)]
struct State {
    /// The oldest first.
    known: VecDeque<(Key, Result_)>,
    waiting: VecDeque<Job>,
    at_work: Option<(Place, Key)>,
    work: Work,
    is_over: bool,
}

impl State {
    fn under_way(&self) -> impl Iterator<Item = (&Place, &Key)> {
        let waiting = self.waiting.iter().map(|job| (&job.place, &job.key));
        waiting.chain(self.at_work.iter().map(|(place, key)| (place, key)))
    }

    fn remember(&mut self, key: Key, laid: Result_) {
        self.known.retain(|(other, _)| *other != key);
        if self.known.len() >= LAYOUTS_KEPT_MAX {
            self.known.pop_front();
        }
        self.known.push_back((key, laid));
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Images, and who lays them out.
pub(super) struct Images {
    descriptors: Descriptors,
    kept: VecDeque<(SafePath, Stamp, Arc<Image>)>,
    shared: Arc<Shared>,
}

impl Images {
    /// Starts the thread, which ends with this.
    pub(super) fn start() -> io::Result<Images> {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        std::thread::Builder::new().name("layouts".to_owned()).spawn(move || go_on(&own))?;
        Ok(Images { descriptors: Descriptors::default(), kept: VecDeque::new(), shared })
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
        let held = |kept: &VecDeque<(_, _, Arc<Image>)>| kept.iter().map(|(_, _, image)| image.held()).sum::<usize>();
        while self.kept.len() > IMAGES_KEPT_MAX || self.kept.len() > 1 && held(&self.kept) > IMAGES_HELD_MAX {
            self.kept.pop_front();
        }
        Ok((image, stamp))
    }

    pub(super) fn known(&self, key: &Key) -> Known {
        let state = self.shared.lock();
        match state.known.iter().find(|(other, _)| other == key) {
            Some((_, laid)) => Known::Laid(laid.clone()),
            None if state.under_way().any(|(_, other)| other == key) => Known::UnderWay,
            None => Known::No,
        }
    }

    /// Lays an image out now.
    pub(super) fn lay(&self, key: Key, image: &Image, mark: Option<&Mark>) -> Result_ {
        let mut work = Work::default();
        let laid = lay(image, mark, &mut work);
        let mut state = self.shared.lock();
        state.add(work);
        state.remember(key, laid.clone());
        laid
    }

    /// Has an image laid out whose layout is not known. Answers whether there is room for it.
    pub(super) fn request(&self, key: Key, place: Place, image: Arc<Image>, mark: Option<Mark>) -> bool {
        let mut state = self.shared.lock();
        let of_one = state.under_way().filter(|(other, _)| **other == place).count();
        let has_room = state.under_way().count() < LAYOUTS_WAITING_MAX && of_one < LAYOUTS_WAITING_EACH_MAX;
        if has_room {
            state.waiting.push_back(Job { place, key, image, mark });
            self.shared.changed.notify_one();
        }
        has_room
    }

    /// Counts what was done beside.
    pub(super) fn add(&self, work: Work) {
        self.shared.lock().add(work);
    }

    /// What was done so far.
    pub(super) fn work(&self) -> Work {
        self.shared.lock().work
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
        self.shared.lock().known.clear();
    }
}

impl State {
    fn add(&mut self, work: Work) {
        self.work.coded += work.coded;
        self.work.surveyed += work.surveyed;
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_one();
    }
}

fn lay(image: &Image, mark: Option<&Mark>, work: &mut Work) -> Result_ {
    let laid = match mark {
        Some(mark) => Layout::alignments(image, mark, work).map(|(layout, hash)| Laid { layout, hash }),
        None => Layout::skips(image, work).map(|layout| Laid { layout, hash: [0; 32] }),
    };
    laid.map(Arc::new)
}

fn go_on(shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_over {
        let Some(Job { place, key, image, mark }) = state.waiting.pop_front() else {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.at_work = Some((place, key.clone()));
        drop(state);
        let mut work = Work::default();
        let laid = lay(&image, mark.as_ref(), &mut work);
        state = shared.lock();
        state.at_work = None;
        state.add(work);
        state.remember(key, laid);
    }
}
