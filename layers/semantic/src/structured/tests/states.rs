//! Every frame in every state of a stream, for both roles (attack 4 of docs/attacks.md).

use super::*;
use tng_wire::{Repr, Writer};
use wire::{DataHead, DatagramHead, Frame, Marks, Names, Origin};

/// What has become of the stream that the frames are about, at the end that receives them.
#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    /// Nobody has spoken of it.
    Unheard,
    /// Its data came before its opening.
    Ahead,
    /// Opened, and not yet accepted.
    Waiting,
    /// Opened below a parent that has not been heard of.
    Orphan,
    Open,
    /// This end has finished, or given up, what it writes.
    Finishing,
    Resetting,
    /// This end has given up what it reads.
    Stopped,
    /// The peer has finished, or given up, what it writes.
    Draining,
    Finished,
    WasReset,
    /// This end refused it.
    Refused,
    /// Over, and its id with it.
    Over,
    /// The connection is lost.
    Closed,
}

const STATES: [State; 14] = [
    State::Unheard,
    State::Ahead,
    State::Waiting,
    State::Orphan,
    State::Open,
    State::Finishing,
    State::Resetting,
    State::Stopped,
    State::Draining,
    State::Finished,
    State::WasReset,
    State::Refused,
    State::Over,
    State::Closed,
];

fn bytes(frame: Frame<'_>) -> Vec<u8> {
    let mut out = vec![0; frame.wire_len()];
    frame.emit(&mut Writer::new(&mut out)).expect("room");
    out
}

/// Every frame about the stream `id`, in every variant that a peer may think of.
fn frames(id: StreamId) -> Vec<Vec<u8>> {
    let data = |offset, len: usize, last, message| {
        let head = DataHead { id, offset, marks: Marks { last, message }, len: Some(len) };
        bytes(Frame::Data { head, data: &[9; 64][..len] })
    };
    let piece = |offset, last, len: usize| {
        let head = DatagramHead { parent: id, id: 1, offset, last, len: Some(len) };
        bytes(Frame::Datagram { head, data: &[9; 64][..len] })
    };
    let priority = |count| Frame::Priority { id, count, priority: Priority { level: Some(3), weight: 9 } };
    let other = StreamId::new(7, Role::Initiator);
    vec![
        bytes(Frame::Pad),
        bytes(Frame::Init { id, origin: Origin::Service(Names::encoded(b"\x03www\x04http")) }),
        bytes(Frame::Init { id, origin: Origin::Service(Names::encoded(b"\x04none\x04http")) }),
        bytes(Frame::Init { id, origin: Origin::Parent(other) }),
        bytes(Frame::Init { id, origin: Origin::Parent(id) }),
        bytes(Frame::Init { id: other, origin: Origin::Parent(id) }),
        bytes(Frame::Init { id, origin: Origin::Datagram(other) }),
        bytes(Frame::Refuse { id, code: 3, reason: PeerText::new("no") }),
        bytes(Frame::Reset { id, code: 5, final_offset: 0 }),
        bytes(Frame::Reset { id, code: 5, final_offset: 3 }),
        bytes(Frame::Reset { id, code: 5, final_offset: 1 << 60 }),
        bytes(Frame::Stop { id, code: 5 }),
        bytes(Frame::Credit { id, limit: 0 }),
        bytes(Frame::Credit { id, limit: 1 << 61 }),
        bytes(Frame::HostCredit { limit: 1 << 61, window: 1 << 20 }),
        bytes(Frame::CreateCredit { limit: 1 << 61 }),
        bytes(priority(1)),
        bytes(priority(u32::MAX)),
        data(0, 3, false, false),
        data(0, 3, true, false),
        data(3, 3, false, true),
        data(0, 0, true, false),
        data(1 << 40, 1, false, false),
        piece(0, true, 8),
        piece(60_000, false, 8),
    ]
}

/// An end in this role whose peer's (or own) first stream is in this state. `theirs`: the peer has opened it.
fn arranged(role: Role, theirs: bool, state: State) -> (Streams, StreamId) {
    let config = Config { streams_max: 64, ..Config::default() };
    let peer_role = match role {
        Role::Initiator => Role::Responder,
        Role::Responder => Role::Initiator,
    };
    let mut streams = Streams::new(role, config.clone(), services());
    let item = Streams::new(peer_role, config, services()).setup_item();
    streams.set_peer_setup(&item).expect("good");
    let id = StreamId::new(0, if theirs { peer_role } else { role });
    let mut number = 0;
    let give = |streams: &mut Streams, payload: &[u8]| {
        streams.handle_payload(Instant::ZERO, payload).expect("an honest peer");
    };
    let init = bytes(Frame::Init { id, origin: Origin::Service(Names::encoded(b"\x03www\x04http")) });
    let data = |last| {
        let head = DataHead { id, offset: 0, marks: Marks { last, message: false }, len: Some(3) };
        bytes(Frame::Data { head, data: b"abc" })
    };
    let reset = bytes(Frame::Reset { id, code: 5, final_offset: 3 });
    match (state, theirs) {
        (State::Unheard, _) => {}
        (State::Ahead, true) => give(&mut streams, &data(false)),
        (State::Orphan, true) => {
            give(&mut streams, &bytes(Frame::Init { id, origin: Origin::Parent(StreamId::new(9, peer_role)) }));
        }
        (_, true) => give(&mut streams, &init),
        (_, false) => {
            assert_eq!(streams.open("www", "http"), Ok(id));
            streams.write(id, b"question").expect("room");
        }
    }
    if theirs && !matches!(state, State::Unheard | State::Ahead | State::Orphan | State::Waiting) {
        assert_eq!(streams.accept().map(|incoming| incoming.id), Some(id));
    }
    match state {
        State::Unheard | State::Ahead | State::Waiting | State::Orphan | State::Open => {}
        State::Finishing => streams.finish(id).expect("open"),
        State::Resetting => streams.reset(id, 4),
        State::Stopped => streams.stop(id, 4),
        State::Draining => give(&mut streams, &data(true)),
        State::Finished => {
            give(&mut streams, &data(true));
            streams.read(id, &mut [0; 9]).expect("three bytes");
            streams.read(id, &mut [0; 9]).expect("the end");
        }
        State::WasReset => give(&mut streams, &reset),
        State::Refused => streams.refuse(id, 4, "no"),
        State::Over => {
            give(&mut streams, &reset);
            streams.reset(id, 4);
        }
        State::Closed => streams.handle_closed(),
    }
    if matches!(state, State::Over | State::Refused) {
        drain(&mut streams, &mut number);
    }
    (streams, id)
}

/// Everything that it has to say arrives, and every event is taken.
fn drain(streams: &mut Streams, number: &mut u64) {
    let mut buf = [0; 1_200];
    while streams.poll_packet(Instant::ZERO, CHANNEL, *number, &mut buf).is_some() {
        streams.handle_fates(Instant::ZERO, CHANNEL, *number..*number + 1, Fate::Acked);
        *number += 1;
        assert!(*number < 10_000, "it never stops talking");
    }
    while streams.poll_event().is_some() {}
}

/// What can only go one way: what is over stays over, what has ended stays ended.
fn progress(streams: &mut Streams, id: StreamId) -> (bool, bool) {
    let over = matches!(streams.read(id, &mut []), Err(ReadError::Unknown));
    let written_off = streams.write(id, &[]).is_err();
    (over, written_off)
}

/// Gives a frame to an end in a state; answers the code with which the channel is to close, if any.
fn meets(role: Role, theirs: bool, state: State, frame: &[u8], times: usize) -> Option<u64> {
    let (mut streams, id) = arranged(role, theirs, state);
    let before = progress(&mut streams, id);
    let table = streams.stats().streams;
    let mut code = None;
    for _ in 0..times {
        code = streams.handle_payload(Instant::ZERO, frame).err().map(|violation| violation.code);
    }
    let what = format!("{role:?}, theirs {theirs}, {state:?}, {frame:02x?}");
    assert!(code.is_none_or(|code| (1..=3).contains(&code)), "{what}: closes with {code:?}");
    let after = progress(&mut streams, id);
    if matches!(state, State::Over | State::Refused | State::Resetting | State::Finishing | State::WasReset) {
        assert!(after.0 >= before.0 && after.1 >= before.1, "{what}: {before:?}, then {after:?}");
    }
    assert!(streams.stats().streams <= table + 2, "{what}: one frame, {} streams", streams.stats().streams);
    if code.is_none() {
        let mut number = 1_000;
        drain(&mut streams, &mut number);
    }
    code
}

#[test]
fn every_frame_in_every_state_is_taken_or_closes_and_nothing_goes_back() {
    let (mut taken, mut closed) = (0, 0);
    for role in [Role::Initiator, Role::Responder] {
        for theirs in [true, false] {
            // What only the peer's streams can be.
            let only_theirs = [State::Ahead, State::Waiting, State::Orphan, State::Refused];
            for state in STATES.into_iter().filter(|state| theirs || !only_theirs.contains(state)) {
                let (_, id) = arranged(role, theirs, state);
                for frame in frames(id) {
                    for times in [1, 2] {
                        match meets(role, theirs, state, &frame, times) {
                            None => taken += 1,
                            Some(_) => closed += 1,
                        }
                    }
                }
            }
        }
    }
    assert!(taken > 500 && closed > 100, "{taken} taken, {closed} closed");
}

/// Control: the same oracle sees a state that goes back, if one does.
#[test]
fn a_stream_that_is_over_is_told_from_one_that_came_back() {
    let (mut over, id) = arranged(Role::Responder, true, State::Over);
    let (mut open, same) = arranged(Role::Responder, true, State::Open);
    assert_eq!(id, same);
    assert_eq!(progress(&mut over, id), (true, true));
    assert_eq!(progress(&mut open, id), (false, false));
}
