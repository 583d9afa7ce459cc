//! tng with a guest as transport (STP): TCP NewReno as a module in the sandbox, compiled in, and compiled in without a
//! policer. A connection is one stream of bytes.

use stp_guest_newreno::NewReno;
use tng::stp::{Code, Engine, Module, Quotas, built_in};
use tng::{Access, Endpoint, ExchangeLimits, GuestConnection, Ticket};

use crate::Failure;
use crate::peer::messages::Messages;
use crate::peer::{self, LOOPBACK, messages};
use crate::server::{Post, accepted};
use crate::work::{Hello, Mtu, PeerName, Settings, Work};

/// The guest, by the name that it has everywhere.
const GUEST: &str = "newreno";

fn code(name: PeerName) -> Result<Code, Failure> {
    if name != PeerName::TngGuest {
        return Ok(Code::native::<NewReno>(GUEST));
    }
    let built_in = built_in(GUEST).ok_or("the guest is not built in")?;
    let module = Module::new(&Engine::new(Quotas::default())?, built_in.bytes)?;
    Ok(module.code(GUEST).ok_or("the guest is no transport")?)
}

fn endpoint(work: &Work, name: PeerName) -> Result<tng::Builder, Failure> {
    let mut builder = Endpoint::builder().bind(LOOPBACK).transport(code(name)?);
    if name == PeerName::TngUnpoliced {
        builder = builder.without_policer();
    }
    if let Mtu::Bytes(bytes) = work.mtu() {
        builder = builder.mtu(bytes.into());
    }
    Ok(builder)
}

/// Serves for ever.
pub async fn serve(work: Work, name: PeerName, post: Post) -> Result<(), Failure> {
    let endpoint = endpoint(&work, name)?.access(Access::Public).exchange_limits(ExchangeLimits::NONE).build().await?;
    let ticket = endpoint.ticket()?.to_string();
    post.hello(Hello { addr: endpoint.local_addr(), proof: None, ticket, relay: None })?;
    while let Some(incoming) = endpoint.accept().await {
        let Ok(connection) = incoming.accept().await else { continue };
        accepted();
        let (guest, work) = (connection.guest()?, work.clone());
        tokio::spawn(async move {
            // The client closes by going away.
            let _ = messages::answer_all(guest, &work).await;
        });
    }
    Ok(())
}

/// The client.
pub struct Client {
    endpoint: Endpoint,
    ticket: Ticket,
    settings: Settings,
}

impl peer::Client for Client {
    type Line = Line;
    type Held = GuestConnection;

    async fn start(work: &Work, name: PeerName, hello: &Hello) -> Result<Client, Failure> {
        let ran = match name {
            PeerName::TngGuest => "a module in the sandbox",
            _ => "compiled in",
        };
        let mut settings = Settings::from([("transport".into(), format!("{GUEST}, {ran}"))]);
        if name == PeerName::TngUnpoliced {
            settings.insert("policer".into(), "none (default: the throughput equation)".into());
        }
        Ok(Client { endpoint: endpoint(work, name)?.build().await?, ticket: hello.ticket.parse()?, settings })
    }

    async fn apart(&self, _: u64) -> Result<Vec<Line>, Failure> {
        Err("a guest's connection has no streams".into())
    }

    async fn line(&self) -> Result<Line, Failure> {
        Ok(Line(Messages::new(self.connect().await?)))
    }

    async fn connect(&self) -> Result<GuestConnection, Failure> {
        Ok(self.endpoint.connect_transport(&self.ticket, GUEST).await?)
    }

    async fn close(held: GuestConnection) {
        held.connection().close(0, "");
    }

    fn settings(&self) -> Settings {
        self.settings.clone()
    }
}

/// A connection of its own.
pub struct Line(Messages<GuestConnection>);

impl peer::Line for Line {
    type Idle = ();

    async fn exchange(&mut self, len: u64, answer: u64) -> Result<(), Failure> {
        self.0.exchange(len, answer).await
    }

    fn datagrams(&self) -> Option<u64> {
        let channel = self.0.stream().connection().stats()?.channel;
        Some(channel.packets_sent + channel.packets_received)
    }

    async fn open(&mut self) -> Result<(), Failure> {
        Err("a guest's connection has no streams".into())
    }
}
