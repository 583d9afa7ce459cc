//! A web page and its parts: a stream whose answers are substreams.
//!
//! Shows how either side forks a stream without a round trip, that the parts share no order and a slow one holds up
//! nobody, and that they outlive their parent. There is no numbering of requests and no framing: the tree of streams is
//! the structure.
//!
//! `cargo run -p tng --example substreams`
use std::error::Error;

use tng::{Access, Endpoint, ServiceOptions, Stream, Ticket};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

const PARTS: [(&str, usize); 3] = [("film", 4_000_000), ("style", 2_000), ("photo", 300_000)];

/// Answers the page on the stream itself, and pushes every part on a substream of its own.
async fn serve(mut page: Stream) -> Result<(), Failure> {
    let asked = page.read_to_end(100).await?;
    let mut parts = JoinSet::new();
    for (name, len) in PARTS {
        let mut part = page.open_substream().await?;
        parts.spawn(async move {
            part.write_all(format!("{name}\n").as_bytes()).await?;
            part.write_all(&vec![b'.'; len]).await?;
            part.finish().await
        });
    }
    page.write_all(format!("{} has {} parts", String::from_utf8(asked)?, PARTS.len()).as_bytes()).await?;
    page.finish().await?;
    // The page is over and gone. Its parts go on.
    drop(page);
    while let Some(sent) = parts.join_next().await {
        sent??;
    }
    Ok(())
}

/// Asks for a page and answers what came, in the order in which it was there.
async fn fetch(endpoint: &Endpoint, ticket: &Ticket) -> Result<Vec<String>, Failure> {
    let connection = endpoint.connect(ticket).await?;
    let mut page = connection.open("pages", "text").await?;
    // Before anything is awaited, or a quick server's substreams are refused.
    page.listen_substreams()?;
    page.write_all(b"index").await?;
    let mut parts = JoinSet::new();
    let (mut send, mut recv) = page.split();
    send.finish().await?;
    for _ in PARTS {
        let mut part = connection.accept_substream(recv.id()).await?;
        parts.spawn(async move {
            let bytes = part.read_to_end(10_000_000).await?;
            let name_len = bytes.iter().position(|byte| *byte == b'\n').ok_or("a part without a name")?;
            let name = String::from_utf8_lossy(&bytes[..name_len]);
            Ok::<_, Failure>(format!("{name}: {} bytes", bytes.len() - name_len - 1))
        });
    }
    let mut log = vec![String::from_utf8(recv.read_to_end(1_000).await?)?];
    while let Some(part) = parts.join_next().await {
        log.push(part??);
    }
    Ok(log)
}

/// Both ends in one process.
pub async fn run() -> Result<Vec<String>, Failure> {
    let server =
        Endpoint::builder().access(Access::Public).listen("pages", "text", ServiceOptions::default()).build().await?;
    let ticket = server.ticket()?;
    let serving = async {
        let connection = server.accept().await.ok_or("closed")?.accept().await?;
        serve(connection.accept().await?.stream).await
    };
    let client = Endpoint::builder().build().await?;
    let (served, fetched) = tokio::join!(serving, fetch(&client, &ticket));
    served?;
    fetched
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    run().await?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
