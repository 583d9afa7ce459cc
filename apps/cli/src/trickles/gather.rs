//! What asks for an object, in one part or several.

use tng::trickles::{Answer, Asked, Bytes, Ranges};
use tng_services::files::{Fault, FaultCode};
use tng_services::stateless::BadAsking;

use super::Wrong;

/// What stands before what has come so far of an asking, where other continuations have what they are.
const ASKING: u8 = 0;

/// Objects that clients ask for, and then for bytes of them by what was sealed.
pub(super) trait Objects {
    /// Part of what asks for an object has come, or all.
    ///
    /// # Errors
    /// What the client is told of it.
    fn put(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong>;

    /// Bytes of an object are wanted, for which this was sealed.
    ///
    /// # Errors
    /// What the client is told of it.
    fn want(&mut self, state: &[u8], valid: &Bytes, ranges: Ranges<'_>, answer: &mut Answer<'_>) -> Result<(), Wrong>;
}

/// Has one request answered, or its client told why it is not.
pub(super) fn handle(objects: &mut impl Objects, asked: Asked<'_>, answer: &mut Answer<'_>) {
    let (object, done) = match asked {
        Asked::Put { object, .. } => (object, objects.put(asked, answer)),
        Asked::Want { object, state, valid, ranges } => (object, objects.want(state, &valid, ranges, answer)),
        Asked::Close | Asked::Bad { .. } => return,
    };
    if let Err(wrong) = done {
        wrong.tell(object, answer);
    }
}

/// What has come of what asks for an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Gathered<'a> {
    /// Not all: the client has been told how to go on.
    Part,
    /// All.
    Whole(Vec<u8>),
    /// All, long ago: a further part of the row is reserved, and this was sealed for it.
    Further(&'a [u8]),
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

/// Puts a part of an asking of at most `most` bytes to what was sealed of it before.
///
/// # Errors
/// It is longer.
pub(super) fn gather<'a>(
    state: Option<&'a [u8]>,
    (data, is_end): (&[u8], bool),
    wanted: &Wanted,
    most: usize,
    answer: &mut Answer<'_>,
) -> Result<Gathered<'a>, BadAsking> {
    let before = match state.map(<[u8]>::split_first) {
        None => &[][..],
        Some(Some((&ASKING, before))) => before,
        Some(_) => return Ok(Gathered::Further(state.unwrap_or_default())),
    };
    let gathered = [before, data].concat();
    if gathered.len() > most {
        return Err(BadAsking::TooLong);
    }
    if is_end {
        return Ok(Gathered::Whole(gathered));
    }
    answer.input(wanted.object, wanted.taken, None, &[&[ASKING], &gathered[..]].concat());
    Ok(Gathered::Part)
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
