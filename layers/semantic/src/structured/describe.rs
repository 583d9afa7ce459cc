//! Frames in qlog's words, for observers of a channel: QUIC's name where QUIC has such a frame, one of our own where it
//! has not.

use tng_base::{Fields, Value};
use tng_wire::{Reader, Repr};

use super::wire::{Frame, Names, Origin};

/// Appends what the frames of a payload are, up to what is malformed.
pub fn describe(payload: &[u8], frames: &mut Vec<Value>) {
    let mut reader = Reader::new(payload);
    while !reader.is_empty() {
        let before = reader.position();
        reader.skip_run(0);
        let pads = reader.position() - before;
        if pads > 0 {
            frames.push(Fields::frame("padding").with("payload_length", pads).into());
            continue;
        }
        let Ok(frame) = Frame::parse(&mut reader) else { return };
        if frame.names().is_some_and(|names| names.texts().is_err()) {
            return;
        }
        frames.push(fields(&frame).into());
    }
}

fn fields(frame: &Frame<'_>) -> Fields {
    match *frame {
        Frame::Pad => Fields::frame("padding").with("payload_length", 1u64),
        Frame::Init { id, origin } => {
            let init = Fields::frame("tng_init").with("stream_id", id.0);
            match origin {
                Origin::Service(names) => with_names(init, names),
                Origin::Parent(parent) => init.with("parent", parent.0),
                Origin::Datagram(parent) => init.with("parent", parent.0).with("datagram", true),
            }
        }
        Frame::Request { head, data } => {
            let request = Fields::frame("tng_request").with("stream_id", head.id.0);
            with_names(request, head.names).with("length", data.len())
        }
        Frame::Refuse { id, code, reason } => Fields::frame("tng_refuse")
            .with("stream_id", id.0)
            .with("error_code", code)
            .with("reason", reason.exact().to_owned()),
        Frame::Reset { id, code, final_offset } => Fields::frame("reset_stream")
            .with("stream_id", id.0)
            .with("error_code", code)
            .with("final_size", final_offset),
        Frame::Stop { id, code } => Fields::frame("stop_sending").with("stream_id", id.0).with("error_code", code),
        Frame::Credit { id, limit } => Fields::frame("max_stream_data").with("stream_id", id.0).with("maximum", limit),
        Frame::Received { id, offset } => Fields::frame("tng_received").with("stream_id", id.0).with("offset", offset),
        Frame::HostCredit { limit, window } => Fields::frame("max_data").with("maximum", limit).with("window", window),
        Frame::CreateCredit { limit } => {
            Fields::frame("max_streams").with("stream_type", "bidirectional").with("maximum", limit)
        }
        Frame::Priority { id, count, priority } => Fields::frame("tng_priority")
            .with("stream_id", id.0)
            .with("count", u64::from(count))
            .maybe("level", priority.level.map(|level| level.to_string()))
            .with("weight", u64::from(priority.weight)),
        Frame::Data { head, data } => Fields::frame("stream")
            .with("stream_id", head.id.0)
            .with("offset", head.offset)
            .with("length", data.len())
            .with("fin", head.marks.last)
            .maybe("tng_message_end", head.marks.message.then_some(true)),
        Frame::Datagram { head, data } => Fields::frame("datagram")
            .with("length", data.len())
            .with("tng_parent", head.parent.0)
            .maybe("tng_datagram", (!head.is_whole()).then_some(head.id))
            .with("tng_offset", head.offset)
            .with("tng_last", head.last),
    }
}

fn with_names(fields: Fields, names: Names<'_>) -> Fields {
    let (service, protocol) = names.texts().unwrap_or_default();
    fields.with("service", service.exact().to_owned()).with("protocol", protocol.exact().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(payload: &[u8]) -> Vec<String> {
        let mut frames = Vec::new();
        describe(payload, &mut frames);
        frames.iter().map(|frame| format!("{frame:?}")).collect()
    }

    #[test]
    fn each_frame_is_told_until_one_is_malformed() {
        // Two PADs, STOP of stream 3 with code 7, DATA of stream 3 from offset 9 to the end with F and O.
        let frames = described(&[0, 0, 0x13, 3, 7, 0x49, 3, 9, b'a', b'b']);
        assert_eq!(frames.len(), 3, "{frames:?}");
        assert!(frames[0].contains("padding") && frames[0].contains("Number(2)"), "{}", frames[0]);
        assert!(frames[1].contains("stop_sending") && frames[1].contains("Number(7)"), "{}", frames[1]);
        for part in ["\"stream\"", "Number(9)", "Number(2)", "Flag(true)"] {
            assert!(frames[2].contains(part), "{}", frames[2]);
        }
        assert_eq!(described(&[0, 0x3f, 0]).len(), 1, "what follows an unknown type cannot be read");
        let init = |name: u8| described(&[0x10, 2, 0, 1, name, 1, b'h', 0x13, 3, 7]).len();
        assert_eq!([init(b'w'), init(0xff)], [2, 0], "a name that is no text is malformed");
    }
}
