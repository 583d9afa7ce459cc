//! What guests have used and done.

use core::time::Duration;
use std::net::SocketAddr;

use tng_base::Eid;
use tng_stp_abi::{Kind, Role};
use tng_stp_host::{AdvisorAccount, Denials, End, Figures, Life, PROTOCOL_PREFIX, Traffic, Transport, Usage};

use super::GuestError;

/// The account of one guest: an end of a connection, or a controller of what is sent on one path. A controller sends
/// nothing itself, and asks for nothing that could be denied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GuestAccount {
    /// The guest's name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Which end this is; nothing of a controller, which is told neither that nor who its peer is.
    pub role: Option<Role>,
    /// Who is at the other end.
    pub peer: Option<Eid>,
    /// Where that is, or was.
    pub remote: Option<SocketAddr>,
    /// For how long it has had a path.
    pub age: Duration,
    /// Calls, fuel, time, memory. The time of a controller is not measured.
    pub usage: Usage,
    /// Bytes that the host holds for it now, beside its memory.
    pub held: u64,
    /// What left, and what came.
    pub traffic: Traffic,
    /// What holds its rate. A controller is held, too, but by what is its path's.
    pub policer: Option<Figures>,
    /// What was denied.
    pub denials: Denials,
    /// Why it is not called any more, if so.
    pub ended: Option<GuestError>,
}

/// Whose account it is.
pub(crate) struct Of<'a> {
    pub(crate) protocol: &'a str,
    pub(crate) peer: Eid,
    pub(crate) remote: Option<SocketAddr>,
}

impl GuestAccount {
    /// As it stands now; `over` is why the connection is over, if it is.
    pub(crate) fn new(of: Of<'_>, transport: &Transport, over: Option<GuestError>) -> GuestAccount {
        let shim = transport.shim();
        let own = match transport.life() {
            // That it has nothing to do any more is so whenever its connection is over.
            Life::Ended(how) if over.is_none() || *how != End::Done => Some(GuestError::Ended(how.clone())),
            Life::Ended(_) | Life::Attached | Life::Running | Life::Leaving { .. } => None,
        };
        GuestAccount {
            name: of.protocol.strip_prefix(PROTOCOL_PREFIX).unwrap_or(of.protocol).to_owned(),
            kind: Kind::of(transport.socket().kind()),
            role: Some(shim.role()),
            peer: Some(of.peer),
            remote: of.remote,
            age: shim.age(),
            usage: transport.usage(),
            held: shim.held(),
            traffic: *shim.traffic(),
            policer: Some(shim.policer().figures()),
            denials: *shim.denials(),
            ended: own.or(over),
        }
    }

    /// Of a guest that regulates.
    pub(crate) fn of_advisor(name: &str, account: AdvisorAccount) -> GuestAccount {
        GuestAccount {
            name: name.to_owned(),
            kind: Kind::Controller,
            role: None,
            peer: None,
            remote: None,
            age: account.age,
            usage: account.usage,
            held: 0,
            traffic: Traffic::default(),
            policer: None,
            denials: Denials::default(),
            ended: account.fault.map(|fault| GuestError::Ended(End::Stopped(fault))),
        }
    }
}
