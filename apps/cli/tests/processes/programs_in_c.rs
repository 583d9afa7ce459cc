//! The lesson on C of docs/guides/stateless.md: each of its commands runs as it stands there, but for the folders and
//! tickets that it leaves open, and with ports that are free.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::bench::{Bench, same};

/// A server says at once where it is.
const PATIENCE: Duration = Duration::from_secs(60);

/// The commands of the lesson.
fn commands() -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/stateless.md");
    let guide = fs::read_to_string(guide).expect("the guide is there");
    let (_, lesson) = guide.split_once(". In C\n").expect("it has a lesson on C");
    let lesson = lesson.split("\n## ").next().unwrap_or_default();
    let blocks = lesson.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// A server in C, killed when dropped.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_lesson_in_c_is_as_it_stands_in_the_guide() {
    let bench = Bench::new();
    let photo = bench.write("photos/a.jpg", 700_000, 4);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("there");
    let tests = std::env::current_exe().expect("it runs");
    let built = tests.parent().expect("a folder").display().to_string();
    let tool = Path::new(env!("CARGO_BIN_EXE_tng")).parent().expect("a folder").display().to_string();
    let path = format!("{tool}:{}", std::env::var("PATH").unwrap_or_default());
    let (mut servers, mut ticket, mut said, mut count) = (Vec::new(), String::new(), String::new(), 0);
    for command in commands() {
        let line = command.replace("SOURCE", &source.display().to_string()).replace("BUILT", &built);
        let line =
            line.replace("@FILE", "@ticket").replace("TICKET", &ticket).replace(":4861", ":0").replace(":4862", ":0");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {line}")]).current_dir(bench.path("")).stdin(Stdio::null());
        shell.env("PATH", &path).env("TNG_KEY", bench.path("client.key"));
        count += 1;
        if line.contains("127.0.0.1") {
            let mut serving = Serving(shell.stdout(Stdio::piped()).spawn().expect("it runs"));
            let mut says = BufReader::new(serving.0.stdout.take().expect("piped"));
            servers.push(serving);
            let (tell, told) = mpsc::channel();
            std::thread::spawn(move || {
                let mut line = String::new();
                let _ = says.read_line(&mut line);
                tell.send(line)
            });
            ticket = told.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{command}: it says nothing"));
            ticket.truncate(ticket.trim_end().len());
            assert!(ticket.starts_with("tng1"), "{command}: {ticket}");
            fs::write(bench.path("ticket"), &ticket).expect("written");
        } else {
            let ended = shell.stderr(File::create(bench.path("stderr")).expect("made")).output().expect("it runs");
            let wrong = fs::read_to_string(bench.path("stderr")).expect("there");
            assert!(ended.status.success(), "{command}: {wrong}");
            said = String::from_utf8(ended.stdout).expect("text");
        }
    }
    assert_eq!((count, servers.len()), (7, 2), "control: these are the commands");
    assert!(same(&bench.path("a.jpg"), &photo));
    assert_eq!(said, "mug 2\nsong-1 1\n");
}
