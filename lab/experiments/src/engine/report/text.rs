//! A report for people.

use core::fmt;

use super::{DatagramReport, FlowReport, HelpedReport, LinkReport, NatReport, Report, Spread, StreamReport, WebReport};

impl fmt::Display for Report {
    /// Tables; those that would be empty, or repeat another, are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digest.get(..16).unwrap_or(&self.digest) {
            "" => writeln!(f, "seed {}, {:.3} s of real time", self.seed, self.time_s)?,
            digest => writeln!(f, "seed {}, {:.3} s of virtual time, digest {digest}", self.seed, self.time_s)?,
        }
        flows(f, &self.flows)?;
        let told = |flow: &&FlowReport| match &flow.streams[..] {
            [only] => only.name != flow.name || only.count > 1 || only.message_s.is_some(),
            streams => !streams.is_empty(),
        };
        streams(f, &self.flows.iter().filter(told).flat_map(|flow| &flow.streams).collect::<Vec<_>>())?;
        datagrams(f, &self.flows.iter().flat_map(|flow| &flow.datagrams).collect::<Vec<_>>())?;
        web(f, &self.flows.iter().flat_map(|flow| &flow.web).collect::<Vec<_>>())?;
        links(f, &self.links)?;
        nats(f, &self.nats)?;
        groups(f, self)
    }
}

fn flows(f: &mut fmt::Formatter<'_>, flows: &[FlowReport]) -> fmt::Result {
    let longest = flows.iter().filter_map(|flow| flow.controller.as_deref()).map(str::len).max();
    let width = longest.unwrap_or(0).max("controller".len());
    writeln!(
        f,
        "\n{:24} {:>8} {:>width$} {:>12} {:>12} {:>12} {:>10} {:>10}",
        "flow", "protocol", "controller", "bytes", "completion", "goodput", "rtt mean", "rtt 95 %"
    )?;
    for flow in flows {
        let completion = match (&flow.failure, flow.completion_s) {
            (Some(reason), _) => format!("failed: {reason}"),
            (None, Some(s)) => format!("{s:.3} s"),
            (None, None) => "not ended".to_owned(),
        };
        let controller = flow.controller.as_deref().unwrap_or("-");
        let rtt = |of: fn(&Spread) -> f64| flow.rtt_s.map_or("-".to_owned(), |rtt| format!("{:.1} ms", of(&rtt) * 1e3));
        let (name, protocol, mbit) = (&flow.name, flow.protocol, flow.goodput_bps / 1e6);
        writeln!(
            f,
            "{name:24} {protocol:>8} {controller:>width$} {:>12} {completion:>12} {mbit:>5.2} Mbit/s {:>10} {:>10}",
            flow.bytes,
            rtt(|rtt| rtt.mean),
            rtt(|rtt| rtt.p95)
        )?;
        if let Some(helped) = &flow.helped {
            writeln!(f, "  {}", way(helped))?;
        }
    }
    Ok(())
}

/// What came of a flow's helpers, in a line.
fn way(helped: &HelpedReport) -> String {
    let times = |count: u32, what: &str| match count {
        0 => String::new(),
        1 => format!(", {what} once"),
        count => format!(", {what} {count} times"),
    };
    let used = match (helped.used, helped.in_use) {
        (false, _) => "not used",
        (true, true) => "in use at the end",
        (true, false) => "not in use at the end",
    };
    let section = helped.section_rtt_smoothed_s.map_or(String::new(), |s| format!(", first section {:.1} ms", s * 1e3));
    let (left, returned) = (times(helped.left, "left"), times(helped.returned, "returned to"));
    format!("via {}: {used}{left}{returned}{section}", helped.via.join(", "))
}

/// What NATs did not let pass, if there are any.
fn nats(f: &mut fmt::Formatter<'_>, nats: &[NatReport]) -> fmt::Result {
    if nats.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{:24} {:>10}", "NAT", "dropped")?;
    for nat in nats {
        let dropped: u64 = nat.dropped.iter().map(|(_, count)| count).sum();
        let why: Vec<String> = nat.dropped.iter().map(|(why, count)| format!("{count} {why}")).collect();
        writeln!(f, "{}", format!("{:24} {dropped:>10}  {}", nat.name, why.join(", ")).trim_end())?;
    }
    Ok(())
}

/// How flows share, if there are several.
fn groups(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let Some(fairness) = report.fairness.filter(|_| report.flows.len() > 1) else { return Ok(()) };
    writeln!(f, "\n{:24} {:>8} {:>12} {:>8} {:>8}", "group of flows", "flows", "goodput", "share", "Jain")?;
    let jain = |index: Option<f64>| index.map_or("-".to_owned(), |index| format!("{index:.3}"));
    for group in report.groups.iter().filter(|_| report.groups.len() > 1) {
        let share = group.share.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0));
        let (mbit, index) = (group.goodput_bps / 1e6, jain(group.fairness));
        writeln!(f, "{:24} {:>8} {mbit:>5.2} Mbit/s {share:>8} {index:>8}", group.name, group.flows)?;
    }
    let mbit: f64 = report.flows.iter().map(|flow| flow.goodput_bps / 1e6).sum();
    writeln!(f, "{:24} {:>8} {mbit:>5.2} Mbit/s {:>8} {fairness:>8.3}", "all", report.flows.len(), "100.0%")
}

fn streams(f: &mut fmt::Formatter<'_>, streams: &[&StreamReport]) -> fmt::Result {
    if streams.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:24} {:>10} {:>12} {:>9} {:>10} {:>10} {:>10} {:>12}",
        "stream", "ended", "bytes", "start", "first byte", "median", "99 %", "goodput"
    )?;
    for stream in streams {
        let ended = format!("{}/{}", stream.completed, stream.count);
        let start = stream.start_s.map_or("-".to_owned(), |s| format!("{s:.3} s"));
        let (first, completion) = (&stream.first_byte_s, &stream.completion_s);
        writeln!(
            f,
            "{:24} {ended:>10} {:>12} {start:>9} {:>10} {:>10} {:>10} {:>5.2} Mbit/s",
            stream.name,
            stream.bytes,
            time(first, |spread| spread.p50),
            time(completion, |spread| spread.p50),
            time(completion, |spread| spread.p99),
            stream.goodput_bps / 1e6
        )?;
        if let Some(messages) = &stream.message_s {
            let all = Some(*messages);
            writeln!(
                f,
                "{:24} {:>10} {:>12} {:>9} {:>10} {:>10} {:>10}",
                "  its messages",
                messages.count,
                "",
                "",
                "",
                time(&all, |spread| spread.p50),
                time(&all, |spread| spread.p99)
            )?;
        }
        let cut = stream.each.iter().find_map(|one| one.cut.as_ref()).map(|how| ("ended early", how));
        if let Some((what, why)) = stream.failure.as_ref().map(|why| ("failed", why)).or(cut) {
            writeln!(f, "  {what}: {why}")?;
        }
    }
    Ok(())
}

fn datagrams(f: &mut fmt::Formatter<'_>, groups: &[&DatagramReport]) -> fmt::Result {
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10} {:>10}",
        "datagrams", "sent", "refused", "received", "missing", "expired", "median", "99 %", "longest"
    )?;
    for group in groups {
        let expired = group.expired.map_or("-".to_owned(), |count| count.to_string());
        writeln!(
            f,
            "{:24} {:>8} {:>8} {:>8} {:>8} {expired:>8} {:>10} {:>10} {:>10}",
            group.name,
            group.sent,
            group.refused,
            group.received,
            group.missing,
            time(&group.delay_s, |spread| spread.p50),
            time(&group.delay_s, |spread| spread.p99),
            time(&group.delay_s, |spread| spread.max)
        )?;
        if let Some(why) = &group.failure {
            writeln!(f, "  failed: {why}")?;
        }
    }
    Ok(())
}

fn web(f: &mut fmt::Formatter<'_>, webs: &[&WebReport]) -> fmt::Result {
    if webs.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:24} {:>10} {:>8} {:>12} {:>10} {:>10} {:>10}",
        "pages", "whole", "answers", "bytes", "median", "90 %", "longest"
    )?;
    for web in webs {
        let whole = format!("{}/{}", web.completed, web.pages);
        writeln!(
            f,
            "{:24} {whole:>10} {:>8} {:>12} {:>10} {:>10} {:>10}",
            web.name,
            web.objects,
            web.bytes,
            time(&web.load_s, |spread| spread.p50),
            time(&web.load_s, |spread| spread.p90),
            time(&web.load_s, |spread| spread.max)
        )?;
        if let Some(why) = &web.failure {
            writeln!(f, "  failed: {why}")?;
        }
    }
    Ok(())
}

fn links(f: &mut fmt::Formatter<'_>, links: &[LinkReport]) -> fmt::Result {
    writeln!(
        f,
        "\n{:24} {:>10} {:>8} {:>6} {:>11} {:>10}",
        "link", "delivered", "dropped", "used", "queue mean", "wait max"
    )?;
    for link in links {
        for (way, lane) in [(">", &link.forth), ("<", &link.back)] {
            let dropped: u64 = lane.dropped.iter().map(|(_, count)| count).sum();
            let used = lane.utilisation.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0));
            writeln!(
                f,
                "{:22} {way} {:>10} {dropped:>8} {used:>6} {:>9.1} p {:>7.1} ms",
                link.name,
                lane.delivered,
                lane.queue_packets_mean,
                lane.sojourn_max_s * 1e3
            )?;
        }
    }
    Ok(())
}

/// One of a spread's times.
fn time(spread: &Option<Spread>, value: fn(&Spread) -> f64) -> String {
    match spread.as_ref().map(value) {
        Some(s) if s < 1.0 => format!("{:.1} ms", s * 1e3),
        Some(s) => format!("{s:.3} s"),
        None => "-".to_owned(),
    }
}
