//! What asks for an object, in one part or several.

use tng::trickles::{Answer, Asked, Bytes, Ranges};
use tng_services::files::{Fault, FaultCode};
use tng_services::stateless::BadAsking;

use super::Wrong;

/// What stands before what has come so far of an asking, where other continuations have what they are.
const ASKING: u8 = 0;

/// Objects that clients ask for, and then for bytes of them by what was sealed.
pub(super) trait Objects {
    /// Longest text that asks for an object.
    const ASKING_MAX: usize;

    /// Part of what asks for an object has come, or all.
    ///
    /// # Errors
    /// What the client is told of it.
    fn put(&mut self, part: Part<'_>, wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong> {
        take(self, part, wanted, answer)
    }

    /// All of what asks for an object has come.
    ///
    /// # Errors
    /// What the client is told of it.
    fn find(&mut self, asking: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong>;

    /// It came long ago: a further part of the row is reserved, and this was sealed for it.
    ///
    /// # Errors
    /// What the client is told of it.
    fn go_on(&mut self, state: &[u8], wanted: &Wanted, answer: &mut Answer<'_>) -> Result<(), Wrong>;

    /// Bytes of an object are wanted, for which this was sealed.
    ///
    /// # Errors
    /// What the client is told of it.
    fn want(&mut self, by: Sealed<'_>, ranges: Ranges<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong>;

    /// What came of a request, before a client is told what is wrong with it.
    fn note(&mut self, _done: Result<(), &Wrong>, _answer: &Answer<'_>) {}
}

/// By what the bytes of an object are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sealed<'a> {
    pub(super) object: u64,
    pub(super) state: &'a [u8],
    /// Where in the client's row it is good.
    pub(super) valid: &'a Bytes,
}

/// Has one request answered, or its client told why it is not.
pub(super) fn handle(objects: &mut impl Objects, asked: Asked<'_>, answer: &mut Answer<'_>) {
    let (object, done) = match asked {
        Asked::Put { object, state, offset, is_end, reserved, data } => {
            let wanted = Wanted { object, taken: offset + data.len() as u64, reserved };
            (object, objects.put(Part { state, offset, is_end, data }, &wanted, answer))
        }
        Asked::Want { object, state, valid, ranges } => {
            (object, objects.want(Sealed { object, state, valid: &valid }, ranges, answer))
        }
        Asked::Close | Asked::Bad { .. } => return,
    };
    objects.note(done.as_ref().copied(), answer);
    if let Err(wrong) = done {
        wrong.tell(object, answer);
    }
}

/// A part of what asks for an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part<'a> {
    /// What was sealed of the part before; nothing for the first.
    pub(super) state: Option<&'a [u8]>,
    /// How much has been taken before.
    pub(super) offset: u64,
    /// Whether it is the last.
    pub(super) is_end: bool,
    pub(super) data: &'a [u8],
}

/// One object of a client, and its place.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) object: u64,
    /// How much of what asks for it has come.
    pub(super) taken: u64,
    /// Where it stands in the client's row.
    pub(super) reserved: Bytes,
}

/// Puts a part to what was sealed of those before it, and has the object found when that is all.
///
/// # Errors
/// What the client is told of it.
pub(super) fn take<O: Objects + ?Sized>(
    objects: &mut O,
    part: Part<'_>,
    wanted: &Wanted,
    answer: &mut Answer<'_>,
) -> Result<(), Wrong> {
    let before = match part.state {
        None => &[][..],
        Some([ASKING, before @ ..]) => before,
        Some(state) => return objects.go_on(state, wanted, answer),
    };
    let gathered = [before, part.data].concat();
    if gathered.len() > O::ASKING_MAX {
        return Err(BadAsking::TooLong.into());
    }
    if part.is_end {
        return objects.find(&gathered, wanted, answer);
    }
    // The client is told how to go on.
    answer.input(wanted.object, wanted.taken, None, &[&[ASKING], &gathered[..]].concat());
    Ok(())
}

/// Says how to ask for the bytes of an object of `len` bytes that belong into the reserved part of the row, from its
/// byte `at` on: `seal` writes what makes them, for a part that begins with that byte. Answers where in the row those
/// are that should come now, from the object's byte `from` on; nothing if there is no room to say it.
pub(super) fn begin(
    wanted: &Wanted,
    (at, from, len): (u64, u64, u64),
    mut seal: impl FnMut(u64) -> Vec<u8>,
    answer: &mut Answer<'_>,
) -> Bytes {
    let Wanted { object, taken, reserved } = wanted;
    let (left, room) = (len.saturating_sub(at), reserved.end - reserved.start);
    let valid = reserved.start..reserved.start + left.min(room);
    if !valid.is_empty() && !answer.output(*object, valid.clone(), &seal(at)) {
        // In a packet that has room for it.
        return valid.end..valid.end;
    }
    if left < room {
        answer.skip(valid.end..reserved.end);
    } else {
        answer.input(*object, *taken, None, &seal(at + room));
    }
    let from = valid.start.saturating_add(from.saturating_sub(at));
    from.min(valid.end)..valid.end
}

/// Bytes around what is told of an object whose bytes come whole.
const TOLD_AROUND: usize = 64;

/// Tells an object in one piece, without an output continuation: what there is no room for is asked for again.
///
/// # Errors
/// It is longer than what the client has reserved for it.
pub(super) fn tell_whole(wanted: &Wanted, text: &[u8], answer: &mut Answer<'_>) -> Result<(), Wrong> {
    let Wanted { reserved, .. } = wanted;
    let end = reserved.start + text.len() as u64;
    if end >= reserved.end {
        return Err(too_long_for_what_is_reserved());
    }
    if answer.room() >= text.len() + TOLD_AROUND {
        answer.send(reserved.start, text);
        answer.skip(end..reserved.end);
    }
    Ok(())
}

/// That a client has reserved too little for what comes in one piece.
pub(super) fn too_long_for_what_is_reserved() -> Wrong {
    Fault::new(FaultCode::BadRequest, "it is longer than what is reserved for it").into()
}
