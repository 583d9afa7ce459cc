//! Controllers that are guests, of this host's own choice: those that come with the program, and those of the store
//! that the policy lets run.

#[cfg(feature = "guests")]
pub use with_engine::Controllers;
#[cfg(not(feature = "guests"))]
pub use without::Controllers;

#[cfg(feature = "guests")]
mod with_engine {
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use serde_json::{Value, json};
    use tng::CodeHash;
    use tng::stp::manager::{Knowledge, Manager, Outcome, Policy, Purpose, Question, Verdict};
    use tng::stp::{self, Advisors, Application, BUILT_IN, Engine, GUEST_PREFIX, PrepareError, code_hash};

    use crate::clock;
    use crate::exit::Exit;
    use crate::failure::Failure;
    use crate::guests::modules::{advisors, engine, module, warning};
    use crate::guests::named::{Among, find};
    use crate::guests::place::PlaceArgs;
    use crate::guests::supply::{PolicyFile, built_in_guests, is_wanted, open_manager, store_failure};
    use crate::talk::Talk;

    const CHOOSING: &str = "choosing the congestion controller";

    /// Controllers by name and hash, for one application. Each is compiled when it is first asked for.
    #[derive(Debug)]
    pub struct Controllers {
        application: &'static str,
        here: Here,
        loaded: Mutex<Loaded>,
    }

    /// What is here.
    #[derive(Debug)]
    enum Here {
        /// What comes with the program: this user has neither a store nor a policy.
        BuiltIn(Box<(Policy, Knowledge)>),
        /// That, and a store under a policy.
        Kept(Arc<Manager>, PolicyFile),
    }

    #[derive(Debug, Default)]
    struct Loaded {
        /// It has a thread of its own, and is made when something has to be compiled.
        engine: Option<Engine>,
        supply: Option<stp::Supply>,
        guests: Vec<Guests>,
    }

    /// The guests that one name stands for, or stood for.
    #[derive(Debug)]
    struct Guests {
        name: String,
        hash: CodeHash,
        advisors: Advisors,
    }

    impl Controllers {
        /// Those of this user. The store is opened now, so that it can be read when this process opens no other files
        /// any more. None is made.
        ///
        /// # Errors
        /// If the store or the policy cannot be read.
        pub fn open(application: &'static str, place: &PlaceArgs, talk: Talk) -> Result<Controllers, Failure> {
            if !is_wanted(place) {
                return Ok(Controllers::built_in(application));
            }
            let mut policy = PolicyFile::of(place);
            let manager = Arc::new(open_manager(place, &mut policy, talk)?);
            Ok(Controllers::over(application, Here::Kept(manager, policy)))
        }

        /// Those that come with the program.
        pub fn built_in(application: &'static str) -> Controllers {
            let known = Knowledge { built_in: built_in_guests(), ..Knowledge::default() };
            Controllers::over(application, Here::BuiltIn(Box::new((Policy::default(), known))))
        }

        fn over(application: &'static str, here: Here) -> Controllers {
            Controllers { application, here, loaded: Mutex::default() }
        }

        /// Folders that are read when something is loaded.
        pub fn folders(&self) -> Vec<PathBuf> {
            match &self.here {
                Here::BuiltIn(_) => Vec::new(),
                Here::Kept(manager, policy) => {
                    let policy = policy.path().map(|file| crate::key::folder_of(file).to_owned());
                    policy.into_iter().chain([manager.store().folder().clone()]).collect()
                }
            }
        }

        /// Checks that a controller is here, and may run.
        ///
        /// # Errors
        /// If it is not, or may not.
        pub fn check(&self, name: &str) -> Result<(), Failure> {
            self.found(name).map(drop)
        }

        /// The code of a name.
        fn found(&self, name: &str) -> Result<CodeHash, Failure> {
            let question =
                Question { purpose: Purpose::Regulate, application: Some(self.application), ..Question::default() };
            let now = clock::seconds_since_1970();
            let look = |policy: &Policy, known: &Knowledge| {
                let found = find(policy, known, name, Among::Controllers);
                let hash = found.map_err(|error| error.failure(CHOOSING, known, name, Among::Controllers))?;
                refused(name, policy.decide(known, &question, &hash, now)).map_or(Ok(hash), Err)
            };
            match &self.here {
                Here::BuiltIn(all) => look(&all.0, &all.1),
                Here::Kept(manager, _) => manager.look(look),
            }
        }

        /// The guests of that name. The same ones as before, as long as the name stands for the same code.
        ///
        /// # Errors
        /// If there is none, it may not run, or does not compile.
        pub fn load(&self, name: &str) -> Result<Advisors, Failure> {
            let hash = self.found(name)?;
            let mut loaded = self.loaded();
            let Loaded { engine: made, supply, guests } = &mut *loaded;
            if let Some(guests) = guests.iter().find(|it| (it.name.as_str(), it.hash) == (name, hash)) {
                return Ok(guests.advisors.clone());
            }
            if made.is_none() {
                *made = Some(engine()?);
            }
            let engine = made.as_ref().expect("it is made");
            let advisors = match &self.here {
                Here::BuiltIn(_) => {
                    let guest = BUILT_IN.iter().find(|guest| code_hash(guest.bytes) == hash).expect("it was found");
                    advisors(name, module(engine, guest)?)
                }
                Here::Kept(manager, _) => {
                    let application = Application { name: self.application.to_owned(), no_foreign: false };
                    let over = || stp::Supply::new(Arc::clone(manager), engine.clone(), application, None);
                    let made = supply.get_or_insert_with(over).advisors(hash, name, warning(name));
                    let failure = |error: PrepareError| {
                        Failure::new(Exit::NotRunnable, format!("loading {GUEST_PREFIX}{name}"), error)
                    };
                    made.map_err(failure)?
                }
            };
            // Of a name that stands for other code now the guests before are told of as long as one regulates.
            guests.retain(|before| before.name != name || at_work(&before.advisors) > 0);
            guests.push(Guests { name: name.to_owned(), hash, advisors: advisors.clone() });
            Ok(advisors)
        }

        /// Reads store and policy again.
        ///
        /// # Errors
        /// If one of them cannot be read.
        pub fn reload(&self) -> Result<(), Failure> {
            let Here::Kept(manager, policy) = &self.here else { return Ok(()) };
            let policy = policy.clone().read()?;
            let what = || format!("reading the store of transports in {}", manager.store().folder().display());
            manager.reload().map_err(|error| store_failure(what(), &error))?;
            manager.set_policy(policy);
            Ok(())
        }

        /// What has come of those that were loaded, for programs.
        pub fn status(&self) -> Value {
            let of = |Guests { name, hash, advisors }: &Guests| {
                let (total, accounts) = (advisors.total(), advisors.accounts());
                let fault = accounts.iter().rev().find_map(|account| account.fault.as_ref());
                json!({
                    "name": format!("{GUEST_PREFIX}{name}"),
                    "blake3": hash.to_string(),
                    "at_work": at_work(advisors),
                    "begun": total.begun,
                    "stopped": total.stopped,
                    "calls": total.calls,
                    "fuel": total.fuel,
                    "fault": fault.map(ToString::to_string),
                })
            };
            self.loaded().guests.iter().map(of).collect()
        }

        fn loaded(&self) -> MutexGuard<'_, Loaded> {
            self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// How many regulate a path now.
    fn at_work(advisors: &Advisors) -> usize {
        advisors.accounts().iter().filter(|account| account.fault.is_none()).count()
    }

    fn refused(name: &str, verdict: Verdict) -> Option<Failure> {
        let why = match &verdict.outcome {
            Outcome::Run(_) => return None,
            Outcome::Fetch => "it is not here".to_owned(),
            Outcome::Refuse(reason) => reason.to_string(),
        };
        let why = format!("{GUEST_PREFIX}{name} does not run, by {:?} of the policy: {why}", &*verdict.rule);
        Some(Failure::told(Exit::Denied, CHOOSING, why))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_controller_is_found_by_name_and_hash_and_compiled_once() {
            let controllers = Controllers::built_in("relay");
            let vegas = BUILT_IN.iter().find(|guest| guest.name == "vegas").expect("it is built in");
            let hash = code_hash(vegas.bytes);
            controllers.load("vegas").expect("it runs");
            assert!(controllers.load("vegas").is_ok() && controllers.load(&hash.to_string()).is_ok());
            let status = controllers.status();
            let names: Vec<&str> =
                status.as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
            assert_eq!(names, ["guest-vegas", &format!("guest-{hash}")], "twice is once, and another name another");
            assert!(status[0]["blake3"] == hash.to_string() && status[0]["calls"] == 0, "{status}");
        }

        #[test]
        fn what_is_no_controller_is_refused_with_those_that_are() {
            for name in ["vegass", "", "fffffffffff"] {
                let failure = Controllers::built_in("relay").check(name).expect_err(name);
                let wanted = format!("{name:?} is no controller that is here, by name or hash; here are ");
                assert!(failure.why.starts_with(&wanted) && failure.why.contains("guest-vegas"), "{failure}");
            }
            assert!(Controllers::built_in("relay").check("vegas").is_ok(), "control");
        }

        #[test]
        fn a_policy_that_accepts_nothing_refuses_what_is_built_in_too_and_says_by_which_rule() {
            let text = "[[rule]]\nname = \"still\"\napplication = \"relay\"\naccept = \"none\"\n";
            let known = Knowledge { built_in: built_in_guests(), ..Knowledge::default() };
            let all = || Box::new((Policy::parse(text).expect("it is right"), known.clone()));
            let failure = Controllers::over("relay", Here::BuiltIn(all())).check("vegas").expect_err("refused");
            let wanted = "guest-vegas does not run, by \"still\" of the policy: the rule accepts no code";
            assert!(failure.exit == Exit::Denied && failure.why == wanted, "{failure}");
            assert!(Controllers::over("perf", Here::BuiltIn(all())).check("vegas").is_ok(), "control: another's rule");
        }
    }
}

#[cfg(not(feature = "guests"))]
mod without {
    use std::path::PathBuf;

    use serde_json::{Value, json};
    use tng::stp::Advisors;

    use crate::failure::Failure;
    use crate::guests::place::PlaceArgs;
    use crate::talk::Talk;

    /// There are none in a tool without guests.
    #[derive(Debug)]
    pub struct Controllers;

    impl Controllers {
        /// There are none.
        ///
        /// # Errors
        /// Never: only who names one is told.
        pub fn open(_: &'static str, _: &PlaceArgs, _: Talk) -> Result<Controllers, Failure> {
            Ok(Controllers)
        }

        /// Nothing is read.
        pub fn folders(&self) -> Vec<PathBuf> {
            Vec::new()
        }

        /// There is none.
        ///
        /// # Errors
        /// Always.
        pub fn check(&self, name: &str) -> Result<(), Failure> {
            self.load(name).map(drop)
        }

        /// There is none.
        ///
        /// # Errors
        /// Always.
        pub fn load(&self, name: &str) -> Result<Advisors, Failure> {
            let why = format!("{name:?} is a guest, and this tool was built without guests");
            Err(Failure::usage("choosing the congestion controller", why).or_try("a build with the feature `guests`"))
        }

        /// There is nothing to read.
        ///
        /// # Errors
        /// Never.
        pub fn reload(&self) -> Result<(), Failure> {
            Ok(())
        }

        /// Nothing has come of any.
        pub fn status(&self) -> Value {
            json!([])
        }
    }
}
