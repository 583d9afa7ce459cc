//! A transport that one of two processes has goes to the other, runs there, and is refused: STP's Figure 2, and a
//! policy.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tng::stp::code_hash;
use tng_base::Rng;
use tng_experiments::peers::guests::modules::somebody_elses;
use tokio::process::Child;

use super::transfer::{Leg, blocking, heard_out, in_a_folder, server, tng};
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;

/// Bytes of the file.
const BYTES: u64 = 2_000_000;
/// What the client's user lets run: what that user has pinned.
const CLIENTS_POLICY: &str = "accept = \"pinned\"\n";
/// What the server's user lets run: first whatever comes, then nothing.
const POLICIES: [&str; 2] = ["accept = \"any\"\n", "accept = \"none\"\n"];

/// The third connection is a later one: while no process stands ready for the guest, it is tried again so often.
const TRIES_MAX: usize = 40;
/// The time between.
const PAUSE: Duration = Duration::from_millis(500);

/// Connections, by the policy, and what is settled on each. Of the second nothing is said: it begins at once behind the
/// first.
const CONNECTIONS: [(&str, usize, Option<&str>); 4] = [
    ("1st: the server asks for the transport", 0, Some("sendme")),
    ("2nd: at once behind it", 0, None),
    ("3rd: the transport runs", 0, Some("runs")),
    ("4th: the server's policy refuses it", 1, Some("no")),
];

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Upgraded {
    /// Each connection.
    pub legs: Vec<Leg>,
    /// What was settled on each.
    pub settled: Vec<String>,
}

/// Fetches a file four times. Nothing is left behind, even if Ctrl-C ends it.
///
/// # Errors
/// If anything does not arrive as it was sent, and if something else is settled than should be.
pub async fn upgraded(seed: u64) -> Result<Upgraded, Failure> {
    in_a_folder(async |folder| four(folder, seed).await).await
}

async fn four(folder: &Path, seed: u64) -> Result<Upgraded, Failure> {
    let module = somebody_elses("mine");
    let hash = code_hash(&module).to_string();
    let mut file = vec![0; BYTES as usize];
    Rng::from_u64(seed).fill(&mut file);
    let (place, content) = (folder.to_owned(), file.clone());
    let written = move || {
        std::fs::write(place.join("client.toml"), CLIENTS_POLICY)?;
        std::fs::write(place.join("mine.wasm"), module)?;
        std::fs::write(place.join("file"), content)
    };
    blocking("making a file and a transport", written).await?;
    heard_out(&mut tng(folder, "client", &["stp", "install", "mine.wasm", "--pin"])?).await?;
    let (mut legs, mut settled) = (Vec::new(), Vec::new());
    let mut serving: Option<(usize, Child, String)> = None;
    for (path, policy, expected) in CONNECTIONS {
        if serving.as_ref().is_none_or(|(of, ..)| *of != policy) {
            // The one before ends with its process.
            drop(serving.take());
            let place = folder.join("server.toml");
            blocking("writing a policy", move || std::fs::write(place, POLICIES[policy])).await?;
            let (process, url) = server(folder, "file").await?;
            serving = Some((policy, process, url));
        }
        let url = serving.as_ref().map_or("", |(.., url)| url);
        let (mut said, mut time) = get(folder, url, &hash, &file).await?;
        for _ in 0..TRIES_MAX {
            if (expected, &*said) != (Some("runs"), "no") {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            (said, time) = get(folder, url, &hash, &file).await?;
        }
        if let Some(expected) = expected.filter(|word| *word != said) {
            let why = format!("{said} is settled in place of {expected}");
            return Err(Failure::new(Exit::Partial, path, why).or_try("the same again on a machine that does less"));
        }
        let (files, bytes, clock, checked) = ("1".to_owned(), BYTES, "real", "every byte");
        legs.push(Leg { path, files, bytes, time, clock, checked });
        settled.push(said);
    }
    Ok(Upgraded { legs, settled })
}

/// Fetches it; answers what was settled of the transport, and how long it took.
async fn get(folder: &Path, url: &str, hash: &str, file: &[u8]) -> Result<(String, Duration), Failure> {
    let began = clock::now();
    let mut client = tng(folder, "client", &["get", "--transport", hash, "-o", "copy", url, "--json"])?;
    let events = heard_out(&mut client).await?;
    let time = began.elapsed();
    let copy = folder.join("copy");
    let came = blocking("reading what came", move || {
        let bytes = std::fs::read(&copy)?;
        std::fs::remove_file(&copy).map(|()| bytes)
    });
    if came.await? != file {
        return Err(Failure::new(Exit::Receive, "the file", "it is not what was sent"));
    }
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let settled = events.filter(|event| event["event"] == "transport").find_map(|event| match &event["settled"] {
        Value::String(word) => Some(word.clone()),
        _ => None,
    });
    Ok((settled.unwrap_or_else(|| "nothing".to_owned()), time))
}
