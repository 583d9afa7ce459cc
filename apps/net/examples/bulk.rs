//! How fast one stream moves bytes over the loopback.
//!
//! `cargo run --release -p tng --example bulk -- [GIGABYTES] [STREAMS] [CONTROLLER]` moves them between two endpoints
//! of this process; with `TNG_BULK=two` the receiver is a process of its own.
use std::error::Error;
use std::process::Stdio;
use std::time::Instant;

use tng::{Access, Connection, Endpoint, Identity, ServiceOptions, Target};
use tokio::io::{AsyncBufReadExt, BufReader};

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes that are written and read at a time.
const CHUNK: usize = 256 * 1024;

fn loopback() -> std::net::SocketAddr {
    (std::net::Ipv4Addr::LOCALHOST, 0).into()
}

/// Takes whatever comes, on every stream of every connection, and answers each with its length.
async fn receive(endpoint: Endpoint) -> Result<(), Failure> {
    while let Some(incoming) = endpoint.accept().await {
        let connection = incoming.accept().await?;
        tokio::spawn(async move {
            while let Ok(incoming) = connection.accept().await {
                tokio::spawn(async move {
                    let (mut send, mut recv) = incoming.stream.split();
                    let (mut buffer, mut total) = (vec![0; CHUNK], 0);
                    loop {
                        match recv.read(&mut buffer).await? {
                            0 => break,
                            n => total += n as u64,
                        }
                    }
                    send.write_all(&total.to_be_bytes()).await?;
                    send.finish().await?;
                    Ok::<_, Failure>(())
                });
            }
        });
    }
    Ok(())
}

async fn receiver(controller: &str) -> Result<Endpoint, Failure> {
    let builder = Endpoint::builder().bind(loopback()).access(Access::Public).controller(controller);
    Ok(builder
        .identity(Identity::from_seed([1; 32]))
        .listen("bulk", "bytes", ServiceOptions::default())
        .build()
        .await?)
}

/// Sends `bytes` on one stream and has the receiver confirm them.
async fn send(connection: Connection, bytes: u64) -> Result<(), Failure> {
    let mut stream = connection.open("bulk", "bytes").await?;
    let chunk = vec![0x5a; CHUNK];
    let mut left = bytes;
    while left > 0 {
        let n = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        stream.write_all(&chunk[..n]).await?;
        left -= n as u64;
    }
    stream.finish().await?;
    let said = stream.read_to_end(8).await?;
    if said == bytes.to_be_bytes() { Ok(()) } else { Err("the receiver counted otherwise".into()) }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "measures wall time")]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).cloned().unwrap_or_else(|| default.to_owned());
    let controller = arg(2, "cubic");
    if arg(0, "") == "receive" {
        let endpoint = receiver(&controller).await?;
        println!("{}", endpoint.local_addr());
        return receive(endpoint).await;
    }
    let (bytes, streams) = ((arg(0, "4").parse::<f64>()? * 1e9) as u64, arg(1, "1").parse::<u64>()?);
    let mut child = None;
    let addr = if std::env::var("TNG_BULK").is_ok_and(|mode| mode == "two") {
        let mut process = tokio::process::Command::new(std::env::current_exe()?)
            .args(["receive", "", &controller])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let out = process.stdout.take().ok_or("the receiver has no output")?;
        child = Some(process);
        BufReader::new(out).lines().next_line().await?.ok_or("the receiver said nothing")?.parse()?
    } else {
        let endpoint = receiver(&controller).await?;
        let addr = endpoint.local_addr();
        tokio::spawn(receive(endpoint));
        addr
    };
    let endpoint = Endpoint::builder().bind(loopback()).controller(&controller).build().await?;
    let eid = Identity::from_seed([1; 32]).eid();
    let connection = endpoint.connect(Target { eid, addresses: vec![addr], capability: None, via: Vec::new() }).await?;
    let began = Instant::now();
    let tasks: Vec<_> = (0..streams).map(|_| tokio::spawn(send(connection.clone(), bytes / streams))).collect();
    for task in tasks {
        task.await??;
    }
    let seconds = began.elapsed().as_secs_f64();
    let sent = endpoint.sent();
    println!(
        "{:.2} Gbit/s: {:.2} GB in {seconds:.2} s, {:.1} datagrams per send, {} bytes per datagram",
        bytes as f64 * 8e-9 / seconds,
        bytes as f64 * 1e-9,
        sent.datagrams as f64 / sent.sends.max(1) as f64,
        sent.bytes / sent.datagrams.max(1),
    );
    if let Some(stats) = connection.stats() {
        println!("{stats:#?}");
    }
    drop(child);
    Ok(())
}
