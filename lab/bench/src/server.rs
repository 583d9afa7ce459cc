//! What all servers share: how they talk to the bench.

use std::io::{Write, stdin, stdout};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Failure;
use crate::process::Usage;
use crate::role::{Asked, Said};
use crate::work::Hello;

static ACCEPTED: AtomicU64 = AtomicU64::new(0);

/// A connection has been accepted.
pub fn accepted() {
    ACCEPTED.fetch_add(1, Ordering::Relaxed);
}

/// The way to the bench.
#[derive(Debug)]
pub struct Post;

impl Post {
    /// Tells where the server is. From now on it answers what it has used up, on a thread of its own, and ends with the
    /// bench.
    ///
    /// # Errors
    /// If the bench has gone away.
    pub fn hello(self, hello: Hello) -> Result<(), Failure> {
        self.hello_with(hello, || Usage::now(ACCEPTED.load(Ordering::Relaxed)))
    }

    /// The same; what has been used up is what `usage` says.
    ///
    /// # Errors
    /// If the bench has gone away.
    pub fn hello_with(
        self,
        hello: Hello,
        usage: impl Fn() -> Result<Usage, Failure> + Send + 'static,
    ) -> Result<(), Failure> {
        say(&Said::Hello(hello))?;
        std::thread::Builder::new().name("post".into()).spawn(move || {
            for line in stdin().lines().map_while(Result::ok) {
                if serde_json::from_str(&line).is_ok_and(|asked| matches!(asked, Asked::Usage))
                    && usage().and_then(|usage| say(&Said::Usage(usage))).is_err()
                {
                    break;
                }
            }
            drop(usage);
            std::process::exit(0);
        })?;
        Ok(())
    }
}

/// Tells the bench something, in a line.
///
/// # Errors
/// If the bench has gone away.
pub fn say(said: &Said) -> Result<(), Failure> {
    let mut out = stdout().lock();
    serde_json::to_writer(&mut out, said)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}
