//! The parameters of a link, as a file gives them: all, for a new link; some, for a change.

use core::time::Duration;
use std::fs::File;
use std::io::Read as _;

use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig, ThresholdConfig};
use tng_sim::{DATAGRAM_OVERHEAD, DeliveryTrace, Link, Loss, PATTERN_HOLD, PATTERN_PACKETS_MAX, Patterns, Reorder};

use tng_settings::{Field, Result, Section};

/// The keys of [`LinkPatch`].
macro_rules! lane_keys {
    ($($more:literal),*) => {
        &["rate", "trace", "delay", "jitter", "jitter_reorders", "mtu", "queue", "loss", "reorder", "duplicate",
          "corrupt", "checked", "notices", "ecn_bleach", "ecn_mark", "cost", "netem" $(, $more)*]
    };
}
pub(crate) use lane_keys;

/// Largest MTU: the largest IP packet.
const MTU_MAX: u64 = 65_535;

/// Largest file of patterns that is read, bytes.
const PATTERN_FILE_MAX: u64 = 4 << 20;
/// Largest trace that is read, bytes: as many lines as one has, each as long as can be.
const TRACE_FILE_MAX: u64 = 20 << 20;
/// Packets of a burst, if nothing else is said: those that the paper on Trickles sent (6.1).
pub(crate) const BURST_PACKETS: usize = 10;
/// How many times as likely as by one less a packet is late by one more, if nothing else is said.
pub(crate) const BURST_DECAY: f64 = 0.5;

/// Some of a link's parameters; what is `None` stays as it is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LinkPatch {
    /// See [`Link::rate_bps`].
    pub rate_bps: Option<Option<u64>>,
    /// See [`Link::trace`]. A rate ends it, and it ends a rate; a patch has one of them.
    pub trace: Option<DeliveryTrace>,
    /// See [`Link::delay`].
    pub delay: Option<Duration>,
    /// See [`Link::jitter`].
    pub jitter: Option<Duration>,
    /// See [`Link::jitter_reorders`].
    pub jitter_reorders: Option<bool>,
    /// See [`Link::mtu`].
    pub mtu: Option<usize>,
    /// See [`Link::queue`].
    pub queue: Option<QueueConfig>,
    /// See [`Link::loss`].
    pub loss: Option<Loss>,
    /// See [`Link::reorder`].
    pub reorder: Option<Option<Reorder>>,
    /// See [`Link::duplicate`].
    pub duplicate: Option<f64>,
    /// See [`Link::corrupt`].
    pub corrupt: Option<f64>,
    /// See [`Link::checked`].
    pub checked: Option<bool>,
    /// See [`Link::notices`].
    pub notices: Option<bool>,
    /// See [`Link::ecn_bleach`].
    pub ecn_bleach: Option<f64>,
    /// See [`Link::ecn_mark`].
    pub ecn_mark: Option<f64>,
    /// See [`Link::cost`].
    pub cost: Option<u32>,
}

impl LinkPatch {
    /// Sets what the patch has.
    pub fn apply(&self, link: &mut Link) {
        fn set<T: Clone>(field: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        if let Some(rate_bps) = self.rate_bps {
            (link.rate_bps, link.trace) = (rate_bps, None);
        }
        if let Some(trace) = &self.trace {
            (link.rate_bps, link.trace) = (None, Some(trace.clone()));
        }
        set(&mut link.delay, &self.delay);
        set(&mut link.jitter, &self.jitter);
        set(&mut link.jitter_reorders, &self.jitter_reorders);
        set(&mut link.mtu, &self.mtu);
        set(&mut link.queue, &self.queue);
        set(&mut link.loss, &self.loss);
        set(&mut link.reorder, &self.reorder);
        set(&mut link.duplicate, &self.duplicate);
        set(&mut link.corrupt, &self.corrupt);
        set(&mut link.checked, &self.checked);
        set(&mut link.notices, &self.notices);
        set(&mut link.ecn_bleach, &self.ecn_bleach);
        set(&mut link.ecn_mark, &self.ecn_mark);
        set(&mut link.cost, &self.cost);
    }

    /// `link`, patched.
    pub fn applied(&self, link: &Link) -> Link {
        let mut link = link.clone();
        self.apply(&mut link);
        link
    }

    /// `link`, patched, if that makes sense.
    ///
    /// # Errors
    /// The patch spares packets a delay that the link does not have.
    pub fn changed(&self, link: &Link) -> core::result::Result<Link, String> {
        let link = self.applied(link);
        match link.reorder {
            Some(Reorder::Ahead { .. }) if link.delay.is_zero() => {
                Err("reorder sends packets without the delay, and there is none: name a delay too, like \"delay 50ms \
                 reorder 5%\", or write \"reorder 0%\""
                    .into())
            }
            _ => Ok(link),
        }
    }

    /// Reads the keys of a section that has those of [`lane_keys`].
    pub(crate) fn read(section: &Section<'_, '_>) -> Result<LinkPatch> {
        let on = |key| section.get(key);
        let share = |key| on(key).map(|field| field.share()).transpose();
        let time = |key| on(key).map(|field| field.time()).transpose();
        let flag = |key| on(key).map(|field| field.flag()).transpose();
        let words = |field: Field<'_, '_>| LinkPatch::netem(field.text()?).map_err(|problem| field.wrong(problem));
        let netem = on("netem").map(words).transpose()?.unwrap_or_default();
        let keys = LinkPatch {
            rate_bps: on("rate").map(|field| rate(&field)).transpose()?,
            trace: on("trace").map(|field| trace(&field)).transpose()?,
            delay: time("delay")?,
            jitter: time("jitter")?,
            jitter_reorders: flag("jitter_reorders")?,
            mtu: on("mtu")
                .map(|field| field.whole(DATAGRAM_OVERHEAD as u64..MTU_MAX + 1))
                .transpose()?
                .map(|n| n as usize),
            queue: on("queue").map(|field| queue(&field)).transpose()?,
            loss: on("loss").map(|field| loss(&field)).transpose()?,
            reorder: on("reorder").map(|field| reorder(&field).map(Some)).transpose()?,
            duplicate: share("duplicate")?,
            corrupt: share("corrupt")?,
            checked: flag("checked")?,
            notices: flag("notices")?,
            ecn_bleach: share("ecn_bleach")?,
            ecn_mark: share("ecn_mark")?,
            cost: on("cost").map(|field| field.whole(0..1 << 32)).transpose()?.map(|n| n as u32),
        };
        if let (Some(_), Some(field)) = (keys.rate_bps.or(netem.rate_bps), on("trace")) {
            return Err(field.contradiction(
                "a link that follows a trace has no rate; take one of them out, or give each direction its own in \
                 forth and back"
                    .into(),
            ));
        }
        if let (Some(key), Some(words)) = (keys.differs(&netem), on("netem")) {
            let stands = on(key).map(|field| field.place()).unwrap_or_default();
            return Err(words.wrong(format!("it names another {key} than the key {key} ({stands}); say it once")));
        }
        Ok(keys.or(netem))
    }

    /// The key that says of a parameter something else than netem's words do.
    fn differs(&self, netem: &LinkPatch) -> Option<&'static str> {
        fn other<T: PartialEq>(key: &Option<T>, words: &Option<T>) -> bool {
            key.is_some() && words.is_some() && key != words
        }
        let keys = [
            ("rate", other(&self.rate_bps, &netem.rate_bps)),
            ("delay", other(&self.delay, &netem.delay)),
            ("jitter", other(&self.jitter, &netem.jitter)),
            ("jitter_reorders", other(&self.jitter_reorders, &netem.jitter_reorders)),
            ("queue", other(&self.queue, &netem.queue)),
            ("loss", other(&self.loss, &netem.loss)),
            ("reorder", other(&self.reorder, &netem.reorder)),
            ("duplicate", other(&self.duplicate, &netem.duplicate)),
            ("corrupt", other(&self.corrupt, &netem.corrupt)),
        ];
        keys.into_iter().find(|(_, differs)| *differs).map(|(key, _)| key)
    }

    /// What the patch has, and what `other` has that it has not.
    fn or(self, other: LinkPatch) -> LinkPatch {
        LinkPatch {
            rate_bps: self.rate_bps.or(other.rate_bps),
            trace: self.trace.or(other.trace),
            delay: self.delay.or(other.delay),
            jitter: self.jitter.or(other.jitter),
            jitter_reorders: self.jitter_reorders.or(other.jitter_reorders),
            mtu: self.mtu.or(other.mtu),
            queue: self.queue.or(other.queue),
            loss: self.loss.or(other.loss),
            reorder: self.reorder.or(other.reorder),
            duplicate: self.duplicate.or(other.duplicate),
            corrupt: self.corrupt.or(other.corrupt),
            checked: self.checked.or(other.checked),
            notices: self.notices.or(other.notices),
            ecn_bleach: self.ecn_bleach.or(other.ecn_bleach),
            ecn_mark: self.ecn_mark.or(other.ecn_mark),
            cost: self.cost.or(other.cost),
        }
    }
}

fn rate(field: &Field<'_, '_>) -> Result<Option<u64>> {
    match field.as_text() {
        Some("unlimited") => Ok(None),
        _ => field.rate().map(Some),
    }
}

fn trace(field: &Field<'_, '_>) -> Result<DeliveryTrace> {
    trace_file(field.text()?).map_err(|problem| field.wrong(problem))
}

fn reorder(field: &Field<'_, '_>) -> Result<Reorder> {
    let section = field.table("reorder", &["share", "by", "bursts", "length", "decay", "file", "hold", "lost"])?;
    let kinds = ["share", "bursts", "file"].map(|key| section.get(key));
    let patterns = match kinds {
        [Some(share), None, None] => {
            let section = field.table("reorder", &["share", "by"])?;
            return Ok(Reorder::Late { probability: share.share()?, extra: section.need("by")?.time()? });
        }
        [None, Some(share), None] => {
            field.table("reorder", &["bursts", "length", "decay", "hold", "lost"])?;
            let length = section
                .get("length")
                .map_or(Ok(BURST_PACKETS as u64), |length| length.whole(2..PATTERN_PACKETS_MAX as u64 + 1))?;
            let decay = section.get("decay").map_or(Ok(BURST_DECAY), |decay| decay.share())?;
            Patterns::bursts(share.share()?, length as usize, decay)
        }
        [None, None, Some(file)] => {
            field.table("reorder", &["file", "hold", "lost"])?;
            pattern_file(file.text()?).map_err(|problem| file.wrong(problem))?
        }
        _ => {
            let problem = "reorder needs one of share, bursts and file: like { share = \"1%\", by = \"10ms\" }, \
                           { bursts = \"1%\" } or { file = \"patterns.txt\" }";
            return Err(section.contradiction(problem.into()));
        }
    };
    let hold = section.get("hold").map_or(Ok(PATTERN_HOLD), |hold| hold.time())?;
    let lost = section.get("lost").map_or(Ok(false), |lost| lost.flag())?;
    Ok(Reorder::Burst { patterns, hold, lost })
}

/// Reads a file of patterns ([`Patterns::parse`]); its name is relative to the working directory.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(crate) fn pattern_file(name: &str) -> core::result::Result<Patterns, String> {
    let text = text_of(name, "of a file of patterns", PATTERN_FILE_MAX, "leave the rarest patterns out")?;
    Patterns::parse(&text).map_err(|error| format!("{name}: {error}"))
}

/// Reads a trace that a link can follow ([`DeliveryTrace::parse`]); its name is relative to the working directory.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub(crate) fn trace_file(name: &str) -> core::result::Result<DeliveryTrace, String> {
    let text = text_of(name, "of a trace in Mahimahi's format", TRACE_FILE_MAX, "end the trace earlier: it repeats")?;
    DeliveryTrace::parse(&text).map_err(|error| format!("{name}: {error}"))
}

/// The text of a file beside the scenario, and `of` what it is one. One that is larger than `most` is not read.
fn text_of(name: &str, of: &str, most: u64, remedy: &str) -> core::result::Result<String, String> {
    let mut text = String::new();
    let read = File::open(name).and_then(|file| file.take(most + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > most => Err(format!("{name} has more than {most} bytes; {remedy}")),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("{name} cannot be read ({error}); write the name {of}")),
    }
}

/// A share alone is independent loss.
fn loss(field: &Field<'_, '_>) -> Result<Loss> {
    const MODELS: &[&str] = &["independent", "bursty", "gilbert", "gilbert-elliott"];
    const KEYS: &[&str] = &["model", "share", "min", "max", "run", "to_bad", "to_good", "loss_good", "loss_bad"];
    if !field.is_table() {
        return field.share().map(Loss::Independent);
    }
    let section = field.table("loss", KEYS)?;
    let model = section.need("model")?.choice("loss model", MODELS)?;
    let share = |key| section.need(key)?.share();
    Ok(match MODELS[model] {
        "independent" => Loss::Independent(share("share")?),
        "bursty" => {
            let length = |key, default| section.get(key).map_or(Ok(default), |field| field.whole(1..1_000));
            let (min, max) = (length("min", 2)?, length("max", 4)?);
            if min > max {
                return Err(section.contradiction(format!("a burst of at least {min} and at most {max} packets")));
            }
            Loss::bursts(below_one(&section, "share")?, min as u32..=max as u32)
        }
        "gilbert" => {
            let run = section.need("run")?;
            match run.number()? {
                mean if mean >= 1.0 => Loss::gilbert(below_one(&section, "share")?, mean),
                _ => return Err(run.wrong("write the mean length of a run of losses, 1 or more")),
            }
        }
        _ => Loss::GilbertElliott {
            to_bad: share("to_bad")?,
            to_good: share("to_good")?,
            loss_good: section.get("loss_good").map_or(Ok(0.0), |field| field.share())?,
            loss_bad: section.get("loss_bad").map_or(Ok(1.0), |field| field.share())?,
        },
    })
}

fn below_one(section: &Section<'_, '_>, key: &'static str) -> Result<f64> {
    let field = section.need(key)?;
    match field.share()? {
        share if share < 1.0 => Ok(share),
        _ => Err(field.wrong("write a share below 100%; for all of it use \"independent\"")),
    }
}

/// A queue discipline: a table, or a name alone, which is that discipline with its defaults.
///
/// # Errors
/// If it is none.
pub fn queue(field: &Field<'_, '_>) -> Result<QueueConfig> {
    const KINDS: &[&str] = &["droptail", "red", "codel", "threshold"];
    const KEYS: &[&str] = &[
        "kind", "packets", "bytes", "time", "min", "max", "share", "weight", "gentle", "service", "ecn", "target",
        "interval", "mtu", "mark",
    ];
    if !field.is_table() {
        if field.as_text().is_none() {
            return Err(field.wrong(
                "write a table with its limit, like { packets = 100 } or { time = \"50ms\" }, or the name of a \
                 discipline",
            ));
        }
        return Ok(match KINDS[field.choice("queue discipline", KINDS)?] {
            "red" => QueueConfig::Red(RedConfig::default()),
            "codel" => QueueConfig::CoDel(CoDelConfig::default()),
            "threshold" => QueueConfig::Threshold(ThresholdConfig::default()),
            _ => QueueConfig::DropTail(Limit::default()),
        });
    }
    let any = field.table("queue", KEYS)?;
    let kind = any.get("kind").map_or(Ok(0), |kind| kind.choice("queue discipline", KINDS))?;
    match KINDS[kind] {
        "red" => red(field),
        "codel" => codel(field),
        "threshold" => threshold(field),
        _ => droptail(field),
    }
}

/// The number of packets that a queue holds at most.
fn packets(section: &Section<'_, '_>, default: usize) -> Result<usize> {
    section.get("packets").map_or(Ok(default), |field| {
        field.whole(1..tng_queue::QUEUE_PACKETS_MAX as u64 + 1).map(|packets| packets as usize)
    })
}

fn droptail(field: &Field<'_, '_>) -> Result<QueueConfig> {
    let section = field.table("a droptail queue", &["kind", "packets", "bytes", "time"])?;
    let limit = match (section.get("packets"), section.get("bytes"), section.get("time")) {
        (None, None, None) => Limit::default(),
        (Some(_), None, None) => Limit::Packets(packets(&section, 0)?),
        (None, Some(bytes), None) => Limit::Bytes(bytes.size()?),
        (None, None, Some(time)) => Limit::Time(time.time()?),
        _ => return Err(section.contradiction("a droptail queue has one limit: packets, bytes or time".into())),
    };
    Ok(QueueConfig::DropTail(limit))
}

fn red(field: &Field<'_, '_>) -> Result<QueueConfig> {
    let keys = &["kind", "min", "max", "share", "weight", "gentle", "service", "ecn", "packets"];
    let section = field.table("a red queue", keys)?;
    let default = RedConfig::default();
    let config = RedConfig {
        min_packets: section.get("min").map_or(Ok(default.min_packets), |field| field.number())?,
        max_packets: section.get("max").map_or(Ok(default.max_packets), |field| field.number())?,
        drop_max: section.get("share").map_or(Ok(default.drop_max), |field| field.share())?,
        weight: section.get("weight").map_or(Ok(default.weight), |field| field.share())?,
        gentle: section.get("gentle").map_or(Ok(default.gentle), |field| field.flag())?,
        service: section.get("service").map_or(Ok(default.service), |field| field.time())?,
        ecn: section.get("ecn").map_or(Ok(default.ecn), |field| field.flag())?,
        limit_packets: packets(&section, default.limit_packets)?,
    };
    if config.min_packets >= config.max_packets {
        let (min, max) = (config.min_packets, config.max_packets);
        return Err(section.contradiction(format!("the thresholds of a red queue: min {min} is not below max {max}")));
    }
    Ok(QueueConfig::Red(config))
}

fn codel(field: &Field<'_, '_>) -> Result<QueueConfig> {
    let section = field.table("a codel queue", &["kind", "target", "interval", "mtu", "ecn", "packets"])?;
    let default = CoDelConfig::default();
    Ok(QueueConfig::CoDel(CoDelConfig {
        target: section.get("target").map_or(Ok(default.target), |field| field.time())?,
        interval: section.get("interval").map_or(Ok(default.interval), |field| field.time())?,
        mtu_bytes: section.get("mtu").map_or(Ok(default.mtu_bytes), |field| field.size())?,
        ecn: section.get("ecn").map_or(Ok(default.ecn), |field| field.flag())?,
        limit_packets: packets(&section, default.limit_packets)?,
    }))
}

fn threshold(field: &Field<'_, '_>) -> Result<QueueConfig> {
    let section = field.table("a threshold queue", &["kind", "mark", "packets"])?;
    let default = ThresholdConfig::default();
    let mark = section.get("mark").map_or(Ok(default.mark_packets as u64), |field| field.whole(0..1 << 32))?;
    Ok(QueueConfig::Threshold(ThresholdConfig {
        mark_packets: mark as usize,
        limit_packets: packets(&section, default.limit_packets)?,
    }))
}
