//! `tng perf`: how much a path carries, with iperf3's flags, tables and JSON.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tng::{Builder, ServiceOptions};
use tng_services::perf::{
    BLOCK_MAX, DATAGRAM_MAX, DURATION_MAX_MS, Direction, End, LANES_MAX, Limits, OMIT_MAX_MS, PROTOCOL, SERVICE,
    STAMP_LEN, Test,
};
use tokio::time::timeout;

use crate::allowance::TimeArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::guests::congestion::regulated;
use crate::guests::offer::{RunArgs, has_guests, run_by, serve_code};
use crate::guests::{self, Regulator};
use crate::host::{Door, DoorArgs, FAREWELL_MAX, attend_until_stopped, client_of};
use crate::location::{HostAddress, Location, LocationParser};
use crate::perf::client::{Plan, measure};
use crate::perf::report::{Kind, Report, Style};
use crate::perf::server::{CONNECTIONS_MAX, Server};
use crate::perf::units::{Format, Rate, size};
use crate::pings;
use crate::policed::PolicedArgs;
use crate::talk::{Talk, event_line};
use crate::via::ViaArgs;

/// Shown before everything else in `tng perf --help`.
pub const EXAMPLES: &str = "\
Examples:
  tng perf -s                          run the server; prints the ticket for the
                                       other side
  tng perf -c TICKET                   ten seconds, from here to there
  tng perf -c TICKET -R -P 4 -t 5      five seconds, from there to here, four
                                       streams
  tng perf -c TICKET --bidir -J        both directions at once; iperf3's JSON
  tng perf -c TICKET -u -b 10M         datagrams: jitter, loss, order
  tng perf -c TICKET -n 1G -C newreno  a gigabyte, with another congestion
                                       controller
  tng perf -c TICKET --via HELPER      through a relay
  tng perf -s -1 --public              one test, for the first to come
  tng perf -c TICKET --transport newreno
                                       over a guest transport; there: tng perf
                                       -s --transport

A server runs until SIGINT (Ctrl-C), SIGTERM or SIGHUP ends it.";

/// Seconds of a test when nothing else is said.
pub const SECONDS_DEFAULT: u64 = 10;
/// Seconds of the longest test that a server takes part in when nothing else is said.
pub const SERVER_SECONDS_DEFAULT: u64 = 600;
/// Rate of datagrams when nothing else is said, in bits per second, as with iperf3.
pub const DATAGRAM_RATE_DEFAULT: u64 = 1 << 20;
/// Least time from one interval to the next, unless there are none.
pub const INTERVAL_MIN: Duration = Duration::from_millis(100);
/// Longest time from one interval to the next.
pub const INTERVAL_MAX: Duration = Duration::from_secs(60);

/// Arguments of `tng perf`.
#[derive(Args, Debug)]
#[command(mut_arg("connect_timeout", |arg| arg.conflicts_with("server")))]
pub struct PerfArgs {
    /// Run as the server of tests
    #[arg(short = 's', long, required_unless_present = "client")]
    server: bool,
    /// Test the path to this server: a ticket, EID@host:port, or a name from ~/.config/tng/config.toml
    #[arg(short = 'c', long, value_name = "TARGET", conflicts_with = "server", value_parser = LocationParser)]
    client: Option<Location>,
    /// UDP port to listen on, or to connect to
    #[arg(short, long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Seconds between reports; 0 for none
    #[arg(short, long, value_name = "S", default_value = "1", value_parser = interval)]
    interval: Duration,
    /// Unit of rates: k, m, g, t for bits; K, M, G, T for bytes
    #[arg(short, long, value_name = "UNIT")]
    format: Option<Format>,
    /// Print more columns, as iperf3 -V
    #[arg(short = 'V', long = "verbose-tables")]
    verbose_tables: bool,
    /// Print one JSON document on stdout, as iperf3; the same as --json
    #[arg(short = 'J')]
    json_document: bool,
    /// Print a line of JSON for each event, as iperf3
    #[arg(long)]
    json_stream: bool,
    /// IPv4 only
    #[arg(short = '4', long = "version4", conflicts_with = "v6")]
    v4: bool,
    /// IPv6 only
    #[arg(short = '6', long = "version6")]
    v6: bool,
    #[command(flatten)]
    policed: PolicedArgs,
    #[command(flatten)]
    runs: RunArgs,
    /// Server: exit after one test
    #[arg(short = '1', long, conflicts_with = "client")]
    one_off: bool,
    /// Server: longest test in seconds, including omitted time
    #[arg(long, value_name = "S", conflicts_with = "client", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    server_max_duration: Option<u64>,
    /// Server: most parallel streams
    #[arg(long, value_name = "N", conflicts_with = "client")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=LANES_MAX as i64))]
    server_max_streams: Option<u16>,
    /// Server: most bytes of one test
    #[arg(long, value_name = "N[KMGT]", conflicts_with = "client", value_parser = size)]
    server_max_bytes: Option<u64>,
    /// Server: highest rate of one test in bits per second, over five seconds
    #[arg(long, value_name = "N[KMGT]", conflicts_with = "client")]
    server_bitrate_limit: Option<Rate>,
    /// Client: send datagrams instead of streams
    #[arg(short, long, conflicts_with = "server")]
    udp: bool,
    /// Client: bits per second of each stream, 0 for no limit, sent in bursts of BLOCKS [default: none; 1M with -u]
    #[arg(short, long, value_name = "N[KMGT][/BLOCKS]", conflicts_with = "server", visible_alias = "bandwidth")]
    bitrate: Option<Rate>,
    /// Client: seconds to send [default: 10]
    #[arg(short, long, value_name = "S", conflicts_with = "server", value_parser = test_seconds, group = "end")]
    time: Option<Duration>,
    /// Client: bytes to send, instead of -t
    #[arg(short = 'n', long, value_name = "N[KMGT]", conflicts_with = "server", value_parser = size, group = "end")]
    bytes: Option<u64>,
    /// Client: blocks to send, instead of -t or -n
    #[arg(short = 'k', long, value_name = "N[KMGT]", conflicts_with = "server", value_parser = size, group = "end")]
    blockcount: Option<u64>,
    /// Client: bytes of one block [default: 128K; with -u what fits into a packet]
    #[arg(short, long, value_name = "N[KMGT]", conflicts_with = "server", value_parser = size)]
    length: Option<u64>,
    /// Client: number of parallel streams
    #[arg(short = 'P', long, value_name = "N", conflicts_with = "server",
        value_parser = clap::value_parser!(u16).range(1..=LANES_MAX as i64))]
    parallel: Option<u16>,
    /// Client: the server sends
    #[arg(short = 'R', long, conflicts_with = "server", conflicts_with = "bidir")]
    reverse: bool,
    /// Client: both sides send
    #[arg(long, conflicts_with = "server")]
    bidir: bool,
    /// Client: omit the first S seconds from the results
    #[arg(short = 'O', long, value_name = "S", conflicts_with = "server", value_parser = omit_seconds)]
    omit: Option<Duration>,
    /// Client: prefix for every line of output, also in the JSON
    #[arg(short = 'T', long, value_name = "WORDS", conflicts_with = "server")]
    title: Option<String>,
    /// Client: show the server's output too
    #[arg(long, conflicts_with = "server")]
    get_server_output: bool,
    #[command(flatten)]
    allowed: TimeArgs,
    #[command(flatten)]
    via: ViaArgs,
    /// Server: where to listen, and for whom.
    #[command(flatten)]
    door: DoorArgs,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "write a number of seconds, such as 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn interval(text: &str) -> Result<Duration, String> {
    let interval = seconds(text)?;
    let fits = interval.is_zero() || (INTERVAL_MIN..=INTERVAL_MAX).contains(&interval);
    if fits { Ok(interval) } else { Err("0, or from 0.1 to 60 seconds".to_owned()) }
}

fn test_seconds(text: &str) -> Result<Duration, String> {
    let time = seconds(text)?;
    let fits = time >= Duration::from_millis(1) && time <= Duration::from_millis(DURATION_MAX_MS);
    if fits { Ok(time) } else { Err(format!("more than 0, and at most {} seconds", DURATION_MAX_MS / 1000)) }
}

fn omit_seconds(text: &str) -> Result<Duration, String> {
    let omit = seconds(text)?;
    let fits = omit <= Duration::from_millis(OMIT_MAX_MS);
    if fits { Ok(omit) } else { Err(format!("at most {} seconds", OMIT_MAX_MS / 1000)) }
}

/// Measures, or serves until a signal ends it.
///
/// # Errors
/// If there is no connection, the server does not take part, or it breaks.
pub async fn run(args: &PerfArgs, json: bool, talk: Talk) -> Result<(), Failure> {
    let kind = match (args.json_stream, json || args.json_document) {
        (true, _) => Kind::Events,
        (false, true) => Kind::Document,
        (false, false) => Kind::Table,
    };
    let (format, verbose) = (args.format.unwrap_or(Format::Adaptive), args.verbose_tables);
    let style = Style { kind, format, verbose, title: args.title.clone() };
    let Some(target) = &args.client else { return serve(args, style, talk).await };
    let mut report = Report::new(style, false);
    let ended = client(args, target, &mut report, talk).await;
    if let Err(failure) = &ended {
        report.failure(failure);
    }
    report.close();
    ended
}

async fn client(args: &PerfArgs, target: &Location, report: &mut Report, talk: Talk) -> Result<(), Failure> {
    if args.door.bind.is_some() || args.door.public || !args.door.allow.is_empty() {
        return Err(Failure::usage("measuring", "--bind, --public and --allow are for the server, -s"));
    }
    let plan = args.plan(target)?;
    args.check_transports()?;
    let (offered, regulator) = (args.runs.named("perf", talk).await?, args.runs.regulator("perf", talk)?);
    let change = |builder| run_by(args.configured(builder, regulator.as_ref()), offered.as_ref());
    let endpoint = client_of(args.door.key.load_or_create()?, change).await?;
    let _desk = guests::tells_of(&endpoint, has_guests(offered.as_ref(), regulator.as_ref()), "perf");
    let ended = args.allowed.whole(measure(&endpoint, &plan, offered.as_ref(), report, talk)).await;
    if let Some(offered) = &offered {
        offered.stay().await;
    }
    // As in `attend`; but a signal does not cut off what was measured.
    let _ = timeout(FAREWELL_MAX, endpoint.close()).await;
    ended
}

async fn serve(args: &PerfArgs, style: Style, talk: Talk) -> Result<(), Failure> {
    args.via.refuse("listening", "the end that measures chooses the helpers")?;
    let limits = Limits {
        lanes_max: args.server_max_streams.map_or(LANES_MAX, usize::from),
        duration_max: Duration::from_secs(args.server_max_duration.unwrap_or(SERVER_SECONDS_DEFAULT)),
        bytes_max: args.server_max_bytes,
        rate_max: args.server_bitrate_limit.map(|rate| rate.bits).filter(|rate| *rate > 0),
    };
    let options = ServiceOptions { substreams: true, ..ServiceOptions::default() };
    let services = [(SERVICE, PROTOCOL, options)];
    let runs = args.runs.chosen("perf", talk).await?;
    let regulator = args.runs.regulator("perf", talk)?;
    let change = |builder| run_by(args.configured(builder, regulator.as_ref()), runs.as_ref());
    let door = args.door()?.open_with(b"perf", &services, CONNECTIONS_MAX, change).await?;
    let _desk = guests::tells_of(&door.endpoint, has_guests(runs.as_ref(), regulator.as_ref()), "perf");
    serve_code(&door.endpoint, runs.as_ref(), talk)?;
    pings::answer(&door.endpoint)?;
    announce(&door, style.kind, talk);
    let (endpoint, interval) = (door.endpoint.clone(), args.interval);
    let server = Arc::new(Server::new(endpoint, limits, interval, style, args.one_off, talk));
    let serving = async {
        server.serve().await;
        Ok(())
    };
    attend_until_stopped(&door.endpoint, talk, args.allowed.whole(serving)).await
}

/// Says how to get here, the ticket last.
fn announce(door: &Door, kind: Kind, talk: Talk) {
    let Door { endpoint, open_to, .. } = door;
    talk.say(format_args!("measuring with {open_to}, at {}", endpoint.local_addr()));
    talk.say(format_args!("\nmeasure with:\n  tng perf -c {}", door.target()));
    door.show(talk);
    if kind != Kind::Table {
        Talk { json: false, ..talk }.payload(event_line("serving", &door.to_json()));
    }
}

impl PerfArgs {
    /// Whether the client can be measured by the transports that it names.
    fn check_transports(&self) -> Result<(), Failure> {
        if !self.runs.are_given() {
            return Ok(());
        }
        let refused = |why: &str, instead: &str| Err(Failure::usage("measuring", why).or_try(instead));
        match () {
            () if self.runs.names().is_empty() => refused("--transport names nothing to offer", "tng stp list"),
            () if self.udp || self.reverse || self.bidir => {
                refused("a transport carries what this side sends in a stream", "without -u, -R and --bidir")
            }
            () if self.runs.has_regulator() => {
                refused("-C regulates streams, and a guest regulates itself", "one of -C and --transport")
            }
            () => Ok(()),
        }
    }

    fn configured(&self, builder: Builder, regulator: Option<&Regulator>) -> Builder {
        self.policed.hold(regulated(builder, regulator))
    }

    /// Where to listen, as -p, -4 and -6 say if --bind does not.
    fn door(&self) -> Result<DoorArgs, Failure> {
        let mut door = self.door.clone();
        if self.port.is_some() || self.v4 || self.v6 {
            if door.bind.is_some() {
                return Err(Failure::usage("listening", "--bind says it all; leave -p, -4 and -6 away"));
            }
            let ip = if self.v4 { IpAddr::from(Ipv4Addr::UNSPECIFIED) } else { Ipv6Addr::UNSPECIFIED.into() };
            door.bind = Some(SocketAddr::new(ip, self.port.unwrap_or(crate::location::DEFAULT_PORT)));
        }
        Ok(door)
    }

    /// The server, as -p, -4 and -6 say.
    fn host(&self, target: &Location) -> Result<Location, Failure> {
        let mut host = target.clone();
        for place in &mut host.places {
            match (place, self.port) {
                (HostAddress::Address(address), Some(port)) => address.set_port(port),
                (HostAddress::Name(_, old), Some(port)) => *old = port,
                (_, None) => {}
            }
        }
        let fits = |address: &SocketAddr| (address.is_ipv6() || !self.v6) && (address.is_ipv4() || !self.v4);
        host.places.retain(|place| match place {
            HostAddress::Address(address) => fits(address),
            HostAddress::Name(..) => true,
        });
        if host.places.is_empty() {
            return Err(Failure::new(Exit::Resolve, "looking up the server", "it has no address of that kind")
                .or_try("without -4 and -6"));
        }
        Ok(host)
    }

    fn plan(&self, target: &Location) -> Result<Plan, Failure> {
        let (least, most) = if self.udp { (STAMP_LEN, DATAGRAM_MAX) } else { (1, BLOCK_MAX) };
        let block_len = self.length.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if block_len.is_some_and(|length| !(least..=most).contains(&length)) {
            return Err(Failure::usage("measuring", format_args!("-l is from {least} to {most} bytes here")));
        }
        if self.bytes == Some(0) || self.blockcount == Some(0) {
            return Err(Failure::usage("measuring", "nothing to send").or_try("-n 1M"));
        }
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let rate = self.bitrate.unwrap_or(Rate { bits: if self.udp { DATAGRAM_RATE_DEFAULT } else { 0 }, burst: 0 });
        let test = Test {
            direction: match (self.reverse, self.bidir) {
                (false, false) => Direction::Forward,
                (true, _) => Direction::Reverse,
                (false, true) => Direction::Both,
            },
            datagrams: self.udp,
            wants_output: self.get_server_output,
            lanes: self.parallel.map_or(1, usize::from),
            end: match self.bytes {
                Some(bytes) => End::Bytes(bytes),
                None => End::After(self.time.map_or(SECONDS_DEFAULT * 1000, ms)),
            },
            omit_ms: self.omit.map_or(0, ms),
            block_len: block_len.unwrap_or(0),
            rate: rate.bits,
            burst: rate.burst,
        };
        Ok(Plan {
            host: self.via.to(&self.host(target)?)?,
            test,
            block_len,
            blocks: self.blockcount,
            interval: self.interval,
            allowed: self.allowed,
        })
    }
}
