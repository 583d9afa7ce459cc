//! Messages of the perf service on a stream.

use std::io;

use tng_services::perf::{HEAD_LEN, Message, body_len};
use tng_wire::{Reader, Repr, Writer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Reads one message.
///
/// # Errors
/// If the stream fails, ends, or carries something else.
pub async fn read_message(recv: &mut (impl AsyncRead + Unpin)) -> io::Result<Message> {
    let bad = |_| io::Error::new(io::ErrorKind::InvalidData, "this is not the perf protocol");
    let mut head = [0; HEAD_LEN];
    recv.read_exact(&mut head).await?;
    let len = body_len(head).map_err(bad)?;
    // It grows with what arrives, not with what is announced.
    let mut bytes = head.to_vec();
    recv.take(len as u64).read_to_end(&mut bytes).await?;
    if bytes.len() < HEAD_LEN + len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Message::parse(&mut Reader::new(&bytes)).map_err(bad)
}

/// Writes one message.
///
/// # Errors
/// If the stream fails.
pub async fn write_message(send: &mut (impl AsyncWrite + Unpin), message: &Message) -> io::Result<()> {
    let mut bytes = vec![0; message.wire_len()];
    message.emit(&mut Writer::new(&mut bytes)).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    send.write_all(&bytes).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_services::perf::{Fault, FaultCode, Output};
    use tokio::io::duplex;

    #[tokio::test]
    async fn messages_arrive_one_after_the_other_however_long() {
        let (mut near, mut far) = duplex(100);
        let sent = [
            Message::Start,
            Message::Output(Output::Text("x".repeat(5000))),
            Message::Fault(Fault::new(FaultCode::Busy, "")),
        ];
        let writing = async {
            for message in &sent {
                write_message(&mut near, message).await.expect("written");
            }
        };
        let reading = async {
            for message in &sent {
                assert_eq!(&read_message(&mut far).await.expect("a message"), message);
            }
        };
        tokio::join!(writing, reading);
    }

    #[tokio::test]
    async fn an_end_in_the_middle_and_a_length_beyond_the_bound_are_errors() {
        let cut: &[u8] = &[0x12, 0, 0, 0, 9, 0];
        assert_eq!(read_message(&mut &*cut).await.expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
        let long: &[u8] = &[0x12, 0xff, 0, 0, 0];
        assert_eq!(read_message(&mut &*long).await.expect_err("long").kind(), io::ErrorKind::InvalidData);
    }
}
