use proptest::prelude::*;
use tng_wire::battery;

use super::*;

/// A frame that owns its bytes, so that the battery can hold it.
#[derive(Clone, PartialEq, Debug)]
enum Owned {
    Plain(Frame<'static>),
    Init { id: StreamId, names: Vec<u8> },
    Refuse { id: StreamId, code: u64, reason: PeerText },
    Request { id: StreamId, names: Vec<u8>, data: Vec<u8> },
    Data { head: DataHead, data: Vec<u8> },
    Datagram { head: DatagramHead, data: Vec<u8> },
}

impl Owned {
    fn frame(&self) -> Frame<'_> {
        match self {
            Owned::Plain(frame) => *frame,
            Owned::Init { id, names } => Frame::Init { id: *id, origin: Origin::Service(Names::encoded(names)) },
            Owned::Request { id, names, data } => {
                let head = RequestHead { id: *id, names: Names::encoded(names), len: data.len() };
                Frame::Request { head, data }
            }
            Owned::Refuse { id, code, reason } => Frame::Refuse { id: *id, code: *code, reason: reason.borrowed() },
            Owned::Data { head, data } => Frame::Data { head: *head, data },
            Owned::Datagram { head, data } => Frame::Datagram { head: *head, data },
        }
    }
}

impl Repr<'_> for Owned {
    fn parse(reader: &mut Reader<'_>) -> Result<Owned, Malformed> {
        Ok(match Frame::parse(reader)? {
            Frame::Init { id, origin: Origin::Service(names) } => Owned::Init { id, names: names.bytes().to_vec() },
            Frame::Init { id, origin: Origin::Parent(parent) } => {
                Owned::Plain(Frame::Init { id, origin: Origin::Parent(parent) })
            }
            Frame::Init { id, origin: Origin::Datagram(parent) } => {
                Owned::Plain(Frame::Init { id, origin: Origin::Datagram(parent) })
            }
            Frame::Request { head: RequestHead { id, names, .. }, data } => {
                Owned::Request { id, names: names.bytes().to_vec(), data: data.to_vec() }
            }
            Frame::Refuse { id, code, reason } => Owned::Refuse { id, code, reason: reason.owned() },
            Frame::Data { head, data } => Owned::Data { head, data: data.to_vec() },
            Frame::Datagram { head, data } => Owned::Datagram { head, data: data.to_vec() },
            Frame::Pad => Owned::Plain(Frame::Pad),
            Frame::Reset { id, code, final_offset } => Owned::Plain(Frame::Reset { id, code, final_offset }),
            Frame::Stop { id, code } => Owned::Plain(Frame::Stop { id, code }),
            Frame::Credit { id, limit } => Owned::Plain(Frame::Credit { id, limit }),
            Frame::Priority { id, count, priority } => Owned::Plain(Frame::Priority { id, count, priority }),
            Frame::Received { id, offset } => Owned::Plain(Frame::Received { id, offset }),
            Frame::HostCredit { limit, window } => Owned::Plain(Frame::HostCredit { limit, window }),
            Frame::CreateCredit { limit } => Owned::Plain(Frame::CreateCredit { limit }),
        })
    }
    fn wire_len(&self) -> usize {
        self.frame().wire_len()
    }
    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        self.frame().emit(writer)
    }
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..64u64, 64..16_384u64, 16_384..1u64 << 30, 1u64 << 30..tng_wire::VARINT_MAX]
}

/// Of every length in bytes, the first and the last of each among them.
fn offset() -> impl Strategy<Value = u64> {
    (0..=62u32, any::<u64>(), 0..4u8).prop_map(|(bits, any, edge)| match (edge, (1u64 << bits) - 1) {
        (0, most) => most,
        (1, most) => (most + 1).min(tng_wire::VARINT_MAX),
        (_, most) => any & most,
    })
}

fn frame() -> impl Strategy<Value = Owned> {
    let id = || number().prop_map(StreamId);
    prop_oneof![
        Just(Owned::Plain(Frame::Pad)),
        (id(), "[a-z]{0,70}", "\\PC{0,60}")
            .prop_map(|(id, service, protocol)| Owned::Init { id, names: Names::encode(&service, &protocol) }),
        (id(), id()).prop_map(|(id, parent)| Owned::Plain(Frame::Init { id, origin: Origin::Parent(parent) })),
        (id(), id()).prop_map(|(id, parent)| Owned::Plain(Frame::Init { id, origin: Origin::Datagram(parent) })),
        (id(), "[a-z]{0,70}", "\\PC{0,60}", prop::collection::vec(any::<u8>(), 0..200)).prop_map(
            |(id, service, protocol, data)| Owned::Request { id, names: Names::encode(&service, &protocol), data }
        ),
        (id(), number(), "\\PC{0,60}").prop_map(|(id, code, reason)| Owned::Refuse {
            id,
            code,
            reason: PeerText::new(reason)
        }),
        (id(), number(), number()).prop_map(|(id, code, final_offset)| Owned::Plain(Frame::Reset {
            id,
            code,
            final_offset
        })),
        (id(), number()).prop_map(|(id, code)| Owned::Plain(Frame::Stop { id, code })),
        (id(), number()).prop_map(|(id, limit)| Owned::Plain(Frame::Credit { id, limit })),
        (id(), any::<u32>(), any::<Option<i8>>(), 1..=u8::MAX).prop_map(|(id, count, level, weight)| {
            Owned::Plain(Frame::Priority { id, count, priority: Priority { level, weight } })
        }),
        (id(), number()).prop_map(|(id, offset)| Owned::Plain(Frame::Received { id, offset })),
        (number(), number()).prop_map(|(limit, window)| Owned::Plain(Frame::HostCredit { limit, window })),
        number().prop_map(|limit| Owned::Plain(Frame::CreateCredit { limit })),
        (id(), number(), offset(), any::<bool>(), any::<bool>(), prop::collection::vec(any::<u8>(), 0..200)).prop_map(
            |(parent, id, offset, last, counted, data)| {
                let id = if last && offset == 0 { 0 } else { id };
                let len = counted.then_some(data.len());
                Owned::Datagram { head: DatagramHead { parent, id, offset: offset as usize, last, len }, data }
            }
        ),
        (id(), offset(), any::<[bool; 2]>(), any::<bool>(), prop::collection::vec(any::<u8>(), 0..200)).prop_map(
            |(id, offset, [last, message], counted, data)| Owned::Data {
                head: DataHead { id, offset, marks: Marks { last, message }, len: counted.then_some(data.len()) },
                data
            }
        ),
    ]
}

proptest! {
    #[test]
    fn every_frame_survives_the_wire_and_every_truncation_is_noticed(frame in frame()) {
        battery::round_trip(&frame);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        battery::noise::<Owned>(&bytes);
        battery::noise::<Setup>(&bytes);
    }

    #[test]
    fn every_setup_item_survives_the_wire(stream in number(), host in number(), create in number()) {
        battery::round_trip(&Setup { stream, host, create });
    }
}

#[test]
fn names_and_reasons_may_have_255_bytes_and_no_more() {
    let id = StreamId(0);
    for (len, fits) in [(255, true), (256, false)] {
        let name = "n".repeat(len);
        let init = Owned::Init { id, names: Names::encode(&name, &name) };
        let request = Owned::Request { id, names: Names::encode("n", &name), data: vec![1] };
        let refuse = Owned::Refuse { id, code: 1, reason: PeerText::new(name) };
        for frame in [init, request, refuse] {
            let bytes = battery::emit(&frame);
            assert_eq!(Owned::parse(&mut Reader::new(&bytes)).is_ok(), fits);
        }
    }
}

#[test]
fn data_on_the_first_stream_costs_two_bytes_and_those_of_its_offset() {
    let len = |offset| DataHead { id: StreamId(0), offset, marks: Marks::default(), len: None }.wire_len();
    assert_eq!(len(0), 2);
    for bytes in 1..=6 {
        assert_eq!((len(1 << (8 * (bytes - 1))), len((1 << (8 * bytes)) - 1)), (2 + bytes, 2 + bytes));
    }
    assert_eq!((len(1 << 48), len(1 << 56), len(tng_wire::VARINT_MAX)), (10, 10, 10));
}

#[test]
fn an_offset_beyond_what_streams_have_is_malformed() {
    let frame = |top| [&[0x78, 0, top][..], &[0xff; 7], b"z"].concat();
    assert!(Frame::parse(&mut Reader::new(&frame(0x3f))).is_ok());
    assert_eq!(Frame::parse(&mut Reader::new(&frame(0x40))), Err(Malformed));
}

#[test]
fn the_bytes_are_those_of_the_wire_document() {
    let data = |marks| {
        let head = DataHead { id: StreamId(4), offset: 300, marks, len: Some(2) };
        battery::emit(&Owned::Data { head, data: b"ok".to_vec() })
    };
    assert_eq!(data(Marks { last: true, ..Marks::default() }), [0x53, 4, 1, 0x2c, 2, b'o', b'k']);
    assert_eq!(data(Marks { message: true, ..Marks::default() })[0], 0x56);
    let names = Names::encode("www", "h");
    assert_eq!(Names::encoded(&names).texts(), Ok((PeerText::new("www"), PeerText::new("h"))));
    let init = Owned::Init { id: StreamId(2), names: names.clone() };
    assert_eq!(battery::emit(&init), [0x10, 2, 0, 3, b'w', b'w', b'w', 1, b'h']);
    let request = Owned::Request { id: StreamId(2), names, data: b"ok".to_vec() };
    assert_eq!(battery::emit(&request), [0x19, 2, 3, b'w', b'w', b'w', 1, b'h', 2, b'o', b'k']);
    let child = Owned::Plain(Frame::Init { id: StreamId(1), origin: Origin::Parent(StreamId(0)) });
    assert_eq!(battery::emit(&child), [0x10, 1, 1]);
    let large = Owned::Plain(Frame::Init { id: StreamId(2), origin: Origin::Datagram(StreamId(0)) });
    assert_eq!(battery::emit(&large), [0x18, 2, 0]);
    let frame = |offset, last| {
        let head = DatagramHead { parent: StreamId(4), id: 9, offset, last, len: Some(2) };
        battery::emit(&Owned::Datagram { head, data: b"ok".to_vec() })
    };
    assert_eq!(frame(0, true), [0x23, 4, 2, b'o', b'k']);
    assert_eq!(frame(0, false), [0x22, 4, 9, 2, b'o', b'k']);
    assert_eq!(frame(300, true), [0x27, 4, 9, 0x41, 0x2c, 2, b'o', b'k']);
    let priority = |level| {
        let priority = Priority { level, weight: 16 };
        battery::emit(&Owned::Plain(Frame::Priority { id: StreamId(4), count: 7, priority }))
    };
    assert_eq!(priority(None), [0x17, 4, 7, 0, 16]);
    assert_eq!(priority(Some(-128)), [0x17, 4, 7, 1, 16]);
    assert_eq!(priority(Some(0)), [0x17, 4, 7, 0x40, 129, 16]);
    assert_eq!(priority(Some(127)), [0x17, 4, 7, 0x41, 0, 16]);
}
