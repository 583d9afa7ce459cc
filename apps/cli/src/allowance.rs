//! What a command that connects to a peer may take of time and of the path.

use std::time::Duration;

use clap::Args;
use tokio::time::timeout;

use crate::commands::serve::size;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::Limit;

/// How long a command may take.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
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
    /// Whether it matters how long connecting takes: who connects by its first request may have to ask before.
    pub const fn limits_connecting(self) -> bool {
        self.connect_timeout.is_some()
    }

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

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    /// Commands, with those below them, that take no limits of time, and why.
    const UNTIMED: [(&str, &str); 24] = [
        ("serve", "others connect to it"),
        ("sim", "it runs in virtual time"),
        ("lab", "its peers are its own, and how long they take is among its parameters"),
        ("link", "it makes links, and connects to nobody"),
        ("demo", "its peers are its own"),
        ("trickles serve", "others connect to it"),
        ("trickles shop serve", "others connect to it"),
        ("trickles watermark serve", "others connect to it"),
        ("trickles watermark name", "it reads and writes files"),
        ("trickles watermark read", "it reads files"),
        ("trickles proxy", "it asks servers when others ask it, until a signal ends it"),
        ("trickles gateway", "it asks servers when others ask it, until a signal ends it"),
        ("trickles spray", "it passes datagrams on, until a signal ends it"),
        ("trickles keys", "it reads and writes files, or asks etcd, which has limits of its own"),
        ("trickles check", "it reads a file"),
        ("trickles dump", "it reads a file"),
        ("trickles status", "it asks a process of this host"),
        ("trickles reload", "it asks a process of this host"),
        ("relay", "others connect to it; the other commands read files or ask a process of this host"),
        ("registry run", "others connect to it"),
        ("registry status", "it asks a process of this host"),
        ("ticket", "it reads and writes files"),
        ("id", "it reads and writes files"),
        ("guest-process", "it has no network"),
    ];

    /// Of `stp` these two connect.
    #[cfg(feature = "guests")]
    const OF_STP: [&str; 2] = ["stp push", "stp show"];

    /// Commands that connect, with those below them, whose congestion controller cannot be chosen, and why.
    const UNREGULATED: [(&str, &str); 7] = [
        ("ls", "it moves a listing"),
        ("ping", "it moves some bytes"),
        ("doctor", "it moves some bytes"),
        ("attack", "it keeps to no rules"),
        ("registry", "it moves some bytes"),
        ("stp", "it moves a module"),
        ("trickles", "the server computes the window of TCP Reno, as its help and docs/trickles.md say"),
    ];

    /// Every command that does something, by its words.
    fn commands(of: &Command, before: &str, all: &mut Vec<(String, Command)>) {
        for command in of.get_subcommands() {
            let name = format!("{before}{}", command.get_name());
            match command.has_subcommands() {
                true => commands(command, &format!("{name} "), all),
                false => all.push((name, command.clone())),
            }
        }
    }

    fn all() -> Vec<(String, Command)> {
        let mut all = Vec::new();
        commands(&crate::Cli::command(), "", &mut all);
        all
    }

    fn is_of(name: &str, list: &[(&str, &str)]) -> bool {
        list.iter().any(|(one, _)| name == *one || name.starts_with(&format!("{one} ")))
    }

    fn is_timed(name: &str) -> bool {
        #[cfg(feature = "guests")]
        if name.starts_with("stp ") {
            return OF_STP.contains(&name);
        }
        !is_of(name, &UNTIMED)
    }

    fn has(command: &Command, option: &str) -> bool {
        command
            .get_arguments()
            .any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set() && arg.get_help().is_some())
    }

    #[test]
    fn every_command_that_connects_to_a_peer_can_be_told_how_long_that_and_all_of_it_may_take() {
        let all = all();
        for (name, command) in &all {
            for option in ["connect-timeout", "max-time"] {
                assert_eq!(has(command, option), is_timed(name), "tng {name}: --{option}");
            }
        }
        for (name, why) in UNTIMED.iter().filter(|(name, _)| cfg!(feature = "guests") || *name != "guest-process") {
            assert!(all.iter().any(|(known, _)| is_of(known, &[(name, why)])), "there is no tng {name}");
        }
    }

    #[test]
    fn every_command_that_moves_data_has_a_choice_of_controllers_or_says_why_not() {
        let all = all();
        for (name, command) in all.iter().filter(|(name, _)| is_timed(name) || name == "serve") {
            let chosen = command.get_arguments().any(|arg| arg.get_short() == Some('C'));
            assert_eq!(chosen, !is_of(name, &UNREGULATED), "tng {name}: -C");
        }
        for words in ["trickles serve", "trickles get"] {
            let (_, command) = all.iter().find(|(name, _)| name == words).expect("there is one");
            let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("There is no -C"), "{help}");
        }
    }
}
