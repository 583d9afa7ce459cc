//! `tng trickles proxy` before a browser: pages and downloads of Chromium, if it is here.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::bench::{Bench, Serving, same, wait};

/// Bytes of a download that takes a while.
const LARGE: usize = 40_000_000;

/// Whether the browser is here. A run that needs it says so.
fn is_here() -> bool {
    let found = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_here = found.is_ok_and(|status| status.success());
    assert!(is_here || std::env::var_os("TNG_NEED_CHROMIUM").is_none(), "chromium is missing");
    if !is_here {
        println!("skipped: there is no chromium");
    }
    is_here
}

/// A browser without a window, which knows nothing but a folder of its own and asks for nothing by itself.
fn chromium(profile: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", profile);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// A browser that runs, with all its processes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-s", "KILL", "--", &group]).status();
        let _ = self.0.wait();
    }
}

fn serve(bench: &Bench, at: &str) -> Serving {
    bench.start(&["trickles", "serve", "tree", "--public", "--bind", at])
}

/// A proxy, and where it listens.
fn proxy(bench: &Bench, ticket: &str) -> (Serving, SocketAddr) {
    let args = ["trickles", "proxy", "--json", "--listen", "127.0.0.1:0", ticket];
    let mut serving = bench.run(bench.tng("client.key", &args));
    let mut said = serving.said.clone();
    while said["event"] != "listening" {
        said = serving.next_event();
    }
    let at = said["address"].as_str().and_then(|at| at.parse().ok()).expect("an address");
    (serving, at)
}

#[test]
fn chromium_shows_pages_of_a_proxy_asked_as_their_origin_and_by_way_of_it() {
    if !is_here() {
        return;
    }
    let bench = Bench::new();
    fs::create_dir(bench.path("tree")).expect("made");
    // Long enough for several packets, in two parts, so that the script is fetched as well.
    let lines: String = (0..2_000).map(|n| format!("<li>line {n}</li>\n")).collect();
    let page = format!("<!doctype html><title>a page</title><ul>\n{lines}</ul><script src=\"count.js\"></script>");
    fs::write(bench.path("tree/page.html"), page).expect("written");
    let script = "document.title = document.querySelectorAll('li').length + ' lines';";
    fs::write(bench.path("tree/count.js"), script).expect("written");
    let text: String = (0..5_000).map(|n| format!("{n} of plain text\n")).collect();
    fs::write(bench.path("tree/text.txt"), &text).expect("written");
    let server = serve(&bench, "127.0.0.1:0");
    let (_proxy, at) = proxy(&bench, &server.ticket);
    let by_way = format!("--proxy-server=socks5://{at}");
    let by_http = format!("--proxy-server=http://{at}");
    for (which, args, url) in [
        (0, &[][..], format!("http://{at}")),
        (1, &[&by_way[..]], "http://files".to_owned()),
        (2, &[&by_http[..]], "http://files".to_owned()),
    ] {
        let dump = |name: &str| {
            let url = format!("{url}/{name}");
            let args = [args, &["--dump-dom", &url]].concat();
            let dumped = chromium(&bench.path(&format!("{which}-{name}")), &args).output().expect("it runs");
            assert!(dumped.status.success(), "{args:?}: {:?}", dumped.status);
            String::from_utf8(dumped.stdout).expect("text")
        };
        let shown = dump("page.html");
        assert!(shown.contains("<title>2000 lines</title>") && shown.contains(&lines), "{args:?}: {shown}");
        assert!(dump("text.txt").contains(&text), "{args:?}");
    }
}

#[test]
fn a_download_of_chromium_goes_on_though_its_server_is_killed_and_started_again() {
    if !is_here() {
        return;
    }
    let bench = Bench::new();
    let file = bench.write("tree/large.bin", LARGE, 1);
    fs::write(
        bench.path("tree/fetch.html"),
        "<!doctype html><a href=\"large.bin\" download>it</a><script>document.querySelector('a').click()</script>",
    )
    .expect("written");
    let server = serve(&bench, "127.0.0.1:0");
    let (_proxy, at) = proxy(&bench, &server.ticket);
    let (profile, got) = (bench.path("profile"), bench.path("got"));
    fs::create_dir_all(profile.join("Default")).and_then(|()| fs::create_dir(&got)).expect("made");
    let told = serde_json::json!({ "download": { "default_directory": got, "prompt_for_download": false } });
    fs::write(profile.join("Default/Preferences"), told.to_string()).expect("written");
    let mut browser = chromium(&profile, &[&format!("http://{at}/fetch.html")]);
    let browser = Running(browser.stdout(Stdio::null()).process_group(0).spawn().expect("it runs"));
    // Under whatever name it comes.
    let parts = || -> Vec<PathBuf> {
        fs::read_dir(&got).expect("a folder").filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
    };
    let has_come = |len: usize| parts().iter().any(|part| fs::metadata(part).is_ok_and(|it| it.len() >= len as u64));
    wait("some of it", || has_come(LARGE / 4));
    let address = server.address.clone();
    server.kill();
    let _server = serve(&bench, &address);
    wait("all of it", || got.join("large.bin").exists() && has_come(LARGE));
    assert!(same(&file, &got.join("large.bin")));
    drop(browser);
}
