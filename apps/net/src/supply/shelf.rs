//! What a supply gives to peers, and takes from them.

use std::sync::Arc;

use tng_base::{CodeHash, Eid};
use tng_services::code::{Code, Declined, MODULE_MAX, Offer, Shelf};
use tng_stp_manager::{InstallError, Origin, Outcome};
use tng_stp_process::StartError;
use tng_stp_sandbox::text;

use super::{PrepareError, Shipped, Supply};

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
        match self.decide(Some(peer), &service, &hash).outcome {
            Outcome::Fetch if self.sources(peer, &service).0 => Ok(()),
            Outcome::Run(_) => Err(Declined::NotWanted),
            Outcome::Fetch | Outcome::Refuse(_) => Err(Declined::NotAllowed),
        }
    }

    fn take(&self, peer: Eid, code: Code) -> Result<(), Declined> {
        let hash = code.hash;
        let service = self.0.judge.asked_for(peer, &hash).unwrap_or_default();
        let shipped = Shipped::of(code, Origin::Peer(peer));
        let question = self.0.judge.question(Some(peer), &service);
        self.0.install(hash, &shipped, &question).map(drop).map_err(|error| declined(&error))
    }
}

/// Why a peer's code is not taken, as it is told.
fn declined(error: &PrepareError) -> Declined {
    match error {
        PrepareError::Install(InstallError::WrongHash { .. }) => Declined::WrongHash,
        PrepareError::Install(InstallError::TooLarge { .. }) => Declined::TooLarge,
        PrepareError::Install(InstallError::Store(_)) | PrepareError::Store(_) | PrepareError::Ending => {
            Declined::Unavailable
        }
        PrepareError::Process(StartError::Unfit(_)) | PrepareError::NoProcesses => Declined::NotAllowed,
        PrepareError::Process(_) => Declined::Unavailable,
        PrepareError::Install(_)
        | PrepareError::Module(_)
        | PrepareError::Controller
        | PrepareError::Messages
        | PrepareError::Refused(_) => Declined::NotAllowed,
    }
}
