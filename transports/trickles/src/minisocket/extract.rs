//! Minisockets that leave their server, and come to another (Trickles 3.3).

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

use tng_crypto::{BLAKE3_TAG_LEN, TAG_LEN};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Client, Event, Minisocket, Sealing};
use crate::replay::Issuer;
use crate::wire::{DATAGRAM_LEN_MAX, ResponseHeader};
use crate::{Age, ConnectionId, ConnectionSecret, Horizon, InstanceName, Keys, Rtt, Stamp, Wall};

/// Why a minisocket is not installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InstallError {
    /// Caller: it is none.
    #[error("it is no minisocket that was extracted")]
    Malformed,
    /// Caller: no server of this fleet extracted it, or its keys are erased.
    #[error("no server of this fleet extracted it, or it was changed")]
    Unsealed,
    /// Time: it is older than the age limit, or of a time to come.
    #[error("it is too old, or of a time to come: its client has asked again")]
    Stale,
    /// Caller: it has been installed here before.
    #[error("it was installed here before")]
    Again,
    /// This server has too much to do.
    #[error("this server has too much to do")]
    Overloaded,
}

/// Bytes before the asks.
const HEAD_LEN: usize = 1 + 3 + 4 + 1 + 16 + 18 + 18 + 3 + 16 + 16;

fn emit_address(address: Option<SocketAddr>, writer: &mut Writer<'_>) -> Result<(), Full> {
    let unspecified = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
    let address = address.unwrap_or(unspecified);
    let ip = match address.ip() {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    };
    writer.bytes(&ip.octets())?;
    writer.u16(address.port())
}

fn parse_address(reader: &mut Reader<'_>) -> Result<Option<SocketAddr>, Malformed> {
    let ip = Ipv6Addr::from(reader.array::<16>()?);
    let address = SocketAddr::new(IpAddr::from(ip).to_canonical(), reader.u16()?);
    Ok(Some(address).filter(|address| !address.ip().is_unspecified()))
}

impl Minisocket {
    /// As long, at most, is what [`Server::extract`](crate::server::Server::extract) makes of it.
    pub fn extracted_len_max(&self) -> usize {
        let texts: usize = (0..self.reply.count()).map(|at| self.reply.text(at).len() + 16).sum();
        HEAD_LEN + self.asks.len() + texts + 32 + BLAKE3_TAG_LEN
    }

    /// What another server of the fleet can install, good within the age limit; nothing if it belongs to a set-up,
    /// whose answer only this server can seal, or if nothing is sealed.
    pub(crate) fn extract(&self, keys: &Keys, wall: Wall, own: Issuer) -> Option<Vec<u8>> {
        let Sealing::Responses { epoch, request, header, key: Some(_) } = &self.sealing else { return None };
        let keys = keys.present();
        let mut bytes = vec![0; self.extracted_len_max()];
        let mut writer = Writer::new(&mut bytes);
        self.write(&mut writer, (keys.number() as u8, Stamp::of(wall), own), (*epoch, request, header)).ok()?;
        let tag = keys.extracted.tag(&[writer.written()]);
        writer.bytes(&tag).ok()?;
        let len = writer.position();
        bytes.truncate(len);
        Some(bytes)
    }

    fn write(
        &self,
        writer: &mut Writer<'_>,
        (sealed_by, stamp, own): (u8, Stamp, Issuer),
        (epoch, request, header): (u8, &[u8; TAG_LEN], &ResponseHeader),
    ) -> Result<(), Full> {
        let Client { id, remote, local, rtt, .. } = self.client;
        writer.u8(sealed_by)?;
        stamp.emit(writer)?;
        writer.u32(own.0)?;
        writer.u8(epoch)?;
        writer.bytes(&id.0)?;
        emit_address(Some(remote), writer)?;
        emit_address(local, writer)?;
        rtt.emit(writer)?;
        writer.bytes(request)?;
        writer.bytes(&self.seal)?;
        header.emit(writer)?;
        writer.prefixed(&self.asks)?;
        for at in 0..self.reply.count() {
            writer.varint(self.reply.most(at) as u64)?;
            writer.prefixed(self.reply.text(at))?;
        }
        Ok(())
    }

    /// Checks what was extracted: that a server of the fleet did it lately. Answers what tells it from all others.
    pub(crate) fn check(
        sealed: &[u8],
        keys: &Keys,
        horizon: &Horizon,
        wall: Wall,
    ) -> Result<(ConnectionId, [u8; BLAKE3_TAG_LEN]), InstallError> {
        let (text, tag) = sealed.split_last_chunk::<BLAKE3_TAG_LEN>().ok_or(InstallError::Malformed)?;
        let mut reader = Reader::new(text);
        let mut head = || {
            let (epoch, stamp, own) = (reader.u8()?, Stamp::parse(&mut reader)?, reader.u32()?);
            let _: u8 = reader.u8()?;
            Ok::<_, Malformed>((epoch, stamp, Issuer(own), ConnectionId(reader.array()?)))
        };
        let (epoch, stamp, own, id) = head().map_err(|Malformed| InstallError::Malformed)?;
        let keys = keys.by_last_byte(epoch).ok_or(InstallError::Unsealed)?;
        if !keys.extracted.verify(&[text], tag) {
            return Err(InstallError::Unsealed);
        }
        // What was installed before this server started is not known here any more.
        match horizon.judge(wall, own, stamp) {
            Age::Fresh => Ok((id, *tag)),
            Age::Old | Age::BeforeStart | Age::Future => Err(InstallError::Stale),
        }
    }

    /// Makes it anew, out of what was checked. Its answer is sealed under a name of this server's.
    pub(crate) fn install(
        &mut self,
        sealed: &[u8],
        keys: &Keys,
        name: impl FnOnce(&[u8; TAG_LEN]) -> Option<InstanceName>,
    ) -> Option<()> {
        let text = &sealed[..sealed.len().checked_sub(BLAKE3_TAG_LEN)?];
        self.read(&mut Reader::new(text), keys, name).ok()
    }

    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        keys: &Keys,
        name: impl FnOnce(&[u8; TAG_LEN]) -> Option<InstanceName>,
    ) -> Result<(), Malformed> {
        let (_, _, _) = (reader.u8()?, Stamp::parse(reader)?, reader.u32()?);
        let (epoch, id) = (reader.u8()?, ConnectionId(reader.array()?));
        let (remote, local) = (parse_address(reader)?.ok_or(Malformed)?, parse_address(reader)?);
        let rtt = Rtt::parse(reader)?;
        let (request, seal) = (reader.array()?, reader.array()?);
        let header = Some(ResponseHeader::parse(reader)?).filter(|header| !header.armor.is_plain()).ok_or(Malformed)?;
        let secret = ConnectionSecret::new(keys.by_last_byte(epoch).ok_or(Malformed)?.connection_secret(&id));
        let instance = name(&request).ok_or(Malformed)?;
        let header = ResponseHeader { instance, ..header };
        self.client = Client { event: Event::Request, id, remote, local, rtt };
        self.seal = seal;
        self.asks.clear();
        self.asks.extend_from_slice(reader.prefixed(DATAGRAM_LEN_MAX)?);
        self.reply.clear();
        while !reader.is_empty() {
            let most = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
            let text = reader.prefixed(DATAGRAM_LEN_MAX)?;
            let (_, rest) = text.split_at_checked(ResponseHeader::LEN).ok_or(Malformed)?;
            let index = self.reply.count() as u8;
            let head = |writer: &mut Writer<'_>| {
                ResponseHeader { index, ..header }.emit(writer)?;
                writer.bytes(rest)
            };
            self.reply.add(most.min(DATAGRAM_LEN_MAX), TAG_LEN, head).map_err(|Full| Malformed)?;
        }
        self.sealing = Sealing::Responses { key: Some(secret.responses(instance, &request)), epoch, request, header };
        Ok(())
    }
}
