//! What people and programs type: tickets, locations, quantities, scenarios, command lines, and what a proxy is asked.

use tng::Ticket;
use tng::help::StoredCapabilities;
use tng::relay::CapabilityKey;
use tng_base::{Eid, PeerText};
use tng_cli::daemon::told::{Origin, Places};
use tng_cli::location::{self, HostAddress, Location};
use tng_cli::perf::units as perf_units;
use tng_cli::relay::config::RelayConfig;
use tng_crypto::sha256;
use tng_experiments::Scenario;
use tng_isolation::Identity;
use tng_services::files::SafePath;
use tng_services::forward::{Allowed, Destination, Socks, SocksStep};
use tng_services::help;
use tng_settings::units;
use tng_wire::battery::emit;

use crate::Target;
use crate::bytes::Script;
use crate::parsers::parser;

pub(crate) const TARGETS: &[Target] = &[
    parser("ticket", 300, (ticket, ticket_seeds)),
    parser("keys", 80, (keys, key_seeds)),
    parser("locations", 300, (locations, location_seeds)),
    parser(
        "paths",
        300,
        (paths, || texts(&["a/b.txt", "größe/文件", ".hidden/..twice", "a//b", "C:/x", "../up", "a\\b"])),
    ),
    parser(
        "destinations",
        300,
        (destinations, || texts(&["example.org:80", "192.0.2.1:443", "[2001:db8::1]:22", "a:+8"])),
    ),
    parser("quantities", 40, (quantities, quantity_seeds)),
    parser("proxy", 400, (proxy, proxy_seeds)),
    // A document of two bytes may be a table of tables.
    Target { memory: (512 << 10, 4096), ..parser("scenario", 1500, (scenario, scenario_seeds)) },
    Target { memory: (512 << 10, 4096), ..parser("relay_config", 1500, (relay_config, relay_config_seeds)) },
    // Each line is written into room for the longest, several times.
    Target { memory: (16 << 10, 160), ..parser("capabilities", 2_500, (capabilities, capabilities_seeds)) },
    Target { memory: (8 << 20, 4096), ..parser("command_line", 200, (command_line, command_seeds)) },
];

fn text(bytes: &[u8]) -> Option<&str> {
    core::str::from_utf8(bytes).ok()
}

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

/// What a relay's configuration says is within bounds, and every value is told with where it comes from.
fn relay_config(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let places = Places { state: ("/s".into(), Origin::Default), runtime: ("/r".into(), Origin::Default) };
    let Ok(config) = RelayConfig::parse(text, &places) else { return };
    let helper = &config.helper;
    assert!((1..=tng::relay::RELAYS_MAX).contains(&helper.relays_max) && helper.held_bytes_max > 0);
    let around = helper.neighbourhoods.iter().map(|(_, around)| around).chain([&helper.elsewhere]);
    for around in around {
        assert!(!around.queue_time.is_zero() && around.offers.controllers.len() <= help::CONTROLLERS_MAX);
    }
    assert!(config.told.iter().all(|told| !told.key.is_empty() && !told.value.is_empty()), "{:?}", config.told);
    // It can take its own place.
    assert!(config.check_reload(&config).is_ok());
}

fn relay_config_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "",
        "[relay]\nlisten = ':5000'\nthreads = 2\nhttp = '127.0.0.1:9460'\naccess_log = '-'\ndrain = '1s'\n\
         own = ['203.0.113.7']\nonward = ['10.0.0.0/8', 'fd00::/8']\nflows_max = 100\nheld_max = '1MiB'\n",
        "[elsewhere]\ncontroller = 'vegas'\nqueue = { kind = 'codel', ecn = true }\nrepair = '500ms'\n\
         [[neighbourhood]]\nnetwork = '10.0.0.0/8'\nlease = { rate = '20mbit', window = '1MB' }\nqueue = 'red'\n",
        "[terms]\nlife = '1h'\nflows = 3\nrate = '8mbit'\nheld = '64kB'\nanyone = true\n\
         controllers = ['vegas', 'newreno']\nqueue_time_max = '200ms'\n[[client]]\nname = 'a'\n\
         token_sha256 = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'\ntunnels = true\n\
         [[tunnel]]\nname = 'office'\nfrom = 'a'\ndevice = 'tng0'\naddresses = ['10.200.0.2/30', 'fd00:200::2/64']\n",
        "[[tunnel]]\nname = 'port'\nfrom = 'b'\nlisten = '127.0.0.1:5000'\npeer = 'host:5001'\n\
         [[client]]\nname = 'b'\ntunnels = true\nlife = '720h'\nflows = 1\n\
         token_sha256 = 'abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789'\n",
        // Each of these is refused.
        "[relay]\nflows_mx = 3\n",
        "[relay]\nonward = ['10.0.0.1/8']\n",
        "[[neighbourhood]]\nnetwork = '10.0.0.0/8'\n[[neighbourhood]]\nnetwork = '10.1.0.0/16'\n",
        "[elsewhere]\ncontroller = 'bbr'\n",
        "[elsewhere]\ncontroller = 'guest-vegas'\n[[neighbourhood]]\nnetwork = '10.0.0.0/8'\n\
         controller = 'guest-:bbr'\n",
        "[terms]\nlife = '721h'\n",
        "[[client]]\neid = 'a'\ntoken_sha256 = 'b'\n",
    ])
}

/// What is read of a file of capabilities is written as a file that is read as the same, and has one form. So that what
/// lies behind the check of each line is reached, the same is tried with checks that are right.
fn capabilities(bytes: &[u8]) {
    capabilities_survive(bytes);
    let Some(text) = text(bytes) else { return };
    let right = |line: &str| match line.rsplit_once(' ') {
        Some((words, _)) if !line.starts_with("tng-capabilities") => checked(words),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.split_terminator('\n').map(right).collect();
    capabilities_survive((lines.join("\n") + "\n").as_bytes());
}

fn capabilities_survive(bytes: &[u8]) {
    let Ok(kept) = StoredCapabilities::parse(bytes) else { return };
    let once = kept.to_text();
    let again = StoredCapabilities::parse(once.as_bytes()).expect("what was written is read");
    assert!(again == kept && *again.to_text() == *once);
}

/// A line of a file of capabilities, with what stands at its end.
fn checked(words: &str) -> String {
    let check: String = sha256(&[words.as_bytes()])[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{words} {check}")
}

fn capabilities_seeds() -> Vec<Vec<u8>> {
    let eids = [1, 2, 3].map(|n| Identity::from_seed([n; 32]).eid());
    let line = |(helper, client): (Eid, Eid), asked_ms: u64, controllers: &[&str], shown: usize| {
        let terms = help::Terms {
            life_s: 43_200,
            flows_max: 64,
            tunnels: !controllers.is_empty(),
            rate_max: 125_000,
            held_max: 1 << 20,
            controllers: controllers.iter().map(|name| PeerText::new(name).owned()).collect(),
            queue_time_max_ms: 200,
            shown: vec![7; shown],
            key: CapabilityKey::from_bytes([9; 16]),
        };
        let digits: String = emit(&terms).iter().map(|byte| format!("{byte:02x}")).collect();
        checked(&format!("{helper} {client} {asked_ms} {digits}"))
    };
    let [a, b, c] = eids;
    let (one, other) = (line((a, b), 1_732_780_000_000, &[], 42), line((a, c), u64::MAX, &["vegas", "newreno"], 64));
    let head = "tng-capabilities 1\n";
    texts(&[head, &format!("{head}{one}\n"), &format!("{head}{one}\n{other}\n"), &format!("{head}{other}")])
}

/// A ticket has one text form, whatever the case; and every ticket that can be made has one that is read.
fn ticket(bytes: &[u8]) {
    if let Some(text) = text(bytes)
        && let Ok(ticket) = text.parse::<Ticket>()
    {
        assert_eq!(ticket.to_string(), text.trim().to_ascii_lowercase());
        assert_eq!(ticket.to_string().parse(), Ok(ticket));
    }
    let mut script = Script::new(bytes);
    let mut eid = [0; 32];
    eid.fill_with(|| script.u8());
    let address = |script: &mut Script<'_>| {
        let ip: std::net::IpAddr = match script.u8() & 1 {
            0 => [(); 4].map(|()| script.u8()).into(),
            _ => [(); 16].map(|()| script.u8()).into(),
        };
        std::net::SocketAddr::new(ip, script.u16())
    };
    let addresses = (0..script.below(10)).map(|_| address(&mut script)).collect();
    let len = script.below(70);
    if let Ok(made) = Ticket::new(Eid::from_bytes(eid), addresses, script.take(len).to_vec()) {
        assert_eq!(made.to_string().parse(), Ok(made));
    }
}

fn keys(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(eid) = text.parse::<Eid>() {
        assert_eq!(eid.to_string(), text.to_ascii_lowercase());
    }
    if let Ok(identity) = Identity::from_secret_text(text) {
        assert_eq!(*identity.to_secret_text(), text.trim().to_ascii_lowercase().replace("TNGSECRET1", "tngsecret1"));
    }
}

fn locations(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(place) = text.parse::<HostAddress>() {
        assert_eq!(place.to_string().parse::<HostAddress>(), Ok(place), "{text:?}");
    }
    let Ok(read) = text.parse::<Location>() else { return };
    // An EID and one place can be written again.
    if let [place] = read.places.as_slice() {
        let written = format!("tng://{}@{place}/{}", read.eid, location::escape(&read.path));
        let back: Location = written.parse().expect("what was written can be read");
        assert_eq!(back, Location { capability: Vec::new(), ..read });
    }
    // Nothing that starts elsewhere is opened: a file or stdin.
    if !text.starts_with(['@', '-']) {
        assert!(location::location(text).is_ok(), "{text:?}");
    }
}

fn paths(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Ok(path) = SafePath::parse(text) else { return };
    assert_eq!(path.as_str(), text);
    let root = std::path::Path::new("/root");
    let below = path.below(root);
    assert!(below.starts_with(root) && below.components().all(|part| part != std::path::Component::ParentDir));
    assert_eq!(
        below.components().count(),
        root.components().count() + text.split('/').filter(|n| !n.is_empty()).count()
    );
    if let Some(name) = path.name() {
        assert!(SafePath::parse(name).is_ok() || name.as_bytes().get(1) == Some(&b':'), "{name:?}");
    }
}

fn destinations(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for default in [None, Some(80)] {
        if let Ok(destination) = Destination::parse(text, default) {
            assert_eq!(destination.to_string().parse(), Ok(destination.clone()), "{text:?}");
            let allowed = Allowed::new(vec![destination.clone()], false);
            assert!(allowed.allows(&destination));
        }
    }
}

fn quantities(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(size) = perf_units::size(text) {
        assert!(size < 4_000_000_000_000_000_000);
    }
    if let Ok(rate) = text.parse::<perf_units::Rate>() {
        assert!(rate.burst <= 1000);
    }
    let _format = text.parse::<perf_units::Format>();
    if let Ok(size) = units::size(text) {
        assert_eq!(units::size(&format!("{size} B")), Ok(size));
    }
    if let Ok(rate) = units::rate(text) {
        assert_eq!(units::rate(&format!("{rate}bit/s")), Ok(rate));
    }
    if let Ok(time) = units::time(text) {
        assert_eq!(units::time(&format!("{}ns", time.as_nanos())), Ok(time));
    }
    if let Ok(share) = units::share(text) {
        assert!((0.0..=1.0).contains(&share), "{text:?} is {share}");
    }
}

/// Where to, if anywhere, and what is passed on, or answered.
type End = (Option<Destination>, Vec<u8>);

/// How one program's bytes end at a proxy, and what it was told before.
#[derive(PartialEq, Debug)]
struct Asked {
    told: Vec<u8>,
    end: Option<End>,
}

fn ask<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Asked {
    let (mut socks, mut asked) = (Socks::default(), Asked { told: Vec::new(), end: None });
    for piece in pieces {
        if let Some((Some(_), ahead)) = &mut asked.end {
            ahead.extend_from_slice(piece);
            continue;
        }
        let mut step = socks.take(piece);
        loop {
            match step {
                SocksStep::More => break,
                SocksStep::Reply(reply) => {
                    asked.told.extend(reply);
                    step = socks.take(&[]);
                }
                SocksStep::Open { to, ahead } => {
                    asked.end = Some((Some(to), ahead));
                    break;
                }
                SocksStep::Refuse(reply) => return Asked { end: Some((None, reply)), ..asked },
            }
        }
    }
    asked
}

/// However a program's bytes are cut, a proxy that speaks SOCKS understands the same.
fn proxy(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    let at_once = ask([bytes].into_iter());
    assert_eq!(ask(bytes.chunks(usize::from(*cut).max(1))), at_once);
    let Some((Some(to), _)) = &at_once.end else { return };
    assert!(to.port() > 0 && !to.host().is_empty());
}

fn scenario(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let mut parts = text.split('\0');
    let file = parts.next().unwrap_or_default();
    let values: Vec<&str> = parts.collect();
    let alone = Scenario::parse(file);
    if let Err(error) = &alone {
        assert!(!error.to_string().is_empty());
    }
    if let Err(error) = Scenario::parse_with(file, &values) {
        assert!(!error.to_string().is_empty());
    }
}

/// The first byte is the command, the others are its arguments, between zeros.
fn command_line(bytes: &[u8]) {
    let commands =
        ["forward", "proxy", "get", "put", "ping", "perf", "sim", "serve", "listen", "connect", "demo", "id"];
    let Some(text) = bytes.split_first().and_then(|(first, rest)| Some((*first, text(rest)?))) else { return };
    let command = commands[usize::from(text.0) % commands.len()];
    let arguments = text.1.split('\0').filter(|argument| !argument.is_empty());
    // What reads files, or the terminal, is left out.
    if arguments.clone().any(|argument| argument.contains('@') || argument == "-") {
        return;
    }
    if let Err(error) = tng_cli::understands(["tng", command].into_iter().chain(arguments)) {
        assert!(!error.is_empty());
    }
}

// Seeds

fn ticket_seeds() -> Vec<Vec<u8>> {
    let addresses = ["192.0.2.7:4860", "[2001:db8::1]:4861"].iter().filter_map(|text| text.parse().ok()).collect();
    let full = Ticket::new(Eid::from_bytes([0xa5; 32]), addresses, vec![3; 16]);
    let bare = Ticket::new(Eid::from_bytes([1; 32]), Vec::new(), Vec::new());
    [full, bare].iter().flatten().map(|ticket| ticket.to_string().into_bytes()).collect()
}

fn key_seeds() -> Vec<Vec<u8>> {
    let identity = Identity::from_seed([7; 32]);
    texts(&[&identity.eid().to_string(), &identity.to_secret_text()])
}

fn location_seeds() -> Vec<Vec<u8>> {
    let eid = Eid::from_bytes([7; 32]);
    let mut seeds = texts(&[
        &format!("tng://{eid}@192.0.2.7/x"),
        &format!("{eid}@[2001:db8::1]:99/a%20b"),
        &format!("tng://{eid}@host.example:99/"),
        "192.0.2.7:99",
        "host.example",
    ]);
    seeds.extend(ticket_seeds().into_iter().map(|ticket| [&b"tng://"[..], &ticket, b"/a/b.txt"].concat()));
    seeds
}

fn quantity_seeds() -> Vec<Vec<u8>> {
    texts(&["100mbit", "1.5 Gbit/s", "64_000bit", "25ms", "2min", "100MB", "64 KiB", "0.1%", "128K", "10M/32", "1e9"])
}

fn proxy_seeds() -> Vec<Vec<u8>> {
    let socks = [&[3, 5, 1, 0, 5, 1, 0, 3, 11][..], b"example.org", &[0, 80], b"hello"].concat();
    let v6 = [&[9, 5, 2, 2, 0, 5, 1, 0, 4][..], &[0x20; 16], &[1, 187]].concat();
    vec![socks, v6, vec![1, 4, 1, 0, 80]]
}

fn scenario_seeds() -> Vec<Vec<u8>> {
    let small = "[world]\nseed = 1\nduration = \"10s\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[link]]\n\
                 between = [\"a\", \"b\"]\nrate = \"10mbit\"\ndelay = \"5ms\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n\
                 bytes = \"1MB\"\n";
    let changed = format!("{small}\0world.duration=1s\0link.loss=1%");
    texts(&[small, &changed])
}

fn command_seeds() -> Vec<Vec<u8>> {
    let bare = ticket_seeds().pop().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    vec![
        format!("\0-L\08080:intranet:80\0{bare}").into_bytes(),
        format!("\0-R\0*:8080:[::1]:80\0{bare}").into_bytes(),
        b"\0--serve\0--to\0any\0--open\08022".to_vec(),
        format!("\x01--listen\0127.0.0.1:1080\0{bare}").into_bytes(),
        format!("\x02-r\0-o\0x\0{bare}/a").into_bytes(),
        format!("\x05-c\0{bare}\0-b\010M/3\0-t\05").into_bytes(),
        b"\x06run\0x.toml\0--set\0link.loss=1%".to_vec(),
    ]
}
