//! What a supply gives to peers, and takes from them.

use std::sync::Arc;

use tng_base::{CodeHash, Eid};
use tng_services::code::{Code, Declined, MODULE_MAX, Offer, Shelf};
use tng_stack::structured::Role;
use tng_stp_manager::{InstallError, Origin, Outcome, Reason, StoreError};
use tng_stp_process::StartError;
use tng_stp_sandbox::text;

use super::{PrepareError, Shipped, Supply, now_unix_s};

impl Shelf for Supply {
    fn module(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        self.manager().module(&hash).ok().map(Into::into)
    }

    fn manifest(&self, hash: CodeHash) -> Option<Vec<u8>> {
        self.manager().manifest(&hash)
    }

    fn text(&self, hash: CodeHash) -> Option<Arc<[u8]>> {
        let module = self.manager().module(&hash).ok()?;
        text(&module, MODULE_MAX).ok().map(|text| text.into_bytes().into())
    }

    /// Nothing but transports, which peers can do something with.
    fn gives(&self, _: Eid, hash: CodeHash) -> bool {
        self.manager().look(|_, known| known.transports().contains(&hash))
    }

    fn wants(&self, peer: Eid, hash: CodeHash, _: &Offer) -> Result<(), Declined> {
        let service = self.0.judge.asked_for(peer, &hash).unwrap_or_default();
        // It comes to this host, whatever port this host has connected to there.
        let question = self.0.judge.question_of(Role::Responder, peer, &service);
        match self.manager().decide(&question, &hash, now_unix_s()).outcome {
            Outcome::Fetch if self.sources(&question).0 => Ok(()),
            Outcome::Fetch => Err(Declined::NotFromPeers),
            Outcome::Run(_) => Err(Declined::AlreadyHere),
            Outcome::Refuse(reason) => Err(refused(&reason)),
        }
    }

    fn take(&self, peer: Eid, code: Code) -> Result<(), Declined> {
        let hash = code.hash;
        let service = self.0.judge.asked_for(peer, &hash).unwrap_or_default();
        let shipped = Shipped::of(code, Origin::Peer(peer));
        let question = self.0.judge.question_of(Role::Responder, peer, &service);
        self.0.install(hash, &shipped, &question).map(drop).map_err(|error| declined(&error))
    }
}

/// Why a peer's code is not taken, as it is told.
fn declined(error: &PrepareError) -> Declined {
    match error {
        PrepareError::Install(InstallError::WrongHash { .. }) => Declined::WrongHash,
        PrepareError::Install(InstallError::TooLarge { .. }) => Declined::TooLarge,
        PrepareError::Install(InstallError::Manifest(_)) => Declined::BadManifest,
        PrepareError::Install(InstallError::Forbidden(reason)) => refused(reason),
        PrepareError::Install(InstallError::Refused(verdict)) | PrepareError::Refused(verdict) => {
            verdict.refused().map_or(Declined::NotAllowed, refused)
        }
        PrepareError::Install(InstallError::Store(error)) | PrepareError::Store(error) => match error {
            StoreError::Full { .. } | StoreError::Quota { .. } | StoreError::TooMany(_) => Declined::NoRoom,
            _ => Declined::Unavailable,
        },
        PrepareError::Module(_)
        | PrepareError::Controller
        | PrepareError::Messages
        | PrepareError::Process(StartError::Unfit(_)) => Declined::Unfit,
        // Nobody vouches for it, and it could run nowhere.
        PrepareError::NoProcesses => Declined::NotSigned,
        PrepareError::Process(_) | PrepareError::Ending => Declined::Unavailable,
        PrepareError::Install(_) => Declined::NotAllowed,
    }
}

/// Why the policy refuses a peer's code, as it is told.
fn refused(reason: &Reason) -> Declined {
    match reason {
        Reason::AcceptsNone => Declined::AcceptsNone,
        Reason::NotPinned => Declined::NotPinned,
        Reason::NotSigned { .. } | Reason::NobodyVouches => Declined::NotSigned,
        Reason::Revoked | Reason::KeyRevoked(_) => Declined::TakenBack,
        Reason::Expired { .. } | Reason::Clock => Declined::Expired,
        Reason::Downgrade { .. } | Reason::Substituted { .. } => Declined::Older,
        Reason::Flagged { .. } => Declined::Flagged,
        Reason::Offender { .. } => Declined::Offender,
        Reason::NotFromPeers | Reason::NotFromHost(_) | Reason::NotFromFiles => Declined::NotFromPeers,
        Reason::NoTransport(_) | Reason::NoController(_) | Reason::Version { .. } => Declined::Unfit,
        Reason::RefusedBefore => Declined::RefusedBefore,
        // What runs here for which application is this host's business.
        _ => Declined::NotAllowed,
    }
}
