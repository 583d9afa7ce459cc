//! `tng forward` and `tng proxy` as processes, with programs that know nothing of tng: real TCP sockets at both ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Nothing here takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool that runs until it is dropped, and the events that it tells of.
struct Tool {
    process: Child,
    events: mpsc::Receiver<Value>,
    /// Where its key is.
    _home: tempfile::TempDir,
}

impl Tool {
    fn run(args: &[&str]) -> Tool {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tng"));
        command.args(args).args(["--json", "--quiet"]).env_clear().env("HOME", home.path());
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the tool runs");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let (tell, events) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = tell.send(serde_json::from_str(&line).expect("JSON alone"));
            }
        });
        Tool { process, events, _home: home }
    }

    /// The field of the next event of that name.
    fn told(&self, event: &str, field: &str) -> String {
        loop {
            let told = self.events.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no event {event:?}"));
            if told["event"] == event {
                return told[field].as_str().expect("text").to_owned();
            }
        }
    }

    /// A server, and its ticket.
    fn serve(args: &[&str]) -> (Tool, String) {
        let tool = Tool::run(&[&["forward", "--serve", "--bind", "127.0.0.1:0"], args].concat());
        let ticket = tool.told("serving", "ticket");
        (tool, ticket)
    }

    /// A client, and where it listens.
    fn client(args: &[&str]) -> (Tool, SocketAddr) {
        let tool = Tool::run(args);
        let address = tool.told("listening", "address").parse().expect("an address");
        (tool, address)
    }

    fn proxy(ticket: &str) -> (Tool, SocketAddr) {
        Tool::client(&["proxy", "--listen", "127.0.0.1:0", ticket])
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn connect(to: SocketAddr) -> TcpStream {
    let tcp = TcpStream::connect(to).expect("a connection");
    tcp.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    tcp.set_write_timeout(Some(PATIENCE)).expect("a time-out");
    tcp
}

/// A TCP server that does `each` with every connection, in a thread of its own.
fn server(each: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            let each = each.clone();
            tcp.set_read_timeout(Some(PATIENCE)).expect("a time-out");
            thread::spawn(move || each(tcp));
        }
    });
    address
}

/// Reads to the end, and only then answers: how many bytes there were, and all of them backwards.
fn reverser() -> SocketAddr {
    server(|mut tcp| {
        let mut all = Vec::new();
        tcp.read_to_end(&mut all).expect("an end, no failure");
        all.reverse();
        let answer = [&all.len().to_be_bytes()[..], &all].concat();
        let _ = tcp.write_all(&answer);
    })
}

fn echo() -> SocketAddr {
    server(|tcp| drop(std::io::copy(&mut &tcp, &mut &tcp)))
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
}

/// Sends `data` and its end; checks what the reverser answers.
fn reversed(mut tcp: TcpStream, data: &[u8]) {
    let mut writer = tcp.try_clone().expect("another handle");
    let sent = data.to_vec();
    let writing = thread::spawn(move || {
        writer.write_all(&sent).expect("written");
        writer.shutdown(Shutdown::Write).expect("half-closed");
    });
    let mut answer = Vec::new();
    tcp.read_to_end(&mut answer).expect("an answer, then an end");
    writing.join().expect("written");
    let mut expected = data.to_vec();
    expected.reverse();
    assert!(answer[..8] == data.len().to_be_bytes() && answer[8..] == expected, "{} bytes came", answer.len());
}

/// Asks a SOCKS5 proxy; answers the code of its reply.
fn socks(proxy: SocketAddr, host: &str, port: u16) -> (TcpStream, u8) {
    let mut tcp = connect(proxy);
    tcp.write_all(&[5, 1, 0]).expect("written");
    let mut method = [0; 2];
    tcp.read_exact(&mut method).expect("a method");
    assert_eq!(method, [5, 0]);
    let len = u8::try_from(host.len()).expect("short");
    let request = [&[5, 1, 0, 3, len][..], host.as_bytes(), &port.to_be_bytes()].concat();
    tcp.write_all(&request).expect("written");
    let mut reply = [0; 10];
    tcp.read_exact(&mut reply).expect("a reply");
    assert_eq!((reply[0], reply[3]), (5, 1));
    (tcp, reply[1])
}

/// Sends an HTTP head and reads the head that comes back.
fn http(proxy: SocketAddr, head: &str) -> (TcpStream, String) {
    let mut tcp = connect(proxy);
    tcp.write_all(head.as_bytes()).expect("written");
    let (mut answer, mut byte) = (Vec::new(), [0]);
    while !answer.ends_with(b"\r\n\r\n") && tcp.read(&mut byte).expect("an answer") == 1 {
        answer.push(byte[0]);
    }
    (tcp, String::from_utf8(answer).expect("text"))
}

#[test]
fn a_forwarded_port_is_the_far_port_with_its_half_close() {
    let far = reverser();
    let (_server, ticket) = Tool::serve(&["--to", &far.to_string()]);
    let (_client, near) = Tool::client(&["forward", "-L", &format!("0:{far}"), &ticket]);
    reversed(connect(near), &pattern(1 << 20));
    reversed(connect(near), b"");
}

#[test]
fn a_proxy_speaks_socks_and_connect_on_one_port_and_the_bytes_are_exact() {
    let far = reverser();
    let (_server, ticket) = Tool::serve(&["--to", &far.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let (tcp, code) = socks(proxy, "127.0.0.1", far.port());
    assert_eq!(code, 0);
    reversed(tcp, &pattern(1 << 20));
    let (tcp, answer) = http(proxy, &format!("CONNECT {far} HTTP/1.1\r\nHost: {far}\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    reversed(tcp, &pattern(1 << 20));
}

#[test]
fn a_hundred_connections_at_once_each_get_their_own_bytes() {
    let far = echo();
    let (_server, ticket) = Tool::serve(&["--to", &far.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut all: Vec<TcpStream> = (0..100)
        .map(|_| {
            let (tcp, code) = socks(proxy, "127.0.0.1", far.port());
            assert_eq!(code, 0);
            tcp
        })
        .collect();
    let words = |n: usize| pattern(10_000 + n).split_off(n % 7);
    for (n, tcp) in all.iter_mut().enumerate() {
        tcp.write_all(&words(n)).expect("written");
    }
    for (n, tcp) in all.iter_mut().enumerate().rev() {
        let mut back = vec![0; words(n).len()];
        tcp.read_exact(&mut back).expect("they come back");
        assert!(back == words(n), "connection {n}");
    }
}

#[test]
fn what_the_server_does_not_allow_is_refused_in_the_words_of_the_program() {
    let (far, closed) = (echo(), TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("an address"));
    let (_server, ticket) = Tool::serve(&["--to", &closed.to_string(), "--to", "any"]);
    let (_client, proxy) = Tool::proxy(&ticket);
    assert_eq!(socks(proxy, "127.0.0.1", far.port()).1, 2, "it is loopback, and not named");
    assert_eq!(socks(proxy, "localhost", far.port()).1, 2, "it leads there");
    assert_eq!(socks(proxy, "127.0.0.1", closed.port()).1, 5, "nobody listens there");
    let (mut tcp, answer) = http(proxy, &format!("CONNECT {far} HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let mut why = String::new();
    tcp.read_to_string(&mut why).expect("text, then an end");
    assert!(why.contains("not allowed"), "{why}");
    assert!(http(proxy, &format!("GET http://{closed}/ HTTP/1.1\r\n\r\n")).1.starts_with("HTTP/1.1 502 "));
    assert!(http(proxy, "GET / HTTP/1.1\r\n\r\n").1.starts_with("HTTP/1.1 400 "));
}

#[test]
fn when_the_server_goes_connections_fail_and_new_ones_are_refused() {
    let far = echo();
    let (server, ticket) = Tool::serve(&["--to", &far.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let (mut tcp, code) = socks(proxy, "127.0.0.1", far.port());
    assert_eq!(code, 0);
    tcp.write_all(b"here").expect("written");
    tcp.read_exact(&mut [0; 4]).expect("it comes back");
    let pid = server.process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
    assert!(tcp.read(&mut [0; 4]).is_err(), "a failure, not an end");
    let (mut tcp, answer) = http(proxy, &format!("CONNECT {far} HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    let mut words = String::new();
    tcp.read_to_string(&mut words).expect("text, then an end");
    assert!(words.contains("connecting to") && words.lines().count() == 1, "{words}");
    assert!(!words.contains('\\') && !words.contains("in time"), "plain words, which do not contradict: {words}");
}

#[test]
fn without_a_peer_plain_tcp_is_used_if_asked_for() {
    let far = reverser();
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let place = nobody.local_addr().expect("an address");
    let eid = Command::new(env!("CARGO_BIN_EXE_tng"))
        .args(["id", "--quiet", "--key"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("forward-key"))
        .output()
        .expect("the tool runs");
    let target = format!("{}@{place}", String::from_utf8(eid.stdout).expect("text").trim());
    let client = Tool::run(&["forward", "--fallback-tcp", "-L", &format!("0:{far}"), &target]);
    assert!(!client.told("fallback", "why").is_empty(), "it is told before anything goes that way");
    let near = client.told("listening", "address").parse().expect("an address");
    reversed(connect(near), &pattern(100_000));
    assert_eq!(client.told("unprotected", "address"), far.to_string());
}

#[test]
fn a_port_of_the_peer_leads_here_if_the_peer_has_opened_it() {
    let here = reverser();
    let free = || TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("an address");
    let (open, shut) = (free(), free());
    let (_server, ticket) = Tool::serve(&["--open", &open.port().to_string()]);
    let route = |port: u16| format!("{port}:{here}");
    let client = Tool::run(&["forward", "-R", &route(open.port()), &ticket]);
    assert_eq!(client.told("bound", "address"), open.to_string());
    reversed(connect(open), &pattern(1 << 20));
    let mut refused = Tool::run(&["forward", "-R", &route(shut.port()), &ticket]);
    assert_eq!(refused.process.wait().expect("it ends").code(), Some(9));
}

/// A web server whose pages are as long as their path says: `/N` has N bytes of the pattern.
fn pages() -> SocketAddr {
    server(|mut tcp| {
        let (mut head, mut byte) = (Vec::new(), [0]);
        loop {
            while !head.ends_with(b"\r\n\r\n") {
                match tcp.read(&mut byte) {
                    Ok(1) => head.push(byte[0]),
                    _ => return,
                }
            }
            let text = String::from_utf8_lossy(&head).into_owned();
            let path = text.split(' ').nth(1).unwrap_or_default();
            let len = path.trim_start_matches('/').parse().unwrap_or(0);
            let close = text.to_ascii_lowercase().contains("connection: close");
            let head_out = format!("HTTP/1.1 200 OK\r\nContent-Length: {len}\r\n\r\n");
            if tcp.write_all(&[head_out.as_bytes(), &pattern(len)].concat()).is_err() || close {
                return;
            }
            head.clear();
        }
    })
}

#[test]
fn a_browsers_worth_of_requests_at_once_comes_back_byte_by_byte_through_proxy_and_port() {
    let parallel = Command::new("curl").args(["-Z", "--version"]).output();
    if !parallel.is_ok_and(|curl| curl.status.success()) {
        return println!("skipped: no curl that works in parallel here");
    }
    const REQUESTS: usize = 80;
    let web = pages();
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string()]);
    let (_proxy, proxy) = Tool::proxy(&ticket);
    let (_forward, near) = Tool::client(&["forward", "-L", &format!("0:{web}"), &ticket]);
    let len = |i: usize| 1 + i * i * 37;
    for (how, through) in [
        (vec![], near),
        (vec!["-x".to_owned(), format!("socks5h://{proxy}")], web),
        (vec!["-x".to_owned(), format!("http://{proxy}")], web),
        (vec!["-p".to_owned(), "-x".to_owned(), format!("http://{proxy}")], web),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut curl = Command::new("curl");
        curl.args(["-sS", "-f", "-m", "60", "--noproxy", "", "-Z", "--parallel-max", "80"]).args(&how);
        for i in 0..REQUESTS {
            curl.arg("-o").arg(folder.path().join(i.to_string())).arg(format!("http://{through}/{}", len(i)));
        }
        let out = curl.output().expect("curl runs");
        assert!(out.status.success(), "{how:?}: {out:?}");
        for i in 0..REQUESTS {
            let page = std::fs::read(folder.path().join(i.to_string())).expect("it came");
            assert!(page == pattern(len(i)), "{how:?}: page {i} has {} of {} bytes", page.len(), len(i));
        }
    }
}

#[test]
fn curl_fetches_through_the_proxy_in_each_manner() {
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let web = server(|mut tcp| {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            tcp.read_exact(&mut byte).expect("a request");
            head.extend_from_slice(&byte);
        }
        let _ = tcp.write_all(&[b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &head[..]].concat());
    });
    let (_server, ticket) = Tool::serve(&["--to", &format!("localhost:{}", web.port())]);
    let (_client, proxy) = Tool::proxy(&ticket);
    for (flags, seen) in [
        (vec!["-x".to_owned(), format!("socks5h://{proxy}")], "Accept: */*"),
        (vec!["-x".to_owned(), format!("http://{proxy}")], "Via: 1.1 tng"),
        (vec!["-p".to_owned(), "-x".to_owned(), format!("http://{proxy}")], "Accept: */*"),
    ] {
        let url = format!("http://localhost:{}/a?b", web.port());
        let out = Command::new("curl").args(["-sS", "-m", "60", "--noproxy", ""]).args(&flags).arg(url).output();
        let out = out.expect("curl runs");
        let body = String::from_utf8_lossy(&out.stdout);
        assert!(body.starts_with("GET /a?b HTTP/1.1\r\n") && body.contains(seen), "{flags:?}: {out:?}");
    }
}

/// A program that asks a proxy by plain HTTP, request after request on one connection.
struct Asking(BufReader<TcpStream>);

impl Asking {
    fn of(proxy: SocketAddr) -> Asking {
        Asking(BufReader::new(connect(proxy)))
    }

    fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("written");
    }

    /// A head, up to its empty line, in small letters.
    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && self.0.read_line(&mut head).expect("text") > 0 {}
        head.to_ascii_lowercase()
    }

    fn body(&mut self, len: usize) -> Vec<u8> {
        let mut body = vec![0; len];
        self.0.read_exact(&mut body).expect("a body");
        body
    }

    /// A body in chunks, to its end.
    fn chunks(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).expect("the length of a chunk");
            let len = usize::from_str_radix(line.trim(), 16).expect("a length");
            all.extend(self.body(len));
            assert_eq!(self.body(2), b"\r\n");
            if len == 0 {
                return all;
            }
        }
    }

    /// Asks for a page of the pattern, and checks it.
    fn page(&mut self, web: SocketAddr, len: usize) {
        self.send(format!("GET http://{web}/{len} HTTP/1.1\r\nHost: {web}\r\n\r\n").as_bytes());
        let head = self.head();
        assert!(head.starts_with("http/1.1 200 ") && head.contains("via: 1.1 tng\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {len}\r\n")) && self.body(len) == pattern(len), "{head}");
    }

    fn is_at_an_end(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0))
    }
}

/// A server that answers each request by what `answer` makes of its head, and closes where there is nothing.
fn answering(answer: impl Fn(&str) -> Option<Vec<u8>> + Clone + Send + 'static) -> SocketAddr {
    server(move |tcp| {
        let mut asked = Asking(BufReader::new(tcp));
        while let Some(bytes) = answer(&asked.head()) {
            if asked.0.get_mut().write_all(&bytes).is_err() {
                return;
            }
        }
    })
}

#[test]
fn one_connection_of_a_program_carries_many_requests_to_many_destinations_and_a_tunnel_at_last() {
    let (one, other, far) = (pages(), pages(), reverser());
    let to: Vec<String> = [one, other, far].iter().flat_map(|to| ["--to".to_owned(), to.to_string()]).collect();
    let (_server, ticket) = Tool::serve(&to.iter().map(String::as_str).collect::<Vec<_>>());
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut asking = Asking::of(proxy);
    for (web, len) in [(one, 10), (one, 0), (one, 200_000), (other, 5), (one, 7), (other, 70_000), (other, 1)] {
        asking.page(web, len);
    }
    let shut = TcpListener::bind("127.0.0.1:0").expect("a socket").local_addr().expect("an address");
    asking.send(format!("GET http://{shut}/ HTTP/1.1\r\n\r\n").as_bytes());
    let head = asking.head();
    let len = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let words = asking.body(len.expect("a length"));
    assert!(head.starts_with("http/1.1 403 "), "{head}");
    assert!(String::from_utf8_lossy(&words).contains("not allowed"), "{words:?}");
    asking.page(one, 3);
    asking.send(format!("CONNECT {far} HTTP/1.1\r\nHost: {far}\r\n\r\n").as_bytes());
    assert!(asking.head().starts_with("http/1.1 200 "));
    assert!(asking.0.buffer().is_empty());
    reversed(asking.0.into_inner(), &pattern(1 << 20));
}

#[test]
fn requests_to_one_destination_go_on_one_connection_there_and_are_sent_again_when_it_has_closed() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let web = server(move |tcp| {
        let nth = counted.fetch_add(1, Ordering::SeqCst);
        let mut asked = Asking(BufReader::new(tcp));
        // The first one reads a fourth request, and goes without a word.
        for _ in 0..3 {
            if !asked.head().ends_with("\r\n\r\n") {
                return;
            }
            asked.send(format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{nth}").as_bytes());
        }
        asked.head();
    });
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut asking = Asking::of(proxy);
    let answers: Vec<u8> = (0..4)
        .flat_map(|_| {
            asking.send(format!("GET http://{web}/ HTTP/1.1\r\n\r\n").as_bytes());
            assert!(asking.head().starts_with("http/1.1 200 "));
            asking.body(1)
        })
        .collect();
    assert_eq!((answers.as_slice(), count.load(Ordering::SeqCst)), (&b"0001"[..], 2));
}

#[test]
fn bodies_pass_in_chunks_by_length_and_by_an_end_and_where_there_are_none_none_is_awaited() {
    let web = answering(|head| {
        Some(match head.split(' ').nth(1)? {
            "/chunks" => {
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".to_vec()
            }
            "/head" => b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".to_vec(),
            "/same" => b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n".to_vec(),
            _ => return None,
        })
    });
    let closing = server(|tcp| {
        let mut asked = Asking(BufReader::new(tcp));
        asked.head();
        asked.send(b"HTTP/1.0 200 OK\r\n\r\nto the end");
    });
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string(), "--to", &closing.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut asking = Asking::of(proxy);
    asking.send(format!("GET http://{web}/chunks HTTP/1.1\r\n\r\n").as_bytes());
    let head = asking.head();
    assert!(head.contains("transfer-encoding: chunked") && asking.chunks() == b"abcde", "{head}");
    asking.send(format!("HEAD http://{web}/head HTTP/1.1\r\n\r\n").as_bytes());
    assert!(asking.head().contains("content-length: 1000\r\n"));
    asking.send(format!("GET http://{web}/same HTTP/1.1\r\n\r\n").as_bytes());
    let head = asking.head();
    assert!(head.starts_with("http/1.1 304 ") && head.contains("etag: \"x\""), "{head}");
    asking.send(format!("GET http://{closing}/ HTTP/1.1\r\n\r\n").as_bytes());
    let head = asking.head();
    assert!(head.starts_with("http/1.1 200 ") && asking.chunks() == b"to the end", "{head}");
    asking.send(format!("GET http://{closing}/ HTTP/1.0\r\n\r\n").as_bytes());
    let head = asking.head();
    assert!(head.starts_with("http/1.0 200 ") && !head.contains("chunked"), "{head}");
    assert!(asking.body(10) == b"to the end" && asking.is_at_an_end());
}

#[test]
fn a_program_of_http_1_0_keeps_its_connection_if_it_asks_for_that() {
    let web = pages();
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut asking = Asking::of(proxy);
    for (field, is_kept) in [("Connection: keep-alive\r\n", true), ("", false)] {
        asking.send(format!("GET http://{web}/9 HTTP/1.0\r\n{field}\r\n").as_bytes());
        let head = asking.head();
        assert!(head.starts_with("http/1.0 200 ") && head.contains("connection: keep-alive") == is_kept, "{head}");
        assert_eq!(asking.body(9), pattern(9));
    }
    assert!(asking.is_at_an_end());
}

#[test]
fn bodies_of_requests_pass_whole_and_requests_that_came_at_once_are_answered_in_order() {
    let web = server(|tcp| {
        let mut asked = Asking(BufReader::new(tcp));
        loop {
            let head = asked.head();
            let body = match head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()) {
                _ if !head.ends_with("\r\n\r\n") => return,
                Some(len) => asked.body(len.parse().expect("a length")),
                None if head.contains("transfer-encoding: chunked") => asked.chunks(),
                None => head.split(' ').nth(1).unwrap_or_default().into(),
            };
            asked.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
            asked.send(&body);
        }
    });
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let mut asking = Asking::of(proxy);
    let large = pattern(300_000);
    asking.send(format!("POST http://{web}/ HTTP/1.1\r\nContent-Length: {}\r\n\r\n", large.len()).as_bytes());
    asking.send(&large);
    assert!(asking.head().starts_with("http/1.1 200 ") && asking.body(large.len()) == large);
    let chunked = "POST http://WEB/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    let (first, last) = ("GET http://WEB/first HTTP/1.1\r\n\r\n", "GET http://WEB/last HTTP/1.1\r\n\r\n");
    asking.send([first, chunked, last].concat().replace("WEB", &web.to_string()).as_bytes());
    for body in ["/first", "body", "/last"] {
        assert!(asking.head().starts_with("http/1.1 200 "));
        assert_eq!(asking.body(body.len()), body.as_bytes());
    }
}

#[test]
fn an_answer_that_is_cut_off_is_a_failure_and_no_end() {
    let web = server(|tcp| {
        let mut asked = Asking(BufReader::new(tcp));
        let half: &[u8] = match asked.head().split(' ').nth(1) {
            Some("/length") => b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            Some("/chunks") => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            Some("/whole") => b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalf",
            _ => b"",
        };
        asked.send(half);
    });
    let (_server, ticket) = Tool::serve(&["--to", &web.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    for path in ["length", "chunks"] {
        let mut asking = Asking::of(proxy);
        asking.send(format!("GET http://{web}/{path} HTTP/1.1\r\n\r\n").as_bytes());
        assert!(asking.0.read_to_end(&mut Vec::new()).is_err(), "{path}: a failure, not an end");
    }
    let mut asking = Asking::of(proxy);
    asking.send(format!("GET http://{web}/whole HTTP/1.1\r\n\r\n").as_bytes());
    assert!(asking.head().starts_with("http/1.1 200 ") && asking.body(4) == b"half", "control: it is whole");
    asking.send(format!("GET http://{web}/nothing HTTP/1.1\r\n\r\n").as_bytes());
    assert!(asking.head().starts_with("http/1.1 502 "));
}

/// Sends a byte and has it back; false if the connection breaks.
fn is_echoed(mut tcp: &TcpStream) -> bool {
    tcp.write_all(b"x").is_ok() && matches!(tcp.read(&mut [0; 8]), Ok(1))
}

#[test]
fn more_than_256_connections_are_open_at_once() {
    let to = echo().to_string();
    let (_server, ticket) = Tool::serve(&["--to", &to]);
    let (_client, address) = Tool::client(&["forward", "-L", &format!("0:{to}"), &ticket]);
    let open: Vec<TcpStream> = (0..300).map(|_| connect(address)).collect();
    for round in 0..2 {
        for (which, tcp) in open.iter().enumerate() {
            assert!(is_echoed(tcp), "{which} in round {round}");
        }
    }
}

#[test]
fn a_connection_beyond_the_limit_waits_for_a_place_and_is_reset_if_there_is_none() {
    let to = echo().to_string();
    let (_server, ticket) = Tool::serve(&["--to", &to]);
    let forward = ["forward", "--connections", "2", "-L", &format!("0:{to}"), &ticket];
    let (_client, address) = Tool::client(&forward);
    let (first, second) = (connect(address), connect(address));
    assert!(is_echoed(&first) && is_echoed(&second));
    assert!(!is_echoed(&connect(address)), "nobody gives a place back");
    drop(first);
    let third = connect(address);
    assert!(is_echoed(&third) && is_echoed(&second));
}

#[test]
fn a_connection_beyond_a_peers_share_waits_for_a_place_at_the_server_and_is_refused_by_name_if_there_is_none() {
    let far = echo();
    // A peer has two of eight.
    let (_server, ticket) = Tool::serve(&["--connections", "8", "--to", &far.to_string()]);
    let (_client, proxy) = Tool::proxy(&ticket);
    let tunnel = format!("CONNECT {far} HTTP/1.1\r\n\r\n");
    let opened = || http(proxy, &tunnel);
    let ((first, answer), (second, _)) = (opened(), opened());
    assert!(answer.starts_with("HTTP/1.1 200 ") && is_echoed(&first) && is_echoed(&second), "{answer}");
    let (mut refused, answer) = opened();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    let mut why = String::new();
    refused.read_to_string(&mut why).expect("text, then an end");
    assert!(why.contains("too many connections at once"), "{why}");
    // It asks, and only then one of the two ends; again if the machine is so slow that this takes a second.
    let mut first = first;
    for attempt in 0..5 {
        let mut third = connect(proxy);
        third.write_all(tunnel.as_bytes()).expect("written");
        let mut answer = [0; 12];
        third.set_read_timeout(Some(Duration::from_millis(100))).expect("it is a socket");
        assert!(third.peek(&mut answer).is_err(), "it waits");
        third.set_read_timeout(None).expect("it is a socket");
        drop(first);
        third.read_exact(&mut answer).expect("an answer");
        if &answer == b"HTTP/1.1 200" {
            return assert!(is_echoed(&second));
        }
        assert!(attempt < 4, "it is refused although another ends");
        first = opened().0;
    }
}
