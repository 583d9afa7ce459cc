//! Servers of files that keep nothing of their clients, each a program of its own, in whatever language: how much of a
//! processor each takes for a byte. `examples/stateless` has one in C and the same in Rust.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::json;
use tng::trickles::{ClientConfig, ObjectOptions, Policy};
use tng::{Endpoint, Identity, Target, Ticket, random_seed};
use tng_services::files::SafePath;
use tng_services::stateless::{Asking, What};

use crate::Failure;
use crate::payload::{self, Checker, WRITE_MAX};
use crate::peer::LOOPBACK;
use crate::process::{Machine, pin};
use crate::report::median;

/// Clients at once, each on a socket of its own.
const CLIENTS: u64 = 8;
/// The largest datagrams.
const DATAGRAM_LEN: usize = 1_472;
/// What the file is called, and what stands for its folder and for one that a program has for itself.
const FILE: &str = "file";
const FOLDER: &str = "FOLDER";
const STATE: &str = "STATE";

/// A program, and what it is called here.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    words: Vec<String>,
}

impl std::str::FromStr for Program {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Program, &'static str> {
        let (name, command) = text.split_once('=').ok_or("write NAME=COMMAND, like c=\"./files FOLDER ...\"")?;
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if name.is_empty() || words.is_empty() {
            return Err("a name or a command is missing: write NAME=COMMAND");
        }
        Ok(Program { name: name.to_owned(), words })
    }
}

/// A folder that goes with this value.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        let path = std::env::temp_dir().join(format!("tng-bench-{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    fn within(&self, name: &str) -> Result<std::path::PathBuf, Failure> {
        let path = self.0.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program that serves; it ends with this value.
struct Serving {
    child: Child,
    ticket: Ticket,
    /// What else it prints has where to go.
    _said: BufReader<ChildStdout>,
}

impl Serving {
    /// Starts it on that processor, and reads its ticket, which is the first line that it prints.
    fn start(program: &Program, served: &Path, state: &Path, cpu: Option<usize>) -> Result<Serving, Failure> {
        let Program { name, words } = program;
        let in_words = words.iter().map(|word| match word.as_str() {
            FOLDER => served.into(),
            STATE => state.into(),
            word => std::ffi::OsString::from(word),
        });
        let in_words: Vec<std::ffi::OsString> = in_words.collect();
        // A child stays where the thread is that starts it.
        let spawn = || {
            cpu.map_or(Ok(()), pin)?;
            let mut command = Command::new(&in_words[0]);
            command.args(&in_words[1..]).stdin(Stdio::null()).stdout(Stdio::piped());
            command.spawn().map_err(|error| Failure::from(format!("{name}: {}: {error}", words[0])))
        };
        let spawned = std::thread::scope(|scope| scope.spawn(spawn).join());
        let mut child = spawned.map_err(|_| "the thread that starts a program has failed")??;
        let (mut line, mut said) = (String::new(), child.stdout.take().map(BufReader::new));
        let heard = said.as_mut().map(|said| said.read_line(&mut line));
        match (heard, said, line.trim().parse()) {
            (Some(Ok(1..)), Some(said), Ok(ticket)) => Ok(Serving { child, ticket, _said: said }),
            _ => {
                let _ = (child.kill(), child.wait());
                Err(format!("{name}: the first line that it prints is no ticket: {:?}", line.trim()).into())
            }
        }
    }

    /// Processor time that its threads have had, in seconds.
    fn cpu_s(&self) -> Result<f64, Failure> {
        let mut ns = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = fs::read_to_string(thread?.path().join("schedstat"))?;
            let ran = told.split_whitespace().next().and_then(|ran| ran.parse::<u64>().ok());
            ns += ran.ok_or("/proc/PID/task/TID/schedstat does not tell how long a thread ran")?;
        }
        Ok(ns as f64 / 1e9)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

/// Each client fetches the file once, all at once, and compares every byte.
async fn fetch(ticket: &Ticket, len: u64) -> Result<(), Failure> {
    let mut fetching = tokio::task::JoinSet::new();
    for _ in 0..CLIENTS {
        let config = ClientConfig { datagram_len: DATAGRAM_LEN, ..ClientConfig::default() };
        let identity = Identity::from_seed(random_seed()?);
        let builder = Endpoint::builder().bind(LOOPBACK).identity(identity);
        let client = builder.stateless(Target::from(ticket), Policy::Stay, config)?;
        fetching.spawn(async move {
            let asking = Asking { what: What::File, start: 0, path: SafePath::parse(FILE)? }.to_bytes()?;
            // Its end stands in it, too.
            let options = ObjectOptions { reserve: len + 1, ..ObjectOptions::default() };
            let mut object = client.ask(asking, options)?;
            let (mut checker, mut buf) = (Checker::from(0), vec![0; WRITE_MAX]);
            loop {
                match object.read(&mut buf).await? {
                    0 => break,
                    n => checker.check(&buf[..n])?,
                }
            }
            client.close();
            checker.expect(len)
        });
    }
    while let Some(fetched) = fetching.join_next().await {
        fetched??;
    }
    Ok(())
}

/// Has each program serve in every round, by turns the one and the other first, and prints what each takes for a byte,
/// and that of the first by each other.
///
/// # Errors
/// If a program does not start, or does not serve.
pub fn run(programs: &[Program], bytes: u64, rounds: u32, json: bool) -> Result<(), Failure> {
    if programs.len() < 2 {
        return Err("two programs are held against each other: --program c=\"...\" --program rust=\"...\"".into());
    }
    let len = bytes / CLIENTS;
    if len == 0 {
        return Err(format!("--bytes is for {CLIENTS} clients: {CLIENTS} at least").into());
    }
    let (mut machine, folder) = (Machine::now(), Folder::new()?);
    let served = folder.within("served")?;
    let mut file = fs::File::create(served.join(FILE))?;
    let mut at = 0;
    while at < len {
        let piece = payload::at(at, len - at);
        file.write_all(piece)?;
        at += piece.len() as u64;
    }
    if let Some([_, client]) = machine.pinned {
        pin(client)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut ns_per_byte = vec![Vec::new(); programs.len()];
    for round in 0..rounds as usize {
        for turn in 0..programs.len() {
            let which = (turn + round) % programs.len();
            let state = folder.within(&programs[which].name)?;
            let server_cpu = machine.pinned.map(|[server, _]| server);
            let serving = Serving::start(&programs[which], &served, &state, server_cpu)?;
            // Once before that: then it has the file, and the memory that it wants.
            runtime.block_on(fetch(&serving.ticket, len))?;
            let before = serving.cpu_s()?;
            runtime.block_on(fetch(&serving.ticket, len))?;
            let each = (serving.cpu_s()? - before) * 1e9 / (len * CLIENTS) as f64;
            eprintln!("round {} of {rounds}: {} {each:.3} ns a byte", round + 1, programs[which].name);
            ns_per_byte[which].push(each);
        }
    }
    machine.over();
    let ratios: Vec<Vec<f64>> = ns_per_byte[1..]
        .iter()
        .map(|other| ns_per_byte[0].iter().zip(other).map(|(one, other)| one / other).collect())
        .collect();
    if json {
        let told = programs.iter().zip(&ns_per_byte).map(|(program, each)| {
            let figures =
                json!({ "cpu_ns_per_byte": median(each), "rounds": each, "command": program.words.join(" ") });
            (program.name.clone(), figures)
        });
        let told: serde_json::Map<String, serde_json::Value> = told.collect();
        let ratios = programs[1..].iter().zip(&ratios).map(|(other, ratios)| {
            (format!("{}/{}", programs[0].name, other.name), json!({ "median": median(ratios), "rounds": ratios }))
        });
        let ratios: serde_json::Map<String, serde_json::Value> = ratios.collect();
        println!(
            "{}",
            json!({ "work": "programs", "params": { "bytes": bytes, "clients": CLIENTS, "rounds": rounds },
                    "programs": told, "ratios": ratios, "machine": machine })
        );
        return Ok(());
    }
    for (program, each) in programs.iter().zip(&ns_per_byte) {
        println!("{}: {} of the server's processor a byte", program.name, spread(each, "ns"));
    }
    for (other, ratios) in programs[1..].iter().zip(&ratios) {
        println!("{} by {}: {}", programs[0].name, other.name, spread(ratios, "times"));
    }
    Ok(())
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn spread(values: &[f64], unit: &str) -> String {
    let sorted = sorted(values);
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    format!("{:.3} {unit}, {least:.3} to {most:.3} in {} rounds", median(values), sorted.len())
}
