//! The process of a guest that says whatever bytes say, before a host that goes by nothing of it.

use core::time::Duration;
use std::fmt;

use tng_stp_abi::{RING_ENTRIES, SocketKind};
use tng_stp_host::{Beside, Callback, Code, Fault, Instance, Shim, Usage};
use tng_stp_process::hear_bytes;
use tng_stp_process::wire::{Deed, Deeds, Done, Order, Question, Report};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr};

use crate::bytes::Script;
use crate::{Kind, Target, shim};

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "stp_process",
    kind: Kind::Stateful,
    len_max: 800,
    memory: (4 << 20, 64 << 10),
    run: stp_process,
    seeds,
}];

/// The host's end of a process that says what the script says: each call hears a message of it.
struct Lying {
    shim: Box<Shim>,
    script: Vec<u8>,
    usage: Usage,
    fault: Option<Fault>,
}

impl fmt::Debug for Lying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lying").field("shim", &self.shim).finish_non_exhaustive()
    }
}

impl Lying {
    fn new(shim: Box<Shim>) -> Lying {
        Lying { shim, script: Vec::new(), usage: Usage::default(), fault: None }
    }

    fn hear(&mut self, callback: Callback) -> Result<i64, Fault> {
        if callback == Callback::Input {
            self.shim.take_arrived(&mut [tng_stp_abi::Arrived::EMPTY; RING_ENTRIES]);
        }
        if matches!(callback, Callback::Call { .. }) {
            self.script.extend_from_slice(self.shim.area());
        }
        let told = core::mem::take(&mut self.script);
        let mut script = Script::new(&told);
        if script.is_over() {
            return Ok(0);
        }
        let message = message(&mut script);
        self.script = script.rest().to_vec();
        hear_bytes(&mut self.shim, &mut self.usage, callback, &message)
    }
}

impl Instance for Lying {
    fn shim(&self) -> &Shim {
        &self.shim
    }

    fn shim_mut(&mut self) -> &mut Shim {
        &mut self.shim
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        Ok(true)
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.usage.calls += 1;
        let answer = self.hear(callback);
        self.fault = answer.as_ref().err().cloned();
        answer
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn told_every(&self) -> Option<Duration> {
        None
    }

    fn looked_after_every(&self) -> Option<Duration> {
        None
    }

    fn look_after(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn release(&mut self) {}
}

/// A message: well formed with deeds as the script says, or whatever bytes it has.
fn message(script: &mut Script<'_>) -> Vec<u8> {
    let what = script.below(8);
    if what == 0 {
        return script.piece().to_vec();
    }
    let (mut deeds, filler) = (Vec::new(), [7; 200]);
    for _ in 0..script.below(6) {
        deeds.extend(emit(&deed(script, &filler)));
    }
    match what {
        1 | 2 => emit(&Report::Ask(Deeds(&deeds), question(script, &filler))),
        _ => {
            let answer = match script.below(16) {
                0 => Err(Fault::Cpu),
                1 => Err(Fault::Trapped("trap".to_owned())),
                _ => Ok(script.number().cast_signed()),
            };
            let area = &filler[..script.below(8)];
            emit(&Report::Done(Done { deeds: Deeds(&deeds), answer, fuel: 0, memory: 0, area }))
        }
    }
}

fn deed<'a>(script: &mut Script<'_>, filler: &'a [u8; 200]) -> Deed<'a> {
    let (small, other) = (script.number(), u64::from(script.u8()));
    let head = &filler[..script.below(90)];
    match script.below(24) {
        0 => Deed::Done,
        1 => Deed::Connected,
        2 => Deed::End,
        3 => Deed::Wakeup,
        4 => Deed::Error { code: small as u32 },
        5 => Deed::Drop { until: small },
        6 | 7 => Deed::Append { segment: other as u32, bytes: 0..small as u32 },
        8 => Deed::AppendBytes(head),
        9..=12 => Deed::Send { head, body: small..small.saturating_add(other) },
        13 => Deed::Resend { head, body: small..small.saturating_add(other), lost: other },
        14 | 15 => Deed::Sum { numbers: other..small, sum: script.number(), delay_us: 5 },
        16 => Deed::Nack { number: small },
        17 | 18 => Deed::SendAck(head),
        19 => Deed::Keep { segment: other as u32 },
        20 => Deed::Free { segment: other as u32 },
        21 => Deed::Timer { id: other as u32, in_ms: small as u32 },
        22 => Deed::StopTimer { id: other as u32 },
        _ => Deed::DeniedMemory,
    }
}

fn question<'a>(script: &mut Script<'_>, filler: &'a [u8; 200]) -> Question<'a> {
    match script.below(8) {
        0 => Question::Nothing,
        1 => Question::Read { from: script.number(), len: script.number() as u32 },
        2 => Question::ReadSegment { segment: script.below(8) as u32, from: 0, len: script.number() as u32 },
        3 => Question::Budget,
        4 => Question::Random,
        5 => Question::Log("a line"),
        _ => Question::Deed(deed(script, filler)),
    }
}

/// Whatever a guest's process says, its host is held to what holds of every guest, and does not panic; and a message is
/// one in one form alone.
fn stp_process(bytes: &[u8]) {
    fn one_form<'a, T: Repr<'a>>(bytes: &'a [u8]) {
        let mut reader = Reader::new(bytes);
        if let Ok(message) = T::parse(&mut reader) {
            assert_eq!(message.to_vec(), bytes[..reader.position()]);
        }
    }
    one_form::<Report<'_>>(bytes);
    one_form::<Order<'_>>(bytes);
    let mut script = Script::new(bytes);
    let socket = if script.below(2) == 0 { SocketKind::Stream } else { SocketKind::Message };
    let code = Code::new("lying", socket, |shim| Ok(Box::new(Lying::new(shim)) as Box<dyn Instance>));
    shim::live(script, &code, shim::QUOTAS, |_| {});
}

fn seeds() -> Vec<Vec<u8>> {
    let tell = |ops: &[u8]| [&[1, 0, ops.len() as u8][..], ops].concat();
    // A well-formed end of a call with deeds: send, an acknowledgment, a drop.
    let send = tell(&[3, 1, 0, 0, 40, 20, 9, 5, 1, 0]);
    let more = tell(&[3, 3, 0, 1, 40, 20, 9, 0, 0, 10, 17, 1, 0, 3, 5, 5]);
    let asks = tell(&[1, 1, 0, 0, 0, 0, 3, 3, 1, 0, 0, 0, 0, 1, 6, 0, 30, 0, 9]);
    let write = [&[9, 0, 200][..], &[5; 200]].concat();
    let round = [&send[..], &[11, 0, 11, 0, 5, 0, 7, 30], &more, &[12, 0, 6, 2, 0], &asks, &[10, 8, 20]].concat();
    vec![
        [&[0, 0, 0][..], &write, &round.repeat(6), &[14, 1, 8, 255]].concat(),
        [&[1, 1, 0][..], &write, &write, &round, &[15, 0], &round].concat(),
        emit(&Report::Ask(Deeds(&[4, 3]), Question::Nothing)),
    ]
}
