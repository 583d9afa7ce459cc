//! The control stream of a test, and the messages on it.

use std::io;

use tng::{RecvStream, SendStream, StreamId};
use tng_services::perf::{HEAD_LEN, Message, body_len};
use tng_wire::{Reader, Repr, Writer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::{ANSWER_TIME, control_failure, fault_failure};
use crate::exit::Exit;
use crate::failure::Failure;

/// Messages of the other side that wait to be looked at; a test has fewer.
const INBOX_MAX: usize = 8;

/// The control stream.
#[derive(Debug)]
pub struct Control {
    send: SendStream,
    inbox: mpsc::Receiver<io::Result<Message>>,
    reader: AbortHandle,
}

impl Control {
    /// Begins to read.
    pub fn new(send: SendStream, mut recv: RecvStream) -> Control {
        let (tell, inbox) = mpsc::channel(INBOX_MAX);
        let reading = async move {
            loop {
                let message = read_message(&mut recv).await;
                let last = message.is_err();
                if tell.send(message).await.is_err() || last {
                    return;
                }
            }
        };
        Control { send, inbox, reader: tokio::spawn(reading).abort_handle() }
    }

    /// The stream's name.
    pub fn id(&self) -> StreamId {
        self.send.id()
    }

    /// Says something.
    ///
    /// # Errors
    /// If the stream fails.
    pub async fn say(&mut self, message: &Message) -> Result<(), Failure> {
        write_message(&mut self.send, message).await.map_err(|error| control_failure(&error))
    }

    /// What the other side says next. Nothing is lost when the future is dropped.
    ///
    /// # Errors
    /// If the stream fails or ends, or the other side says that it does not take part.
    pub async fn hear(&mut self) -> Result<Message, Failure> {
        match self.inbox.recv().await {
            Some(Ok(Message::Fault(fault))) => Err(fault_failure(&fault)),
            Some(Ok(message)) => Ok(message),
            Some(Err(error)) => Err(control_failure(&error)),
            None => Err(control_failure(&io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// As [`hear`](Control::hear), but not for long.
    ///
    /// # Errors
    /// As there, and when [`ANSWER_TIME`] is over.
    pub async fn answer(&mut self) -> Result<Message, Failure> {
        let late = |_| Err(Failure::new(Exit::Timeout, "measuring", "the other side does not answer"));
        timeout(ANSWER_TIME, self.hear()).await.unwrap_or_else(late)
    }

    /// Ends this side, and waits until the other has heard everything, but not for long.
    pub async fn finish(&mut self) {
        // If it has not, it will tell its user itself.
        let _ = timeout(ANSWER_TIME, self.send.finish()).await;
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

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
    use tng_base::PeerText;
    use tng_services::perf::{Fault, FaultCode, Output};
    use tokio::io::duplex;

    #[tokio::test]
    async fn messages_arrive_one_after_the_other_however_long() {
        let (mut near, mut far) = duplex(100);
        let sent = [
            Message::Start,
            Message::Output(Output::Text(PeerText::new("x".repeat(5000)))),
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
