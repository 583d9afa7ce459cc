//! Figures as iperf3's tables.

use super::Side;
use super::document::is_regulated;
use super::figures::{
    Datagrams, Finish, Interval, LaneEnd, LaneId, Path, Regulated, Row, Span, Start, directions, rate,
};
use super::units::{Format, amount, date};
use tng_services::perf::{Direction, End, LaneResult};

const RULE: &str = "- - - - - - - - - - - - - - - - - - - - - - - - -";

/// Makes the lines.
#[derive(Debug)]
pub struct Table {
    format: Format,
    verbose: bool,
    /// What the running test is; nothing before.
    about: Option<About>,
    /// The columns of its intervals have their names.
    headed: bool,
}

#[derive(Clone, Copy, Debug)]
struct About {
    side: Side,
    datagrams: bool,
    both: bool,
}

impl About {
    /// The column that says who sends, if both do.
    fn role(&self, lane: LaneId) -> String {
        if !self.both {
            return String::new();
        }
        let side = if self.side == Side::Client { 'C' } else { 'S' };
        format!("[{}-{side}]", if lane.sends { "TX" } else { "RX" })
    }
}

impl Table {
    /// Nothing is known yet.
    pub fn new(format: Format, verbose: bool) -> Table {
        Table { format, verbose, about: None, headed: false }
    }

    /// The lines at the beginning of a test.
    pub fn start(&mut self, start: &Start) -> Vec<String> {
        let test = &start.test;
        let both = test.direction == Direction::Both;
        self.about = Some(About { side: start.side, datagrams: test.datagrams, both });
        self.headed = false;
        let mut lines = Vec::new();
        if self.verbose {
            lines.push(format!("tng {}", env!("CARGO_PKG_VERSION")));
            lines.push(format!("Time: {}", date(start.time as i64)));
        }
        lines.push(match start.side {
            Side::Client => format!("Connecting to host {}, port {}", start.host.0, start.host.1),
            Side::Server => format!("Accepted connection from {}, port {}", start.host.0, start.host.1),
        });
        if self.verbose {
            lines.push(format!("      Peer: {}", start.peer));
            lines.push(format!("      Path: {}", start.path));
            lines.push(format!("      Cookie: {}", start.cookie));
            lines.push(format!("      Largest packet: {} bytes", start.payload_max));
        }
        if (start.side, test.direction) == (Side::Client, Direction::Reverse) {
            lines.push(format!("Reverse mode, remote host {} is sending", start.host.0));
        }
        for lane in &start.lanes {
            lines.push(format!(
                "[{:>3}] local {} port {} connected to {} port {}",
                lane.number,
                start.local.ip(),
                start.local.port(),
                start.remote.ip(),
                start.remote.port()
            ));
        }
        if self.verbose {
            let what = if test.datagrams { "datagrams" } else { "streams" };
            let end = match test.end {
                End::After(ms) => format!("{} second test", ms as f64 / 1e3),
                End::Bytes(_) if start.blocks > 0 => format!("{} blocks to send", start.blocks),
                End::Bytes(bytes) => format!("{bytes} bytes to send"),
            };
            lines.push(format!(
                "Starting Test: {what}, {} in each direction, {} byte blocks, omitting {} seconds, {end}",
                test.lanes,
                test.block_len,
                test.omit_ms as f64 / 1e3
            ));
        }
        lines
    }

    fn header(&self, rest: &str) -> String {
        let role = if self.about.as_ref().is_some_and(|about| about.both) { "[Role]" } else { "" };
        format!("[ ID]{role} Interval           Transfer     Bitrate         {rest}").trim_end().to_owned()
    }

    /// The lines of an interval.
    pub fn interval(&mut self, interval: &Interval) -> Vec<String> {
        let Some(about) = self.about else { return Vec::new() };
        let mut lines = Vec::new();
        if !std::mem::replace(&mut self.headed, true) {
            let sends = interval.rows.iter().any(|row| row.lane.sends);
            let receives = interval.rows.iter().any(|row| !row.lane.sends);
            let regulated = interval.rows.iter().any(|row| row.path.is_some_and(|path| path.regulated.is_some()));
            lines.push(self.header(match (about.datagrams, sends, receives) {
                (false, true, _) if regulated => "Retr  Cwnd",
                (false, ..) => "",
                (true, true, false) => "Total Datagrams",
                (true, ..) => "Jitter    Lost/Total Datagrams",
            }));
        }
        for row in &interval.rows {
            let name = format!("{:>3}", row.lane.number);
            lines.push(self.row(&about, &name, row, interval));
        }
        for client_sends in directions(interval.rows.iter().map(|row| row.lane)) {
            let rows: Vec<&Row> = interval.rows.iter().filter(|row| row.lane.client_sends == client_sends).collect();
            let [first, _, ..] = rows.as_slice() else { continue };
            let sum = Row {
                lane: first.lane,
                bytes: rows.iter().map(|row| row.bytes).sum(),
                datagrams: about.datagrams.then(|| Datagrams::sum(rows.iter().filter_map(|row| row.datagrams))),
                path: first.path,
            };
            lines.push(self.row(&about, "SUM", &sum, interval));
        }
        if interval.rows.len() > 1 {
            lines.push(RULE.to_owned());
        }
        lines
    }

    fn row(&self, about: &About, name: &str, row: &Row, interval: &Interval) -> String {
        let tail = match (row.datagrams, row.path) {
            (Some(datagrams), None) => arrived(&datagrams),
            (Some(datagrams), Some(_)) => datagrams.packets.to_string(),
            // The window is that of the connection, whatever the stream.
            (None, Some(Path { regulated: Some(Regulated { retransmits, .. }), .. })) if name == "SUM" => {
                format!("{retransmits:>4}")
            }
            (None, Some(Path { regulated: Some(regulated), .. })) => {
                format!("{:>4}   {}", regulated.retransmits, window(regulated.window))
            }
            (None, _) => String::new(),
        };
        let omitted = if interval.omitted { "  (omitted)" } else { "" };
        let line = self.line(name, &about.role(row.lane), interval.span, row.bytes, &tail);
        format!("{}{omitted}", line.trim_end())
    }

    fn line(&self, name: &str, role: &str, span: Span, bytes: u64, tail: &str) -> String {
        let (transfer, rate) = (amount(bytes), self.format.rate(span.rate(bytes)));
        format!("[{name}]{role} {:>6.2}-{:<6.2} sec  {transfer:<11}  {rate:<15} {tail}", span.start, span.end)
    }

    /// The lines at the end of a test.
    pub fn finish(&mut self, finish: &Finish) -> Vec<String> {
        let Some(about) = &self.about else { return Vec::new() };
        let mut lines = vec![RULE.to_owned()];
        if self.verbose {
            lines.push("Test Complete. Summary Results:".to_owned());
        }
        lines.push(self.header(match about.datagrams {
            true => "Jitter    Lost/Total Datagrams",
            false if finish.lanes.iter().any(|end| is_regulated(&end.sender)) => "Retr",
            false => "",
        }));
        for end in &finish.lanes {
            lines.extend(self.summary(about, &format!("{:>3}", end.lane.number), end));
        }
        for client_sends in directions(finish.lanes.iter().map(|end| end.lane)) {
            let ends: Vec<&LaneEnd> = finish.lanes.iter().filter(|end| end.lane.client_sends == client_sends).collect();
            let [first, _, ..] = ends.as_slice() else { continue };
            let sender = sum(ends.iter().map(|end| &end.sender));
            let receiver = sum(ends.iter().map(|end| &end.receiver));
            lines.extend(self.summary(about, "SUM", &LaneEnd { lane: first.lane, sender, receiver }));
        }
        if self.verbose {
            let [(here, there), (mine, theirs)] = match about.side {
                Side::Client => [("local", "remote"), ("client", "server")],
                Side::Server => [("local", "remote"), ("server", "client")],
            };
            let share = |part: u64| part as f64 / 1e3;
            let of = |cpu: &tng_services::perf::Cpu| {
                format!("{:.1}% ({:.1}%u/{:.1}%s)", share(cpu.user + cpu.system), share(cpu.user), share(cpu.system))
            };
            let (ours, other) = (of(&finish.here), of(&finish.there));
            lines.push(format!("CPU Utilization: {here}/{mine} {ours}, {there}/{theirs} {other}"));
            lines.push(format!("{mine}_congestion {}", finish.controller_here));
            lines.push(format!("{theirs}_congestion {}", finish.controller_there));
        }
        if about.side == Side::Client {
            lines.extend([String::new(), "tng perf done.".to_owned()]);
        }
        lines
    }

    /// The sender's line and the receiver's.
    fn summary(&self, about: &About, name: &str, end: &LaneEnd) -> [String; 2] {
        let role = about.role(end.lane);
        let of = |result: &LaneResult, tail: &str, who: &str| {
            let span = Span { start: 0.0, end: result.duration_us as f64 / 1e6 };
            let line = self.line(name, &role, span, result.bytes, tail);
            format!("{line:<66} {who}")
        };
        if about.datagrams {
            let sent = Datagrams { packets: end.sender.packets, ..Datagrams::default() };
            let received = Datagrams::of(&end.receiver);
            [of(&end.sender, &arrived(&sent), "sender"), of(&end.receiver, &arrived(&received), "receiver")]
        } else {
            let known = is_regulated(&end.sender);
            let retransmits = if known { format!("{:>4}", end.sender.retransmits) } else { String::new() };
            [of(&end.sender, &retransmits, "sender"), of(&end.receiver, "", "receiver")]
        }
    }
}

/// Several lanes of one direction together.
pub fn sum<'a>(results: impl Iterator<Item = &'a LaneResult> + Clone) -> LaneResult {
    let mut sum = LaneResult::default();
    for result in results.clone() {
        sum.bytes = sum.bytes.saturating_add(result.bytes);
        sum.duration_us = sum.duration_us.max(result.duration_us);
        sum.packets = sum.packets.saturating_add(result.packets);
        sum.lost = sum.lost.saturating_add(result.lost);
        sum.out_of_order = sum.out_of_order.saturating_add(result.out_of_order);
        sum.retransmits = sum.retransmits.saturating_add(result.retransmits);
        sum.window_max = sum.window_max.max(result.window_max);
    }
    sum.jitter_ns = (Datagrams::sum(results.map(Datagrams::of)).jitter_ms * 1e6) as u64;
    sum
}

fn arrived(datagrams: &Datagrams) -> String {
    let percent = datagrams.lost_percent();
    let percent = if percent >= 10.0 || percent == 0.0 { format!("{percent:.0}") } else { format!("{percent:.2}") };
    format!("{:.3} ms  {}/{} ({percent}%)", datagrams.jitter_ms, datagrams.lost, datagrams.packets)
}

fn window(bytes: u64) -> String {
    // A controller without a window has one of u64::MAX.
    if bytes == u64::MAX { "-".to_owned() } else { amount(bytes) }
}

/// Bits per second of a result.
pub fn result_rate(result: &LaneResult) -> f64 {
    rate(result.bytes, result.duration_us as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(datagrams: bool) -> Table {
        let about = About { side: Side::Client, datagrams, both: false };
        Table { about: Some(about), ..Table::new(Format::Adaptive, false) }
    }

    const LANE: LaneId = LaneId { number: 1, client_sends: true, sends: true };
    const SPAN: Span = Span { start: 1.0, end: 2.0 };

    #[test]
    fn a_stream_that_is_sent_has_its_losses_and_its_window() {
        let path = Path { regulated: Some(Regulated { retransmits: 3, window: 1 << 20 }), ..Path::default() };
        let row = Row { lane: LANE, bytes: 125_000_000, datagrams: None, path: Some(path) };
        let lines = table(false).interval(&Interval { span: SPAN, omitted: false, rows: vec![row] });
        let expected = [
            "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd",
            "[  1]   1.00-2.00   sec  119 MBytes   1.00 Gbits/sec     3   1.00 MBytes",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn datagrams_that_come_have_jitter_and_loss_and_what_is_omitted_is_marked() {
        let datagrams = Datagrams { packets: 200, lost: 1, out_of_order: 0, jitter_ms: 0.0456 };
        let lane = LaneId { sends: false, ..LANE };
        let row = Row { lane, bytes: 1_250_000, datagrams: Some(datagrams), path: None };
        let mut table = table(true);
        let interval = Interval { span: SPAN, omitted: true, rows: vec![row, row] };
        let lines = table.interval(&interval);
        assert_eq!(lines[0], "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams");
        let expected = "[  1]   1.00-2.00   sec  1.19 MBytes  10.0 Mbits/sec  0.046 ms  1/200 (0.50%)  (omitted)";
        assert_eq!((lines[1].as_str(), lines[2].as_str()), (expected, expected));
        assert!(
            lines[3].starts_with("[SUM]") && lines[3].contains("2.38 MBytes  20.0 Mbits/sec  0.046 ms  2/400"),
            "{}",
            lines[3]
        );
        assert!(table.interval(&interval)[0].starts_with("[  1]"), "the columns have their names already");
    }
}
