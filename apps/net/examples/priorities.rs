//! Two downloads, and a user who suddenly wants the second one first.
//!
//! Shows that priorities change while data flows: the reader asks the writer's host, and the request passes the data
//! by. Until then the two share evenly; after it the first one gets what the second one leaves over.
//!
//! `cargo run -p tng --example priorities`
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tng::{Access, Endpoint, Priority, RecvStream, ServiceOptions, Stream};

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes of each download.
const LEN: usize = 4_000_000;

/// How far the downloads were when something happened, in percent: the first, the second.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// When the user changed their mind.
    pub asked: [usize; 2],
    /// When the second was there.
    pub done: [usize; 2],
}

async fn serve(stream: Stream) -> Result<(), Failure> {
    let (mut send, mut recv) = stream.split();
    recv.read_to_end(0).await?;
    send.write_all(&vec![1; LEN]).await?;
    send.finish().await?;
    Ok(())
}

/// Reads to the end, and counts.
async fn download(mut recv: RecvStream, count: Arc<AtomicUsize>) -> Result<(), Failure> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match recv.read(&mut buffer).await? {
            0 => return Ok(()),
            n => count.fetch_add(n, Ordering::Relaxed),
        };
    }
}

/// Both ends in one process.
pub async fn run() -> Result<Progress, Failure> {
    let server =
        Endpoint::builder().access(Access::Public).listen("films", "bytes", ServiceOptions::default()).build().await?;
    let ticket = server.ticket()?;
    tokio::spawn(async move {
        let connection = server.accept().await.ok_or("closed")?.accept().await?;
        while let Ok(incoming) = connection.accept().await {
            tokio::spawn(serve(incoming.stream));
        }
        Ok::<_, Failure>(())
    });
    // On the loopback nothing would ever have to wait for its turn. This little room at the reader stands for a slow
    // network.
    let client = Endpoint::builder().connection_window(128 * 1024).build().await?;
    let connection = client.connect(&ticket).await?;

    let counts: [Arc<AtomicUsize>; 2] = Default::default();
    let percent = || [0, 1].map(|i| counts[i].load(Ordering::Relaxed) * 100 / LEN);
    let mut downloads = Vec::new();
    let mut second = None;
    for count in &counts {
        let (mut send, recv) = connection.open("films", "bytes").await?.split();
        send.finish().await?;
        second = Some(recv.id());
        downloads.push(tokio::spawn(download(recv, Arc::clone(count))));
    }
    while percent()[1] < 20 {
        tokio::task::yield_now().await;
    }
    let asked = percent();
    let urgent = Priority { level: Some(1), ..Priority::default() };
    connection.request_priority(second.ok_or("no download")?, urgent);
    downloads.remove(1).await??;
    let done = percent();
    downloads.remove(0).await??;
    Ok(Progress { asked, done })
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let Progress { asked, done } = run().await?;
    println!("asked for the second when the first had {} % and the second {} %", asked[0], asked[1]);
    println!("the second was there when the first had {} %", done[0]);
    Ok(())
}
