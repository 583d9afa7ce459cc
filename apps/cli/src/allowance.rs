//! What a command that moves data may take of time and of the path.

use std::time::Duration;

use clap::Args;
use tokio::time::timeout;

use crate::commands::serve::size;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::Limit;

/// How long a command may take.
#[derive(Args, Clone, Copy, Debug)]
pub struct TimeArgs {
    /// Give up if there is no connection after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    connect_timeout: Option<Duration>,
    /// Give up if not everything is done after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    max_time: Option<Duration>,
}

/// How fast a command may be.
#[derive(Args, Clone, Copy, Debug)]
pub struct RateArgs {
    /// Limit the rate of all files together, in bytes a second: 500k, 2M
    #[arg(long, value_name = "RATE", value_parser = rate)]
    limit_rate: Option<u64>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "write a number of seconds, such as 2.5".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("more than 0 seconds".to_owned()),
    }
}

fn rate(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("more than 0 bytes a second".to_owned()),
        rate => Ok(rate),
    }
}

impl TimeArgs {
    /// Connects, if there is time for it.
    ///
    /// # Errors
    /// As `work`, or that the time is over.
    pub async fn connecting<T>(self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        within(self.connect_timeout, "connecting", "there was no connection", work).await
    }

    /// Does all, if there is time for it.
    ///
    /// # Errors
    /// As `work`, or that the time is over.
    pub async fn whole<T>(self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        within(self.max_time, "stopped by --max-time", "not everything was done", work).await
    }
}

async fn within<T>(
    time: Option<Duration>,
    what: &str,
    why: &str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(time) = time else { return work.await };
    timeout(time, work).await.unwrap_or_else(|_| {
        let seconds = time.as_secs_f64();
        Err(Failure::new(Exit::Timeout, what, format_args!("{why} within {seconds} s")))
    })
}

impl RateArgs {
    /// The limit, if there is one.
    pub fn limit(self) -> Option<Limit> {
        self.limit_rate.map(Limit::new)
    }
}
