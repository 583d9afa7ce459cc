//! Many clients in the middle of a download at once, without a process or a socket for each: their machines, on a few
//! sockets of the kernel.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant as Time};

use tng::trickles::ClientConfig;
use tng::{Identity, Target, Ticket};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_trickles::client::{Client, Event, ObjectId, Options, Policy, Read, Replicas};
use tng_trickles::set_up::Call;

use crate::Failure;
use crate::client::Bench;
use crate::payload::Checker;
use crate::peer::{self, LOOPBACK};
use crate::role::{Asked, Said, next};
use crate::server::say;
use crate::work::{ASKING_LEN, DOWNLOAD_LEN, Hello, Settings};

/// Sockets; on each one client at a time speaks with the server, and the others wait in the middle of their object.
const SOCKETS: usize = 64;

/// Bytes of an object that a client has room for: it stops there until somebody reads.
const BUFFER: u64 = 4_000;

/// One in so many reads on to the end of its object, and sees that all of it is right.
const WHOLE_EACH: u64 = 1_000;

/// Nothing takes so long on loopback.
const LOST_AFTER: Duration = Duration::from_secs(10);

/// Most bytes of a datagram.
const DATAGRAM_MAX: usize = 9_000;

/// One client, and its object.
struct Virtual {
    machine: Client,
    object: ObjectId,
    checker: Checker,
}

/// A socket that one client at a time speaks through.
struct Seat {
    socket: UdpSocket,
    server: SocketAddr,
    began: Time,
    rng: Rng,
}

impl Seat {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Drives a client until it has read `until` bytes of its object, its own asking not counted.
    fn drive(&mut self, client: &mut Virtual, until: u64) -> Result<(), Failure> {
        let (mut buf, mut inbox, give_up) = ([0; DATAGRAM_MAX], [0; DATAGRAM_MAX], Time::now() + LOST_AFTER);
        loop {
            let deadline = self.poll(client, &mut buf)?;
            let mut read = [0; BUFFER as usize];
            while client.checker.checked() < ASKING_LEN + until {
                match client.machine.read(client.object, &mut read) {
                    Read::Bytes(len) => client.checker.check(&read[..len])?,
                    _ => break,
                }
            }
            if client.checker.checked() >= ASKING_LEN + until {
                // What it asks for now that there is room again is under way when it falls silent.
                self.poll(client, &mut buf)?;
                return Ok(());
            }
            if Time::now() > give_up {
                return Err(format!("a download has stalled: {:?}", client.machine.stats()).into());
            }
            let wait = deadline.map_or(LOST_AFTER, |at| at.since(self.now()));
            self.socket.set_read_timeout(Some(wait.clamp(Duration::from_micros(50), LOST_AFTER)))?;
            match self.socket.recv_from(&mut inbox) {
                Ok((len, remote)) => {
                    let payload = &mut inbox[..len];
                    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size: len, payload };
                    client.machine.handle_input(self.now(), Input::Datagram(datagram));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    client.machine.handle_timeout(self.now());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Has a client say what it has to say. Answers when it wants to be asked again.
    fn poll(&mut self, client: &mut Virtual, buf: &mut [u8]) -> Result<Option<Instant>, Failure> {
        loop {
            match client.machine.poll_output(self.now(), buf) {
                Output::Transmit(transmit) => {
                    for datagram in buf[..transmit.len].chunks(transmit.segment_size) {
                        self.socket.send_to(datagram, self.server)?;
                    }
                }
                Output::NeedsEntropy => {
                    let mut entropy = self.rng.bytes();
                    client.machine.handle_input(self.now(), Input::Entropy(&mut entropy));
                }
                Output::Event(Event::Failed(_, error)) => return Err(error.into()),
                Output::Event(Event::Ended(error)) => return Err(error.into()),
                Output::Event(_) => {}
                Output::Timeout(deadline) => return Ok(deadline),
            }
        }
    }
}

fn begin(at: u64, target: &Target, now: Instant) -> Result<Virtual, Failure> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&(at + 1).to_le_bytes());
    let (identity, replicas) = (Identity::from_seed(seed), Replicas::new(target.addresses.clone(), Policy::Stay));
    let (call, replicas) = (Call::new(target.eid), replicas.ok_or("no address")?);
    let mut machine = Client::connect(ClientConfig::default(), identity, call, replicas, seed, now);
    let options = Options { reserve: DOWNLOAD_LEN + 1, buffer: BUFFER, ..Options::default() };
    let object = machine.ask(crate::payload::at(0, ASKING_LEN), options)?;
    Ok(Virtual { machine, object, checker: Checker::from(ASKING_LEN) })
}

fn target(hello: &Hello) -> Result<Target, Failure> {
    let mut target = Target::from(&hello.ticket.parse::<Ticket>()?);
    target.addresses = vec![hello.addr];
    Ok(target)
}

/// Begins so many downloads, has each of them go on once more when all are there, and tells the bench then: what the
/// server holds is read before the first and after the last. In the end some are read to their end.
pub fn client(clients: u64) -> Result<(), Failure> {
    let Asked::Server(hello) = next()? else { return Err("no server".into()) };
    let (target, began) = (target(&hello)?, Time::now());
    let mut seats = Vec::new();
    for at in 0..SOCKETS {
        let (socket, rng) = (peer::udp_socket_at(LOOPBACK)?, Rng::from_u64(at as u64));
        seats.push(Seat { socket, server: hello.addr, began, rng });
    }
    // What a server has in the first moment it has for all of them.
    let mut warm = begin(u64::MAX - 1, &target, seats[0].now())?;
    seats[0].drive(&mut warm, DOWNLOAD_LEN)?;
    say(&Said::Ready)?;
    let Asked::Go = next()? else { return Err("told something else than to go".into()) };
    let bench = Bench::started()?;
    let mut all = Vec::new();
    for at in 0..clients {
        let seat = &mut seats[at as usize % SOCKETS];
        let mut client = begin(at, &target, seat.now())?;
        seat.drive(&mut client, BUFFER / 2)?;
        all.push(client);
    }
    let begun_s = bench.elapsed_s();
    for (at, client) in all.iter_mut().enumerate() {
        seats[at % SOCKETS].drive(client, BUFFER)?;
    }
    let measured = vec![("clients", clients as f64), ("begun_s", begun_s), ("elapsed_s", bench.elapsed_s())];
    let mut whole = 0;
    for (at, client) in all.iter_mut().enumerate().step_by(WHOLE_EACH as usize) {
        seats[at % SOCKETS].drive(client, DOWNLOAD_LEN)?;
        client.checker.expect(ASKING_LEN + DOWNLOAD_LEN)?;
        whole += 1;
    }
    let timeouts: u64 = all.iter().map(|client| client.machine.stats().timeouts).sum();
    let settings: HashMap<&str, String> = HashMap::from([
        ("clients", format!("machines on {SOCKETS} sockets, each with room for {BUFFER} bytes of its object")),
        ("each", format!("fetches {} bytes of {DOWNLOAD_LEN}, and as many when all have done so", BUFFER / 2)),
        ("read to the end", format!("{whole}, one in {WHOLE_EACH}")),
        ("timeouts asked for", timeouts.to_string()),
    ]);
    let settings: Settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    bench.tell(measured, settings)
}
