//! A transport that is a guest: a module from a file, or one that is built in, carries a stream of bytes.
//!
//! Shows how code becomes a transport: bytes of a module, an engine that checks and compiles them, `Code` under a name,
//! and `Builder::transport` at both ends. The guest runs in a sandbox, and the host's policer holds what it sends.
//!
//! `cargo run -p tng --features guests --example guest` does both ends with the NewReno that is built in;
//! `-- FILE.wasm` with yours, a transport with streams. docs/stp.md says how a module is built.
use std::error::Error;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use tng::stp::{Code, Engine, Module, Quotas, built_in};
use tng::{Access, Endpoint, Ticket};

type Failure = Box<dyn Error + Send + Sync>;

const NAME: &str = "mine";

fn code(module: &[u8]) -> Result<Code, Failure> {
    let engine = Engine::new(Quotas::default())?;
    let module = Module::new(&engine, module)?;
    Ok(module.code(NAME).ok_or("it is a controller, no transport")?)
}

async fn serve(endpoint: Endpoint) -> Result<Vec<u8>, Failure> {
    let incoming = endpoint.accept().await.ok_or("the endpoint is closed")?;
    let mut guest = incoming.accept().await?.guest()?;
    let mut got = Vec::new();
    guest.read_to_end(&mut got).await?;
    // Until the client has read this, the connection is held.
    guest.write_all(format!("{} bytes came", got.len()).as_bytes()).await?;
    guest.finish()?;
    guest.delivered().await?;
    Ok(got)
}

async fn send(code: Code, ticket: &Ticket, bytes: &[u8]) -> Result<String, Failure> {
    let endpoint = Endpoint::builder().transport(code).build().await?;
    let mut guest = endpoint.connect_transport(ticket, NAME).await?;
    guest.write_all(bytes).await?;
    guest.shutdown().await?;
    let mut answer = String::new();
    guest.read_to_string(&mut answer).await?;
    let used = guest.with(|it| it.usage())?;
    eprintln!("the guest took {} of fuel in {} calls", used.fuel, used.calls);
    Ok(answer)
}

/// Both ends in one process.
pub async fn run(module: &[u8]) -> Result<String, Failure> {
    let (here, there) = (code(module)?, code(module)?);
    let endpoint = Endpoint::builder().access(Access::Public).transport(there).build().await?;
    let ticket = endpoint.ticket()?;
    let serving = tokio::spawn(serve(endpoint));
    let answer = send(here, &ticket, &[7; 100_000]).await?;
    serving.await??;
    Ok(answer)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let module = match std::env::args().nth(1) {
        Some(file) => std::fs::read(file)?,
        None => built_in("newreno").ok_or("it is built in")?.bytes.to_vec(),
    };
    println!("{}", run(&module).await?);
    Ok(())
}
