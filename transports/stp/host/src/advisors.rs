//! The guests of one name that regulate, and what has come of them.

use core::fmt;
use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tng_congestion::Choice;
use tng_stp_abi::Sample;

use crate::{Advised, Advisor, Cap, Fault, Policed, PolicerConfig, Usage};

/// Accounts of guests that were stopped, the newest; a guest that is at work has one in any case.
pub const STOPPED_KEPT: usize = 16;

/// What the names of controllers begin with that guests advise.
pub const GUEST_PREFIX: &str = "guest-";

/// Makes a guest for packets of so many bytes.
type Make = dyn Fn(u16) -> Result<Box<dyn Advisor>, Fault> + Send + Sync;
/// Is told of a guest in whose place NewReno regulates.
type Told = dyn Fn(&Fault) + Send + Sync;

/// Makes congestion controllers that guests of one name advise, and keeps their accounts. Clones are the same.
#[derive(Clone)]
pub struct Advisors(Arc<Inner>);

struct Inner {
    name: String,
    cap: Cap,
    make: Box<Make>,
    told: Box<Told>,
    /// Locked when a guest begins or is stopped, and when somebody asks: never for a packet.
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    entries: Vec<Arc<Entry>>,
    /// Of those that have no entry any more.
    gone: AdvisorTotal,
    last_told: Option<Fault>,
}

/// What one guest has come to. It writes, others read.
#[derive(Default)]
struct Entry {
    calls: AtomicU64,
    fuel: AtomicU64,
    memory: AtomicU64,
    age_ns: AtomicU64,
    fault: OnceLock<Fault>,
}

/// The account of a guest that regulates a path, or did until it was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AdvisorAccount {
    /// From the first that it was told of its path to the last.
    pub age: Duration,
    /// Calls, fuel, memory.
    pub usage: Usage,
    /// Why NewReno regulates in its place, if so.
    pub fault: Option<Fault>,
}

/// What all guests of one name have come to, those included whose paths are gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AdvisorTotal {
    /// How many have begun, or were to.
    pub begun: u64,
    /// Those in whose place NewReno regulates, or did.
    pub stopped: u64,
    /// Calls.
    pub calls: u64,
    /// Fuel.
    pub fuel: u64,
}

impl AdvisorTotal {
    fn and(self, entry: &Entry) -> AdvisorTotal {
        let AdvisorAccount { usage, fault, .. } = entry.account();
        AdvisorTotal {
            begun: self.begun + 1,
            stopped: self.stopped + u64::from(fault.is_some()),
            calls: self.calls.saturating_add(usage.calls),
            fuel: self.fuel.saturating_add(usage.fuel),
        }
    }
}

impl fmt::Debug for Advisors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Advisors").field("name", &self.0.name).field("cap", &self.0.cap).finish_non_exhaustive()
    }
}

impl Advisors {
    /// Guests of this name, one for each path, which `make` makes. What they advise is held to `cap`. `told` hears
    /// why a guest was stopped, or not made, unless it has just heard the same of another one.
    pub fn new(
        name: &str,
        cap: Cap,
        make: impl Fn(u16) -> Result<Box<dyn Advisor>, Fault> + Send + Sync + 'static,
        told: impl Fn(&Fault) + Send + Sync + 'static,
    ) -> Advisors {
        let (make, told) = (Box::new(make), Box::new(told));
        Advisors(Arc::new(Inner { name: name.to_owned(), cap, make, told, ledger: Mutex::default() }))
    }

    /// Their name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// A choice of a controller that one of them advises, behind the policer: `guest-NAME`.
    pub fn choice(&self) -> Choice {
        let (advisors, title) = (self.clone(), Arc::<str>::from(format!("{GUEST_PREFIX}{}", self.0.name)));
        Choice::of(&title.clone(), move |mtu| {
            let config = PolicerConfig { cap: advisors.0.cap, segment_max: mtu };
            let advised = Advised::new(advisors.begin(mtu), mtu).entitled(Arc::clone(&title));
            Box::new(Policed::new(Box::new(advised), config))
        })
    }

    /// What they have come to together.
    pub fn total(&self) -> AdvisorTotal {
        self.0.change(|ledger| ledger.entries.iter().fold(ledger.gone, |total, entry| total.and(entry)))
    }

    /// The accounts of those that are at work, and of the last [`STOPPED_KEPT`] that were stopped, in the order in
    /// which they began.
    pub fn accounts(&self) -> Vec<AdvisorAccount> {
        self.0.change(|ledger| ledger.entries.iter().map(|entry| entry.account()).collect())
    }

    fn begin(&self, mtu: u16) -> Result<Box<dyn Advisor>, Fault> {
        let entry = Arc::new(Entry::default());
        self.0.change(|ledger| ledger.entries.push(Arc::clone(&entry)));
        match (self.0.make)(mtu) {
            Ok(inner) => Ok(Box::new(Accounted { inner, entry, began_ns: 0, advisors: self.clone() })),
            Err(fault) => {
                self.stop(&entry, &fault);
                Err(fault)
            }
        }
    }

    fn stop(&self, entry: &Entry, fault: &Fault) {
        let _ = entry.fault.set(fault.clone());
        // A host without room would say so for each of its paths.
        let is_new = self.0.change(|ledger| ledger.last_told.replace(fault.clone()).as_ref() != Some(fault));
        if is_new {
            (self.0.told)(fault);
        }
    }
}

impl Inner {
    /// Changes the ledger, without those of whom nothing is kept any more.
    fn change<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let stopped = ledger.entries.iter().filter(|entry| entry.fault.get().is_some()).count();
        let mut too_many = stopped.saturating_sub(STOPPED_KEPT);
        let Ledger { entries, gone, .. } = &mut *ledger;
        entries.retain(|entry| {
            let stays = match entry.fault.get() {
                // Nobody but the ledger has it: its path is gone.
                None => Arc::strong_count(entry) > 1,
                Some(_) if too_many > 0 => {
                    too_many -= 1;
                    false
                }
                Some(_) => true,
            };
            if !stays {
                *gone = gone.and(entry);
            }
            stays
        });
        change(&mut ledger)
    }
}

impl Entry {
    fn write(&self, usage: &Usage, age_ns: u64) {
        for (place, value) in
            [(&self.calls, usage.calls), (&self.fuel, usage.fuel), (&self.memory, usage.memory), (&self.age_ns, age_ns)]
        {
            place.store(value, Ordering::Relaxed);
        }
    }

    fn account(&self) -> AdvisorAccount {
        let [calls, fuel, memory, age_ns] =
            [&self.calls, &self.fuel, &self.memory, &self.age_ns].map(|place| place.load(Ordering::Relaxed));
        AdvisorAccount {
            age: Duration::from_nanos(age_ns),
            usage: Usage { calls, fuel, memory, ..Usage::default() },
            fault: self.fault.get().cloned(),
        }
    }
}

/// A guest that writes down what it uses: a few stores for each sample, which is at most one for each acknowledgment.
struct Accounted {
    inner: Box<dyn Advisor>,
    entry: Arc<Entry>,
    /// When it was first told of its path; 0 before.
    began_ns: u64,
    advisors: Advisors,
}

impl fmt::Debug for Accounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Accounted").field(&self.inner).finish()
    }
}

impl Advisor for Accounted {
    fn handle(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault> {
        let answer = self.inner.handle(sample);
        if self.began_ns == 0 {
            self.began_ns = sample.now_ns;
        }
        self.entry.write(&self.inner.usage(), sample.now_ns.saturating_sub(self.began_ns));
        if let Err(fault) = &answer {
            self.advisors.stop(&self.entry, fault);
        }
        answer
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }
}

#[cfg(test)]
mod tests {
    use tng_congestion::battery::{self, Round};

    use super::*;

    /// Says nothing, and is stopped after so many samples.
    #[derive(Debug)]
    struct Mortal {
        lives: u64,
        calls: u64,
    }

    impl Advisor for Mortal {
        fn handle(&mut self, _: &Sample) -> Result<Option<(u64, u64)>, Fault> {
            self.calls += 1;
            if self.calls > self.lives { Err(Fault::Cpu) } else { Ok(None) }
        }

        fn usage(&self) -> Usage {
            Usage { calls: self.calls, fuel: 10 * self.calls, memory: 65_536, ..Usage::default() }
        }
    }

    /// Guests that live for so many samples, and have no room where packets have 1,300 bytes; and what was told of
    /// them.
    fn mortal(lives: u64) -> (Advisors, Arc<Mutex<Vec<Fault>>>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let make = move |mtu| match mtu {
            1_300 => Err(Fault::NoRoom),
            _ => Ok(Box::new(Mortal { lives, calls: 0 }) as Box<dyn Advisor>),
        };
        let tell = move |fault: &Fault| heard.lock().expect("held").push(fault.clone());
        (Advisors::new("mortal", Cap::Equation, make, tell), told)
    }

    #[test]
    fn a_guest_at_work_has_an_account_until_its_path_is_gone() {
        let (advisors, told) = mortal(u64::MAX);
        let choice = advisors.choice();
        assert_eq!((choice.name(), advisors.accounts()), ("guest-mortal", Vec::new()));
        let mut controller = choice.make(1_200);
        controller.set_mtu(1_400);
        let [account] = &advisors.accounts()[..] else { panic!("{advisors:?}") };
        let usage = Usage { calls: 2, fuel: 20, memory: 65_536, ..Usage::default() };
        assert_eq!((account.usage, &account.fault), (usage, &None));
        let total = AdvisorTotal { begun: 1, stopped: 0, calls: 2, fuel: 20 };
        assert_eq!((controller.title(), advisors.total()), ("guest-mortal", total));
        drop(controller);
        assert_eq!((advisors.accounts(), advisors.total()), (Vec::new(), total), "what it has done stays told");
        assert_eq!(*told.lock().expect("held"), []);
    }

    #[test]
    fn a_guest_that_is_stopped_is_told_of_and_keeps_its_account() {
        let (advisors, told) = mortal(20);
        battery::windows(advisors.choice().make(1_200), &[Round::Full; 8]);
        let [account] = &advisors.accounts()[..] else { panic!("{advisors:?}") };
        assert_eq!((account.usage.calls, &account.fault), (21, &Some(Fault::Cpu)));
        assert!(account.age >= Duration::from_millis(50), "{account:?}");
        assert_eq!(*told.lock().expect("held"), [Fault::Cpu]);
    }

    #[test]
    fn that_there_is_no_room_for_a_guest_is_told_once_for_many_paths_and_again_after_another_fault() {
        let (advisors, told) = mortal(1);
        let choice = advisors.choice();
        let without: Vec<_> = (0..3).map(|_| choice.make(1_300)).collect();
        choice.make(1_200).reset();
        drop((without, choice.make(1_300)));
        assert_eq!(*told.lock().expect("held"), [Fault::NoRoom, Fault::Cpu, Fault::NoRoom]);
        let faults: Vec<_> = advisors.accounts().into_iter().map(|account| account.fault).collect();
        let expected = [Fault::NoRoom, Fault::NoRoom, Fault::NoRoom, Fault::Cpu, Fault::NoRoom].map(Some);
        assert_eq!(faults, expected);
    }

    #[test]
    fn accounts_of_guests_that_were_stopped_are_kept_up_to_a_bound_and_those_at_work_beside() {
        let (advisors, _) = mortal(1);
        let choice = advisors.choice();
        let at_work = choice.make(1_200);
        for _ in 0..STOPPED_KEPT + 5 {
            choice.make(1_300);
        }
        let accounts = advisors.accounts();
        assert_eq!((accounts.len(), &accounts[0].fault), (STOPPED_KEPT + 1, &None));
        drop(at_work);
        assert_eq!(advisors.accounts().len(), STOPPED_KEPT);
        let all = STOPPED_KEPT as u64 + 5;
        assert_eq!((advisors.total().begun, advisors.total().stopped), (all + 1, all));
    }
}
