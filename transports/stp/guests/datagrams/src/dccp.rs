//! DCCP: an application chooses what controls congestion.

use crate::{BySender, News, Pace, Turn};

/// Call with one byte: the CCID from now on, 2 or 3. There are no others: none is more than TCP.
pub const CALL_CCID: u32 = 1;

const INITIAL_SEGMENTS: u64 = 4;
const WINDOW_MAX: u64 = 1 << 20;

/// A window in segments, as TCP has it (RFC 4341).
#[derive(Clone, Debug)]
pub struct TcpLike {
    window: u64,
    threshold: u64,
    counted: u64,
    until: u64,
}

impl Default for TcpLike {
    fn default() -> TcpLike {
        TcpLike { window: INITIAL_SEGMENTS, threshold: WINDOW_MAX, counted: 0, until: 0 }
    }
}

impl TcpLike {
    fn handle_news(&mut self, news: &News) {
        if let Some((number, _)) = news.lost
            && number >= self.until
        {
            self.threshold = (self.window / 2).max(2);
            (self.window, self.counted, self.until) = (self.threshold, 0, news.numbered);
        } else if self.window < self.threshold {
            self.window += news.arrived;
        } else {
            self.counted += news.arrived;
            if self.counted >= self.window {
                self.counted -= self.window;
                self.window += 1;
            }
        }
        self.window = self.window.min(WINDOW_MAX);
    }
}

/// The congestion control of a connection (RFC 4340 section 10).
#[derive(Clone, Debug)]
pub enum Ccid {
    /// CCID 2, as TCP.
    Two(TcpLike),
    /// CCID 3, as TFRC.
    Three(BySender),
}

impl Default for Ccid {
    fn default() -> Ccid {
        Ccid::Two(TcpLike::default())
    }
}

impl Pace for Ccid {
    fn tag(&self) -> u8 {
        match self {
            Ccid::Two(_) => 2,
            Ccid::Three(_) => 3,
        }
    }

    fn turn(&mut self, now: u64, flying: usize) -> Turn {
        match self {
            Ccid::Two(two) if (flying as u64) < two.window => Turn::Now,
            Ccid::Two(_) => Turn::Later,
            Ccid::Three(three) => three.turn(now, flying),
        }
    }

    fn handle_sent(&mut self, now: u64, len: u64) {
        if let Ccid::Three(three) = self {
            three.handle_sent(now, len);
        }
    }

    fn handle_news(&mut self, now: u64, news: &News) {
        match self {
            Ccid::Two(two) => two.handle_news(news),
            Ccid::Three(three) => three.handle_news(now, news),
        }
    }

    fn handle_silence(&mut self, now: u64) {
        match self {
            Ccid::Two(two) => {
                two.threshold = (two.window / 2).max(2);
                two.window = 1;
            }
            Ccid::Three(three) => three.handle_silence(now),
        }
    }

    fn choose(&mut self, what: u8) -> bool {
        match what {
            2 => *self = Ccid::Two(TcpLike::default()),
            3 => *self = Ccid::Three(BySender::default()),
            _ => return false,
        }
        true
    }
}
