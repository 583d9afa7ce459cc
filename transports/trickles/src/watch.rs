//! What somebody who watches a client or a server writes down of it, in qlog's words where it has one
//! (docs/observing.md): each datagram as it stands in clear, and what has changed in its figures. The machines
//! themselves note nothing.

use tng_base::{Fields, Instant, Note, Notes};
use tng_wire::{Reader, Repr};

use crate::client::ClientStats;
use crate::server::ServerStats;
use crate::wire::{Denial, PLAIN_REQUEST, PLAIN_RESPONSE, REQUEST, RESPONSE, RequestHeader, ResponseHeader};

/// Set-up messages by their first bytes, from `0xa1` on (docs/wire.md section 2.9).
const SET_UP: [&str; 5] = ["INIT", "REPLY", "COOKIE", "VERSION", "WRONG_KEY"];

/// The notes of one client, or of one server: who keeps no connection has no trace of one.
#[derive(Debug)]
pub struct Watch {
    notes: Notes,
    client: ClientStats,
    server: ServerStats,
}

impl Watch {
    /// Of a client, which asks, or of a server, which is asked.
    pub fn new(now: Instant, is_client: bool) -> Watch {
        let mut notes = Notes::new();
        notes.push(now, "tng:channel_started", Fields::new().with("initiator", is_client).with("protocol", "trickles"));
        Watch { notes, client: ClientStats::default(), server: ServerStats::default() }
    }

    /// Takes the oldest note.
    pub fn pop(&mut self) -> Option<Note> {
        self.notes.pop()
    }

    /// A datagram came, or leaves. Of other families than Trickles nothing is noted.
    pub fn crossed(&mut self, now: Instant, is_sent: bool, datagram: &[u8]) {
        let name = if is_sent { "transport:packet_sent" } else { "transport:packet_received" };
        let Some(data) = describe(datagram) else { return };
        self.notes.push(now, name, data.with("raw", Fields::new().with("length", datagram.len())));
    }

    /// What a client has done meanwhile.
    pub fn client(&mut self, now: Instant, stats: &ClientStats) {
        let old = core::mem::replace(&mut self.client, *stats);
        let metrics = Fields::new()
            .maybe("tng_window_packets", changed(old.window, stats.window))
            .maybe("smoothed_rtt", changed(old.rtt, stats.rtt))
            .maybe("min_rtt", changed(old.rtt_min, stats.rtt_min))
            .maybe("tng_reordering_packets", changed(old.reordering_packets, stats.reordering_packets));
        self.tell(now, "recovery:metrics_updated", metrics);
        let counts = Fields::new()
            .maybe("connections", changed(old.connections, stats.connections))
            .maybe("lost", changed(old.lost, stats.lost))
            .maybe("late", changed(old.late, stats.late))
            .maybe("cuts", changed(old.cuts, stats.cuts))
            .maybe("cuts_taken_back", changed(old.cuts_taken_back, stats.cuts_taken_back))
            .maybe("repeated", changed(old.repeated, stats.repeated))
            .maybe("timeouts", changed(old.timeouts, stats.timeouts))
            .maybe("timeouts_granted", changed(old.timeouts_granted, stats.timeouts_granted));
        self.tell(now, "tng:counts", counts);
    }

    /// What a server has done meanwhile, of all clients together.
    pub fn server(&mut self, now: Instant, stats: &ServerStats) {
        let old = core::mem::replace(&mut self.server, *stats);
        let is_refused = (old.spent, old.terminated, old.refused) != (stats.spent, stats.terminated, stats.refused);
        let why = stats.last_refused.filter(|_| is_refused).map(|why| why.to_string());
        let counts = Fields::new()
            .maybe("opened", changed(old.opened, stats.opened))
            .maybe("not_opened", changed(old.not_opened, stats.not_opened))
            .maybe("answered", changed(old.answered, stats.answered))
            .maybe("packets", changed(old.packets, stats.packets))
            .maybe("spent", changed(old.spent, stats.spent))
            .maybe("terminated", changed(old.terminated, stats.terminated))
            .maybe("refused", changed(old.refused, stats.refused))
            .maybe("dropped", changed(old.dropped, stats.dropped))
            .maybe("last_refused", why);
        self.tell(now, "tng:counts", counts);
    }

    /// Nothing more happens.
    pub fn end(&mut self, now: Instant, why: &str) {
        let data = Fields::new().with("new", "closing").with("tng_why", why.to_owned());
        self.notes.push(now, "connectivity:connection_state_updated", data);
    }

    fn tell(&mut self, now: Instant, name: &'static str, data: Fields) {
        if !data.is_empty() {
            self.notes.push(now, name, data);
        }
    }
}

fn changed<T: PartialEq>(old: T, new: T) -> Option<T> {
    (old != new).then_some(new)
}

/// What stands in clear.
fn describe(datagram: &[u8]) -> Option<Fields> {
    let mut reader = Reader::new(datagram);
    match *datagram.first()? {
        REQUEST | PLAIN_REQUEST => {
            let RequestHeader { armor: _, epoch, id, count } = RequestHeader::parse(&mut reader).ok()?;
            let data = Fields::new().with("header", header("1RTT").with("packet_number", u64::from(count)));
            let data = data.with("tng_message", "REQUEST").with("tng_connection", hex(&id.0[..4]));
            Some(data.with("tng_epoch", u64::from(epoch)))
        }
        RESPONSE | PLAIN_RESPONSE => {
            let ResponseHeader { armor: _, handle, instance, count, index } =
                ResponseHeader::parse(&mut reader).ok()?;
            // A request has several responses: they are told apart by their index.
            let data = Fields::new().with("header", header("1RTT")).with("tng_request", u64::from(count));
            let message = if index == Denial::INDEX { "denial" } else { "RESPONSE" };
            let data = data.with("tng_index", u64::from(index)).with("tng_message", message);
            Some(data.with("tng_connection", hex(&handle)).with("tng_instance", hex(&instance.0)))
        }
        first => {
            let message = SET_UP.get(usize::from(first.checked_sub(0xa1)?))?;
            Some(Fields::new().with("header", header("0RTT")).with("tng_message", *message))
        }
    }
}

fn header(kind: &'static str) -> Fields {
    Fields::new().with("packet_type", kind)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use tng_base::Value;

    use super::*;
    use crate::server::Refused;

    fn names(watch: &mut Watch) -> Vec<(&'static str, Fields)> {
        core::iter::from_fn(|| watch.pop()).map(|note| (note.name, note.data)).collect()
    }

    #[test]
    fn what_stands_in_clear_is_noted_and_what_is_no_packet_of_trickles_is_not() {
        let mut watch = Watch::new(Instant::ZERO, true);
        let request = [&[REQUEST, 9][..], &[7; 16], &[0, 0, 0, 3], &[0; 40]].concat();
        let response = [&[RESPONSE][..], &[7; 4], &[8; 8], &[0, 0, 0, 3, 1], &[0; 40]].concat();
        for datagram in [&[0xa1; 1_200][..], &request, &response, &[0xa6; 40], &[0x41; 40], &[REQUEST; 10], &[]] {
            watch.crossed(Instant::ZERO, true, datagram);
        }
        let noted = names(&mut watch);
        let word = |at: usize| noted[at].1.get("tng_message");
        assert_eq!(noted.len(), 4, "{noted:?}");
        assert_eq!(noted[0].1.get("initiator"), Some(&Value::Flag(true)));
        assert_eq!([word(1), word(2), word(3)], ["INIT", "REQUEST", "RESPONSE"].map(Value::Word).each_ref().map(Some));
        assert_eq!(noted[2].1.get("tng_connection"), Some(&Value::Text("07070707".to_owned())));
        assert_eq!(noted[3].1.get("tng_request"), Some(&Value::Number(3)));
    }

    #[test]
    fn figures_are_noted_when_they_change_and_a_refusal_with_its_reason() {
        let mut watch = Watch::new(Instant::ZERO, false);
        let mut stats = ServerStats { answered: 1, packets: 2, ..ServerStats::default() };
        watch.server(Instant::ZERO, &stats);
        watch.server(Instant::ZERO, &stats);
        (stats.refused, stats.last_refused) = (1, Some(Refused::Old));
        watch.server(Instant::ZERO, &stats);
        stats.answered = 2;
        watch.server(Instant::ZERO, &stats);
        let noted = names(&mut watch);
        assert_eq!(noted.len(), 4, "the second time nothing had changed: {noted:?}");
        assert_eq!(noted[1].1.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["answered", "packets"]);
        assert_eq!(noted[2].1.get("last_refused"), Some(&Value::Text(Refused::Old.to_string())));
        assert_eq!(noted[3].1.get("last_refused"), None);
    }
}
