//! Clients that come and go: processes of the tool that fetch a file, some of which are killed on the way.

use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tng_base::Rng;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;

use crate::lab::RunError;
use crate::peers::helped::real::fault;
use crate::real::tool;

/// How long a server may take to begin, and a client to end when nobody comes any more.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked who has ended.
const LOOK: Duration = Duration::from_millis(20);
/// How often memory is looked at.
const SAMPLE: Duration = Duration::from_secs(1);
/// One client in so many is killed, so soon at most.
const KILLED_ONE_IN: u64 = 5;
const KILLED_WITHIN_MS: u64 = 500;
/// The port of the server.
const PORT: u16 = 4860;
/// What clients fetch, by name.
const FILE: &str = "file";

/// A process of the tool that ends with this value.
pub(super) struct Ends(pub(super) Child);

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
        let folder = tempfile::tempdir().map_err(RunError::broken)?;
        let mut file = vec![0; bytes as usize];
        rng.fill(&mut file);
        fs::write(folder.path().join(FILE), &file).map_err(RunError::broken)?;
        let said = fs::File::create(folder.path().join("said")).map_err(RunError::broken)?;
        let address = network.topology().nodes[node].addresses[0];
        let mut command = at_home(&folder.path().join("server"))?;
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
}

/// The tool, with a folder of its own for all that it keeps.
fn at_home(folder: &Path) -> Result<Command, RunError> {
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
    /// What their command says beside the file.
    pub(super) via: Vec<String>,
}

/// What became of them.
#[derive(Default)]
pub(super) struct Visits {
    /// Whole, every byte right.
    pub(super) whole: u64,
    /// Killed on the way.
    pub(super) killed: u64,
    /// Everything else, and why the first of them.
    pub(super) failed: u64,
    pub(super) why: Option<String>,
    /// Seconds and bytes that the watched process has in memory.
    pub(super) memory: Vec<(f64, f64)>,
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
        let mut seats: Vec<Option<Visitor>> = (0..self.at_once).map(|_| None).collect();
        // When a seat may be taken.
        let mut free = vec![Duration::ZERO; seats.len()];
        loop {
            let now = began.elapsed();
            act(now)?;
            if sampled.is_none_or(|last| now >= last + SAMPLE) {
                sampled = Some(now);
                visits.memory.extend(resident_bytes(watched).map(|bytes| (now.as_secs_f64(), bytes as f64)));
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
                    *seat = Some(self.visitor(serving, place, now, rng)?);
                }
            }
            if now >= self.time && (seats.iter().all(Option::is_none) || now > self.time + PATIENCE) {
                let late = seats.iter().flatten().count() as u64;
                visits.failed += late;
                if late > 0 {
                    visits.why.get_or_insert(format!("{late} clients did not end within {PATIENCE:?}"));
                }
                return Ok(visits);
            }
            began.rest_until(now + LOOK);
        }
    }

    fn visitor(&self, serving: &Serving, place: usize, now: Duration, rng: &mut Rng) -> Result<Visitor, RunError> {
        let home = serving.folder.path().join(format!("client-{place}"));
        let copy = home.join("copy");
        let mut command = at_home(&home)?;
        command.args(["--no-progress", "get"]).args(&self.via).arg("-o").arg(&copy).arg(&serving.url);
        let said = fs::File::create(home.join("said")).map_err(RunError::broken)?;
        let child = self.network.run(self.node, || command.stderr(said).spawn()).and_then(|child| child);
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
                if status.success() && same {
                    visits.whole += 1;
                } else {
                    visits.failed += 1;
                    let said = fs::read_to_string(self.home.join("said")).unwrap_or_default();
                    let words = said.lines().last().unwrap_or("nothing").to_owned();
                    visits.why.get_or_insert(format!("{status}, the file whole: {same}; it said: {words}"));
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

/// What a process has in memory, bytes; nothing of one that is gone.
pub(in crate::lab) fn resident_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// By how much a series grows in a second, of the line that lies nearest to it.
pub(super) fn slope(points: &[(f64, f64)]) -> f64 {
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_that_of_the_nearest_line() {
        assert!((slope(&[(0.0, 5.0), (1.0, 7.0), (2.0, 9.0)]) - 2.0).abs() < 1e-9);
        assert!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 1.0), (3.0, 3.0)]) > 0.0);
        assert!(slope(&[(1.0, 1.0)]).is_nan(), "of one point there is none");
    }

    #[test]
    fn this_process_has_something_in_memory() {
        assert!(resident_bytes(std::process::id()).is_some_and(|bytes| bytes > 1 << 20));
        assert_eq!(resident_bytes(u32::MAX), None);
    }
}
