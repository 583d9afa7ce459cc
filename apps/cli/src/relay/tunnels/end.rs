//! What a tunnel ends in: a TUN device, or a UDP port. Both are made before the process gives up the rest.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use tng::help::HelperTarget;
use tng::relay::{FlowId, NotTaken};
use tokio::io::unix::AsyncFd;
use tokio::net::UdpSocket;

use super::Role;
use super::asking::Far;
use super::config::{EndConfig, Side, TunnelConfig};
use super::look_ups::Addresses;
use super::packets::{Namer, too_big};
use crate::daemon::locked;
use crate::exit::Exit;
use crate::failure::{Failure, reason};

/// The largest packet or datagram that is read.
const PACKET_MAX: usize = 65_535;

/// Packets that are read of a device before others have their turn.
const READ_BATCH: usize = 64;

/// The pause after a device or a socket that cannot be read.
const READ_PAUSE: Duration = Duration::from_secs(1);

/// The end of a tunnel, and what else the tunnel needs of the system, had at the start.
#[derive(Debug)]
pub struct OpenEnd {
    name: String,
    role: Role,
    what: Opened,
}

#[derive(Debug)]
enum Opened {
    Device(String, File),
    Port(std::net::UdpSocket, Option<SocketAddr>),
}

/// The same as tasks use it.
#[derive(Debug)]
pub struct End {
    namer: Namer,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Device { name: String, file: AsyncFd<File> },
    Port { socket: UdpSocket, peer: Option<SocketAddr>, last: Mutex<Option<SocketAddr>> },
}

impl OpenEnd {
    /// Makes the device, or binds the port. `addresses` are those of the names.
    ///
    /// # Errors
    /// If the system does not let it, or no address is of use.
    pub fn open((config, addresses): (&TunnelConfig, Addresses)) -> Result<OpenEnd, Failure> {
        let Addresses { to, peer: peers } = addresses;
        let tunnel = format!("tunnel {:?}", config.name);
        let role = match &config.side {
            Side::From { client, tag } => Role::Asked { client: client.clone(), tag: *tag },
            Side::To(there) => {
                let (eid, door) = (there.location.eid, Some(there.location.capability.clone()));
                let door = door.filter(|door| !door.is_empty());
                let shown = to.first().map_or_else(|| eid.to_string(), |address| format!("{eid}@{address}"));
                let token = there.token.as_ref().map(|token| token.read()).transpose()?;
                let helper = HelperTarget { door, token, ..HelperTarget::new(eid, to) };
                Role::Asking(Far { helper, shown })
            }
        };
        let what = match &config.end {
            EndConfig::Device { name, addresses, mtu } => {
                let file = device(name).map_err(|error| no_device(&tunnel, name, &error))?;
                if !addresses.is_empty() {
                    set_up(&tunnel, name, addresses, *mtu)?;
                }
                Opened::Device(name.clone(), file)
            }
            EndConfig::Port { listen, peer } => {
                let bound = std::net::UdpSocket::bind(listen);
                let bound = bound.and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
                let failed = |error| Failure::port(format!("{tunnel}: listening at {listen}"), "listen", &error);
                let same = |address: &&SocketAddr| address.is_ipv4() == listen.is_ipv4();
                let peer = match peer {
                    None => None,
                    Some(_) => Some(*peers.iter().find(same).ok_or_else(|| {
                        let why = format!("its address is of the other IP version than {listen}");
                        Failure::new(Exit::Usage, format!("{tunnel}: finding its peer"), why)
                    })?),
                };
                Opened::Port(bound.map_err(failed)?, peer)
            }
        };
        Ok(OpenEnd { name: config.name.clone(), role, what })
    }

    /// Hands it to the runtime.
    pub(super) fn register(self) -> io::Result<(String, Role, End)> {
        let kind = match self.what {
            Opened::Device(name, file) => Kind::Device { name, file: watched(file)? },
            Opened::Port(socket, peer) => {
                Kind::Port { socket: UdpSocket::from_std(socket)?, peer, last: Mutex::default() }
            }
        };
        Ok((self.name, self.role, End { namer: Namer::default(), kind }))
    }
}

/// A file whose descriptor the runtime watches.
#[expect(deprecated, reason = "its successor is unsafe; a File is its descriptor's owner, and always of the same one")]
fn watched(file: File) -> io::Result<AsyncFd<File>> {
    AsyncFd::new(file)
}

#[cfg(target_os = "linux")]
fn device(name: &str) -> io::Result<File> {
    tng_emulator::open_tun(name)
}

#[cfg(not(target_os = "linux"))]
fn device(_: &str) -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux has such devices"))
}

fn no_device(tunnel: &str, name: &str, error: &io::Error) -> Failure {
    let failure = Failure::new(Exit::Read, format!("{tunnel}: making the TUN device {name}"), reason(error));
    match error.kind() {
        io::ErrorKind::PermissionDenied => failure.or_try(format!(
            "root, or the capability CAP_NET_ADMIN; or have root run `ip tuntap add dev {name} mode tun user USER`, \
             set it up, and leave addresses out; or a UDP port in its place: listen"
        )),
        io::ErrorKind::NotFound => failure.or_try(
            "modprobe tun; in a container, give it the device /dev/net/tun; or a UDP port in its place: listen",
        ),
        io::ErrorKind::ResourceBusy => failure.or_try("another name: some process has this device"),
        _ => failure,
    }
}

/// Gives a device its addresses and its MTU by the tool `ip`, which nobody needs afterwards.
fn set_up(tunnel: &str, name: &str, addresses: &[(IpAddr, u8)], mtu: u64) -> Result<(), Failure> {
    let what = || format!("{tunnel}: setting {name} up");
    let ip = |arguments: &[&str]| -> Result<(), Failure> {
        let done = Command::new("ip").args(arguments).stdin(Stdio::null()).output();
        let done = done.map_err(|error| {
            Failure::new(Exit::NoProgram, what(), format!("running ip: {}", reason(&error)))
                .or_try("install iproute2; or set the device up beforehand and leave addresses out")
        })?;
        let said = String::from_utf8_lossy(&done.stderr).trim().replace('\n', "; ");
        if done.status.success() { Ok(()) } else { Err(Failure::new(Exit::Read, what(), said)) }
    };
    ip(&["link", "set", "dev", name, "mtu", &mtu.to_string(), "up"])?;
    for (address, bits) in addresses {
        let address_and_bits = format!("{address}/{bits}");
        let given: &[&str] = &["address", "replace", &address_and_bits, "dev", name];
        // There is nobody on the way who could have the same.
        ip(&[given, if address.is_ipv6() { &["nodad"] } else { &[] }].concat())?;
    }
    Ok(())
}

impl End {
    /// What it is, as people read it.
    pub fn shown(&self) -> String {
        match &self.kind {
            Kind::Device { name, .. } => name.clone(),
            Kind::Port { socket, .. } => socket.local_addr().map_or_else(|_| "-".to_owned(), |it| it.to_string()),
        }
    }

    /// Whether who sends something that is too large for the tunnel is told so.
    pub(super) fn tells_senders(&self) -> bool {
        matches!(self.kind, Kind::Device { .. })
    }

    /// Hands everything that comes to `send`, until the runtime ends. Who has sent a packet to the device that is too
    /// large for the tunnel is told so.
    pub(super) async fn read(&self, send: impl Fn(FlowId, &[u8]) -> Result<(), NotTaken>) {
        let mut buf = vec![0; PACKET_MAX];
        loop {
            let read = match &self.kind {
                Kind::Device { file, .. } => self.read_device(file, &mut buf, &send).await,
                Kind::Port { socket, peer, last } => self.read_port(socket, (*peer, last), &mut buf, &send).await,
            };
            if let Err(error) = read {
                // A device that is down, perhaps: it comes up again.
                tracing::debug!("{} cannot be read: {error}", self.shown());
                tokio::time::sleep(READ_PAUSE).await;
            }
        }
    }

    async fn read_device(
        &self,
        file: &AsyncFd<File>,
        buf: &mut [u8],
        send: &impl Fn(FlowId, &[u8]) -> Result<(), NotTaken>,
    ) -> io::Result<()> {
        let mut ready = file.readable().await?;
        for _ in 0..READ_BATCH {
            let Ok(read) = ready.try_io(|file| file.get_ref().read(buf)) else { break };
            let packet = &buf[..read?];
            if let Err(NotTaken::TooLarge { max }) = send(self.namer.flow_of(packet), packet)
                && let Some(told) = too_big(packet, max)
            {
                // It is as good as lost on the way if there is no room.
                let _ = file.get_ref().write(&told);
            }
        }
        Ok(())
    }

    async fn read_port(
        &self,
        socket: &UdpSocket,
        (peer, last): (Option<SocketAddr>, &Mutex<Option<SocketAddr>>),
        buf: &mut [u8],
        send: &impl Fn(FlowId, &[u8]) -> Result<(), NotTaken>,
    ) -> io::Result<()> {
        let (len, from) = socket.recv_from(buf).await?;
        match peer {
            // A received IPv6 address may differ in what is no part of the address.
            Some(peer) if (peer.ip(), peer.port()) != (from.ip(), from.port()) => return Ok(()),
            Some(_) => {}
            None => *locked(last) = Some(from),
        }
        // Nobody can be told of what does not go.
        let _ = send(self.namer.name(&from), &buf[..len]);
        Ok(())
    }

    /// Writes what a tunnel has brought.
    ///
    /// # Errors
    /// If there is no room, nobody to send it to, or the system does not take it: it is lost then.
    pub(super) async fn write(&self, datagram: &[u8]) -> io::Result<()> {
        match &self.kind {
            Kind::Device { file, .. } => file.get_ref().write(datagram).map(drop),
            Kind::Port { socket, peer, last } => {
                let last = || *locked(last);
                let nobody = || io::Error::new(io::ErrorKind::NotConnected, "nobody has sent anything yet");
                socket.send_to(datagram, peer.or_else(last).ok_or_else(nobody)?).await.map(drop)
            }
        }
    }
}
