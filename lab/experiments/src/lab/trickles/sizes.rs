//! Figures 3 and 15: bytes by kind of packet.

use core::ops::Range;
use core::time::Duration;

use serde_json::json;
use tng_crypto::{BLAKE3_TAG_LEN, Secret32, TAG_LEN};
use tng_trickles::replay::Issuer;
use tng_trickles::wire::{Armor, Ask, DATAGRAM_LEN_MIN, Demand, Given, Kind, RequestHeader, ResponseHeader, Tell};
use tng_trickles::{
    ConnectionId, Continuation, EPOCH, EpochSecret, Growth, Keying, Keys, Line, Proof, Rtt, SEALED_STATE_LEN_MAX, Site,
    Stamp, State, StateKind, Tag, Wall,
};
use tng_wire::{Full, Writer, varint_len};

use crate::lab::{Check, Context, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// What packets are made of.
pub static SIZES: Experiment = Experiment {
    name: "trickles/sizes",
    title: "Bytes by kind of packet",
    source: "Trickles 2.1, Figure 3; 6.1 (optimizations), Figure 15",
    claim: "a continuation takes no more bytes than the paper's, though it names its connection, its site and its \
            line; of those that servers send, what the client foresees is left out",
    about: "Packets as they are written in the middle of a long connection: at a packet number, in a window, with an \
            output continuation of an application. What is not told has its place in each as docs/wire.md says.",
    params: &[
        Param::count("packet", "1000000", (100_000, 1 << 40), "the number at which the packets stand"),
        Param::count("window", "400", (4, 20_000), "packets in flight at the base of the line"),
        Param::count("state", "16", (0, 512), "bytes that the application seals"),
        Param::size("datagram", "1472B", "the largest datagrams of the path"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// Bytes of the paper's transport continuation: 75, and 12 for each loss event.
const PAPER_BYTES: usize = 75 + 12;
/// Bytes of the whole continuation with one loss event, its connection and its seal, at most.
const WHOLE_MAX: f64 = 88.0;
/// Bytes of what a response gives, at most, its nonce included.
const DELTA_MAX: f64 = 42.0;
/// What delta encoding brought to throughput in the paper, percent.
const PAPER_DELTA_PERCENT: f64 = 1.4;
/// Bytes around a datagram: IPv4 (RFC 791) and UDP (RFC 768) headers.
const AROUND: usize = 20 + 8;
/// What a client asks for.
const ASKED_BYTES: usize = 100;

/// Bytes that something takes.
fn len(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> usize {
    let mut bytes = vec![0; 1 << 14];
    let mut writer = Writer::new(&mut bytes);
    write(&mut writer).expect("nothing is that long");
    writer.position()
}

/// Packets of a connection.
struct Packets {
    continuation: Continuation,
    state_len: usize,
    keys: Keys,
    id: ConnectionId,
    /// Of the connection's bytes, those of the object.
    row: Range<u64>,
    /// Those that are told or wanted.
    bytes: Range<u64>,
}

impl Packets {
    fn new(packet: u64, window: u64, state_len: usize) -> Packets {
        let base = packet - packet / 2_000;
        let wall = Wall::from_millis(3_000_000 * EPOCH.as_millis() as u64 + 1);
        let continuation = Continuation {
            site: Site(1),
            issuer: Issuer(7),
            serial: 3 * packet,
            first: packet,
            is_pair: true,
            root: Line { growth: Growth::new(base, window, 2 * window), tag: Tag(1) },
            tag: Tag(2),
            keying: Keying::of(1),
            issued: Stamp::of(wall),
            rtt: Rtt::of(Duration::from_millis(20)),
            shown_from: base + 1,
        };
        let secret = EpochSecret::new(3_000_000, Secret32::from_bytes([7; 32]));
        let keys = Keys::new(secret, wall).expect("they are of this epoch");
        let from = packet * 1_400;
        let row = 0..2 * from;
        Packets { continuation, state_len, keys, id: ConnectionId([3; 16]), row, bytes: from..from + 2_800 }
    }

    /// A proof that these many were lost, of one event each.
    fn proof(&self, losses: u64) -> Proof {
        let (from, high) = (self.continuation.shown_from, *self.continuation.numbers().end());
        let step = (high - from) / (losses + 1);
        let came = (0..=losses).map(|at| {
            let start = from + at * step + u64::from(at > 0);
            start..if at == losses { high + 1 } else { from + (at + 1) * step }
        });
        let mut proof = Proof::with_room();
        proof.set((from, high), came, u64::MAX, None).expect("they are few");
        proof
    }

    /// A continuation in a request with all that shows it: epoch, connection, continuation, seal, proof.
    fn shown(&self, losses: u64) -> usize {
        1 + ConnectionId::LEN + self.continuation() + BLAKE3_TAG_LEN + self.proof(losses).wire_len()
    }

    fn continuation(&self) -> usize {
        let given = Given { nonce: 0, continuation: self.continuation, seal: [0; BLAKE3_TAG_LEN] };
        len(|writer| given.emit(Armor::Sealed, None, writer)) - 8 - 1 - BLAKE3_TAG_LEN
    }

    /// A request before what it asks for, and its seal.
    fn request(&self, losses: u64) -> usize {
        let demand = Demand::new(Kind::Spend, self.continuation, [0; BLAKE3_TAG_LEN]);
        let proof = self.proof(losses);
        RequestHeader::LEN + len(|writer| demand.emit(Armor::Sealed, &proof, writer)) + TAG_LEN
    }

    /// What a response gives: with nothing foreseen, or all but serial and times.
    fn given(&self, is_foreseen: bool) -> usize {
        let given = Given { nonce: u64::MAX, continuation: self.continuation, seal: [0; BLAKE3_TAG_LEN] };
        let foreseen = Continuation { serial: self.continuation.serial - 90, ..self.continuation };
        len(|writer| given.emit(Armor::Sealed, is_foreseen.then_some(&foreseen), writer))
    }

    /// A response before what it tells, and its seal.
    fn response(&self, is_foreseen: bool) -> usize {
        ResponseHeader::LEN + self.given(is_foreseen) + TAG_LEN
    }

    /// The application's output continuation.
    fn output(&self) -> Vec<u8> {
        let (kind, bytes) = (StateKind::Output { valid: self.row.clone() }, vec![0; self.state_len]);
        let state = State { version: 1, object: 3, kind, bytes: &bytes };
        let mut out = [0; SEALED_STATE_LEN_MAX];
        state.seal(&self.keys, &self.id, &mut out).expect("a parameter bounds it").to_vec()
    }

    fn items(&self) -> [(&'static str, usize); 5] {
        let (output, data) = (self.output(), [0; ASKED_BYTES]);
        let put = Ask::Put { object: 3, input: &[], offset: 0, is_end: true, reserved: self.row.clone(), data: &data };
        let told = Tell::Output { object: 3, valid: self.row.clone(), output: &output };
        let want = core::slice::from_ref(&self.bytes);
        [
            ("request: WANT, one range", len(|writer| Ask::emit_want(&output, want, writer))),
            ("request: PUT of 100 bytes", len(|writer| put.emit(writer))),
            ("response: OUTPUT", len(|writer| told.emit(writer))),
            ("response: SKIP", len(|writer| Tell::Skip(self.bytes.clone()).emit(writer))),
            ("response: DATA, beside the data", Tell::data_overhead(self.bytes.start, DATAGRAM_LEN_MIN)),
        ]
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let packets = Packets::new(context.count("packet"), context.count("window"), context.count("state") as usize);
    let datagram = context.size("datagram") as usize;
    if datagram < DATAGRAM_LEN_MIN {
        return Err(RunError::Params(format!(
            "a client takes {DATAGRAM_LEN_MIN} bytes at least; write datagram=1472B"
        )));
    }
    let shown = [0, 1, 2].map(|losses| packets.shown(losses));
    let (whole, delta) = (packets.given(false), packets.given(true));
    let mut table = Table::new(&["", "bytes", "paper"]).titled("What packets are made of");
    let mut rows: Vec<(&str, usize, Option<usize>)> = vec![
        ("transport continuation", packets.continuation(), None),
        ("the same shown: connection, seal, proof; no loss", shown[0], Some(PAPER_BYTES - 12)),
        ("the same with one loss event", shown[1], Some(PAPER_BYTES)),
        ("the same with two", shown[2], Some(PAPER_BYTES + 12)),
        ("given by a response: nonce, continuation, seal; whole", whole, None),
        ("the same by what is not foreseen", delta, None),
        ("request, before what it asks for; no loss", packets.request(0), None),
        ("the same with one loss event", packets.request(1), None),
        ("response, before what it tells; whole", packets.response(false), None),
        ("the same by what is not foreseen", packets.response(true), None),
    ];
    rows.extend(packets.items().map(|(name, len)| (name, len, None)));
    for (name, len, paper) in &rows {
        let paper = paper.map_or(String::new(), |len| len.to_string());
        table.row(vec![(*name).to_owned(), len.to_string(), paper]);
    }
    let data = |is_foreseen| {
        let room = datagram - packets.response(is_foreseen);
        room - 1 - varint_len(packets.bytes.start) - varint_len(room as u64)
    };
    let (with, without) = (data(true), data(false));
    let share = |data: usize| 100.0 * data as f64 / (datagram + AROUND) as f64;
    let gain = 100.0 * (with as f64 / without as f64 - 1.0);
    let mut full = Table::new(&["continuations", "data in a full packet", "of its bytes"]).titled("A full packet");
    for (name, data) in [("by what is not foreseen", with), ("whole", without)] {
        full.row(vec![name.to_owned(), data.to_string(), format!("{:.1} %", share(data))]);
    }
    let bars = |lens: [usize; 3]| lens.iter().enumerate().map(|(at, len)| (at as f64, *len as f64)).collect();
    let plot =
        Plot::new("A continuation in a request", Axis::names(&["no loss", "one", "two"]), Axis::new("bytes", ""))
            .series(Series::bars("ours", bars(shown)))
            .series(Series::bars("the paper's", bars([PAPER_BYTES - 12, PAPER_BYTES, PAPER_BYTES + 12])));
    let lens: Vec<_> =
        rows.iter().map(|(name, len, paper)| json!({ "name": name, "bytes": len, "paper_bytes": paper })).collect();
    let results = json!({ "parts": lens, "data_in_full_packet": with, "the_same_without_delta": without });
    Ok(Outcome::new(results)
        .table(table)
        .table(full)
        .plot(plot)
        .check(
            Check::new("a whole continuation with one loss event", shown[1] as f64, "bytes", Goal::AtMost(WHOLE_MAX))
                .paper(format!("{PAPER_BYTES}, without a connection's id")),
        )
        .check(Check::new("what a response gives", delta as f64, "bytes", Goal::AtMost(DELTA_MAX)))
        .check(
            Check::new("what delta encoding brings to a full packet", gain, "%", Goal::AtLeast(PAPER_DELTA_PERCENT))
                .paper("1.4 % of throughput"),
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn continuations_are_as_short_as_they_should_be_while_a_line_has_less_than_16_384_packets() {
        for set in [&[][..], &["packet=30000000", "window=8000"]] {
            let record = measured(&SIZES, 1, set);
            assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        }
    }

    #[test]
    fn behind_so_many_packets_that_numbers_are_long_one_is_longer_than_it_should_be() {
        let record = measured(&SIZES, 1, &["packet=1099511627776", "window=20000"]);
        assert_eq!(unmet(&record.outcome), ["a whole continuation with one loss event"], "{record}");
    }

    #[test]
    fn each_loss_event_takes_a_few_bytes_more() {
        let packets = Packets::new(1_000_000, 400, 16);
        let shown = [0, 1, 2].map(|losses| packets.shown(losses));
        assert!(shown[0] < shown[1] && shown[1] < shown[2] && shown[2] - shown[0] <= 2 * 12, "{shown:?}");
    }
}
