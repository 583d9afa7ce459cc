//! The code service: what travels, what takes it, and what answers.

use std::cell::RefCell;
use std::sync::Arc;

use tng_base::{CodeHash, Eid, Instant};
use tng_crypto::code_hash;
use tng_services::code::{
    Answer, Ask, Code, Declined, Desk, Fetch, FetchError, Form, Give, Have, MODULE_MAX, Offer, Packed, Reply, Request,
    Shelf, Step, unpack,
};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr};

use crate::parsers::survives;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[Target {
    name: "code_messages",
    kind: Kind::Parser,
    len_max: 2_048,
    // A module, its packed form, and the longest window, each as it grows, some times over.
    memory: (48 << 20, 4_096),
    run: code_messages,
    seeds,
}];

const MODULE: &[u8] = b"a module that is a module that is a module";

/// Has one module, and takes whatever is pushed.
struct Open(RefCell<usize>);

impl Shelf for Open {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        (hash == code_hash(MODULE)).then(|| MODULE.into())
    }

    fn manifest(&self, _: CodeHash) -> Option<Vec<u8>> {
        Some(vec![1, 2, 3])
    }

    fn wants(&self, _: Eid, _: CodeHash, _: &Offer) -> Result<(), Declined> {
        Ok(())
    }

    fn take(&self, _: Eid, code: Code) -> Result<(), Declined> {
        assert_eq!(code.hash, code_hash(&code.module), "code is what its hash says");
        *self.0.borrow_mut() += 1;
        Ok(())
    }
}

/// What is taken is the same however it is cut; nothing else than what was asked for opens, and no more than was told;
/// what packs unpacks to the same; a desk answers whatever it is asked.
fn code_messages(bytes: &[u8]) {
    survives!(Request, bytes);
    survives!(Answer, bytes);
    let Some((cut, rest)) = bytes.split_first() else { return };

    let step = usize::from(*cut).max(1);
    let (at_once, cut_up) = (take(&mut [rest].into_iter()), take(&mut rest.chunks(step)));
    assert_eq!(at_once, cut_up);
    if let (_, _, Ok(code)) = at_once {
        assert_eq!(code.module, MODULE);
    }

    let size = u32::from(*cut).pow(2) * 16 + 1;
    if let Ok(code) = unpack(rest, size) {
        assert_eq!(code.len(), size as usize);
    }
    if let Ok(packed) = Packed::new(rest) {
        assert_eq!(unpack(packed.as_bytes(), rest.len() as u32).as_deref(), Ok(rest));
        assert_eq!(Packed::new(rest), Ok(packed));
    }

    let (shelf, mut desk, mut reader) = (Open(RefCell::new(0)), Desk::default(), Reader::new(rest));
    let mut at = 0;
    while let Ok(request) = Request::parse(&mut reader) {
        at += 1;
        let (now, peer) = (Instant::from_secs(at * u64::from(*cut)), Eid::from_bytes([(at % 3) as u8; 32]));
        let asked = request.clone();
        match (asked, desk.answer(&shelf, now, peer, request)) {
            (Request::Ask(ask), Reply::Supply(supply)) => {
                let (packed, offset) = supply.rest();
                let mut fetch = Fetch::new(ask.hash, ask.form, None);
                let honest = offset == 0 || ask.have.is_some_and(|have| have.len as usize == offset);
                assert!(honest && offset <= packed.len());
                if offset == 0 {
                    let all = [&emit(&supply.head()), &packed[..]].concat();
                    let mut input = &all[..];
                    while fetch.step(&mut input).expect("an honest host").is_some() {}
                    assert_eq!(fetch.open().expect("an honest host").module, MODULE);
                }
                desk.sent(&supply, usize::from(*cut));
            }
            (_, Reply::Supply(_)) => panic!("nobody asked"),
            (Request::Ask(_), Reply::Answer(answer)) => assert!(matches!(answer, Answer::Declined(_))),
            (_, Reply::Answer(answer)) => assert!(!matches!(answer, Answer::Sends { .. })),
        }
    }
    assert!(desk.allowance().peers() <= 3);
}

/// What was told, how it ended, and what opened.
type Took = (Vec<Step>, Result<(), FetchError>, Result<Code, FetchError>);

fn take(pieces: &mut dyn Iterator<Item = &[u8]>) -> Took {
    let mut fetch = Fetch::new(code_hash(MODULE), Form::Binary, None);
    let mut steps = Vec::new();
    for mut piece in pieces {
        loop {
            match fetch.step(&mut piece) {
                Ok(Some(step)) => steps.push(step),
                Ok(None) => break,
                Err(error) => return (steps, Err(error), Err(error)),
            }
        }
    }
    assert!(fetch.offset() as usize <= MODULE_MAX + 1_024);
    (steps, fetch.ended(), fetch.open())
}

fn seeds() -> Vec<Vec<u8>> {
    let (hash, packed) = (code_hash(MODULE), Packed::new(MODULE).expect("small"));
    let (offer, bytes) = (packed.offer(vec![1, 2, 3]), packed.as_bytes());
    let have = Have { len: 5, packed_hash: *packed.hash() };
    let ask = |form, have| emit(&Request::Ask(Ask { hash, form, have }));
    let push = emit(&Request::Push { hash, offer: offer.clone() });
    let give = emit(&Request::Give(Give { hash, offset: 0, piece: bytes.to_vec() }));
    let sends = emit(&Answer::Sends { offset: 0, offer });
    let zeros = Packed::new(&[0; 5_000]).expect("small");
    vec![
        ask(Form::Binary, Some(have)),
        emit(&Answer::Declined(Declined::Busy)),
        emit(&Answer::Take { offset: 7 }),
        [&[3][..], &sends, bytes].concat(),
        [&[1][..], &ask(Form::Binary, None), &ask(Form::Text, None), &ask(Form::Binary, Some(have))].concat(),
        [&[9][..], &push, &give, &give, &push].concat(),
        [&[200][..], zeros.as_bytes()].concat(),
    ]
}
