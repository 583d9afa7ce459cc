//! An echo: one stream, bytes there and bytes back.
//!
//! Shows how a host offers a service and lets anybody in, how a ticket says where it is, and how a client's first bytes
//! travel with its first packet. `finish` waits until the peer's host has everything.
//!
//! `cargo run -p tng --example echo` does both ends; `-- serve` prints a ticket, `-- TICKET TEXT...` calls it from
//! elsewhere.
use std::error::Error;

use tng::{Access, Endpoint, ServiceOptions, Stream, Ticket};

type Failure = Box<dyn Error + Send + Sync>;

async fn listen() -> Result<(Endpoint, Ticket), Failure> {
    let endpoint =
        Endpoint::builder().access(Access::Public).listen("echo", "bytes", ServiceOptions::default()).build().await?;
    let ticket = endpoint.ticket()?;
    Ok((endpoint, ticket))
}

async fn serve(endpoint: Endpoint) -> Result<(), Failure> {
    while let Some(incoming) = endpoint.accept().await {
        let connection = incoming.accept().await?;
        eprintln!("connected: {}", connection.peer());
        tokio::spawn(async move {
            while let Ok(incoming) = connection.accept().await {
                tokio::spawn(echo(incoming.stream));
            }
            eprintln!("gone: {}: {}", connection.peer(), connection.closed().await);
        });
    }
    Ok(())
}

async fn echo(stream: Stream) -> Result<(), Failure> {
    let (mut send, mut recv) = stream.split();
    tokio::io::copy(&mut recv, &mut send).await?;
    send.finish().await?;
    Ok(())
}

async fn call(ticket: &Ticket, text: &str) -> Result<String, Failure> {
    let endpoint = Endpoint::builder().build().await?;
    let connecting = endpoint.dial(ticket)?;
    // Not connected yet: this goes with the first packet.
    let (mut send, mut recv) = connecting.connection().open("echo", "bytes").await?.split();
    send.write_all(text.as_bytes()).await?;
    let connection = connecting.await?;
    send.finish().await?;
    let back = recv.read_to_end(text.len()).await?;
    connection.close(0, "");
    endpoint.close().await;
    Ok(String::from_utf8(back)?)
}

/// Both ends in one process.
pub async fn run() -> Result<String, Failure> {
    let (endpoint, ticket) = listen().await?;
    tokio::spawn(serve(endpoint));
    call(&ticket, "is there anybody?").await
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        None => println!("{}", run().await?),
        Some((first, [])) if first == "serve" => {
            let (endpoint, ticket) = listen().await?;
            println!("{ticket}");
            serve(endpoint).await?;
        }
        Some((ticket, words)) if !words.is_empty() => println!("{}", call(&ticket.parse()?, &words.join(" ")).await?),
        Some(_) => return Err("usage: echo [serve | TICKET TEXT...]".into()),
    }
    Ok(())
}
