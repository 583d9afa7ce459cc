//! With processes of the tool.

use core::time::Duration;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tng_base::Rng;
use tng_crypto::code_hash;
use tng_emulator::transfer::Origin;

use super::{NAMES, STEPS, Told};
use crate::lab::soak::crowd::{Ends, at_home, settled, write_policy};
use crate::lab::{Context, RunError};
use crate::peers::guests::modules::somebody_elses;
use crate::settings::{Configured, Settings};

/// Whatever comes may run (STP 3.2.2).
const POLICY: &str = "accept = \"any\"\n";
/// How long a command may take, and how often it is looked whether it is over.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);
/// What is fetched, by name.
const FILE: &str = "file";
/// Between connections that are not to meet.
const LATER: Duration = Duration::from_secs(1);

/// Three homes of the tool.
struct Trio {
    folder: TempDir,
    file: Vec<u8>,
}

impl Configured for Trio {
    fn tell(&self, settings: &mut Settings) {
        settings.set("processes", "kind", "the tool, with default settings, on the loopback interface");
        settings.set("processes", "policy of each", POLICY.trim());
        settings.set("file", "bytes", self.file.len());
    }
}

/// A host that serves, and where.
struct Server {
    url: String,
    _process: Ends,
    /// What it says goes nowhere else.
    _says: BufReader<ChildStdout>,
}

/// A command under way.
struct Getting {
    process: Ends,
    copy: PathBuf,
    began: Duration,
}

impl Trio {
    fn home(&self, host: usize) -> PathBuf {
        self.folder.path().join(NAMES[host])
    }

    fn serve(&self, host: usize) -> Result<Server, RunError> {
        let mut command = at_home(&self.home(host))?;
        command.args(["serve", "--public", "--bind", "127.0.0.1:0", "--json"]).arg(self.folder.path().join(FILE));
        let mut process = Ends(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(RunError::broken)?);
        let says = process.0.stdout.take().ok_or_else(|| RunError::broken("a process without an output"))?;
        let (mut says, mut line) = (BufReader::new(says), String::new());
        says.read_line(&mut line).map_err(RunError::broken)?;
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = event["url"].as_str().map(str::to_owned);
        let url = url.ok_or_else(|| RunError::broken(format_args!("{} does not serve: {line}", NAMES[host])))?;
        Ok(Server { url, _process: process, _says: says })
    }

    fn get(&self, (from, number): (usize, usize), url: &str, code: &str, origin: &Origin) -> Result<Getting, RunError> {
        let (mut command, copy) = (at_home(&self.home(from))?, self.home(from).join(format!("copy-{number}")));
        command.args(["get", "--json", "--transport", code]).arg(url).arg("-o").arg(&copy);
        let began = origin.elapsed();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(RunError::broken)?;
        Ok(Getting { process: Ends(child), copy, began })
    }

    fn ended(&self, getting: Getting, origin: &Origin) -> Result<Told, RunError> {
        let Getting { mut process, copy, began } = getting;
        while process.0.try_wait().map_err(RunError::broken)?.is_none() {
            if origin.elapsed() > began + PATIENCE {
                return Err(RunError::broken("a file does not come"));
            }
            origin.rest_until(origin.elapsed() + LOOK);
        }
        let took = origin.elapsed() - began;
        let Output { status, stdout, stderr } = output(&mut process)?;
        let whole = status.success() && fs::read(copy).is_ok_and(|bytes| bytes == self.file);
        if !whole {
            let said = String::from_utf8_lossy(&stderr).into_owned();
            return Err(RunError::broken(format_args!("a file did not come: {status}, {said}")));
        }
        let settled = settled(&String::from_utf8_lossy(&stdout)).into_iter().next();
        Ok(Told {
            settled: settled.unwrap_or_else(|| "nothing".to_owned()),
            connected_s: None,
            whole_s: Some(took.as_secs_f64()),
        })
    }
}

/// What a process that has ended said.
fn output(process: &mut Ends) -> Result<Output, RunError> {
    let status = process.0.wait().map_err(RunError::broken)?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let read = |from: Option<&mut dyn std::io::Read>, into: &mut Vec<u8>| match from {
        Some(from) => from.read_to_end(into).map(drop).map_err(RunError::broken),
        None => Ok(()),
    };
    read(process.0.stdout.as_mut().map(|it| it as _), &mut stdout)?;
    read(process.0.stderr.as_mut().map(|it| it as _), &mut stderr)?;
    Ok(Output { status, stdout, stderr })
}

pub(super) fn tell(context: &Context<'_>) -> Result<Vec<Told>, RunError> {
    let folder = tempfile::tempdir().map_err(RunError::broken)?;
    let mut file = vec![0; context.size("size") as usize];
    Rng::from_u64(context.seed).fill(&mut file);
    fs::write(folder.path().join(FILE), &file).map_err(RunError::broken)?;
    let trio = context.world(Trio { folder, file });
    (0..NAMES.len()).try_for_each(|host| write_policy(&trio.home(host), POLICY))?;
    let module = somebody_elses("mine");
    let code = code_hash(&module).to_string();
    install(&trio.home(0), &module)?;
    let servers = [None, Some(trio.serve(1)?), Some(trio.serve(2)?)];
    let origin = Origin::now();
    let begin = |place: usize| {
        let [from, to] = STEPS[place].ends;
        let url = servers[to].as_ref().map_or("", |server| &server.url);
        context.progress(format_args!("connection {}: {} to {}", place + 1, NAMES[from], NAMES[to]));
        trio.get((from, place), url, &code, &origin)
    };
    let (first, second) = (begin(0)?, begin(1)?);
    let mut told = vec![trio.ended(first, &origin)?, trio.ended(second, &origin)?];
    for place in 2..STEPS.len() {
        origin.rest_until(origin.elapsed() + LATER);
        told.push(trio.ended(begin(place)?, &origin)?);
    }
    Ok(told)
}

/// Puts a module into the store of who lives in this folder.
fn install(home: &Path, module: &[u8]) -> Result<(), RunError> {
    let file = home.join("mine.wasm");
    fs::write(&file, module).map_err(RunError::broken)?;
    let mut command = at_home(home)?;
    let said = command.args(["stp", "install", "--pin"]).arg(&file).output().map_err(RunError::broken)?;
    match said.status.success() {
        true => Ok(()),
        false => {
            let why = String::from_utf8_lossy(&said.stderr).into_owned();
            Err(RunError::broken(format_args!("the module is not installed: {why}")))
        }
    }
}
