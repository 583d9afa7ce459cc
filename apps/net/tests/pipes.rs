//! Pipes between two endpoints on sockets: which transport carries them is negotiated.

use std::sync::Arc;
use std::time::Duration;

use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng::stp::{Asked, Cap, Code, Quotas, Signal, TransportAnswer, TransportOffer};
use tng::{Access, CodeHash, Eid, Endpoint, Judge, Pipe, Place, Repertoire, ServiceOptions, Settled, Terms};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

const SERVICE: (&str, &str) = ("echo", "bytes/1");
const NEWRENO: CodeHash = CodeHash::from_bytes([1; 32]);
const SACK: CodeHash = CodeHash::from_bytes([2; 32]);

/// It says what it was told to say.
#[derive(Clone, Copy, Debug)]
struct Says(Option<TransportAnswer>);

impl Judge for Says {
    fn answer(&self, _: Eid, offer: &TransportOffer, runs: &dyn Fn(&CodeHash, Place) -> bool) -> TransportAnswer {
        let first = offer.codes.iter().find(|code| runs(code, Place::Here));
        self.0.unwrap_or_else(|| first.map_or(TransportAnswer::No, |code| TransportAnswer::Ok(*code)))
    }

    fn follows(
        &self,
        _: Eid,
        _: &TransportOffer,
        code: CodeHash,
        runs: &dyn Fn(&CodeHash, Place) -> bool,
    ) -> bool {
        runs(&code, Place::Here)
    }

    fn limits(&self, _: &Asked<'_>, _: &mut Quotas) -> Option<Terms> {
        Some(Terms { cap: Cap::default(), signal: Signal::default(), place: Place::Here })
    }
}

fn repertoire(says: Option<TransportAnswer>, codes: &[CodeHash]) -> Arc<Repertoire> {
    let repertoire = Repertoire::new(Says(says));
    for code in codes {
        let native = match *code {
            NEWRENO => Code::native::<NewReno>("newreno"),
            _ => Code::native::<Sack>("sack"),
        };
        repertoire.add(*code, native);
    }
    Arc::new(repertoire)
}

/// Two endpoints; the second gives back what comes by pipe.
async fn pair(ends: [Arc<Repertoire>; 2]) -> (Endpoint, Endpoint) {
    let [client, server] = ends;
    let local = "127.0.0.1:0".parse().expect("an address");
    let server = Endpoint::builder().bind(local).access(Access::Public).repertoire(server);
    let server = server.listen(SERVICE.0, SERVICE.1, ServiceOptions::default()).build().await.expect("a socket");
    let client = Endpoint::builder().bind(local).repertoire(client).build().await.expect("a socket");
    let serving = server.clone();
    tokio::spawn(async move {
        while let Some(incoming) = serving.accept().await {
            let connection = incoming.accept().await.expect("it waits");
            tokio::spawn(async move {
                let settled = connection.negotiation().await.expect("it comes about");
                assert!(settled.is_some(), "an offer was made");
                let pipe: Pipe = match connection.guest() {
                    Ok(guest) => guest.into(),
                    Err(_) => connection.accept().await.expect("a stream").stream.into(),
                };
                let (mut send, mut recv) = pipe.split();
                let mut bytes = Vec::new();
                recv.read_to_end(&mut bytes).await.expect("all of it");
                send.write_all(&bytes).await.expect("room");
                send.finish().await.expect("it arrives");
                connection.closed().await;
            });
        }
    });
    (client, server)
}

/// What is settled if this is offered between these two; bytes go there and back whatever it is.
async fn settled(ends: [Arc<Repertoire>; 2], codes: &[CodeHash]) -> (Settled, bool) {
    let (client, server) = pair(ends).await;
    let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: codes.to_vec() };
    let work = async {
        let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
        let by_guest = pipe.guest().is_some();
        let settled = pipe.negotiation().await.expect("it is there").expect("an offer was made").settled;
        let (mut send, mut recv) = pipe.split();
        let said: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
        send.write_all(&said).await.expect("room");
        send.finish().await.expect("it arrives");
        let mut heard = Vec::new();
        recv.read_to_end(&mut heard).await.expect("all of it");
        assert!(heard == said, "the same bytes");
        (settled, by_guest)
    };
    timeout(Duration::from_secs(20), work).await.expect("in time")
}

#[tokio::test]
async fn a_pipe_goes_by_the_first_transport_that_both_ends_run() {
    let both = || repertoire(None, &[NEWRENO, SACK]);
    assert_eq!(settled([both(), both()], &[SACK, NEWRENO]).await, (Settled::Runs(SACK), true));
    let one = repertoire(None, &[NEWRENO]);
    assert_eq!(settled([both(), one], &[SACK, NEWRENO]).await, (Settled::Runs(NEWRENO), true));
}

#[tokio::test]
async fn a_pipe_goes_by_a_stream_where_nothing_is_agreed() {
    let sends = || repertoire(None, &[NEWRENO]);
    assert_eq!(settled([sends(), repertoire(None, &[])], &[NEWRENO]).await, (Settled::No, false));
    let asks = repertoire(Some(TransportAnswer::SendMe(NEWRENO)), &[]);
    assert_eq!(settled([sends(), asks], &[NEWRENO]).await, (Settled::SendMe(NEWRENO), false));
}

#[tokio::test]
async fn the_side_that_answers_may_ask_for_another_and_hears_which_it_is() {
    let wants = || repertoire(Some(TransportAnswer::Use(SACK)), &[SACK]);
    let both = repertoire(None, &[NEWRENO, SACK]);
    assert_eq!(settled([both, wants()], &[NEWRENO]).await, (Settled::Runs(SACK), true));
    let one = repertoire(None, &[NEWRENO]);
    assert_eq!(settled([one, wants()], &[NEWRENO]).await, (Settled::Declined(SACK), false));
}
