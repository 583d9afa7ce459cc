//! Controllers of a store: guests that regulate what this host sends.

use tng_base::CodeHash;
use tng_stp_abi::Sample;
use tng_stp_host::{Advisor, Advisors, Fault, Quotas, Usage};
use tng_stp_manager::{Outcome, Purpose, Question, Verdict};

use super::managed::{Managed, allow};
use super::{PrepareError, Supply, now_unix_s};
use crate::repertoire::TransportPolicy;

impl Supply {
    /// What the policy makes of a controller that this host is to send by.
    pub fn decide_controller(&self, hash: &CodeHash) -> Verdict {
        self.0.judge.decide_controller(hash)
    }

    /// The guests of a controller that is here, under a name: one regulates each path from now on, in the sandbox of
    /// this process, as the policy says when the path begins. `told` is as in [`Advisors::new`]; what guests do wrong
    /// is noted in the store's history, too. It is compiled here and now, unless that was done before.
    ///
    /// # Errors
    /// See [`PrepareError`].
    pub fn advisors(
        &self,
        hash: CodeHash,
        name: &str,
        told: impl Fn(&Fault) + Send + Sync + 'static,
    ) -> Result<Advisors, PrepareError> {
        let verdict = self.decide_controller(&hash);
        let Outcome::Run(limits) = &verdict.outcome else { return Err(PrepareError::Refused(verdict)) };
        let (module, usual) = (self.0.compiled(hash)?, *self.0.engine.quotas());
        let cap = allow(limits, &mut { usual });
        // As long as there is one of them, what they do is written down.
        let supply = self.clone();
        let make = move |_| -> Result<Box<dyn Advisor>, Fault> {
            let judge = &supply.0.judge;
            let quotas = judge.quotas_of_controller(&hash, usual).ok_or(Fault::Refused)?;
            let inner = module.advisor(quotas).inspect_err(|fault| judge.note_fault(hash, fault))?;
            Ok(Box::new(Judged { inner, hash, judge: judge.clone() }))
        };
        Ok(Advisors::new(name, cap, make, told))
    }
}

impl Managed {
    fn decide_controller(&self, hash: &CodeHash) -> Verdict {
        let question = Question { purpose: Purpose::Regulate, ..self.question(None, "") };
        self.manager.decide(&question, hash, now_unix_s())
    }

    /// What it may use on a path that begins; none: it does not run any more.
    fn quotas_of_controller(&self, hash: &CodeHash, mut usual: Quotas) -> Option<Quotas> {
        let Outcome::Run(limits) = self.decide_controller(hash).outcome else { return None };
        self.manager.used(hash, now_unix_s());
        allow(&limits, &mut usual);
        Some(usual)
    }
}

/// A guest whose faults are noted.
#[derive(Debug)]
struct Judged {
    inner: Box<dyn Advisor>,
    hash: CodeHash,
    judge: Managed,
}

impl Advisor for Judged {
    fn handle(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault> {
        self.inner.handle(sample).inspect_err(|fault| self.judge.note_fault(self.hash, fault))
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }
}
