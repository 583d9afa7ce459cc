//! Guests under observation: what each callback takes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tng_crypto::Secret32;
use tng_stp_abi::{Role, SocketKind, TIMER_SEND, UserRequest};
use tng_stp_host::{Around, Callback, Code, Denials, Fault, Instance, Quotas, Workshop};
use tng_stp_sandbox::{Module, Sandboxed};

use super::{Part, Row};

/// What all instances of a guest have done.
#[derive(Debug, Default)]
pub(super) struct Record(Mutex<Seen>);

#[derive(Clone, Debug, Default)]
struct Seen {
    /// The most fuel that each callback took.
    fuel: BTreeMap<&'static str, u64>,
    memory: u64,
    /// Those of the instance that has most.
    denials: Denials,
    fault: Option<(&'static str, Fault)>,
}

impl Record {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first thing that an instance did wrong, and in which callback.
    pub(super) fn fault(&self) -> Option<(&'static str, Fault)> {
        self.lock().fault.clone()
    }

    /// What was denied, by its kind.
    pub(super) fn denied(&self) -> String {
        // To be told to wait is none.
        let counts = |(kind, count): &(&str, u64)| *count > 0 && *kind != "policed";
        let kinds =
            self.lock().denials.kinds().into_iter().filter(counts).map(|(kind, count)| format!("{kind} {count}"));
        let kinds: Vec<String> = kinds.collect();
        if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
    }

    pub(super) fn rows(&self, quotas: &Quotas) -> [Row; 3] {
        let Seen { fuel, memory, denials, fault } = self.lock().clone();
        let (callback, most) = fuel.into_iter().max_by_key(|(_, fuel)| *fuel).unwrap_or(("attach", 0));
        let ended = fault.map(|(callback, fault)| format!("; `{callback}`: {fault}"));
        let why = format!("{most} at most, in `{callback}`{}", ended.as_deref().unwrap_or_default());
        let fuel = format!("takes at most {} of fuel in a callback", quotas.fuel);
        [
            Row::new(Part::Quotas, fuel, most < quotas.fuel && ended.is_none(), why),
            Row::new(
                Part::Quotas,
                format!("has at most {} bytes of memory", quotas.memory),
                memory <= quotas.memory && denials.memory == 0,
                format!("{memory}, and growth was denied {} times", denials.memory),
            ),
            Row::new(
                Part::Quotas,
                format!("is denied at most {} times", quotas.denials),
                denials.faults() <= quotas.denials,
                format!(
                    "{} that count, {} in all; told to wait {} times",
                    denials.faults(),
                    self.denied(),
                    denials.policed
                ),
            ),
        ]
    }
}

/// The same code, whose instances are watched.
pub(super) fn watch(code: Code, record: &Arc<Record>) -> Code {
    let record = Arc::clone(record);
    code.within(move |inner| Watched { inner, record: Arc::clone(&record) })
}

#[derive(Debug)]
struct Watched {
    inner: Box<dyn Instance>,
    record: Arc<Record>,
}

impl Around for Watched {
    fn inner(&self) -> &dyn Instance {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut *self.inner
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        let before = self.inner.usage().fuel;
        let result = self.inner.call(callback);
        let (after, denials) = (self.inner.usage(), *self.inner.shim().denials());
        let mut seen = self.record.lock();
        let most = seen.fuel.entry(callback.name()).or_default();
        *most = (*most).max(after.fuel - before);
        seen.memory = seen.memory.max(after.memory);
        let all = |denials: &Denials| (denials.faults() + denials.proofs, denials.policed);
        if all(&denials) > all(&seen.denials) {
            seen.denials = denials;
        }
        if let Err(fault) = &result {
            seen.fault.get_or_insert_with(|| (callback.name(), fault.clone()));
        }
        result
    }
}

/// Calls each callback once, at either end, with nothing arrived and nothing written.
pub(super) fn answers(module: &Module, socket: SocketKind) -> Result<(), String> {
    let workshop = Workshop::new(&Secret32::from_bytes([1; 32]), [2; 32]);
    for (role, begins) in [(Role::Initiator, Callback::Connect), (Role::Responder, Callback::Accept)] {
        let wrong = Arc::new(Mutex::new(None));
        let (module, noted) = (module.clone(), Arc::clone(&wrong));
        let code = Code::new("guest", socket, move |shim| {
            let mut instance = Sandboxed::new(&module, shim)?;
            for callback in [
                Callback::Attach,
                begins,
                Callback::PathChanged,
                Callback::Input,
                Callback::Timer(TIMER_SEND),
                Callback::UserRequest(UserRequest::Send { until: 0 }),
                Callback::UserRequest(UserRequest::Received { until: 0 }),
                Callback::Call { number: 0 },
                Callback::UserRequest(UserRequest::Disconnect),
                Callback::Shutdown { deadline_ms: 2_000 },
                Callback::Abort,
            ] {
                instance.call(callback).inspect_err(|fault| {
                    *noted.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(format!("`{}`: {fault}", callback.name()));
                })?;
            }
            Ok(Box::new(instance))
        });
        if let Err(fault) = workshop.transport(&code, role) {
            let noted = wrong.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Err(noted.unwrap_or_else(|| fault.to_string()));
        }
    }
    Ok(())
}
