//! What the tests run: a folder for everything, tools in it, files to move.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tng_base::Rng;

/// Longest wait for something that must happen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder, in which every command runs and keeps its keys.
pub struct Bench(tempfile::TempDir);

impl Bench {
    pub fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The EID of a key file, which is made if there is none.
    pub fn eid(&self, key: &str) -> String {
        let id = self.tng(key, &["id", "-q"]).output().expect("it runs").stdout;
        String::from_utf8(id).expect("text").trim().to_owned()
    }

    /// The tool, to be run in this folder with `key` as its key file.
    pub fn tng(&self, key: &str, args: &[&str]) -> Command {
        // Another one than was built with the tests, for figures of before a change.
        let tool = std::env::var_os("TNG_TOOL").unwrap_or(env!("CARGO_BIN_EXE_tng").into());
        let mut command = Command::new(tool);
        command.args(args).current_dir(self.0.path()).env_clear().env("TNG_KEY", self.path(key)).stdin(Stdio::null());
        // Where processes with guests are found: those of other tests are elsewhere.
        command.env("XDG_RUNTIME_DIR", self.0.path());
        // Who has a key has a store of transports.
        command.env("XDG_DATA_HOME", self.path(&format!("{key}.data")));
        command
    }

    /// Runs `tng get` to its end.
    pub fn get(&self, args: &[&str]) -> Ended {
        Ended(self.tng("client.key", &[&["get", "--json"], args].concat()).output().expect("it runs"))
    }

    /// Runs `tng put` to its end.
    pub fn put(&self, args: &[&str]) -> Ended {
        Ended(self.tng("client.key", &[&["put", "--json"], args].concat()).output().expect("it runs"))
    }

    /// Starts `tng serve`, and waits until it serves.
    pub fn serve(&self, args: &[&str]) -> Serving {
        self.start(&[&["serve"], args].concat())
    }

    /// Starts a server of any kind, and waits until it serves. At any port of the loopback is at one that it finds free
    /// again when it is killed and started there once more.
    pub fn start(&self, args: &[&str]) -> Serving {
        let place = |arg: &&str| match *arg {
            "127.0.0.1:0" => format!("127.0.0.1:{}", free_port()),
            arg => arg.to_owned(),
        };
        let args: Vec<String> = args.iter().map(place).chain(["--json".to_owned()]).collect();
        self.run(self.tng("server.key", &args.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// The same, by a command that speaks JSON.
    pub fn run(&self, mut command: Command) -> Serving {
        command.stderr(Stdio::null());
        self.run_heard(command)
    }

    /// The same, and what it says to people goes where the command has it go.
    pub fn run_heard(&self, mut command: Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it speaks");
        let said: Value = serde_json::from_str(&line).expect("it serves");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (url, eid, address) = (text(&said["url"]), text(&said["eid"]), text(&said["addresses"][0]));
        Serving { child, says: Box::new(stdout), url, eid, address, ticket: text(&said["ticket"]), said }
    }

    /// Starts `tng listen`, which writes what comes to this file, and waits until it listens.
    pub fn listen(&self, name: &str) -> Serving {
        let mut command = self.tng("server.key", &["listen", "--bind", "127.0.0.1:0"]);
        let command = command.stdout(File::create(self.path(name)).expect("made")).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut ticket = String::new();
        while !ticket.starts_with("tng1") {
            ticket.clear();
            assert!(stderr.read_line(&mut ticket).expect("it speaks") > 0, "it ends without a ticket");
        }
        let (url, eid, address) = Default::default();
        Serving {
            child,
            says: Box::new(stderr),
            url,
            eid,
            address,
            ticket: ticket.trim().to_owned(),
            said: Value::Null,
        }
    }

    /// What a server says to people when it starts, up to the line that begins so.
    pub fn words(&self, args: &[&str], last: &str) -> String {
        let mut child = self.tng("server.key", args).stderr(Stdio::piped()).spawn().expect("it runs");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let mut said = String::new();
        for line in lines {
            said += &format!("{line}\n");
            if line.starts_with(last) {
                break;
            }
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        said
    }

    /// Writes a file of `len` bytes that no other seed gives.
    pub fn write(&self, name: &str, len: usize, seed: u64) -> PathBuf {
        let mut data = vec![0; len];
        Rng::from_u64(seed).fill(&mut data);
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("made");
        fs::write(&path, data).expect("written");
        path
    }

    /// Waits until some unfinished file in `folder` that a peer brings has at least `len` bytes, and answers its name.
    pub fn wait_for_upload(&self, folder: &str, len: u64) -> PathBuf {
        let unfinished = || {
            let names = fs::read_dir(self.path(folder)).ok()?.map_while(Result::ok);
            names.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "part"))
        };
        let large = || unfinished().is_some_and(|path| fs::metadata(path).is_ok_and(|found| found.len() >= len));
        wait(&format!("{len} bytes of an upload"), large);
        unfinished().expect("waited for")
    }

    /// Where the file `name` is until it is whole.
    pub fn draft(&self, name: &str) -> PathBuf {
        let whole = self.path(name);
        let digits = blake3::hash(whole.file_name().expect("a name").as_encoded_bytes()).to_hex();
        whole.with_file_name(format!(".tng-{}.part", &digits[..32]))
    }

    /// Waits until the file `name`, which is not whole, has at least `len` bytes.
    pub fn wait_for_draft(&self, name: &str, len: u64) {
        let draft = self.draft(name);
        wait(&format!("{len} bytes of {name}"), || fs::metadata(&draft).is_ok_and(|m| m.len() >= len));
    }

    /// Waits until the file `name` has at least `len` bytes.
    pub fn wait_for(&self, name: &str, len: u64) {
        wait(&format!("{name} to have {len} bytes"), || fs::metadata(self.path(name)).is_ok_and(|m| m.len() >= len));
    }
}

/// A port of the loopback that is free, for UDP and for TCP, and that nobody is given meanwhile: another one each time,
/// below those that Linux hands out to who asks for any.
pub fn free_port() -> u16 {
    const PORTS: Range<u16> = 20_000..32_768;
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    loop {
        let given = GIVEN.fetch_add(1, Ordering::Relaxed);
        // Who runs the same tests beside begins elsewhere.
        let begin = (std::process::id() as u16).wrapping_mul(37);
        let port = PORTS.start + begin.wrapping_add(given) % (PORTS.end - PORTS.start);
        let address = ("127.0.0.1", port);
        if UdpSocket::bind(address).is_ok() && TcpListener::bind(address).is_ok() {
            return port;
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
pub fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Lets so many milliseconds pass.
#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
pub fn rest(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

pub fn same(a: &Path, b: &Path) -> bool {
    fs::read(a).expect("there") == fs::read(b).expect("there")
}

/// Whether a program is here; without it a test fails if this variable is set, and skips itself if not.
pub fn has(program: &str, needed: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    // nginx knows -v alone, and fails at any other.
    let is_here = found.is_ok();
    assert!(is_here || std::env::var_os(needed).is_none(), "{program} is missing");
    if !is_here {
        println!("skipped: there is no {program}");
    }
    is_here
}

/// Sends a signal, by its name.
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &id]).status().expect("kill runs").success());
}

/// A server, killed when dropped.
pub struct Serving {
    child: Child,
    says: Box<dyn BufRead + Send + Sync>,
    /// What leads to all that is served.
    pub url: String,
    pub eid: String,
    pub address: String,
    pub ticket: String,
    /// All that it told programs when it began.
    pub said: Value,
}

impl Serving {
    pub fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Ends it without a word; answers what it had said to programs.
    pub fn kill(mut self) -> String {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it has ended");
        let mut said = String::new();
        self.says.read_to_string(&mut said).expect("text");
        said
    }

    /// Waits for what it tells programs next.
    pub fn next_event(&mut self) -> Value {
        let mut line = String::new();
        self.says.read_line(&mut line).expect("it speaks");
        serde_json::from_str(&line).expect("it tells more")
    }

    /// The most memory that it has held so far, in KiB.
    pub fn memory_peak_kib(&self) -> u64 {
        self.status_kib("VmHWM:")
    }

    /// The memory that it holds, in KiB.
    pub fn memory_kib(&self) -> u64 {
        self.status_kib("VmRSS:")
    }

    fn status_kib(&self, field: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("Linux says so");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// The CPU time that it has used so far.
    pub fn cpu(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
        // After the name in brackets, which may hold anything: user and system time are the 12th and 13th, in ticks of
        // 10 ms.
        let fields: Vec<&str> = stat.rsplit(") ").next().expect("a name").split(' ').collect();
        let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// The descriptors that it has open.
    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("it runs").count()
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal, by its name.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Sends it a signal, and sees that it ends as it should.
    #[track_caller]
    pub fn stop(mut self, name: &str) {
        self.signal(name);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }

    /// Sends it a signal, sees that it ends as it should, and answers what it told programs meanwhile.
    #[track_caller]
    pub fn end(mut self, name: &str) -> Vec<Value> {
        self.signal(name);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
        let mut said = String::new();
        self.says.read_to_string(&mut said).expect("text");
        said.lines().map(|line| serde_json::from_str(line).expect("NDJSON")).collect()
    }

    /// Asks it to end, as Ctrl-C does.
    pub fn interrupt(&mut self) -> Option<i32> {
        signal(&self.child, "INT");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process that has ended.
pub struct Ended(pub Output);

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// What it told, a document a line.
    pub fn documents(&self) -> Vec<Value> {
        let lines = String::from_utf8_lossy(&self.0.stdout).into_owned();
        lines.lines().map(|line| serde_json::from_str(line).expect("NDJSON")).collect()
    }

    /// The events of one name.
    pub fn events(&self, name: &str) -> Vec<Value> {
        self.documents().into_iter().filter(|event| event["event"] == name).collect()
    }

    /// Fails with what it said unless it ended with `code`.
    #[track_caller]
    pub fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code(), Some(code), "{}", self.stderr());
        self
    }
}
