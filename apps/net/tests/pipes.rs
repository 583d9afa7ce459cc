//! Pipes between two endpoints on sockets: which transport carries them is negotiated.

mod echo;

use std::sync::Arc;
use std::time::Duration;

use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng::stp::{
    Arrived, Asked, Cap, Code, Guest, Host, Quotas, Signal, SocketKind, TransportAnswer, TransportOffer, UserRequest,
};
use tng::{CodeHash, Confinement, Eid, Endpoint, NoStream, Pipe, Repertoire, Settled, Terms, TransportPolicy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use echo::SERVICE;

const NEWRENO: CodeHash = CodeHash::from_bytes([1; 32]);
const SACK: CodeHash = CodeHash::from_bytes([2; 32]);

/// It says what it was told to say.
#[derive(Clone, Copy, Debug)]
struct Says(Option<TransportAnswer>);

impl TransportPolicy for Says {
    fn answer(&self, _: Eid, offer: &TransportOffer, runs: &dyn Fn(&CodeHash, Confinement) -> bool) -> TransportAnswer {
        let first = offer.codes.iter().find(|code| runs(code, Confinement::Here));
        self.0.unwrap_or_else(|| first.map_or(TransportAnswer::No, |code| TransportAnswer::Ok(*code)))
    }

    fn follows(
        &self,
        _: Eid,
        _: &TransportOffer,
        code: CodeHash,
        runs: &dyn Fn(&CodeHash, Confinement) -> bool,
    ) -> bool {
        runs(&code, Confinement::Here)
    }

    fn limits(&self, _: &Asked<'_>, _: &mut Quotas) -> Option<Terms> {
        Some(Terms { cap: Cap::default(), signal: Signal::default(), place: Confinement::Here })
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

/// What is settled if this is offered between these two; bytes go there and back whatever it is.
async fn settled(ends: [Arc<Repertoire>; 2], codes: &[CodeHash]) -> (Settled, bool) {
    let [client, server] = ends;
    let (client, server) = (echo::client(client).await, echo::server(server).await);
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
    timeout(Duration::from_secs(60), work).await.expect("in time")
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

/// When a guest breaks.
const NEVER: u8 = 0;
const WHEN_ACCEPTED: u8 = 1;
const WHEN_SOMETHING_COMES: u8 = 2;
const WHEN_ASKED: u8 = 3;
const WHEN_CONNECTED: u8 = 4;
/// It says nothing in place of that.
const SAYS_NOTHING: u8 = 5;

/// NewReno that breaks.
struct Breaks<const WHEN: u8>(NewReno);

impl<const WHEN: u8> Breaks<WHEN> {
    fn now(when: u8) {
        assert_ne!(WHEN, when, "on purpose");
    }
}

impl<const WHEN: u8> Guest for Breaks<WHEN> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(host: &mut impl Host) -> Breaks<WHEN> {
        Breaks(NewReno::attach(host))
    }

    fn connect(&mut self, host: &mut impl Host) {
        Breaks::<WHEN>::now(WHEN_CONNECTED);
        self.0.connect(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        Breaks::<WHEN>::now(WHEN_ACCEPTED);
        self.0.accept(host);
    }

    fn abort(&mut self, host: &mut impl Host) {
        self.0.abort(host);
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        Breaks::<WHEN>::now(WHEN_SOMETHING_COMES);
        self.0.input(host, arrived);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        self.0.timer(host, id);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        Breaks::<WHEN>::now(WHEN_ASKED);
        if WHEN != SAYS_NOTHING {
            self.0.usrreq(host, request);
        }
    }

    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32) {
        self.0.shutdown(host, deadline_ms);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.0.path_changed(host);
    }
}

fn breaking<const WHEN: u8>() -> Arc<Repertoire> {
    let repertoire = Repertoire::new(Says(None));
    repertoire.add(NEWRENO, Code::native::<Breaks<WHEN>>("breaks"));
    Arc::new(repertoire)
}

/// A pipe to who gives back what comes, where these are the guests of client and server; and both endpoints.
async fn piped(client: Arc<Repertoire>, server: Arc<Repertoire>) -> (Pipe, [Endpoint; 2]) {
    let (client, server) = (echo::client(client).await, echo::server(server).await);
    let offer = TransportOffer { service: SERVICE.0.to_owned(), codes: vec![NEWRENO] };
    let pipe = client.pipe(&server.ticket().expect("room"), offer, SERVICE.1).await.expect("a pipe");
    (pipe, [client, server])
}

/// What comes back of so many bytes that go by a pipe, where these are the guests of client and server; and what is
/// said of a guest that has given way.
async fn echoed_of(
    bytes: u32,
    client: Arc<Repertoire>,
    server: Arc<Repertoire>,
) -> (std::io::Result<bool>, Option<String>) {
    let work = async {
        let (pipe, _ends) = piped(client, server).await;
        let carrier = pipe.carrier();
        let (mut send, mut recv) = pipe.split();
        let said: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
        let came = async {
            let written = async {
                send.write_all(&said).await?;
                send.finish().await
            };
            let mut heard = Vec::new();
            let (written, read) = tokio::join!(written, recv.read_to_end(&mut heard));
            written.and(read.map(|_| heard == said))
        };
        let came = came.await;
        drop((send, recv));
        (came, carrier.gave_way().await.map(|why| why.to_string()))
    };
    timeout(Duration::from_secs(60), work).await.expect("in time")
}

async fn echoed(client: Arc<Repertoire>, server: Arc<Repertoire>) -> (std::io::Result<bool>, Option<String>) {
    echoed_of(100_000, client, server).await
}

#[tokio::test]
async fn a_pipe_that_was_ended_with_nothing_written_is_ended_by_the_stream_that_takes_its_place() {
    for guest in [breaking::<WHEN_ASKED>(), breaking::<SAYS_NOTHING>()] {
        let (came, why) = echoed_of(0, guest, breaking::<NEVER>()).await;
        assert!(came.as_ref().is_ok_and(|same| *same) && why.is_some(), "{came:?}, {why:?}");
    }
}

#[tokio::test]
async fn the_halves_of_a_pipe_that_has_failed_fail_as_often_as_they_are_asked() {
    let work = async {
        // What has left may have arrived.
        let (pipe, ends) = piped(breaking::<WHEN_SOMETHING_COMES>(), breaking::<NEVER>()).await;
        let (mut send, mut recv) = pipe.split();
        send.write_all(&[7; 100_000]).await.expect("room");
        for _ in 0..3 {
            recv.read(&mut [0; 10]).await.expect_err("its guest has trapped");
            send.finish().await.expect_err("its guest has trapped");
        }
        drop(ends);
        // Nothing has left, and there is no stream.
        let (pipe, [client, server]) = piped(breaking::<SAYS_NOTHING>(), breaking::<NEVER>()).await;
        let pipe = pipe.or_else(async { Err(std::io::Error::other("no stream")) });
        let (mut send, mut recv) = pipe.split();
        send.write_all(&[7; 1_000]).await.expect("room");
        let error = recv.read(&mut [0; 10]).await.expect_err("nothing carries it");
        assert!(error.get_ref().is_some_and(|inner| inner.is::<NoStream>()), "{error:?}");
        for _ in 0..3 {
            recv.read(&mut [0; 10]).await.expect_err("nothing carries it");
            send.finish().await.expect_err("nothing carries it");
        }
        send.gone().await;
        drop((client, server));
    };
    timeout(Duration::from_secs(60), work).await.expect("in time");
}

#[tokio::test]
async fn a_guest_that_ends_before_it_was_of_use_gives_way_to_a_stream_and_nothing_is_lost() {
    let good = breaking::<NEVER>;
    for (what, client, server, named) in [
        ("the client's, when something is written", breaking::<WHEN_ASKED>(), good(), "trapped"),
        ("the client's, that says nothing", breaking::<SAYS_NOTHING>(), good(), "sent nothing in time"),
        ("the server's, at once", good(), breaking::<WHEN_ACCEPTED>(), "it trapped (code 67)"),
        ("the server's, when something comes", good(), breaking::<WHEN_SOMETHING_COMES>(), "it trapped (code 67)"),
    ] {
        let (came, why) = echoed(client, server).await;
        assert!(came.as_ref().is_ok_and(|same| *same), "{what}: {came:?}");
        // One that has ended before anybody had the connection has never carried it.
        assert!(why.as_ref().is_none_or(|why| why.contains(named)), "{what}: {why:?}");
        assert!(why.is_some() || what.ends_with("at once"), "{what}");
    }
    let (came, _) = echoed(breaking::<WHEN_CONNECTED>(), good()).await;
    assert!(came.as_ref().is_ok_and(|same| *same), "{came:?}");
    assert_eq!(echoed(good(), good()).await.1, None, "control: a good one carries it to the end");
}

#[tokio::test]
async fn a_guest_that_ends_later_ends_the_pipe_by_name() {
    let (came, why) = echoed(breaking::<WHEN_SOMETHING_COMES>(), breaking::<NEVER>()).await;
    let error = came.expect_err("what has left may have arrived");
    assert!(error.to_string().contains("trapped") && why.is_none(), "{error}, {why:?}");
}
