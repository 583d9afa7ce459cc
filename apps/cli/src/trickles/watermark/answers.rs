//! Answers requests for images out of a folder, each with the mark of who asks.

use std::sync::Arc;

use tng::trickles::{Answer, Application, Asked, Bytes, ClientNetwork, Fault, Ranges};
use tng_services::files::{self, Answer as Message, FaultCode, Meta, Mtime, SafePath};
use tng_services::stateless::{self, BadAsking};
use tng_services::watermark::wire::{ASKING_MAX, Asking, Head, MCUS_MAX, What, fault_code};
use tng_services::watermark::{
    Image, ImageError, Layout, Mark, Marks, McuStart, PIECE_MCUS, Resume, Way, Work, pieces,
};
use tng_wire::Reader;

use super::super::gather::{Objects, Sealed, Wanted, begin, handle, tell_whole};
use super::super::given::Stamp;
use super::super::jobs::Known;
use super::super::listings::put;
use super::super::{Wrong, changed};
use super::given::{Given, Kind};
use super::images::{Images, Key, LAID_AT_ONCE_MAX, Laid};
use crate::failure::Failure;
use crate::files::Root;

/// The version of what is sealed ([`Given`]).
const VERSION: u16 = 1;
/// How often more than once a connection has the same image laid out in a while.
const RETRIES: u8 = 2;

/// A folder of images for clients that keep everything themselves. What it holds between requests can be dropped at any
/// moment: descriptors, images, where their MCUs begin.
pub struct Marked {
    root: Root,
    marks: Marks,
    images: Images,
    at_once_max: usize,
}

/// An image, and whose mark it gets.
struct Sitting {
    image: Arc<Image>,
    stamp: Stamp,
    mark: Mark,
    name: String,
    /// Of the image, below the folder that is served.
    path: SafePath,
}

impl Sitting {
    /// Under which its layout is remembered: for its client, or for all.
    fn key(&self, way: Way) -> Key {
        let name = (way == Way::Alignments).then(|| self.name.clone());
        Key { path: self.path.clone(), stamp: self.stamp, name }
    }
}

/// An object.
enum Content {
    Whole(Vec<u8>),
    /// By the places that were sealed.
    Laid(Layout),
    /// By all places there are, which are remembered here.
    Remembered(Arc<Laid>),
}

impl Content {
    fn len(&self, image: &Image) -> u64 {
        match self {
            Content::Whole(bytes) => bytes.len() as u64,
            Content::Laid(layout) => layout.len(image),
            Content::Remembered(laid) => laid.layout.len(image),
        }
    }

    /// The layout by which it is made, if it is made of MCUs.
    fn layout(&self) -> Option<&Layout> {
        match self {
            Content::Whole(_) => None,
            Content::Laid(layout) => Some(layout),
            Content::Remembered(laid) => Some(&laid.layout),
        }
    }

    fn bytes(&self, of: &Sitting, range: Bytes, resume: &mut Resume, work: &mut Work) -> Result<Vec<u8>, Wrong> {
        match self {
            Content::Whole(bytes) => {
                let bytes = bytes.get(range.start as usize..range.end as usize);
                bytes.map(<[u8]>::to_vec).ok_or_else(changed)
            }
            Content::Laid(layout) => Ok(layout.bytes_from(&of.image, &of.mark, range, resume, work)?),
            Content::Remembered(laid) => Ok(laid.layout.bytes_from(&of.image, &of.mark, range, resume, work)?),
        }
    }
}

impl Marked {
    /// Serves what is at `root`, with these marks, and remembers so many bytes of images and their layouts.
    ///
    /// # Errors
    /// If the system has no thread for large images.
    pub fn new(root: Root, marks: Marks, bytes: usize) -> Result<Marked, Failure> {
        let images = Images::start(bytes).map_err(|error| Failure::read("starting a thread for images", &error))?;
        Ok(Marked { root, marks, images, at_once_max: LAID_AT_ONCE_MAX })
    }

    /// The same, whose turn no image is too large for.
    #[cfg(test)]
    pub(super) fn at_once(self) -> Marked {
        Marked { at_once_max: usize::MAX, ..self }
    }

    /// Bytes of images, and of layouts.
    #[cfg(test)]
    pub(super) fn held(&self) -> [usize; 2] {
        self.images.held()
    }

    /// Forgets all that it may forget.
    #[cfg(test)]
    pub(super) fn drop_all(&mut self) {
        self.images.drop_all();
    }

    /// Forgets where MCUs begin.
    #[cfg(test)]
    pub(super) fn forget_places(&mut self) {
        self.images.forget_places();
    }

    /// What it has done so far, in MCUs.
    pub fn work(&self) -> Work {
        self.images.work()
    }

    /// The image at a path that begins with a client's folder.
    fn sitting(&mut self, path: &SafePath) -> Result<Sitting, Wrong> {
        let (folder, rest) = path.as_str().split_once('/').unwrap_or((path.as_str(), ""));
        let Some((name, mark)) = self.marks.of_folder(folder) else {
            let why = "a path begins with a folder that `tng trickles watermark name` has made for a client";
            return Err(tng_services::files::Fault::new(FaultCode::NotAllowed, why).into());
        };
        let path = SafePath::parse(rest).map_err(BadAsking::from)?;
        let (image, stamp) = self.images.open(&self.root, &path)?;
        Ok(Sitting { image, stamp, mark, name: name.to_owned(), path })
    }

    /// The layout of an image for its client, or for all; nothing if the client has been told what to do before.
    fn laid(
        &mut self,
        object: u64,
        of: &Sitting,
        way: Way,
        answer: &mut Answer<'_>,
    ) -> Result<Option<Arc<Laid>>, Wrong> {
        let (key, mark) = (of.key(way), (way == Way::Alignments).then_some(&of.mark));
        match self.images.known(&key) {
            Known::Done(laid) => return Ok(Some(laid?)),
            Known::UnderWay => return Err(not_yet()),
            Known::No => {}
        }
        let is_at_once = of.image.held() <= self.at_once_max;
        // What all clients share is found once for all of them.
        let is_shared = way == Way::Skips && is_at_once;
        let named = [key.name.as_deref().unwrap_or_default(), "/", key.path.as_str()].concat();
        if !is_shared && !answer.may_compute(object, named.as_bytes(), &(0..of.stamp.len), RETRIES) {
            return Ok(None);
        }
        if is_at_once {
            return Ok(Some(self.images.lay(key, &of.image, mark)?));
        }
        let place = ClientNetwork::of(answer.client().remote.ip());
        match self.images.request(key, place, Arc::clone(&of.image), mark.cloned()) {
            true => Err(not_yet()),
            false => Err(too_many()),
        }
    }

    /// What is made of it by what was sealed.
    fn content(&mut self, given: &Given, of: &Sitting) -> Result<Content, Wrong> {
        if given.stamp != of.stamp {
            return Err(changed());
        }
        Ok(match &given.kind {
            Kind::Laid(way, layout) => match self.images.known(&of.key(*way)) {
                Known::Done(Ok(laid)) => Content::Remembered(laid),
                _ => Content::Laid(layout.clone()),
            },
            Kind::Head => {
                let (head, tail) = (of.image.head().to_vec(), of.image.tail().to_vec());
                Content::Whole(Head { of: of.stamp.fingerprint(), mcus: of.image.mcus(), head, tail }.to_bytes())
            }
            Kind::Mcus { first, count, source } => {
                let mut work = Work::default();
                let made = pieces(&of.image, &of.mark, (*first, *source), first.saturating_add(*count), &mut work);
                self.images.add(work);
                Content::Whole(made?)
            }
        })
    }

    fn begin(
        &mut self,
        given: &Given,
        (content, of): (Content, &Sitting),
        from: u64,
        wanted: &Wanted,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        let len = content.len(&of.image);
        let seal = |at| Given { at, ..given.clone() }.write();
        let now = begin(wanted, (given.at, from, len), seal, answer);
        if now.is_empty() { Ok(()) } else { self.send(given.at, (&content, of), wanted.reserved.start, now, answer) }
    }

    /// Sends the bytes of an object for a range of the row, as many as there is room for; its byte `at` stands at
    /// `start`.
    fn send(
        &mut self,
        at: u64,
        (content, of): (&Content, &Sitting),
        start: u64,
        range: Bytes,
        answer: &mut Answer<'_>,
    ) -> Result<(), Wrong> {
        // No MCU is coded for bytes that there is no room for.
        let to = answer.rehearse().send(range.clone());
        let byte = |place: u64| at + (place - start);
        if range.start >= to {
            return Ok(());
        }
        let (mut work, mut resume) = (Work::default(), Resume::default());
        // The request before has mostly ended where this begins, in the middle between two places (Trickles 4.2).
        let at = |byte: u64| Some([of.key(content.layout()?.way()).to_bytes(), byte.to_be_bytes().to_vec()].concat());
        if let Some(known) = at(byte(range.start)).and_then(|name| answer.resumed(&name)) {
            resume.place = McuStart::parse(&mut Reader::new(&known)).ok();
        }
        let bytes = content.bytes(of, byte(range.start)..byte(to), &mut resume, &mut work);
        self.images.add(work);
        let bytes = bytes?;
        answer.send(range.start, &bytes);
        if let (Resume { place: Some(place), saved: 1.. }, Some(name)) = (resume, at(byte(to))) {
            answer.suspend(&name, resume.saved.into(), &place.to_bytes());
        }
        Ok(())
    }

    /// Tells what is known of a file in one piece.
    fn tell(&mut self, with_hash: bool, of: &Sitting, wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Some(laid) = self.laid(wanted.object, of, Way::Alignments, answer)? else { return Ok(()) };
        let (s, ns) = of.stamp.modified;
        let meta = Meta { mode: None, modified: Mtime::new(s, ns), holes: false };
        let mut text = Vec::new();
        put(&Message::File { size: laid.layout.len(&of.image), offset: 0, meta }, &mut text);
        if with_hash {
            put(&Message::End { hash: laid.hash }, &mut text);
        }
        tell_whole(wanted, &text, answer)
    }
}

impl From<ImageError> for Wrong {
    fn from(error: ImageError) -> Wrong {
        Wrong { fault: Fault::Application(fault_code(error)), text: error.to_string() }
    }
}

fn too_many() -> Wrong {
    Wrong { fault: Fault::Overloaded, text: "too many images wait to be marked: ask again later".to_owned() }
}

fn not_yet() -> Wrong {
    Wrong { fault: Fault::NotYet, text: "the image is being marked: ask again".to_owned() }
}

impl Application for Marked {
    fn version(&self) -> u16 {
        VERSION
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        handle(self, asked, answer);
    }
}

impl Objects for Marked {
    const ASKING_MAX: usize = ASKING_MAX;

    fn find(&mut self, asking: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        if asking.first() == Some(&stateless::What::Listing.number()) {
            return Err(files::Fault::new(FaultCode::NotAllowed, "images are fetched one by one: FOLDER/IMAGE").into());
        }
        let (Asking { what, path }, object) = (Asking::parse(asking)?, wanted.object);
        let of = self.sitting(&path)?;
        let is_of = |version: u64| if version == of.stamp.fingerprint() { Ok(()) } else { Err(changed()) };
        let (kind, from) = match what {
            What::Hash | What::About => return self.tell(what == What::Hash, &of, wanted, answer),
            What::Head => (Kind::Head, 0),
            What::File { start } => match self.laid(object, &of, Way::Alignments, answer)? {
                Some(laid) => (Kind::Laid(Way::Alignments, laid.layout.clone()), start),
                None => return Ok(()),
            },
            What::Skips { of: version } => {
                is_of(version)?;
                let Some(laid) = self.laid(object, &of, Way::Skips, answer)? else { return Ok(()) };
                (Kind::Laid(Way::Skips, laid.layout.clone()), 0)
            }
            What::Mcus { of: version, first, count } => {
                is_of(version)?;
                let Some(laid) = self.laid(object, &of, Way::Skips, answer)? else { return Ok(()) };
                let place = laid.layout.place(first).filter(|_| first.is_multiple_of(PIECE_MCUS) && count <= MCUS_MAX);
                let source = place.ok_or(BadAsking::Malformed)?.source;
                (Kind::Mcus { first, count, source }, 0)
            }
        };
        let given = Given { kind, at: 0, stamp: of.stamp, path };
        let content = self.content(&given, &of)?;
        self.begin(&given, (content, &of), from, wanted, answer)
    }

    fn go_on(&mut self, state: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        let of = self.sitting(&given.path)?;
        let content = self.content(&given, &of)?;
        self.begin(&given, (content, &of), given.at, wanted, answer)
    }

    fn want(&mut self, by: Sealed<'_>, ranges: Ranges<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        let Sealed { state, valid, .. } = by;
        let given = Given::read(state).ok_or(BadAsking::Malformed)?;
        let of = self.sitting(&given.path)?;
        let content = self.content(&given, &of)?;
        ranges.iter().try_for_each(|range| self.send(given.at, (&content, &of), valid.start, range, answer))
    }
}

#[cfg(test)]
mod tests;
