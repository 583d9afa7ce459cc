//! What endpoints write down of themselves, between two of them on this machine.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use tng::{Access, BindError, Endpoint, ServiceOptions};
use tng_trace::Memory;

async fn server() -> Endpoint {
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).access(Access::Public);
    builder.listen("echo", "bytes", ServiceOptions::default()).build().await.expect("loopback")
}

/// Sends 100 kB there and back.
async fn echo(server: &Endpoint, client: &Endpoint) {
    let ticket = server.ticket().expect("a ticket");
    let (accepting, sent) = (server.clone(), vec![7; 100_000]);
    let echoing = tokio::spawn(async move {
        let connection = accepting.accept().await.expect("a peer").accept().await.expect("still there");
        let mut stream = connection.accept().await.expect("a stream").stream;
        let got = stream.read_to_end(1 << 20).await.expect("all of it");
        stream.write_all(&got).await.expect("taken");
        stream.finish().await.expect("arrived");
    });
    let connection = client.connect(&ticket).await.expect("reached");
    let mut stream = connection.open("echo", "bytes").await.expect("opened");
    stream.write_all(&sent).await.expect("taken");
    stream.finish().await.expect("arrived");
    assert_eq!(stream.read_to_end(1 << 20).await.expect("all of it"), sent);
    echoing.await.expect("no panic");
    client.close().await;
    server.close().await;
}

#[tokio::test]
async fn an_endpoint_writes_down_its_packets_and_keys_for_whoever_asked_for_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("traces-{}", std::process::id()));
    let (keys, capture) = (Memory::default(), Memory::default());
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address"));
    let client = builder.trace(&folder).key_log(keys.clone()).capture(capture.clone()).build().await.expect("loopback");
    echo(&server().await, &client).await;
    assert!(client.take_observer_failure().is_none());

    let keys = String::from_utf8(keys.bytes()).expect("text");
    let line = keys.strip_suffix('\n').expect("a line");
    let fields: Vec<usize> = line.split(' ').map(str::len).collect();
    assert_eq!(fields, [4, 12, 12, 1, 64, 64], "{line}");

    // 200 kB crossed the socket, and the keys stand beside.
    let capture = capture.bytes();
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    assert!(capture.len() > 200_000, "{}", capture.len());
    assert!(capture.windows(line.len()).any(|part| part == line.as_bytes()));

    let files: Vec<PathBuf> = fs::read_dir(&folder).expect("made").map(|file| file.expect("a file").path()).collect();
    let [file] = &files[..] else { panic!("one channel: {files:?}") };
    let trace = fs::read_to_string(file).expect("text");
    fs::remove_dir_all(&folder).expect("made above");
    let events = |name: &str| trace.matches(&format!("\"name\":\"{name}\"")).count();
    assert!(trace.starts_with("\x1e{\"qlog_version\":\"0.3\"") && trace.contains("\"type\":\"client\""));
    assert!(events("transport:packet_sent") > 50 && events("transport:packet_received") > 50);
    // Once for packets that leave together.
    assert!(events("recovery:metrics_updated") > 10);
    assert!(trace.contains("\"new\":\"closing\""), "to its end");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_told_before_anything_begins() {
    let built =
        Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address")).trace("/proc/no/such").build().await;
    assert!(matches!(built, Err(BindError::Observe(_))), "{built:?}");
}

#[tokio::test]
async fn an_output_that_fails_ends_and_the_endpoint_goes_on() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let builder = Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address"));
    let client = builder.key_log(Full).build().await.expect("loopback");
    echo(&server().await, &client).await;
    assert_eq!(client.take_observer_failure().map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
}
