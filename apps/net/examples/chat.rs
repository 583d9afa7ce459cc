//! A chat: voice, text and a file from a swarm, all on one connection.
//!
//! The use that structured streams were made for (SST, section 6.2): voice frames are datagrams with a lifetime, above
//! all else; what is typed is a stream; the file comes in pieces, each on a substream, with what is left over. There is
//! one connection, one congestion controller, and no second protocol. Prints how late voice was while the file ran.
//!
//! `cargo run --release -p tng --example chat`
use std::error::Error;
use std::time::{Duration, Instant};

use tng::{Access, Connection, Endpoint, Priority, ServiceOptions};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

const VOICE: Priority = Priority { level: Some(2), weight: 16 };
const TEXT: Priority = Priority { level: Some(1), weight: 16 };
const FILE: Priority = Priority { level: Some(-1), weight: 16 };

/// Voice frames, one every [`FRAME_TIME`], of a codec's size.
const FRAMES: u32 = 100;
const FRAME_TIME: Duration = Duration::from_millis(10);
const FRAME_LEN: usize = 160;
/// A frame that is later than this is not worth playing.
const FRAME_LIFE: Duration = Duration::from_millis(150);

const PIECES: u32 = 64;
const PIECE_LEN: usize = 256 * 1024;

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// How late each voice frame was that arrived.
    pub voice: Vec<Duration>,
    /// What was typed, as it arrived.
    pub text: String,
    /// Pieces of the file that arrived whole and right.
    pub pieces: u32,
}

fn piece(number: u32) -> Vec<u8> {
    vec![number as u8; PIECE_LEN]
}

#[expect(clippy::disallowed_methods, reason = "measures how late frames are")]
fn clock(began: Option<Instant>) -> (Instant, Duration) {
    let now = Instant::now();
    (now, began.map_or(Duration::ZERO, |began| now - began))
}

/// The friend who talks, types, and has the file.
async fn talk(connection: Connection, began: Instant) -> Result<(), Failure> {
    let voice = connection.open("voice", "frames").await?;
    voice.set_priority(VOICE);
    let mut text = connection.open("text", "lines").await?;
    text.set_priority(TEXT);

    let speaking = async {
        let mut tick = tokio::time::interval(FRAME_TIME);
        for number in 0..FRAMES {
            tick.tick().await;
            let (_, at) = clock(Some(began));
            let mut frame = vec![0; FRAME_LEN];
            frame[..16].copy_from_slice(&at.as_nanos().to_be_bytes());
            frame[16..20].copy_from_slice(&number.to_be_bytes());
            voice.send_datagram(&frame, Some(FRAME_LIFE))?;
            if number % 25 == 0 {
                text.write_all(format!("frame {number}, can you hear me?\n").as_bytes()).await?;
            }
        }
        text.finish().await?;
        Ok::<_, Failure>(())
    };
    let sharing = async {
        let shelf = connection.accept().await?.stream;
        shelf.set_priority(FILE);
        let mut sending = JoinSet::new();
        // A piece is asked for by opening a substream and naming it.
        for _ in 0..PIECES {
            let mut asked = shelf.accept_substream().await?;
            sending.spawn(async move {
                let number = asked.read_to_end(4).await?;
                asked.write_all(&piece(u32::from_be_bytes(number.as_slice().try_into()?))).await?;
                asked.finish().await?;
                Ok::<_, Failure>(())
            });
        }
        while let Some(sent) = sending.join_next().await {
            sent??;
        }
        Ok::<_, Failure>(())
    };
    let (spoke, shared) = tokio::join!(speaking, sharing);
    spoke?;
    shared
}

/// The friend who listens, reads, and fetches.
async fn listen(connection: Connection, began: Instant) -> Result<Report, Failure> {
    // Its substreams ask for pieces; the peer's writing on them has the low priority of the shelf.
    let shelf = connection.open("file", "pieces").await?;
    let mut fetching = JoinSet::new();
    for number in 0..PIECES {
        let connection = connection.clone();
        let shelf = shelf.id();
        fetching.spawn(async move {
            let (mut send, mut recv) = connection.open_substream(shelf).await?.split();
            send.write_all(&number.to_be_bytes()).await?;
            send.finish().await?;
            Ok::<_, Failure>(recv.read_to_end(PIECE_LEN).await? == piece(number))
        });
    }
    let (mut voice, mut text) = (None, None);
    while voice.is_none() || text.is_none() {
        let incoming = connection.accept().await?;
        match &*incoming.service {
            "voice" => voice = Some(incoming.stream),
            _ => text = Some(incoming.stream),
        }
    }
    let (voice, mut text) = (voice.ok_or("no voice")?, text.ok_or("no text")?);

    let mut report = Report::default();
    let hearing = async {
        let mut delays = Vec::new();
        // Until the other one hangs up.
        while let Ok(frame) = voice.recv_datagram().await {
            let (_, now) = clock(Some(began));
            let sent = u128::from_be_bytes(frame[..16].try_into()?);
            delays.push(now.saturating_sub(Duration::from_nanos(u64::try_from(sent)?)));
        }
        Ok::<_, Failure>(delays)
    };
    let (heard, read) = tokio::join!(hearing, text.read_to_end(10_000));
    (report.voice, report.text) = (heard?, String::from_utf8(read?)?);
    while let Some(right) = fetching.join_next().await {
        report.pieces += u32::from(right??);
    }
    Ok(report)
}

/// Both friends in one process.
pub async fn run() -> Result<Report, Failure> {
    let family = ServiceOptions { substreams: true, ..ServiceOptions::default() };
    let here = Endpoint::builder().access(Access::Public).listen("file", "pieces", family).build().await?;
    let there = Endpoint::builder()
        .listen("voice", "frames", family)
        .listen("text", "lines", ServiceOptions::default())
        .build()
        .await?;
    let ticket = here.ticket()?;
    let (began, _) = clock(None);
    let talking = async { talk(here.accept().await.ok_or("closed")?.accept().await?, began).await };
    let listening = async { listen(there.connect(&ticket).await?, began).await };
    let (talked, report) = tokio::join!(talking, listening);
    talked?;
    report
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut report = run().await?;
    report.voice.sort_unstable();
    print!("{}", report.text);
    println!("{} of {PIECES} pieces of {} KiB are right", report.pieces, PIECE_LEN / 1024);
    let ms = |part: usize| {
        report.voice.get(report.voice.len().saturating_sub(1) * part / 100).map(|delay| delay.as_secs_f64() * 1e3)
    };
    if let (Some(median), Some(late), Some(worst)) = (ms(50), ms(99), ms(100)) {
        println!(
            "{} of {FRAMES} voice frames; late by {median:.2} ms (median), {late:.2} ms (99 %), {worst:.2} ms (worst)",
            report.voice.len()
        );
    }
    Ok(())
}
