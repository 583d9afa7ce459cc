//! An echo: `echo serve` prints a ticket; `echo TICKET TEXT...` sends the text and prints what comes back.
use std::error::Error;

use tng::{Access, Endpoint, ServiceOptions, Stream, Target, Ticket};

type Failure = Box<dyn Error + Send + Sync>;

async fn serve() -> Result<(), Failure> {
    let endpoint =
        Endpoint::builder().access(Access::Public).listen("echo", "bytes", ServiceOptions::default()).build().await?;
    println!("{}", Ticket::new(endpoint.eid(), endpoint.local_addresses(), Vec::new())?);
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
    let target = Target { eid: ticket.eid(), addresses: ticket.addresses().to_vec(), capability: None };
    let connection = endpoint.connect(target).await?;
    let (mut send, mut recv) = connection.open("echo", "bytes").await?.split();
    let writing = async {
        send.write_all(text.as_bytes()).await?;
        send.finish().await
    };
    let (back, wrote) = tokio::join!(recv.read_to_end(text.len()), writing);
    wrote?;
    connection.close(0, "");
    endpoint.close().await;
    Ok(String::from_utf8(back?)?)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((first, [])) if first == "serve" => serve().await,
        Some((ticket, words)) if !words.is_empty() => {
            println!("{}", call(&ticket.parse()?, &words.join(" ")).await?);
            Ok(())
        }
        _ => Err("usage: echo serve | echo TICKET TEXT...".into()),
    }
}
