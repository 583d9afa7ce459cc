//! Numbered echoes over real sockets, by the crate that programs use.

mod faulty;

use core::time::Duration;
use std::error::Error;

use tng::semantic::{BadProtocol, FactoryError, ProtocolFault, Semantic};
use tng::{
    Access, BindError, Builder, CloseCause, ConnectError, Connection, ConnectionError, Endpoint, OpenError,
    ServiceOptions, Speaking, Ticket,
};
use tng_echoes::{Echoes, NAME, Tally};
use tokio::time::timeout;

use faulty::{Bug, Call, Faulty};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Nothing here takes so long, however busy the machine.
const LIMIT: Duration = Duration::from_secs(60);
const WINDOW: u64 = 64;

fn bound() -> Builder {
    Endpoint::builder().bind("127.0.0.1:0".parse().expect("an address"))
}

fn register(builder: Builder, name: &str) -> Builder {
    builder.register(name, |proposal| match Echoes::answering(WINDOW, proposal.set_up_item) {
        Some(echoes) => Ok(Box::new(echoes) as Box<dyn Semantic>),
        None => Err(FactoryError::NotUnderstood),
    })
}

async fn server() -> Result<Endpoint, BindError> {
    register(register(bound(), NAME), "echoes/2").access(Access::Public).build().await
}

/// Asks so many times, and takes each echo, once.
async fn converse(end: &Speaking<Echoes>, asks: u64) -> Outcome {
    let mut tally = Tally::new(asks);
    let done = end.wait(|echoes| {
        tally.hear(echoes);
        tally.ask(echoes, asks);
        (tally.fault().is_some() || tally.is_done() && tally.asked() == asks).then_some(())
    });
    timeout(LIMIT, done).await??;
    assert_eq!(tally.fault(), None);
    Ok(())
}

/// Accepts one connection.
async fn accepted(server: &Endpoint) -> Result<Connection, Box<dyn Error + Send + Sync>> {
    let incoming = timeout(LIMIT, server.accept()).await?.ok_or("closed")?;
    Ok(incoming.accept().await?)
}

/// Waits until the peer has taken every echo, and closes.
async fn finish(end: &Speaking<Echoes>) -> Outcome {
    timeout(LIMIT, async {
        while !end.with(|echoes| echoes.is_idle() && echoes.is_empty())? {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok::<_, ConnectionError>(())
    })
    .await??;
    Ok(())
}

#[tokio::test]
async fn both_ends_ask_and_each_number_is_echoed_once_while_a_host_moves() -> Outcome {
    let (server, client) = (server().await?, bound().build().await?);
    let ticket = server.ticket()?;
    let (ours, theirs) = tokio::join!(client.connect_speaking(&ticket, NAME, Echoes::new(WINDOW)), async {
        let incoming = server.accept().await.ok_or("closed")?;
        assert_eq!(incoming.protocol().as_deref(), Some(NAME));
        Ok::<_, Box<dyn Error + Send + Sync>>(incoming.accept().await?)
    });
    let (ours, theirs) = (ours?, theirs?.speaking::<Echoes>()?);
    let moves = async {
        ours.wait(|echoes| (echoes.stats().echoed > 500).then_some(())).await?;
        client.rebind("127.0.0.1:0".parse()?)?;
        Ok(())
    };
    let (one, other, moved): (Outcome, Outcome, Outcome) =
        tokio::join!(converse(&ours, 3_000), converse(&theirs, 3_000), moves);
    one.and(other).and(moved)?;
    finish(&ours).await?;
    finish(&theirs).await?;
    assert_eq!(theirs.with(|echoes| echoes.stats().answered)?, 3_000);
    assert_eq!(ours.with(|echoes| echoes.stats().answered)?, 3_000);
    Ok(())
}

#[tokio::test]
async fn streams_and_two_protocols_are_spoken_between_the_same_two_hosts() -> Outcome {
    let (server, client) = (server().await?, bound().build().await?);
    server.listen("greeting", "text", ServiceOptions::default())?;
    let ticket = server.ticket()?;
    let serving = tokio::spawn(async move {
        let mut ends = Vec::new();
        for _ in 0..3 {
            let connection = accepted(&server).await?;
            ends.push(tokio::spawn(async move {
                match connection.protocol().as_deref() {
                    Some("structured") => {
                        let mut stream = connection.accept().await?.stream;
                        stream.write_all(b"hello").await?;
                        stream.finish().await?;
                    }
                    _ => {
                        let end = connection.speaking::<Echoes>()?;
                        converse(&end, 200).await?;
                        end.connection().closed().await;
                    }
                }
                Outcome::Ok(())
            }));
        }
        for end in ends {
            end.await??;
        }
        Outcome::Ok(())
    });
    let streams = client.connect(&ticket).await?;
    let one = client.connect_speaking(&ticket, NAME, Echoes::new(WINDOW)).await?;
    let other = client.connect_speaking(&ticket, "echoes/2", Echoes::new(WINDOW)).await?;
    let names = [&streams, one.connection(), other.connection()].map(|it| it.protocol().expect("there"));
    assert_eq!(names, ["structured", NAME, "echoes/2"]);
    let (first, second) = tokio::join!(converse(&one, 500), converse(&other, 500));
    first.and(second)?;
    let mut stream = streams.open("greeting", "text").await?;
    assert_eq!(stream.read_to_end(100).await?, b"hello");
    // Let the other side hear its echoes.
    for end in [&one, &other] {
        end.wait(|echoes| (echoes.stats().answered >= 200).then_some(())).await?;
        finish(end).await?;
    }
    drop((one, other, streams, stream));
    timeout(LIMIT, serving).await??
}

#[tokio::test]
async fn who_asks_for_another_protocol_than_a_connection_speaks_is_told() -> Outcome {
    let (server, client) = (server().await?, bound().build().await?);
    let ticket = server.ticket()?;
    let (ours, theirs) = tokio::join!(client.connect_speaking(&ticket, NAME, Echoes::new(WINDOW)), accepted(&server));
    let (ours, theirs) = (ours?, theirs?);
    let opened = ours.connection().open("greeting", "text").await;
    assert!(matches!(opened, Err(OpenError::Connection(ConnectionError::OtherProtocol))), "{opened:?}");
    assert!(matches!(ours.connection().accept().await, Err(ConnectionError::OtherProtocol)));
    let (streams, _peer) = tokio::join!(client.connect(&ticket), accepted(&server));
    assert!(matches!(streams?.speaking::<Echoes>(), Err(ConnectionError::OtherProtocol)));
    // What has arrived can be looked at after the end, and who waits for more hears of it.
    theirs.close(9, "enough");
    let waits = timeout(LIMIT, ours.wait(|_| None::<()>)).await?;
    assert!(matches!(waits, Err(ConnectionError::Ended(_))), "{waits:?}");
    assert_eq!(ours.with(|echoes| echoes.stats().asked)?, 0);
    assert!(matches!(ours.connection().accept().await, Err(ConnectionError::OtherProtocol)), "it never had streams");
    theirs.closed().await;
    assert_eq!(theirs.protocol(), None, "what has ended speaks nothing");
    Ok(())
}

#[tokio::test]
async fn a_name_that_nobody_has_and_one_that_is_taken_are_named() -> Outcome {
    let (server, client) = (bound().access(Access::Public).build().await?, bound().build().await?);
    let refused = client.connect_speaking(&server.ticket()?, NAME, Echoes::new(WINDOW)).await;
    assert!(matches!(refused, Err(ConnectError::Refused { code: 4, .. })), "{refused:?}");
    let taken = register(register(bound(), NAME), NAME).build().await;
    assert!(matches!(taken, Err(BindError::Protocol(BadProtocol::Taken))), "{taken:?}");
    let built_in = register(bound(), "structured").build().await;
    assert!(matches!(built_in, Err(BindError::Protocol(BadProtocol::BuiltIn))), "{built_in:?}");
    let nameless = register(bound(), "").build().await;
    assert!(matches!(nameless, Err(BindError::Protocol(BadProtocol::NoName))), "{nameless:?}");
    let long = client.connect_speaking(&server.ticket()?, &"x".repeat(33), Echoes::new(WINDOW)).await;
    assert!(matches!(long, Err(ConnectError::BadProtocol(BadProtocol::NameTooLong(33)))), "{long:?}");
    Ok(())
}

/// How a client fails to connect whose end has this bug.
async fn failure(ticket: &Ticket, bug: Bug) -> Result<ConnectError, Box<dyn Error + Send + Sync>> {
    let client = bound().build().await?;
    let connected = timeout(LIMIT, client.connect_speaking(ticket, faulty::NAME, Faulty::new(bug))).await?;
    connected.map(|_| ()).err().ok_or_else(|| format!("{bug:?} connects").into())
}

#[tokio::test]
async fn who_connects_is_told_that_its_own_end_rejects_the_answer_or_has_failed() -> Outcome {
    let server = bound().access(Access::Public);
    let server = server.register(faulty::NAME, |_| Ok(Box::new(Faulty::new(Bug::None)))).build().await?;
    let ticket = server.ticket()?;
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Some(incoming) = server.accept().await {
            held.extend(incoming.accept().await);
        }
    });
    for bug in [Bug::RejectsItem(77), Bug::RejectsPackets(77)] {
        let error = failure(&ticket, bug).await?;
        assert!(matches!(&error, ConnectError::Rejected(it) if it.code == 77), "{error:?}");
        let words = error.to_string();
        assert!(words.contains("is liked here (code 77); update one of the two"), "{words}");
    }
    for call in [Call::HandlePacket, Call::PollPacket, Call::HandleSetUpItem] {
        let error = failure(&ticket, Bug::PanicsIn(call)).await?;
        assert_eq!(error, ConnectError::ProtocolFailed(ProtocolFault::Panicked));
    }
    let error = failure(&ticket, Bug::Overfills).await?;
    assert!(matches!(error, ConnectError::ProtocolFailed(ProtocolFault::Overfilled { .. })), "{error:?}");
    // Both endpoints go on.
    let client = bound().build().await?;
    for bug in [Bug::None, Bug::WritesNothing] {
        client.connect_speaking(&ticket, faulty::NAME, Faulty::new(bug)).await?;
    }
    // The application that waits for it closes it.
    let connecting = client.dial(&ticket)?;
    connecting.connection().close(64, "changed my mind");
    let error = connecting.await.map(|_| ()).expect_err("closed");
    assert_eq!(error, ConnectError::Ended(Box::new(CloseCause::Local)));
    assert_eq!(error.to_string(), "ended before it was of use: closed here");
    Ok(())
}
