//! A client behind a host that sets up, seals and opens for it: what a guest carries
//! (docs/decisions/0045-a-guest-without-a-channel.md).

use core::net::{Ipv4Addr, SocketAddr};

use tng_base::Instant;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::connection::{Beginning, Connection, Context};
use super::keeper::Keeper;
use super::objects::{AskError, ObjectEvent, ObjectId, Objects, Options, Read};
use super::replicas::{Policy, Replicas};
use super::sent::List;
use super::settings::{ClientConfig, ClientStats, Event};
use crate::seal_len::TAG_LEN;
use crate::wire::Armor;
use crate::{ClientNetwork, ConnectionId};

/// Where the server is, the host knows.
const SERVER: SocketAddr = SocketAddr::new(core::net::IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// What a host tells of a connection that a server has granted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Introduction<'a> {
    /// The connection's name.
    pub id: ConnectionId,
    /// The last byte of the key epoch that requests are sealed in.
    pub epoch: u8,
    /// Where the server sees the host.
    pub place: ClientNetwork,
    /// What the REPLY has brought beside: the seed.
    pub rest: &'a [u8],
}

impl<'a> Repr<'a> for Introduction<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Introduction<'a>, Malformed> {
        let (id, epoch) = (ConnectionId(reader.array()?), reader.u8()?);
        Ok(Introduction { id, epoch, place: ClientNetwork::from_bytes(reader.array()?), rest: reader.rest() })
    }

    fn wire_len(&self) -> usize {
        ConnectionId::LEN + 1 + ClientNetwork::LEN + self.rest.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(&self.id.0)?;
        writer.u8(self.epoch)?;
        writer.bytes(self.place.as_bytes())?;
        writer.bytes(self.rest)
    }
}

/// A client without keys, address or set-up. It says when it needs another connection, and is introduced to it; objects
/// go on over that.
#[derive(Debug)]
pub struct Hosted {
    config: ClientConfig,
    objects: Objects,
    replicas: Replicas,
    connection: Option<Box<Connection>>,
    stats: ClientStats,
}

impl Hosted {
    /// One that has no connection yet. Who has no hash solves no puzzles: what costs one fails by that name.
    pub fn new(config: ClientConfig) -> Hosted {
        let puzzle_bits_max = if cfg!(feature = "keys") { config.puzzle_bits_max } else { 0 };
        let replicas = Replicas::new(vec![SERVER], Policy::Stay).expect("it is one");
        Hosted {
            objects: Objects::new(puzzle_bits_max),
            config,
            replicas,
            connection: None,
            stats: ClientStats::default(),
        }
    }

    /// Asks for an object: `bytes` are for the server's application.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask(&mut self, bytes: Vec<u8>, options: Options) -> Result<ObjectId, AskError> {
        self.objects.ask(bytes, options)
    }

    /// Reads bytes of an object, in order. After [`Read::End`] the object is forgotten.
    pub fn read(&mut self, object: ObjectId, out: &mut [u8]) -> Read {
        self.objects.read(object, out)
    }

    /// A server has granted a connection. What did not come over the last is asked for over this one.
    ///
    /// # Errors
    /// [`Malformed`]: peer: what its REPLY has brought is no seed.
    pub fn introduce(&mut self, now: Instant, introduction: Introduction<'_>) -> Result<(), Malformed> {
        let Introduction { id, epoch, place, rest } = introduction;
        let beginning = Beginning {
            id,
            epoch,
            keeper: Keeper::Host,
            place,
            rest: rest.to_vec(),
            from: (0, SERVER),
            asked: List::default(),
            init_seal: [0; TAG_LEN],
            rtt: None,
            has_shown_address: false,
            was_lost: false,
            armor: Armor::Sealed,
        };
        self.give_up();
        let connection = Connection::new(now, beginning, &mut self.objects).ok_or(Malformed)?;
        self.connection = Some(Box::new(connection));
        self.stats.connections += 1;
        Ok(())
    }

    /// Whether it waits for a connection: it has none yet, or servers do not answer on the last any more.
    pub fn needs_connection(&mut self, now: Instant) -> bool {
        if self.connection.as_ref().is_some_and(|connection| connection.is_lost(now)) {
            self.give_up();
        }
        self.connection.is_none()
    }

    fn give_up(&mut self) {
        if self.connection.take().is_some() {
            self.objects.begin_anew();
        }
    }

    /// Takes a response that the host has opened: its header, and what was sealed.
    pub fn handle_datagram(&mut self, now: Instant, datagram: &mut [u8]) {
        let Hosted { config, objects, replicas, connection, stats } = self;
        let context = Context { now, config, objects, replicas, stats, pad_to: 0 };
        if let Some(connection) = connection {
            connection.handle(SERVER, datagram, context);
        }
    }

    /// Writes the next request, with room for its seal at the end, into a buffer of one datagram; answers how long it
    /// is.
    pub fn transmit(&mut self, now: Instant, buf: &mut [u8]) -> Option<usize> {
        let Hosted { config, objects, replicas, connection, stats } = self;
        let context = Context { now, config, objects, replicas, stats, pad_to: 0 };
        let (transmit, _) = connection.as_mut()?.transmit(buf, context);
        transmit.map(|transmit| transmit.len)
    }

    /// When there is something to do, if nothing comes.
    pub fn deadline(&mut self, now: Instant) -> Option<Instant> {
        self.connection.as_ref()?.deadline(now, &mut self.objects)
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.handle_timeout();
        }
    }

    /// What has happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.objects.poll_event().map(|(id, event)| match event {
            ObjectEvent::Readable => Event::Readable(id),
            ObjectEvent::Finished => Event::Finished(id),
            ObjectEvent::Failed(error) => Event::Failed(id, error),
        })
    }

    /// What it has done and seen.
    pub fn stats(&self) -> ClientStats {
        let mut stats = ClientStats { bytes: self.objects.came(), ..self.stats };
        if let Some(connection) = &self.connection {
            connection.fill(&mut stats);
        }
        stats
    }
}

#[cfg(test)]
mod tests {
    use tng_wire::battery;

    use super::*;

    #[test]
    fn an_introduction_is_read_as_it_was_written_and_what_is_cut_is_none() {
        for rest in [&[][..], &[7; 120]] {
            let introduction =
                Introduction { id: ConnectionId([3; 16]), epoch: 9, place: ClientNetwork::from_bytes([5; 16]), rest };
            battery::round_trip(&introduction);
            let bytes = battery::emit(&introduction);
            assert!(
                (0..ConnectionId::LEN + 1 + ClientNetwork::LEN)
                    .all(|cut| Introduction::parse(&mut Reader::new(&bytes[..cut])).is_err())
            );
        }
        let noise = [0xa5; 40];
        let read = Introduction::parse(&mut Reader::new(&noise)).unwrap();
        assert_eq!(battery::emit(&read), noise, "every byte says something");
    }

    #[test]
    fn who_is_introduced_to_what_is_no_seed_has_no_connection() {
        let mut hosted = Hosted::new(ClientConfig::default());
        assert!(hosted.needs_connection(Instant::ZERO));
        let nothing =
            Introduction { id: ConnectionId([3; 16]), epoch: 9, place: ClientNetwork::from_bytes([5; 16]), rest: &[] };
        assert_eq!(hosted.introduce(Instant::ZERO, nothing), Err(Malformed));
        assert!(hosted.needs_connection(Instant::ZERO));
        assert_eq!((hosted.deadline(Instant::ZERO), hosted.transmit(Instant::ZERO, &mut [0; 1_200])), (None, None));
    }
}
