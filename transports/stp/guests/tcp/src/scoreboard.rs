//! What was sent and is not acknowledged.

use alloc::collections::VecDeque;

/// What is thought of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is on its way.
    Flying,
    /// The peer has it, though not what is before it.
    Sacked,
    /// It is lost, and has to be sent again.
    Lost,
}

/// A segment.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Offset of its first byte.
    pub seq: u64,
    /// Number that the host gave it when it was last sent.
    pub number: u64,
    /// Bytes, FIN included.
    pub len: u32,
    /// When it was last sent, in milliseconds; of the clock's low half.
    pub at: u32,
    /// What is thought of it.
    pub fate: Fate,
    /// Whether it was sent more than once, so that its acknowledgment says nothing of the round trip (Karn).
    pub again: bool,
    /// Whether it ends the stream.
    pub fin: bool,
}

impl Sent {
    /// Where it ends.
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}

/// Segments in order, without gaps, from the first byte that is not acknowledged to the last that was sent.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sent: VecDeque<Sent>,
    una: u64,
    end: u64,
    sacked: u64,
    lost: u64,
    /// Nothing in front of it is lost.
    cursor: u64,
    /// What is in front of it was judged by what was sacked behind it.
    judged: u64,
}

/// So many segments that arrived behind another say that it is lost (RFC 6675, RFC 5681).
pub const DUPLICATES: usize = 3;

impl Scoreboard {
    /// The first byte that is not acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Where what was sent ends.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Segments that were sent and are not acknowledged.
    pub fn segments(&self) -> usize {
        self.sent.len()
    }

    /// Bytes that were sent and are not acknowledged.
    pub fn flight(&self) -> u64 {
        self.end - self.una
    }

    /// Bytes that are thought to be on their way (RFC 6675 `pipe`).
    pub fn pipe(&self) -> u64 {
        self.flight() - self.sacked - self.lost
    }

    /// Whether something waits to be sent again.
    pub fn has_lost(&self) -> bool {
        self.lost > 0
    }

    /// A segment left, which follows all others.
    pub fn push(&mut self, sent: Sent) {
        self.end = sent.end();
        self.sent.push_back(sent);
    }

    /// All before `until` was acknowledged. Answers the newest of the segments that went, and whether none of them was
    /// sent twice or had come earlier: then this is its round trip.
    pub fn acknowledge(&mut self, until: u64) -> Option<(Sent, bool)> {
        let (mut newest, mut once) = (None, true);
        while let Some(first) = self.sent.front_mut() {
            let gone = first.end().min(until).saturating_sub(first.seq);
            match first.fate {
                Fate::Flying => {}
                Fate::Sacked => self.sacked -= gone,
                Fate::Lost => self.lost -= gone,
            }
            if first.end() > until {
                (first.seq, first.len) = (first.seq + gone, first.len - gone as u32);
                break;
            }
            once &= !first.again && first.fate == Fate::Flying;
            newest = Some(*first);
            self.sent.pop_front();
        }
        self.una = self.una.max(until);
        newest.map(|newest| (newest, once))
    }

    fn at(&self, seq: u64) -> usize {
        self.sent.partition_point(|sent| sent.end() <= seq)
    }

    /// The peer has these bytes. Answers how many of them are news.
    pub fn sack(&mut self, from: u64, to: u64) -> u64 {
        let mut news = 0;
        let first = self.at(from);
        for sent in self.sent.range_mut(first..) {
            if sent.end() > to {
                break;
            }
            if sent.seq < from || sent.fate == Fate::Sacked {
                continue;
            }
            if sent.fate == Fate::Lost {
                self.lost -= u64::from(sent.len);
            }
            sent.fate = Fate::Sacked;
            self.sacked += u64::from(sent.len);
            news += u64::from(sent.len);
        }
        news
    }

    /// What has so many sacked segments behind it is lost (RFC 6675 `IsLost`), or, with `forward`, what has so many
    /// behind it up to the last sacked one (FACK); unless it was sent again already. Answers whether something was.
    pub fn judge(&mut self, duplicates: usize, forward: bool) -> bool {
        if self.sacked == 0 {
            return false;
        }
        let mut behind = 0;
        let found = self.sent.iter().rposition(|sent| {
            behind += usize::from(sent.fate == Fate::Sacked || forward && behind > 0);
            behind == duplicates
        });
        let Some(found) = found else { return false };
        let from = self.at(self.judged);
        self.judged = self.judged.max(self.sent[found].seq);
        let before = self.lost;
        for at in from..found {
            if !self.sent[at].again {
                self.lose(at);
            }
        }
        self.lost > before
    }

    /// What was thought lost and has not left again is on its way after all.
    pub fn lose_nothing(&mut self) {
        for sent in self.sent.iter_mut().filter(|sent| sent.fate == Fate::Lost) {
            sent.fate = Fate::Flying;
        }
        (self.lost, self.judged) = (0, self.una);
    }

    /// The first segment, if there is one.
    pub fn first(&self) -> Option<&Sent> {
        self.sent.front()
    }

    /// The first segment is lost, whether it was sent again or not.
    pub fn lose_first(&mut self) {
        if !self.sent.is_empty() {
            self.lose(0);
        }
    }

    /// All that the peer is not known to have is lost.
    pub fn lose_all(&mut self) {
        for at in 0..self.sent.len() {
            self.lose(at);
        }
        self.judged = self.judged.max(self.end);
    }

    fn lose(&mut self, at: usize) {
        let sent = &mut self.sent[at];
        if sent.fate == Fate::Flying {
            sent.fate = Fate::Lost;
            self.lost += u64::from(sent.len);
            self.cursor = self.cursor.min(sent.seq);
        }
    }

    /// The first segment that has to be sent again, cut so that its body has at most `body_max` bytes.
    pub fn first_lost(&mut self, body_max: u32) -> Option<Sent> {
        let from = self.at(self.cursor);
        let found = self.sent.range(from..).position(|sent| sent.fate == Fate::Lost)? + from;
        let sent = &mut self.sent[found];
        self.cursor = sent.seq;
        if sent.len > body_max + u32::from(sent.fin) {
            let rest = Sent { seq: sent.seq + u64::from(body_max), len: sent.len - body_max, ..*sent };
            (sent.len, sent.fin) = (body_max, false);
            self.sent.insert(found + 1, rest);
        }
        self.sent.get(found).copied()
    }

    /// The segment at `seq` was sent again, with a number of its own.
    pub fn resent(&mut self, seq: u64, number: u64, at: u32) {
        let found = self.at(seq);
        if let Some(sent) = self.sent.get_mut(found).filter(|sent| sent.fate == Fate::Lost) {
            (sent.fate, sent.again, sent.number, sent.at) = (Fate::Flying, true, number, at);
            self.lost -= u64::from(sent.len);
            self.cursor = sent.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(segments: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..segments {
            let sent =
                Sent { seq: 100 * number, number, len: 100, at: 0, fate: Fate::Flying, again: false, fin: false };
            board.push(sent);
        }
        board
    }

    #[test]
    fn what_has_three_sacked_segments_behind_it_is_lost_once() {
        let mut board = board(10);
        assert_eq!(board.sack(300, 500), 200);
        assert!(!board.judge(DUPLICATES, false));
        assert_eq!(board.sack(300, 650), 100, "a part of a segment is not a segment");
        assert!(board.judge(DUPLICATES, false));
        assert_eq!(board.pipe(), 400);
        for at in 0..3 {
            let lost = board.first_lost(1_000).unwrap();
            assert_eq!((lost.seq, lost.number), (100 * at, at));
            board.resent(lost.seq, 10 + at, 5);
        }
        assert_eq!((board.first_lost(1_000).is_none(), board.pipe()), (true, 700));
        board.sack(700, 1_000);
        assert!(board.judge(DUPLICATES, false) && board.first_lost(1_000).is_some_and(|lost| lost.seq == 600));
    }

    #[test]
    fn an_acknowledgment_takes_the_books_back_to_nothing_whatever_the_fates() {
        let mut board = board(10);
        board.sack(300, 600);
        board.judge(DUPLICATES, false);
        assert!(!board.acknowledge(150).unwrap().1, "the first was lost");
        assert_eq!((board.una(), board.pipe()), (150, 400));
        board.lose_all();
        assert_eq!(board.pipe(), 0);
        let lost = board.first_lost(30).unwrap();
        assert_eq!((lost.seq, lost.len), (150, 30));
        board.resent(150, 11, 0);
        assert_eq!((board.first_lost(30).map(|lost| lost.seq), board.pipe()), (Some(180), 30));
        board.acknowledge(1_000);
        assert_eq!((board.flight(), board.pipe(), board.has_lost()), (0, 0, false));
    }
    #[test]
    fn the_furthest_segment_that_came_says_that_all_in_front_of_it_but_two_are_lost() {
        let mut board = board(10);
        board.sack(900, 1_000);
        assert!(!board.judge(DUPLICATES, false), "one that came says nothing");
        assert!(board.judge(DUPLICATES, true));
        assert_eq!((board.pipe(), board.first_lost(1_000).map(|lost| lost.seq)), (200, Some(0)));
        board.lose_nothing();
        assert_eq!((board.pipe(), board.has_lost()), (900, false));
    }
}
