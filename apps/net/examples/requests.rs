//! Requests: a service that is a function, and what its users may do beside waiting.
//!
//! Shows how a host answers requests, how a client makes many at once on one connection, gives one a deadline, and
//! reads a long answer as it comes. `cargo run -p tng --example requests` does both ends.
use std::error::Error;
use std::time::Duration;

use tng::{Access, Endpoint, Request, RequestError};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes of the long answer.
const LONG: usize = 1 << 20;

async fn listen() -> Result<Endpoint, Failure> {
    let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public).build().await?;
    server.serve("shout", async |request: Request| request.body().to_ascii_uppercase())?;
    server.serve("sleep", async |_: Request| {
        tokio::time::sleep(Duration::from_secs(60)).await;
        "slept"
    })?;
    server.serve("long", async |_: Request| vec![b'x'; LONG])?;
    Ok(server)
}

/// Both ends in one process.
pub async fn run() -> Result<String, Failure> {
    let server = listen().await?;
    let client = Endpoint::builder().build().await?;
    let connection = client.connect(&server.ticket()?).await?;

    // Many at once share packets, and none waits for another.
    let mut asks = JoinSet::new();
    for number in 0..100 {
        let connection = connection.clone();
        asks.spawn(async move { connection.request("shout", format!("number {number}")).await });
    }
    let answers: Vec<_> = asks.join_all().await.into_iter().collect::<Result<_, _>>()?;

    // One that takes too long is taken back: the future that worked on it is dropped.
    let late = connection.request("sleep", "").deadline(Duration::from_millis(100)).await;
    let is_late = matches!(late, Err(RequestError::TimedOut(_)));

    // An answer of any length is a stream.
    let mut answer = connection.request("long", "").into_stream().await?;
    let mut len = 0;
    while let Some(chunk) = answer.read_chunk(usize::MAX).await? {
        len += chunk.len();
    }
    client.close().await;
    server.close().await;
    Ok(format!("{} answers, one too late: {is_late}, {len} bytes as they came", answers.len()))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    println!("{}", run().await?);
    Ok(())
}
