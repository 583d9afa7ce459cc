//! `tng listen`, `tng connect` and `tng ping`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::bench::{Bench, Ended, same, wait};

#[test]
fn both_directions_of_a_pipe_arrive_whole_and_both_ends_know() {
    let bench = Bench::new();
    let (there, back) = (bench.write("there", 3_000_000, 1), bench.write("back", 200_000, 2));
    let open = |path| Stdio::from(File::open(path).expect("there"));
    let make = |name: &str| Stdio::from(File::create(bench.path(name)).expect("made"));
    let mut listener = bench.tng("server.key", &["listen", "--bind", "127.0.0.1:0"]);
    let listener = listener.stdin(open(&back)).stdout(make("got there")).stderr(make("said")).spawn().expect("it runs");
    let ticket = || {
        let said = fs::read_to_string(bench.path("said")).ok()?;
        said.ends_with('\n').then(|| said.lines().last().map(str::to_owned)).flatten().filter(|l| l.starts_with("tng1"))
    };
    wait("the ticket", || ticket().is_some());
    let mut connecter = bench.tng("client.key", &["connect", &ticket().expect("waited for")]);
    let connecter = connecter.stdin(open(&there)).stdout(make("got back")).stderr(Stdio::piped());
    Ended(connecter.output().expect("it runs")).expect(0);
    Ended(listener.wait_with_output().expect("it ends")).expect(0);
    assert!(same(&there, &bench.path("got there")) && same(&back, &bench.path("got back")));
}

#[test]
fn a_pipe_carries_a_conversation_not_only_files() {
    use std::io::Write;
    let bench = Bench::new();
    let mut listener = bench.tng("server.key", &["listen", "--public", "--bind", "127.0.0.1:0"]);
    let mut listener =
        listener.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let said = BufReader::new(listener.stderr.take().expect("piped"));
    let ticket = said.lines().map(|line| line.expect("text")).find(|line| line.starts_with("tng1")).expect("a ticket");
    let mut connecter = bench.tng("client.key", &["connect", &ticket]);
    let mut connecter = connecter.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let (mut near, mut far) = (connecter.stdin.take().expect("piped"), listener.stdin.take().expect("piped"));
    let mut near_out = BufReader::new(connecter.stdout.take().expect("piped"));
    let mut far_out = BufReader::new(listener.stdout.take().expect("piped"));
    for i in 0..3 {
        let mut line = String::new();
        writeln!(near, "question {i}").expect("written");
        far_out.read_line(&mut line).expect("read");
        writeln!(far, "answer to {}", line.trim()).expect("written");
        line.clear();
        near_out.read_line(&mut line).expect("read");
        assert_eq!(line, format!("answer to question {i}\n"));
    }
    drop((near, far));
    assert!(connecter.wait().expect("it ends").success());
    assert!(listener.wait().expect("it ends").success());
}

#[test]
fn a_ping_says_how_long_it_took_and_which_way_it_went() {
    let bench = Bench::new();
    bench.write("a", 10, 1);
    let server = bench.serve(&["a", "--bind", "127.0.0.1:0"]);
    let ticket = server.url.trim_start_matches("tng://").split('/').next().expect("a ticket");
    let mut command = bench.tng("client.key", &["ping", "-c", "3", "-i", "0.01", "--json", ticket]);
    let ended = Ended(command.output().expect("it runs")).expect(0);
    let pings = ended.events("ping");
    assert_eq!(pings.len(), 3);
    for ping in pings {
        let ms = ping["rtt_ms"].as_f64().expect("a time");
        assert!(ms > 0.0 && ms < 5_000.0, "{ms} ms");
        assert!(["AES-128-GCM", "ChaCha20-Poly1305"].contains(&ping["cipher"].as_str().expect("text")));
        assert_eq!((&ping["path"], &ping["address"]), (&"direct".into(), &server.address.as_str().into()));
    }
    assert_eq!(ended.events("done")[0]["back"], 3);
}
