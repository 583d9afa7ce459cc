//! The bytes of the perf service.

use core::fmt;

use tng_base::PeerText;
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, prefixed_len, varint_len};

use super::LANES_MAX;
use super::test::{Direction, End, Test};
use crate::REASON_MAX;

const TEST: u8 = 0x01;
const START: u8 = 0x02;
const END: u8 = 0x03;
const READY: u8 = 0x10;
const RESULTS: u8 = 0x11;
const OUTPUT: u8 = 0x12;
const DONE: u8 = 0x13;
const FAULT: u8 = 0x3f;

const FORWARD: u8 = 1;
const REVERSE: u8 = 2;
const DATAGRAMS: u8 = 4;
const WANTS_OUTPUT: u8 = 8;

/// Bytes before the body of a message: its type, and its length in four.
pub const HEAD_LEN: usize = 5;
/// Longest body of a message in bytes: what a server printed.
pub const BODY_MAX: usize = 1 << 20;
/// Longest name of a congestion controller in bytes.
pub const NAME_MAX: usize = 32;
/// Bytes at the beginning of each datagram.
pub const STAMP_LEN: usize = 17;

/// What the two sides say on the control stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// From the client, first: what shall be measured.
    Test(Test),
    /// From the client: begin.
    Start,
    /// From the client: it is over, and this is what it has counted so far.
    End(Results),
    /// From the server: it takes part.
    Ready,
    /// From the server, before END, if the test ends with a count of bytes and it sends: it has sent them.
    Done,
    /// From the server after END, then from the client: what it counted, with what was still on its way.
    Results(Results),
    /// From the server, after RESULTS, if the client asked for it.
    Output(Output),
    /// From the server, instead of any other: it does not take part, or no longer. The stream ends.
    Fault(Fault),
}

/// What one side counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// What the test cost its processor.
    pub cpu: Cpu,
    /// Name of its congestion controller.
    pub controller: PeerText,
    /// Its figures of each lane: those in which the client sends, then those in which the server does, in the order of
    /// their numbers.
    pub lanes: Vec<LaneResult>,
}

/// Processor time over the time that passed, in thousandths of a percent of one processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cpu {
    /// In the process.
    pub user: u64,
    /// In the system for the process.
    pub system: u64,
}

/// What one side counted of one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LaneResult {
    /// Bytes written, or received.
    pub bytes: u64,
    /// The time that this took, in microseconds.
    pub duration_us: u64,
    /// Datagrams sent, or known to have been sent.
    pub packets: u64,
    /// Of those, what did not arrive.
    pub lost: u64,
    /// What arrived after a later one.
    pub out_of_order: u64,
    /// Interarrival jitter in nanoseconds.
    pub jitter_ns: u64,
    /// Datagrams sent, with those that are not counted at the beginning; 0 from a receiver.
    pub packets_all: u64,
    /// Packets of the connection that were found lost, counted in its first lane.
    pub retransmits: u64,
    /// Largest congestion window in bytes.
    pub window_max: u64,
    /// Largest smoothed round-trip time seen, in microseconds; so the next two.
    pub rtt_max_us: u64,
    /// Smallest.
    pub rtt_min_us: u64,
    /// Mean.
    pub rtt_mean_us: u64,
}

/// What a server printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// For people.
    Text(PeerText),
    /// For programs.
    Json(PeerText),
}

impl Output {
    const fn parts(&self) -> (u8, &PeerText) {
        match self {
            Output::Text(text) => (0, text),
            Output::Json(text) => (1, text),
        }
    }
}

/// Why a server does not take part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// For programs.
    pub code: FaultCode,
    reason: PeerText,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCode {
    /// Somebody else's test runs.
    Busy,
    /// The test is above a limit of this server.
    NotAllowed,
    /// The request could not be understood, or came at the wrong time.
    BadRequest,
    /// A limit was reached in the middle.
    Exceeded,
    /// A kind that this version does not know.
    Other,
}

impl FaultCode {
    const fn as_u64(self) -> u64 {
        match self {
            FaultCode::Other => 0,
            FaultCode::Busy => 1,
            FaultCode::NotAllowed => 2,
            FaultCode::BadRequest => 3,
            FaultCode::Exceeded => 4,
        }
    }

    const fn from_u64(code: u64) -> FaultCode {
        match code {
            1 => FaultCode::Busy,
            2 => FaultCode::NotAllowed,
            3 => FaultCode::BadRequest,
            4 => FaultCode::Exceeded,
            _ => FaultCode::Other,
        }
    }
}

impl Fault {
    /// A fault; `reason` is cut to [`REASON_MAX`] bytes.
    pub fn new(code: FaultCode, reason: &str) -> Fault {
        Fault { code, reason: PeerText::new(reason).cut(REASON_MAX).owned() }
    }

    /// The reason, in words for people.
    pub const fn reason(&self) -> &PeerText {
        &self.reason
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.code {
            FaultCode::Busy => "the server is busy with another test",
            FaultCode::NotAllowed => "the server does not take part in such a test",
            FaultCode::BadRequest => "the server did not understand",
            FaultCode::Exceeded => "the server broke the test off",
            FaultCode::Other => "the server cannot",
        };
        if self.reason.is_empty() { f.write_str(kind) } else { write!(f, "{kind}: {}", self.reason) }
    }
}

impl std::error::Error for Fault {}

/// What each datagram begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Its lane.
    pub lane: u8,
    /// Its number in the lane, from 0.
    pub number: u64,
    /// When it was sent, in microseconds of the sender's clock.
    pub sent_us: u64,
}

impl Repr<'_> for Stamp {
    fn parse(reader: &mut Reader<'_>) -> Result<Stamp, Malformed> {
        let lane = reader.u8()?;
        if usize::from(lane) >= LANES_MAX {
            return Err(Malformed);
        }
        Ok(Stamp { lane, number: reader.u64()?, sent_us: reader.u64()? })
    }

    fn wire_len(&self) -> usize {
        STAMP_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.lane)?;
        writer.u64(self.number)?;
        writer.u64(self.sent_us)
    }
}

/// The length of the body that follows a message's first [`HEAD_LEN`] bytes.
///
/// # Errors
/// If it is above [`BODY_MAX`].
pub fn body_len(head: [u8; HEAD_LEN]) -> Result<usize, Malformed> {
    let [_, a, b, c, d] = head;
    let len = u32::from_be_bytes([a, b, c, d]) as usize;
    if len <= BODY_MAX { Ok(len) } else { Err(Malformed) }
}

impl Repr<'_> for Message {
    fn parse(reader: &mut Reader<'_>) -> Result<Message, Malformed> {
        let head: [u8; HEAD_LEN] = reader.array()?;
        let mut body = Reader::new(reader.bytes(body_len(head)?)?);
        let message = match head[0] {
            TEST => Message::Test(parse_test(&mut body)?),
            START => Message::Start,
            END => Message::End(parse_results(&mut body)?),
            READY => Message::Ready,
            DONE => Message::Done,
            RESULTS => Message::Results(parse_results(&mut body)?),
            OUTPUT => Message::Output(parse_output(&mut body)?),
            FAULT => {
                let code = FaultCode::from_u64(body.varint()?);
                Message::Fault(Fault::new(code, body.text(REASON_MAX)?.exact()))
            }
            _ => return Err(Malformed),
        };
        if body.is_empty() { Ok(message) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        HEAD_LEN
            + match self {
                Message::Test(test) => 1 + test_fields(test).into_iter().map(varint_len).sum::<usize>(),
                Message::Start | Message::Ready | Message::Done => 0,
                Message::End(results) | Message::Results(results) => results_len(results),
                Message::Output(output) => 1 + output.parts().1.len(),
                Message::Fault(fault) => varint_len(fault.code.as_u64()) + prefixed_len(fault.reason.len()),
            }
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match self {
            Message::Test(_) => TEST,
            Message::Start => START,
            Message::End(_) => END,
            Message::Ready => READY,
            Message::Done => DONE,
            Message::Results(_) => RESULTS,
            Message::Output(_) => OUTPUT,
            Message::Fault(_) => FAULT,
        };
        writer.u8(kind)?;
        writer.u32(u32::try_from(self.wire_len() - HEAD_LEN).map_err(|_| Full)?)?;
        match self {
            Message::Test(test) => emit_test(test, writer),
            Message::Start | Message::Ready | Message::Done => Ok(()),
            Message::End(results) | Message::Results(results) => emit_results(results, writer),
            Message::Output(output) => {
                let (kind, text) = output.parts();
                writer.u8(kind)?;
                writer.bytes(text.exact().as_bytes())
            }
            Message::Fault(fault) => {
                writer.varint(fault.code.as_u64())?;
                writer.prefixed(fault.reason.exact().as_bytes())
            }
        }
    }
}

/// The numbers of a test in the order of the wire.
fn test_fields(test: &Test) -> [u64; 7] {
    let (duration_ms, bytes) = match test.end {
        End::After(ms) => (ms, 0),
        End::Bytes(bytes) => (0, bytes),
    };
    let fields = [test.lanes as u64, duration_ms, bytes, test.omit_ms, test.block_len as u64, test.rate, test.burst];
    fields.map(|field| field.min(VARINT_MAX))
}

fn emit_test(test: &Test, writer: &mut Writer<'_>) -> Result<(), Full> {
    let flag = |set, flag| if set { flag } else { 0 };
    writer.u8(flag(test.direction.client_sends(), FORWARD)
        | flag(test.direction.server_sends(), REVERSE)
        | flag(test.datagrams, DATAGRAMS)
        | flag(test.wants_output, WANTS_OUTPUT))?;
    test_fields(test).into_iter().try_for_each(|field| writer.varint(field))
}

fn parse_test(body: &mut Reader<'_>) -> Result<Test, Malformed> {
    let flags = body.u8()?;
    let direction = match flags & (FORWARD | REVERSE) {
        FORWARD => Direction::Forward,
        REVERSE => Direction::Reverse,
        0 => return Err(Malformed),
        _ => Direction::Both,
    };
    if flags & !(FORWARD | REVERSE | DATAGRAMS | WANTS_OUTPUT) != 0 {
        return Err(Malformed);
    }
    let size = |value: u64| usize::try_from(value).map_err(|_| Malformed);
    let lanes = size(body.varint()?)?;
    let end = match (body.varint()?, body.varint()?) {
        (ms, 0) => End::After(ms),
        (0, bytes) => End::Bytes(bytes),
        _ => return Err(Malformed),
    };
    let test = Test {
        direction,
        datagrams: flags & DATAGRAMS != 0,
        wants_output: flags & WANTS_OUTPUT != 0,
        lanes,
        end,
        omit_ms: body.varint()?,
        block_len: size(body.varint()?)?,
        rate: body.varint()?,
        burst: body.varint()?,
    };
    if test.is_valid() { Ok(test) } else { Err(Malformed) }
}

/// The numbers of a lane in the order of the wire.
fn lane_fields(lane: &LaneResult) -> [u64; 12] {
    let fields = [
        lane.bytes,
        lane.duration_us,
        lane.packets,
        lane.lost,
        lane.out_of_order,
        lane.jitter_ns,
        lane.packets_all,
        lane.retransmits,
        lane.window_max,
        lane.rtt_max_us,
        lane.rtt_min_us,
        lane.rtt_mean_us,
    ];
    // No number is known that is larger, but a window may be without end.
    fields.map(|field| field.min(VARINT_MAX))
}

fn results_len(results: &Results) -> usize {
    let numbers = [results.cpu.user, results.cpu.system, results.lanes.len() as u64];
    let lanes = results.lanes.iter().flat_map(lane_fields);
    numbers.into_iter().chain(lanes).map(varint_len).sum::<usize>() + prefixed_len(results.controller.len())
}

fn emit_results(results: &Results, writer: &mut Writer<'_>) -> Result<(), Full> {
    writer.varint(results.cpu.user)?;
    writer.varint(results.cpu.system)?;
    writer.prefixed(results.controller.exact().as_bytes())?;
    writer.varint(results.lanes.len() as u64)?;
    results.lanes.iter().flat_map(lane_fields).try_for_each(|field| writer.varint(field))
}

fn parse_results(body: &mut Reader<'_>) -> Result<Results, Malformed> {
    let cpu = Cpu { user: body.varint()?, system: body.varint()? };
    let controller = body.text(NAME_MAX)?.owned();
    let count = usize::try_from(body.varint()?).map_err(|_| Malformed)?;
    if count > 2 * LANES_MAX {
        return Err(Malformed);
    }
    let lane = |_| {
        let mut next = || body.varint();
        Ok(LaneResult {
            bytes: next()?,
            duration_us: next()?,
            packets: next()?,
            lost: next()?,
            out_of_order: next()?,
            jitter_ns: next()?,
            packets_all: next()?,
            retransmits: next()?,
            window_max: next()?,
            rtt_max_us: next()?,
            rtt_min_us: next()?,
            rtt_mean_us: next()?,
        })
    };
    let lanes = (0..count).map(lane).collect::<Result<Vec<_>, Malformed>>()?;
    Ok(Results { cpu, controller, lanes })
}

fn parse_output(body: &mut Reader<'_>) -> Result<Output, Malformed> {
    let kind = body.u8()?;
    let text = core::str::from_utf8(body.rest()).map_err(|_| Malformed)?.into();
    match kind {
        0 => Ok(Output::Text(text)),
        1 => Ok(Output::Json(text)),
        _ => Err(Malformed),
    }
}

#[cfg(test)]
mod tests;
