//! What an attack came to.

use core::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tng::MEMORY_MAX;
use tng_attack::{Attack, Kind, OrderTally, Tally, may_be_listed};

use super::footprint::Footprint;
use crate::files::BUFFERS_PART;
use crate::talk::{Talk, folded};

/// Most bytes that may come back to a stranger for each that it sent.
pub const AMPLIFICATION_MAX: f64 = 3.0;

/// Most bytes by which the memory of a target may grow under an attack beyond what it was told to hold, as far as it
/// can be seen: a place for a request of each of 256 peers, threads, tables, and what the allocator keeps.
pub const GROWTH_BESIDE_MAX: u64 = 32 << 20;

/// Most bytes by which the memory of a target may grow that was told to hold `memory` for its peers.
pub const fn growth_max(memory: u64) -> u64 {
    memory + memory / BUFFERS_PART + GROWTH_BESIDE_MAX
}

/// What an attack came to.
#[derive(Debug)]
pub struct Outcome {
    /// Which.
    pub attack: &'static Attack,
    /// What was sent, and what came back.
    pub tally: Tally,
    /// How long an honest host took before, during and after; `None` if it did not get what it wanted in time.
    pub honest: Option<[Option<Duration>; 3]>,
    /// What the target's process held and worked, if it is one of this host that can be seen.
    pub footprint: Option<Footprint>,
    /// By how many bytes its memory may grow.
    pub growth_max: u64,
    /// What the clients of this program did that dialled, one line for each.
    pub dialled: Vec<String>,
    /// What did not hold beside what the books say.
    pub faults: Vec<String>,
    /// Nobody has said to which networks the target, a relay, passes flows on.
    pub networks_unnamed: bool,
    /// Why nothing was tried, if so.
    pub untried: Option<String>,
    /// How long it took.
    pub took: Duration,
}

impl Outcome {
    /// An attack that could not be made.
    pub fn untried(attack: &'static Attack, why: &str) -> Outcome {
        Outcome { untried: Some(why.to_owned()), ..Outcome::of(attack) }
    }

    /// An attack that has come to nothing yet.
    pub fn of(attack: &'static Attack) -> Outcome {
        Outcome {
            attack,
            tally: Tally::default(),
            honest: None,
            footprint: None,
            growth_max: growth_max(MEMORY_MAX),
            dialled: Vec::new(),
            faults: Vec::new(),
            networks_unnamed: false,
            untried: None,
            took: Duration::ZERO,
        }
    }

    /// Which defences did not hold.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.faults.clone();
        for (when, honest) in ["before", "during", "after"].iter().zip(self.honest.iter().flatten()) {
            if honest.is_none() {
                faults.push(format!("an honest host was not served in time {when} the attack"));
            }
        }
        if self.attack.may_not_amplify() && self.tally.amplification() > AMPLIFICATION_MAX {
            faults.push(format!("{:.2} bytes came back for each", self.tally.amplification()));
        }
        if let Some(footprint) = self.footprint.filter(|footprint| footprint.growth_bytes() > self.growth_max) {
            let (grew, most) = (footprint.growth_bytes() >> 20, self.growth_max >> 20);
            faults.push(format!("its memory grew by {grew} MiB, and may by {most}"));
        }
        faults.extend(self.attack.faults(&self.tally));
        if self.untried.is_none() && !self.attack.kind.hits_dialers() {
            faults.extend(self.attack.missing(&self.tally));
        }
        faults
    }

    /// What to try if the target may be as its operator wants it.
    pub fn suggestion(&self) -> Option<&'static str> {
        let not_declined =
            |(name, orders): (&&str, &OrderTally)| may_be_listed(name) && orders.followed + orders.unanswered > 0;
        (self.networks_unnamed && self.tally.orders.iter().any(not_declined))
            .then_some("if its `onward` lists networks that it is meant to serve, name them with --onward NETWORK")
    }

    /// The verdict, in a word or a few.
    pub fn verdict(&self) -> String {
        match (&self.untried, self.faults()) {
            (Some(why), _) => format!("not tried: {why}"),
            (None, faults) if faults.is_empty() => "held".to_owned(),
            (None, faults) => {
                let suggestion = self.suggestion().map(str::to_owned);
                format!("NOT HELD: {}", faults.into_iter().chain(suggestion).collect::<Vec<_>>().join("; "))
            }
        }
    }

    /// Says what it came to, at a target if it has one.
    pub fn tell(&self, seed: u64, address: Option<SocketAddr>, talk: Talk) {
        let payload = |line: fmt::Arguments<'_>| talk.payload(folded(&line.to_string()));
        let tally = &self.tally;
        let count = |map: Vec<String>| if map.is_empty() { "nothing".to_owned() } else { map.join(", ") };
        let kinds = count(tally.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect());
        let closes = count(tally.closes.iter().map(|(code, count)| format!("{count} with code {code}")).collect());
        payload(format_args!("{}: {}", self.attack.name, self.verdict()));
        if tally.sent > 0 {
            payload(format_args!("  sent      {} datagrams, {} bytes, seed {seed}", tally.sent, tally.sent_bytes));
            payload(format_args!(
                "  came back {} bytes, {:.3} for each: {kinds}",
                tally.received_bytes,
                tally.amplification()
            ));
        }
        if matches!(self.attack.kind, Kind::Peer | Kind::Server) && tally.sent > 0 {
            payload(format_args!("  let in    {} times; ended by the target: {closes}", tally.connections));
        }
        if self.attack.is_stateless() && self.attack.kind == Kind::Peer {
            let Tally { answered, acted_on, .. } = tally;
            payload(format_args!("  answered  {answered} honest requests between the others; else {acted_on} packets"));
        }
        if self.attack.is_on_registries() {
            let Tally { answered, acted_on, introductions: made, .. } = tally;
            payload(format_args!("  kept      {answered} records; of forged ones {acted_on}"));
            if made.asked > 0 {
                payload(format_args!(
                    "  told      {} times, of {} introductions asked for; {} bytes to a stranger for {} in its name",
                    made.told, made.asked, made.stranger_bytes, made.strayed_bytes
                ));
                payload(format_args!("  punched   {} datagrams, {} bytes", made.punched, made.punched_bytes));
            }
        }
        if !tally.orders.is_empty() {
            let kinds = tally.orders.iter().map(|(name, orders)| {
                let OrderTally { given, declined, followed, .. } = orders;
                if *followed > 0 {
                    format!("{name}: {followed} of {given} followed")
                } else {
                    format!("{name}: {declined} of {given}")
                }
            });
            payload(format_args!("  declined  {}", kinds.collect::<Vec<_>>().join(", ")));
        }
        if !tally.offers.is_empty() {
            let said = tally.offers.iter().map(|(said, count)| format!("{count} {said}")).collect();
            payload(format_args!("  offers    of transports that nobody has, and what was said: {}", count(said)));
        }
        if tally.promised_bytes > 0 {
            payload(format_args!("  promised  room for {} MiB to one peer at once", tally.promised_bytes >> 20));
        }
        if let Some(footprint) = self.footprint {
            let Footprint { before_bytes, most_bytes, worked, .. } = footprint;
            let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
            let (before, most, us) = (mib(before_bytes), mib(most_bytes), self.work_us().unwrap_or_default());
            payload(format_args!(
                "  target    {before:.1} MiB before, {most:.1} at most; {worked:.2?} of processor time, {us:.0} us for \
                 each datagram"
            ));
        }
        self.dialled.iter().for_each(|line| payload(format_args!("  dialled   {line}")));
        if self.honest.is_some() {
            let shown = |ms: Option<f64>| ms.map_or("none".to_owned(), |ms| format!("{ms:.1} ms"));
            let [before, during, after] = self.honest_ms().map(shown);
            payload(format_args!("  honest    before {before}, during {during}, after {after}"));
        }
        talk.event("attacked", &self.to_json(seed, address));
    }

    /// Processor time of the target for each datagram sent to it, in microseconds; the honest host's are not counted.
    fn work_us(&self) -> Option<f64> {
        let worked = self.footprint?.worked;
        (self.tally.sent > 0).then(|| worked.as_secs_f64() * 1e6 / self.tally.sent as f64)
    }

    fn honest_ms(&self) -> [Option<f64>; 3] {
        self.honest.unwrap_or_default().map(|took| took.map(|took| took.as_secs_f64() * 1e3))
    }

    fn to_json(&self, seed: u64, address: Option<SocketAddr>) -> Value {
        let tally = &self.tally;
        let [before, during, after] = self.honest_ms();
        let map =
            |pairs: Vec<(String, u64)>| Value::Object(pairs.into_iter().map(|(key, n)| (key, n.into())).collect());
        let (faults, made) = (self.faults(), &tally.introductions);
        let introductions = json!({
            "asked": made.asked, "told": made.told, "misled": made.misled,
            "punched": made.punched, "punched_bytes": made.punched_bytes, "strayed_bytes": made.strayed_bytes,
            "stranger_bytes": made.stranger_bytes, "stranger_others": made.stranger_others,
        });
        let orders = tally.orders.iter().map(|(name, orders)| {
            let OrderTally { given, declined, misnamed, followed, unanswered } = orders;
            let row = json!({
                "given": given, "declined": declined, "misnamed": misnamed, "followed": followed,
                "unanswered": unanswered,
            });
            ((*name).to_owned(), row)
        });
        let mut told = json!({
            "name": self.attack.name, "by": self.attack.kind.name(), "number": self.attack.number,
            "target": address.map(|address| address.to_string()), "seed": seed, "seconds": self.took.as_secs_f64(),
            "sent": tally.sent, "sent_bytes": tally.sent_bytes,
            "received": tally.received, "received_bytes": tally.received_bytes,
            "amplification": tally.amplification(),
            "kinds": map(tally.kinds.iter().map(|(kind, n)| ((*kind).to_owned(), *n)).collect()),
            "connections": tally.connections, "refusals": tally.refusals,
            "closes": map(tally.closes.iter().map(|(code, n)| (code.to_string(), *n)).collect()),
            "reused_cookies": tally.reused_cookies, "promised_bytes": tally.promised_bytes,
            "offers": map(tally.offers.iter().map(|(said, n)| ((*said).to_owned(), *n)).collect()),
            "answered": tally.answered, "acted_on": tally.acted_on, "orders": Value::Object(orders.collect()),
            "memory_bytes": self.footprint.map(|it| json!({
                "base": it.base_bytes, "before": it.before_bytes, "most": it.most_bytes, "growth_max": self.growth_max,
            })),
            "worked_ms": self.footprint.map(|it| it.worked.as_secs_f64() * 1e3), "work_us": self.work_us(),
            "honest_ms": { "before": before, "during": during, "after": after },
            "dialled": self.dialled, "untried": self.untried,
            "held": faults.is_empty() && self.untried.is_none(), "faults": faults, "try": self.suggestion(),
        });
        told["introductions"] = introductions;
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_that_leave_a_little_behind_each_do_not_pass_one_after_the_other() {
        let (start, bound) = (20 << 20, growth_max(32 << 20));
        // Each leaves half of what all may.
        let footprint = |n: u64, base_bytes| {
            let before_bytes = start + n * bound / 2;
            Footprint { base_bytes, before_bytes, most_bytes: before_bytes + bound / 2, worked: Duration::ZERO }
        };
        let grew = |footprint| {
            let attack = tng_attack::find("junk").expect("it is in the catalogue");
            let outcome = Outcome { footprint: Some(footprint), growth_max: bound, ..Outcome::of(attack) };
            outcome.faults().iter().any(|fault| fault.contains("its memory grew"))
        };
        let verdicts = |since_each: bool| {
            [0, 1, 2].map(|n| {
                let own = footprint(n, start);
                grew(if since_each { footprint(n, own.before_bytes) } else { own })
            })
        };
        assert_eq!(verdicts(false), [false, false, true]);
        // Control: if each counted from its own beginning, none would be told.
        assert_eq!(verdicts(true), [false; 3]);
    }
}
