//! TCP of programs that know nothing of tng, by way of a relay: `tng forward --via` and `tng proxy --via`.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bench::PATIENCE;
use crate::helped::{ANYONE, Helped};

/// Sends back what comes.
fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || drop(std::io::copy(&mut &tcp, &mut &tcp)));
        }
    });
    address
}

/// `tng forward` or `tng proxy`, until it is dropped.
struct Listening {
    child: Child,
    says: Receiver<Value>,
    /// What it has said that nobody has asked for yet.
    said: VecDeque<Value>,
    address: SocketAddr,
}

impl Listening {
    fn start(helped: &Helped, args: &[&str]) -> Listening {
        let mut command = helped.user(&[args, &["--json", "--quiet"]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
        let (tell, says) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = tell.send(serde_json::from_str(&line).expect("JSON alone"));
            }
        });
        let mut listening = Listening { child, says, said: VecDeque::new(), address: ([127, 0, 0, 1], 0).into() };
        let address = listening.told("listening")["address"].as_str().expect("told").to_owned();
        listening.address = address.parse().expect("an address");
        listening
    }

    /// The next event of that name; others wait to be asked for.
    fn told(&mut self, event: &str) -> Value {
        if let Some(at) = self.said.iter().position(|told| told["event"] == event) {
            return self.said.remove(at).expect("it is there");
        }
        loop {
            let told = self.says.recv_timeout(PATIENCE);
            let told = told.unwrap_or_else(|_| panic!("nothing of {event:?} beside {:?}", self.said));
            if told["event"] == event {
                return told;
            }
            self.said.push_back(told);
        }
    }

    fn connect(&self) -> TcpStream {
        let tcp = TcpStream::connect(self.address).expect("a connection");
        tcp.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        tcp
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// So many bytes come back as they were sent.
fn echoed(tcp: &mut TcpStream, len: usize) {
    let sent: Vec<u8> = (0..len).map(|i| (i * 31 + i / 251) as u8).collect();
    let (mut writer, words) = (tcp.try_clone().expect("another handle"), sent.clone());
    let writing = thread::spawn(move || writer.write_all(&words).expect("written"));
    let mut back = vec![0; len];
    tcp.read_exact(&mut back).expect("they come back");
    writing.join().expect("written");
    assert!(back == sent, "{len} bytes");
}

/// Asks a SOCKS5 proxy for an IPv4 address.
fn through_socks(mut tcp: TcpStream, to: SocketAddr) -> TcpStream {
    let SocketAddr::V4(to) = to else { panic!("{to}") };
    tcp.write_all(&[5, 1, 0]).expect("written");
    let mut method = [0; 2];
    tcp.read_exact(&mut method).expect("a method");
    let request = [&[5, 1, 0, 1][..], &to.ip().octets(), &to.port().to_be_bytes()].concat();
    tcp.write_all(&request).expect("written");
    let mut reply = [0; 10];
    tcp.read_exact(&mut reply).expect("a reply");
    assert_eq!((method, reply[1]), ([5, 0], 0));
    tcp
}

/// Bytes that the relay has passed on.
fn relayed(helped: &Helped) -> u64 {
    helped.status()["counts"]["sent_bytes"].as_u64().expect("a count")
}

const LEN: usize = 300_000;

#[test]
fn a_forwarded_port_leads_through_the_relay_and_says_so() {
    let far = echo();
    let helped = Helped::start(ANYONE, &["forward", "--serve", "--public", "--to", &far.to_string()], "");
    let (via, name) = helped.via();
    let (port, target) = (format!("0:{far}"), &helped.server.ticket);
    let mut near = Listening::start(&helped, &["forward", "--via", &via, "-L", &port, target]);
    let mut tcp = near.connect();
    echoed(&mut tcp, LEN);
    assert_eq!(near.told("connected")["path"], format!("via {name}"));
    let passed = relayed(&helped);
    assert!(passed > 2 * LEN as u64, "{passed} bytes by way of the relay");
    assert_eq!(helped.status()["flows"].as_array().map(Vec::len), Some(1));

    let mut direct = Listening::start(&helped, &["forward", "-L", &port, target]);
    echoed(&mut direct.connect(), LEN);
    assert_eq!(direct.told("connected")["path"], "direct");
    assert!(relayed(&helped) < passed + LEN as u64, "control: nothing of it went by way of the relay");
}

#[test]
fn a_proxy_leads_through_the_relay_and_says_so() {
    let far = echo();
    let helped = Helped::start(ANYONE, &["forward", "--serve", "--public", "--to", &far.to_string()], "");
    let ((via, name), target) = (helped.via(), &helped.server.ticket);
    let mut proxy = Listening::start(&helped, &["proxy", "--listen", "127.0.0.1:0", "--via", &via, target]);
    let mut tcp = through_socks(proxy.connect(), far);
    echoed(&mut tcp, LEN);
    assert_eq!(proxy.told("connected")["path"], format!("via {name}"));
    let passed = relayed(&helped);
    assert!(passed > 2 * LEN as u64, "{passed} bytes by way of the relay");
    // Another connection of a program is a stream more on the same path.
    echoed(&mut through_socks(proxy.connect(), far), LEN);
    assert!(relayed(&helped) > passed + 2 * LEN as u64);
    assert_eq!(helped.joins(), 1);
}

#[test]
fn a_forwarded_connection_outlives_the_relay() {
    let far = echo();
    let mut helped = Helped::start(ANYONE, &["forward", "--serve", "--public", "--to", &far.to_string()], "");
    let ((via, _), target) = (helped.via(), helped.server.ticket.clone());
    let port = format!("0:{far}");
    let mut near = Listening::start(&helped, &["forward", "--via", &via, "-L", &port, &target]);
    let mut tcp = near.connect();
    echoed(&mut tcp, LEN);
    helped.relay.take().expect("it runs").kill();
    echoed(&mut tcp, LEN);
    // Whether it stands still for long enough for that to be told is up to how soon it is seen that nothing arrives.
    assert_eq!(near.told("back")["path"], "direct");
}

/// Says something now and then, to every client that comes.
#[expect(clippy::disallowed_methods, reason = "a program in real time")]
fn ticker() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut tcp in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                while tcp.write_all(&[b'.'; 100]).is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
            });
        }
    });
    address
}

/// The user's end hardly sends anything, and when the relay dies there is no direct channel beside it yet.
#[test]
fn a_relay_that_was_started_again_helps_a_connection_again_that_only_hears() {
    let far = ticker();
    let mut helped = Helped::start(ANYONE, &["forward", "--serve", "--public", "--to", &far.to_string()], "");
    let ((via, name), target) = (helped.via(), helped.server.ticket.clone());
    let port = format!("0:{far}");
    let mut near = Listening::start(&helped, &["forward", "--via", &via, "-L", &port, &target]);
    let mut tcp = near.connect();
    let mut hear = move |times: usize| (0..times).for_each(|_| tcp.read_exact(&mut [0; 100]).expect("it ticks"));
    hear(3);
    assert_eq!(near.told("connected")["path"], format!("via {name}"));
    helped.relay.take().expect("it runs").kill();
    helped.start_relay();
    assert_eq!(near.told("helped")["path"], format!("via {name}"));
    hear(20);
}
