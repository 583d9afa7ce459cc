//! Flows, their streams and their datagrams.

use core::time::Duration;

use tng_congestion::{Controllers, SectionChoice, UnknownController};
use tng_semantic::structured::{Priority, WEIGHT};

use super::draw::{draw, on_off};
use super::parse::Reader;
use super::{
    Amount, DATAGRAM_MIN, DATAGRAMS_MAX, DatagramSpec, Direction, Draw, FlowProtocol, FlowSpec, HELPERS_MAX, Law,
    Messages, Pace, STREAMS_MAX, StreamRef, StreamSpec, WEB_PARALLEL_DEFAULT, WEB_REQUESTS_MAX, WebSpec, controller_of,
    policed_of,
};
use crate::peers::web::Model;
use tng_settings::{Field, Result, Section};

impl<'t, 'i> Reader<'t, 'i> {
    pub(super) fn flow(&self, field: &Field<'t, 'i>) -> Result<FlowSpec> {
        const KEYS: &[&str] = &[
            "name",
            "group",
            "from",
            "to",
            "protocol",
            "via",
            "bytes",
            "duration",
            "start",
            "controller",
            "policed",
            "stream",
            "datagrams",
            "web",
        ];
        let section = field.table("[[flow]]", KEYS)?;
        let (from, to) = (self.host(&section.need("from")?)?, self.host(&section.need("to")?)?);
        if from == to {
            return Err(section.contradiction("a flow is between two different hosts".into()));
        }
        let via: Vec<usize> = match section.get("via") {
            Some(field) => field.list()?.iter().map(|field| self.helper(field)).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let stops = || core::iter::once(from).chain(via.iter().copied()).chain([to]);
        if via.len() > HELPERS_MAX || (1..via.len()).any(|at| via[..at].contains(&via[at])) {
            let problem = format!("a flow goes through at most {HELPERS_MAX} helpers, and through each once");
            return Err(section.contradiction(problem));
        }
        let protocol = section.get("protocol").map_or(Ok(0), |field| {
            field.choice("protocol", &FlowProtocol::ALL.iter().map(|row| row.name()).collect::<Vec<_>>())
        })?;
        let protocol = FlowProtocol::ALL[protocol];
        stops().zip(stops().skip(1)).try_for_each(|leg| self.check_way(&section, protocol, leg))?;
        let controller =
            section.get("controller").map(|field| controller(&field, protocol, &self.controllers)).transpose()?;
        if !via.is_empty()
            && let Some(choice) = controller.as_ref().and_then(|name| self.controllers.choose(name).ok())
            && let Err(error) = SectionChoice::try_from(choice)
        {
            return Err(section.contradiction(error.to_string()));
        }
        if let (Some(name), Some(other)) = (&controller, controller_of(&self.flows, from, protocol))
            && name != other
            && protocol.row().control.is_some_and(|control| control.by_host)
        {
            let host = &self.nodes[from].name;
            return Err(section.contradiction(format!(
                "{host:?} sends with {other:?} already, and {} has one congestion controller at a host; use another \
                 host",
                protocol.name()
            )));
        }
        let policed = section.get("policed").map(|field| field.flag()).transpose()?;
        if let (Some(policed), Some(other)) = (policed, policed_of(&self.flows, from, protocol))
            && policed != other
            && protocol.row().control.is_some_and(|control| control.by_host)
        {
            let (host, word) = (&self.nodes[from].name, if other { "policed" } else { "not policed" });
            return Err(section.contradiction(format!(
                "{host:?} sends over {} under a controller that is {word} already, and has one for all; use another \
                 host",
                protocol.name()
            )));
        }
        let name = match section.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => self.free_name(format!("{}->{}", self.nodes[from].name, self.nodes[to].name)),
        };
        if self.flows.iter().any(|flow| flow.name == name) {
            return Err(section.contradiction(format!("there are two flows {name:?}")));
        }
        let start = section.get("start").map_or(Ok(Duration::ZERO), |field| field.time())?;
        let group = section.get("group").map_or(Ok(protocol.name()), |field| field.text())?.to_owned();
        let mut flow = FlowSpec {
            name,
            group,
            from,
            to,
            protocol,
            via,
            controller,
            policed,
            streams: Vec::new(),
            datagrams: Vec::new(),
            web: Vec::new(),
        };
        let tables = |key| section.get(key).map_or(Ok(Vec::new()), |field| tables(&field));
        let (streams, datagrams, web) = (tables("stream")?, tables("datagrams")?, tables("web")?);
        let at = |key| section.get(key).map_or(Ok(()), |field| admits(protocol, &field));
        ["bytes", "duration", "stream", "web", "datagrams", "controller", "policed", "via"]
            .into_iter()
            .try_for_each(at)?;
        self.check_via(&section, &flow)?;
        for field in streams.iter().chain(&datagrams) {
            let at = |key| field.entry(key).map_or(Ok(()), |field| admits(protocol, &field));
            ["parent", "priority", "lifetime", "connect", "chunk", "on"].into_iter().try_for_each(at)?;
        }
        match amount(&section)? {
            Some(_) if !streams.is_empty() || !datagrams.is_empty() || !web.is_empty() => {
                return Err(section.contradiction(
                    "a flow has bytes or a duration of its own, or [[flow.stream]], [[flow.datagrams]] and \
                     [[flow.web]], not both"
                        .into(),
                ));
            }
            Some(amount) => {
                let name = flow.name.clone();
                self.check_name(&section, &flow, &name)?;
                flow.streams.push(StreamSpec::new(name, amount, start));
            }
            None if streams.is_empty() && datagrams.is_empty() && web.is_empty() => {
                return Err(
                    section.missing("bytes or duration, or a [[flow.stream]], [[flow.datagrams]] or [[flow.web]]")
                );
            }
            None => {}
        }
        for field in &streams {
            let stream = self.stream(field, &flow, start)?;
            flow.streams.push(stream);
        }
        resolve_parents(&streams, &mut flow.streams)?;
        for field in &web {
            let web = self.web(field, &flow, start)?;
            flow.web.push(web);
        }
        let requests =
            |flow: &FlowSpec| flow.web.iter().map(|web| u64::from(web.pages) * WEB_REQUESTS_MAX).sum::<u64>();
        let total =
            |flow: &FlowSpec| flow.streams.iter().map(|stream| u64::from(stream.count)).sum::<u64>() + requests(flow);
        if self.flows.iter().map(total).sum::<u64>() + total(&flow) > STREAMS_MAX {
            return Err(section.contradiction(format!("a scenario has at most {STREAMS_MAX} streams")));
        }
        for field in &datagrams {
            let datagrams = self.datagrams(field, &flow, start)?;
            flow.datagrams.push(datagrams);
        }
        Ok(flow)
    }

    /// Flows over tng between two hosts share a connection, and so a path.
    fn check_via(&self, section: &Section<'_, '_>, flow: &FlowSpec) -> Result<()> {
        let ways = |other: &FlowSpec| match (other.from, other.to) {
            ends if ends == (flow.from, flow.to) => Some(other.via.clone()),
            ends if ends == (flow.to, flow.from) => Some(other.via.iter().rev().copied().collect()),
            _ => None,
        };
        let beside = self.flows.iter().filter(|other| other.protocol == flow.protocol);
        match beside.map(ways).any(|way| way.is_some_and(|way| way != flow.via)) {
            true => Err(section.contradiction(format!(
                "another flow between {:?} and {:?} goes through other helpers, and flows over {} between two hosts \
                 share a connection; give both the same via",
                self.nodes[flow.from].name,
                self.nodes[flow.to].name,
                flow.protocol.name()
            ))),
            false => Ok(()),
        }
    }

    fn stream(&self, field: &Field<'t, 'i>, flow: &FlowSpec, start: Duration) -> Result<StreamSpec> {
        const KEYS: &[&str] = &[
            "name",
            "count",
            "direction",
            "bytes",
            "duration",
            "start",
            "connect",
            "every",
            "parent",
            "priority",
            "request",
            "chunk",
            "interval",
            "rate",
            "on",
            "off",
            "message",
            "interleave",
        ];
        let section = field.table("[[flow.stream]]", KEYS)?;
        let name = match section.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => format!("{} {}", flow.name, flow.streams.len() + 1),
        };
        self.check_name(&section, flow, &name)?;
        let Some(amount) = amount(&section)? else {
            return Err(section.missing("bytes (a size or \"forever\") or duration"));
        };
        let start = section.get("start").map_or(Ok(start), |field| field.time())?;
        let mut stream = StreamSpec::new(name, amount, start);
        stream.direction = direction(&section)?;
        if let Some(field) = section.get("count") {
            stream.count = field.whole(1..STREAMS_MAX + 1)? as u32;
        }
        if let Some(field) = section.get("connect") {
            stream.connect = Some(field.time()?);
            if stream.connect > Some(start) {
                return Err(field.wrong("a stream starts on a connection that is there: write its start or earlier"));
            }
            if section.get("request").is_some() {
                return Err(section.contradiction("connect is for streams without a request".into()));
            }
        }
        if let Some(field) = section.get("every") {
            stream.every = draw(&field, |field| field.time())?;
        }
        stream.priority = section.get("priority").map(|field| priority(&field)).transpose()?;
        stream.request = section.get("request").map(|field| field.size()).transpose()?;
        stream.pace = pace(&section)?;
        stream.on_off = on_off(&section)?;
        stream.messages = messages(&section, amount)?;
        Ok(stream)
    }

    fn datagrams(&self, field: &Field<'t, 'i>, flow: &FlowSpec, start: Duration) -> Result<DatagramSpec> {
        const KEYS: &[&str] = &[
            "name",
            "direction",
            "size",
            "interval",
            "rate",
            "on",
            "off",
            "count",
            "duration",
            "start",
            "lifetime",
            "parent",
        ];
        let section = field.table("[[flow.datagrams]]", KEYS)?;
        let name = match section.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => format!("{} datagrams {}", flow.name, flow.datagrams.len() + 1),
        };
        self.check_name(&section, flow, &name)?;
        let size = section.need("size")?;
        let size = match size.size()? {
            bytes if flow.protocol.row().datagram_max.is_some_and(|most| bytes > most) => {
                let (over, most) = (flow.protocol.name(), flow.protocol.row().datagram_max.unwrap_or_default());
                return Err(size.wrong(format!("a datagram over {over} has at most {most} bytes")));
            }
            bytes if bytes >= DATAGRAM_MIN => bytes,
            _ => return Err(size.wrong(format!("a datagram has at least {DATAGRAM_MIN} bytes: its group and number"))),
        };
        let Some(interval) = interval(&section, size)? else { return Err(section.missing("interval or rate")) };
        let count = match (section.get("count"), section.get("duration")) {
            (Some(_), Some(_)) => {
                return Err(section.contradiction("datagrams have a count or a duration, not both".into()));
            }
            (Some(count), None) => Some(count.whole(1..DATAGRAMS_MAX + 1)?),
            (None, Some(time)) => match time.time()?.as_nanos().div_ceil(interval.as_nanos()) {
                count if (1..=u128::from(DATAGRAMS_MAX)).contains(&count) => Some(count as u64),
                _ => return Err(time.wrong(format!("give time for 1 to {DATAGRAMS_MAX} datagrams"))),
            },
            (None, None) => None,
        };
        let parent = section.get("parent").map(|field| place(&field, &flow.streams)).transpose()?;
        if let Some(parent) = parent
            && flow.streams[parent].count > 1
        {
            return Err(section.contradiction(format!("the parent {:?} is many streams", flow.streams[parent].name)));
        }
        Ok(DatagramSpec {
            name,
            direction: direction(&section)?,
            size,
            interval,
            count,
            start: section.get("start").map_or(Ok(start), |field| field.time())?,
            on_off: on_off(&section)?,
            lifetime: section.get("lifetime").map(|field| field.some_time()).transpose()?,
            parent,
        })
    }

    fn web(&self, field: &Field<'t, 'i>, flow: &FlowSpec, start: Duration) -> Result<WebSpec> {
        let section = field.table("[[flow.web]]", &["name", "pages", "parallel", "think", "start"])?;
        let name = match section.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => format!("{} web {}", flow.name, flow.web.len() + 1),
        };
        self.check_name(&section, flow, &name)?;
        let think = Draw { mean: Model::default().think_mean, law: Law::Exponential, max: None };
        Ok(WebSpec {
            name,
            pages: section.need("pages")?.whole(1..STREAMS_MAX + 1)? as u32,
            parallel: match section.get("parallel") {
                Some(field) => field.whole(1..STREAMS_MAX + 1)? as u32,
                None => WEB_PARALLEL_DEFAULT,
            },
            think: section.get("think").map_or(Ok(think), |field| draw(&field, |field| field.time()))?,
            start: section.get("start").map_or(Ok(start), |field| field.time())?,
        })
    }

    /// The stream that a field names.
    pub(super) fn named_stream(&self, field: &Field<'_, '_>) -> Result<StreamRef> {
        let name = field.text()?;
        let all = || {
            self.flows.iter().enumerate().flat_map(|(flow, spec)| {
                spec.streams.iter().enumerate().map(move |(stream, spec)| (StreamRef { flow, stream }, &*spec.name))
            })
        };
        let found = all().find(|(_, other)| *other == name).map(|(stream, _)| stream);
        found.ok_or_else(|| field.unknown("stream", name, all().map(|(_, name)| name).collect::<Vec<_>>().into_iter()))
    }

    /// Streams, datagrams and pages have names of their own in the whole file.
    fn check_name(&self, section: &Section<'_, '_>, flow: &FlowSpec, name: &str) -> Result<()> {
        let flows = || self.flows.iter().chain([flow]);
        let streams = flows().flat_map(|flow| flow.streams.iter().map(|stream| &*stream.name));
        let datagrams = flows().flat_map(|flow| flow.datagrams.iter().map(|datagrams| &*datagrams.name));
        let web = flows().flat_map(|flow| flow.web.iter().map(|web| &*web.name));
        match streams.chain(datagrams).chain(web).any(|other| other == name) {
            true => Err(section.contradiction(format!("there are two streams {name:?}; give one another name"))),
            false => Ok(()),
        }
    }

    /// `name`, or with a number behind it if some flow has it.
    fn free_name(&self, name: String) -> String {
        let taken = |name: &str| self.flows.iter().any(|flow| flow.name == name);
        if !taken(&name) {
            return name;
        }
        let mut number = 2;
        while taken(&format!("{name} {number}")) {
            number += 1;
        }
        format!("{name} {number}")
    }
}

/// Refuses what a protocol cannot do.
fn admits(protocol: FlowProtocol, field: &Field<'_, '_>) -> Result<()> {
    match protocol.lacks(&field.key) {
        Some(why) => Err(field.wrong(format!("a flow over {} cannot have this: {why}", protocol.name()))),
        None => Ok(()),
    }
}

impl StreamSpec {
    /// One stream without anything special.
    pub(crate) fn new(name: String, amount: Amount, start: Duration) -> StreamSpec {
        StreamSpec {
            name,
            count: 1,
            direction: Direction::Forth,
            amount,
            start,
            connect: None,
            every: Draw::fixed(Duration::ZERO),
            parent: None,
            priority: None,
            request: None,
            pace: None,
            on_off: None,
            messages: None,
        }
    }
}

/// The tables of an array of tables within a flow.
fn tables<'t, 'i>(field: &Field<'t, 'i>) -> Result<Vec<Field<'t, 'i>>> {
    field.list().map_err(|_| field.wrong(format!("write [[flow.{}]], with double brackets", field.key)))
}

fn place(field: &Field<'_, '_>, streams: &[StreamSpec]) -> Result<usize> {
    let name = field.text()?;
    let found = streams.iter().position(|stream| stream.name == name);
    let known = streams.iter().map(|stream| &*stream.name);
    found.ok_or_else(|| field.unknown("stream in this flow", name, known))
}

fn resolve_parents(fields: &[Field<'_, '_>], streams: &mut [StreamSpec]) -> Result<()> {
    for (child, field) in fields.iter().enumerate() {
        let Some(parent) = field.entry("parent") else { continue };
        let above = place(&parent, streams)?;
        let (up, own) = (&streams[above], &streams[child]);
        if up.count > 1 && up.count != own.count {
            return Err(parent.wrong(format!(
                "{:?} is {} streams and {:?} {}; write one parent, or as many as children",
                up.name, up.count, own.name, own.count
            )));
        }
        streams[child].parent = Some(above);
        let mut next = Some(above);
        while let Some(stream) = next {
            if stream == child {
                return Err(parent.wrong(format!("{:?} would be its own ancestor", streams[child].name)));
            }
            next = streams[stream].parent;
        }
    }
    Ok(())
}

fn amount(section: &Section<'_, '_>) -> Result<Option<Amount>> {
    match (section.get("bytes"), section.get("duration")) {
        (Some(bytes), None) if bytes.as_text() == Some("forever") => Ok(Some(Amount::Forever)),
        (Some(bytes), None) if bytes.is_table() => Ok(Some(Amount::Drawn(draw(&bytes, |field| field.size())?))),
        (Some(bytes), None) => Ok(Some(Amount::Bytes(bytes.size()?))),
        (None, Some(time)) => Ok(Some(Amount::For(time.time()?))),
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(section.contradiction("write bytes or a duration, not both".into())),
    }
}

fn direction(section: &Section<'_, '_>) -> Result<Direction> {
    let back = section.get("direction").map_or(Ok(0), |field| field.choice("direction", &["forth", "back"]))?;
    Ok(if back == 1 { Direction::Back } else { Direction::Forth })
}

/// A level alone, or a table.
pub(super) fn priority(field: &Field<'_, '_>) -> Result<Priority> {
    let level = |field: &Field<'_, '_>| field.signed(i8::MIN.into()..=i8::MAX.into()).map(|level| Some(level as i8));
    if !field.is_table() {
        return Ok(Priority { level: level(field)?, weight: WEIGHT });
    }
    let section = field.table("priority", &["level", "weight"])?;
    Ok(Priority {
        level: section.get("level").map_or(Ok(None), |field| level(&field))?,
        weight: section.get("weight").map_or(Ok(u64::from(WEIGHT)), |field| field.whole(1..256))? as u8,
    })
}

fn pace(section: &Section<'_, '_>) -> Result<Option<Pace>> {
    let Some(chunk) = section.get("chunk") else {
        return match ["interval", "rate"].into_iter().find(|key| section.get(key).is_some()) {
            Some(_) => Err(section.missing("chunk, the bytes that are written at once")),
            None => Ok(None),
        };
    };
    let chunk = chunk.some_size()?;
    match interval(section, chunk)? {
        Some(interval) => Ok(Some(Pace { chunk, interval })),
        None => Err(section.missing("interval or rate, beside chunk")),
    }
}

/// How often so many bytes go.
fn interval(section: &Section<'_, '_>, bytes: u64) -> Result<Option<Duration>> {
    match (section.get("interval"), section.get("rate")) {
        (Some(_), Some(_)) => Err(section.contradiction("write an interval or a rate, not both".into())),
        (Some(interval), None) => interval.some_time().map(Some),
        (None, Some(rate)) => {
            let ns = u128::from(bytes) * 8 * 1_000_000_000 / u128::from(rate.rate()?);
            Ok(Some(Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX).max(1))))
        }
        (None, None) => Ok(None),
    }
}

fn messages(section: &Section<'_, '_>, amount: Amount) -> Result<Option<Messages>> {
    let piece = section.get("interleave");
    let Some(size) = section.get("message") else {
        return if piece.is_some() {
            Err(section.missing("message, the size of what is interleaved"))
        } else {
            Ok(None)
        };
    };
    let size = size.some_size()?;
    let Some(piece) = piece else { return Ok(Some(Messages { size, piece: None })) };
    match amount {
        Amount::Bytes(bytes) if bytes % size == 0 => Ok(Some(Messages { size, piece: Some(piece.some_size()?) })),
        _ => Err(piece.wrong("interleaved messages all have the same size: write bytes that are a multiple of it")),
    }
}

fn controller(field: &Field<'_, '_>, protocol: FlowProtocol, controllers: &Controllers) -> Result<String> {
    let text = field.text()?;
    admits(protocol, field)?;
    let own = |protocol: &FlowProtocol| protocol.row().control.and_then(|control| control.own);
    let ours = controllers.entries().map(|entry| entry.name).collect::<Vec<_>>();
    // Of ours a name may carry parameters.
    let (found, known) = match own(&protocol) {
        Some(names) => (names.contains(&text).then_some(()).ok_or(None), names.to_vec()),
        None => (controllers.choose(text).map(drop).map_err(Some), ours.clone()),
    };
    let elsewhere = || FlowProtocol::ALL.iter().filter_map(own).flatten().copied().chain(ours.iter().copied());
    match found {
        Ok(()) => Ok(text.to_owned()),
        Err(Some(error @ UnknownController::Parameters { .. })) => Err(field.wrong(error.to_string())),
        Err(Some(UnknownController::Name { all, .. })) if text.starts_with("eln:") => {
            Err(field.unknown("congestion controller", text, all.iter().map(String::as_str)))
        }
        Err(_) if elsewhere().any(|other| text.split(':').next() == Some(other)) => {
            let over = protocol.name();
            Err(field.wrong(format!("there is no {text:?} over {over}; over {over} there is {}", known.join(", "))))
        }
        Err(_) => Err(field.unknown("congestion controller", text, known.into_iter())),
    }
}
