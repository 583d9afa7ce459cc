//! Clients that come and go: processes of the tool that fetch a file, some killed on the way; and what clients that
//! come and go leave in a process's memory.

use core::time::Duration;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tng_base::Rng;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;

use super::memory::{MIB, Memory, SAMPLE};
use crate::lab::causes::Causes;
use crate::lab::{Check, Goal, Outcome, RunError, Table};
use crate::peers::helped::real::fault;
use crate::real::{tool, used};

/// How long a server may take to begin, and a client to end when nobody comes any more.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked who has ended.
const LOOK: Duration = Duration::from_millis(20);
/// One client in so many is killed, so soon at most.
const KILLED_ONE_IN: u64 = 5;
const KILLED_WITHIN_MS: u64 = 500;
/// The port of the server.
const PORT: u16 = 4860;
/// What clients fetch, by name.
const FILE: &str = "file";
/// Clients that failed.
pub(super) const FAILED: Goal = Goal::AtMost(0.0);
/// Clients that have all they wanted.
const WHOLE: Goal = Goal::AtLeast(1.0);

/// A process of the tool that ends with this value.
pub(in crate::lab) struct Ends(pub(in crate::lab) Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server, and what its clients fetch.
pub(super) struct Serving {
    folder: TempDir,
    file: Vec<u8>,
    url: String,
    server: Ends,
}

impl Serving {
    /// `tng serve` on a node, with a file of so many bytes.
    ///
    /// # Errors
    /// If it does not begin.
    pub(super) fn start(network: &Network, node: usize, bytes: u64, rng: &mut Rng) -> Result<Serving, RunError> {
        Serving::start_by(network, node, bytes, None, rng)
    }

    /// The same, by this policy of what transports may run.
    ///
    /// # Errors
    /// If it does not begin.
    pub(super) fn start_by(
        network: &Network,
        node: usize,
        bytes: u64,
        policy: Option<&str>,
        rng: &mut Rng,
    ) -> Result<Serving, RunError> {
        let folder = tempfile::tempdir().map_err(RunError::broken)?;
        let mut file = vec![0; bytes as usize];
        rng.fill(&mut file);
        fs::write(folder.path().join(FILE), &file).map_err(RunError::broken)?;
        let said = fs::File::create(folder.path().join("said")).map_err(RunError::broken)?;
        let address = network.topology().nodes[node].addresses[0];
        let home = folder.path().join("server");
        let mut command = at_home(&home)?;
        policy.map_or(Ok(()), |policy| write_policy(&home, policy))?;
        command.args(["serve", "--public", "--bind", &format!("{address}:{PORT}")]).arg(folder.path().join(FILE));
        let child = network.run(node, || command.stderr(said).spawn()).and_then(|child| child);
        let server = Ends(child.map_err(RunError::broken)?);
        let began = Origin::now();
        loop {
            let said = fs::read_to_string(folder.path().join("said")).unwrap_or_default();
            if let Some(ticket) = said.lines().find(|line| line.starts_with("tng1")) {
                return Ok(Serving { url: format!("tng://{ticket}/{FILE}"), folder, file, server });
            }
            if began.elapsed() > PATIENCE {
                return Err(RunError::broken(format_args!("the server does not begin: {said}")));
            }
            began.rest_until(began.elapsed() + LOOK);
        }
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.server.0.id()
    }

    /// A command of the tool with the server's own store.
    ///
    /// # Errors
    /// If this process is not the tool.
    pub(super) fn command(&self) -> Result<Command, RunError> {
        at_home(&self.folder.path().join("server"))
    }
}

/// What transports may run, for the tool [at home](at_home) in a folder.
///
/// # Errors
/// If it cannot be written.
pub(in crate::lab) fn write_policy(home: &Path, policy: &str) -> Result<(), RunError> {
    fs::create_dir_all(home.join("tng")).map_err(RunError::broken)?;
    fs::write(home.join("tng/stp.toml"), policy).map_err(RunError::broken)
}

/// The tool, with a folder of its own for all that it keeps.
///
/// # Errors
/// If this process is not the tool.
pub(in crate::lab) fn at_home(folder: &Path) -> Result<Command, RunError> {
    fs::create_dir_all(folder).map_err(RunError::broken)?;
    let mut command = Command::new(tool().map_err(fault)?);
    command.env_clear().env("HOME", folder).env("XDG_CONFIG_HOME", folder).env("TNG_KEY", folder.join("key"));
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

/// What clients are to do.
pub(super) struct Crowd<'n> {
    pub(super) network: &'n Network,
    /// Where they are.
    pub(super) node: usize,
    /// How many there are at once.
    pub(super) at_once: u64,
    /// How long new ones come.
    pub(super) time: Duration,
    /// Until another one comes for one that has ended.
    pub(super) pause: Duration,
    /// What the command of the client of that number says beside the file; its home is this folder.
    pub(super) says: &'n Says,
}

/// See [`Crowd::says`].
pub(super) type Says = dyn Fn(&Path, u64) -> Result<Vec<String>, RunError>;

/// What became of them.
#[derive(Default)]
pub(super) struct Visits {
    /// Whole, every byte right.
    pub(super) whole: u64,
    /// Killed on the way.
    pub(super) killed: u64,
    /// Everything else.
    pub(super) failed: Causes,
    /// Seconds and bytes that the watched process has in memory.
    pub(super) memory: Vec<(f64, f64)>,
    /// Seconds, how many processes it has started that are there, and bytes that they have for themselves.
    pub(super) started: Vec<(f64, usize, f64)>,
    /// What those that are whole have settled, where they offered a transport: how often.
    pub(super) settled: BTreeMap<String, u64>,
}

/// A client under way.
struct Visitor {
    child: Ends,
    home: PathBuf,
    copy: PathBuf,
    /// When it is killed, if it is.
    killed_at: Option<Duration>,
}

impl Crowd<'_> {
    /// Lets them come and go; `watched` is looked at every second, and `act` is called again and again with the time.
    ///
    /// # Errors
    /// If one cannot be started, or `act` fails.
    pub(super) fn run(
        &self,
        serving: &Serving,
        rng: &mut Rng,
        watched: u32,
        mut act: impl FnMut(Duration) -> Result<(), RunError>,
    ) -> Result<Visits, RunError> {
        let (began, mut visits, mut sampled) = (Origin::now(), Visits::default(), None);
        let (mut seats, mut number): (Vec<Option<Visitor>>, _) = ((0..self.at_once).map(|_| None).collect(), 0);
        // When a seat may be taken.
        let mut free = vec![Duration::ZERO; seats.len()];
        loop {
            let now = began.elapsed();
            act(now)?;
            if sampled.is_none_or(|last| now >= last + SAMPLE) {
                sampled = Some(now);
                let (at_s, started) = (now.as_secs_f64(), used::started_by(watched));
                visits.started.push((at_s, started.len(), used::own(&started) as f64));
                visits.memory.extend(used::resident_of(watched).map(|bytes| (at_s, bytes as f64)));
            }
            for (place, seat) in seats.iter_mut().enumerate() {
                if let Some(visitor) = seat {
                    if !visitor.has_ended(serving, now, &mut visits)? {
                        continue;
                    }
                    *seat = None;
                    free[place] = now + self.pause;
                }
                if now < self.time && now >= free[place] {
                    *seat = Some(self.visitor(serving, (place, number), now, rng)?);
                    number += 1;
                }
            }
            if now >= self.time && (seats.iter().all(Option::is_none) || now > self.time + PATIENCE) {
                let late = seats.iter().flatten().count() as u64;
                visits.failed.note(late, "it did not end in time; after the last had come");
                return Ok(visits);
            }
            began.rest_until(now + LOOK);
        }
    }

    fn visitor(
        &self,
        serving: &Serving,
        (place, number): (usize, u64),
        now: Duration,
        rng: &mut Rng,
    ) -> Result<Visitor, RunError> {
        let home = serving.folder.path().join(format!("client-{place}"));
        let (copy, says) = (home.join("copy"), (self.says)(&home, number)?);
        let mut command = at_home(&home)?;
        command.args(["--no-progress", "get"]).args(says).arg("-o").arg(&copy).arg(&serving.url);
        let file = |name: &str| fs::File::create(home.join(name)).map_err(RunError::broken);
        let (said, told) = (file("said")?, file("told")?);
        let child = self.network.run(self.node, || command.stdout(told).stderr(said).spawn()).and_then(|child| child);
        let dies = rng.below(KILLED_ONE_IN) == 0;
        let killed_at = dies.then(|| now + Duration::from_millis(rng.below(KILLED_WITHIN_MS)));
        Ok(Visitor { child: Ends(child.map_err(RunError::broken)?), home, copy, killed_at })
    }
}

impl Visitor {
    /// Whether it has ended, which then counts.
    fn has_ended(&mut self, serving: &Serving, now: Duration, visits: &mut Visits) -> Result<bool, RunError> {
        let ended = self.child.0.try_wait().map_err(RunError::broken)?;
        match ended {
            None if self.killed_at.is_some_and(|at| now >= at) => {
                let _ = self.child.0.kill();
                let _ = self.child.0.wait();
                visits.killed += 1;
            }
            None => return Ok(false),
            Some(status) => {
                let same = fs::read(&self.copy).is_ok_and(|copy| copy == serving.file);
                let text = |name: &str| fs::read_to_string(self.home.join(name)).unwrap_or_default();
                let (said, told) = (text("said"), text("told"));
                if status.success() && same {
                    visits.whole += 1;
                    settled(&told).into_iter().for_each(|word| *visits.settled.entry(word).or_default() += 1);
                } else {
                    let why = match status.success() {
                        true => "it ended well, and the file is another".to_owned(),
                        false => format!("{status}: {}", why(&said, &told)),
                    };
                    visits.failed.note(1, &why);
                }
            }
        }
        for entry in fs::read_dir(&self.home).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("copy") {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(true)
    }
}

/// What was settled of the transports that a command of the tool has offered, as it tells programs.
pub(in crate::lab) fn settled(told: &str) -> Vec<String> {
    let events = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let settled = events.filter(|event| event["event"] == "transport");
    settled.filter_map(|event| event["settled"].as_str().map(str::to_owned)).collect()
}

/// Why a command of the tool has failed, as it tells programs or people, without what it was doing: that names files.
fn why(said: &str, told: &str) -> String {
    let events = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_event = events.rev().find(|event| event["event"] == "error");
    let of_event = of_event.and_then(|event| event["why"].as_str().map(str::to_owned));
    let of_line = || said.lines().rev().find_map(|line| line.strip_prefix("tng: ")?.split_once(": "));
    let why = of_event.or_else(|| of_line().map(|(_, why)| why.to_owned()));
    why.unwrap_or_else(|| said.lines().last().unwrap_or("it said nothing").to_owned())
}

/// What became of clients, and how the memory of a process grew from then on.
pub(super) fn told(who: &str, visits: &Visits, settled_from: Duration, mut results: Value) -> Outcome {
    let Visits { whole, killed, failed, memory, started, settled: _ } = visits;
    let memory = Memory::of(who, memory, settled_from);
    let most_started = started.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
    let most_of_them = started.iter().map(|(.., bytes)| *bytes).fold(0.0, f64::max);
    let mut table = Table::new(&["", ""]).titled("Clients, and memory");
    for (name, value) in [
        ("clients that have the whole file", whole.to_string()),
        ("clients killed on the way", killed.to_string()),
        ("clients that failed", failed.count().to_string()),
    ]
    .into_iter()
    .chain(memory.rows())
    .chain([
        ("processes that it has started, at most", most_started.to_string()),
        ("what they have for themselves, at most", format!("{:.2} MiB", most_of_them / MIB)),
    ]) {
        table.row(vec![name.to_owned(), value]);
    }
    memory.note(&mut results);
    for (key, value) in [
        ("whole", json!(whole)),
        ("killed", json!(killed)),
        ("failed", json!(failed.count())),
        ("failed_by_cause", failed.to_json()),
        ("started_max", json!(most_started)),
        ("started_own_max_bytes", json!(most_of_them)),
    ] {
        results[key] = value;
    }
    let outcome = Outcome::new(results).table(table);
    let outcome = if failed.count() > 0 { outcome.table(causes(failed, "clients")) } else { outcome };
    outcome
        .plot(memory.plot())
        .check(memory.check())
        .check(Check::new("clients that failed", failed.count() as f64, "", FAILED).because(failed.to_string()))
        .check(Check::new("clients that have the whole file", *whole as f64, "", WHOLE))
}

/// Why some have failed.
pub(super) fn causes(failed: &Causes, who: &str) -> Table {
    let mut table = Table::new(&["cause", who]).titled(&format!("Why {who} failed"));
    failed.by_count().iter().for_each(|(cause, count)| table.row(vec![(*cause).to_owned(), count.to_string()]));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_client_failed_is_what_it_tells_programs_or_people_but_for_what_it_was_doing() {
        let said = "waiting\ntng: connecting to X at 10.0.0.2:4860: no answer in time\n  try: check the address\n";
        assert_eq!(why(said, ""), "no answer in time");
        let told = "{\"event\":\"error\",\"what\":\"fetching file\",\"why\":\"not found\"}\n";
        assert_eq!(why("", told), "not found");
        assert_eq!((why("thread panicked\n", ""), why("", "")), ("thread panicked".into(), "it said nothing".into()));
    }

    #[test]
    fn what_was_settled_is_told_of_each_offer() {
        let told = "{\"event\":\"transport\",\"settled\":\"sendme\"}\nwords\n{\"event\":\"done\"}\n";
        assert_eq!(settled(told), ["sendme"]);
    }
}
