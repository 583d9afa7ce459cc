//! What rides in an INIT: handled at once if that may happen twice, else when the peer has been heard of again.

use core::ops::Range;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, Protocol, Taken, Violation};
use tng_stack::{Proposal, Semantic};

use crate::world::Setting;

/// What one end has heard: when, and whether it might have been a replay.
type Heard = Arc<Mutex<Vec<(Instant, bool)>>>;

/// Posts one word, and says whether it may be heard twice.
#[derive(Debug, Default)]
struct Post {
    word: Option<u8>,
    sent: bool,
    safe: bool,
    heard: Heard,
}

impl Protocol for Post {
    fn handle_packet(&mut self, now: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        self.heard.lock().expect("one thread").push((now, false));
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        self.safe
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<Filled> {
        *buf.first_mut()? = self.word.take()?;
        self.sent = true;
        Some(Filled { len: 1 })
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.word.is_some()
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, fate: Fate) {
        self.sent = fate == Fate::Doubtful;
    }
}

impl Semantic for Post {
    fn set_up_item(&self) -> Option<Vec<u8>> {
        None
    }

    fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> {
        Ok(())
    }

    fn handle_set_up_packet(&mut self, now: Instant, _: ChannelKey, _: &[u8], early: bool) -> Result<Taken, Violation> {
        self.heard.lock().expect("one thread").push((now, early));
        Ok(Taken::All)
    }

    fn is_idle(&self) -> bool {
        self.word.is_none() && !self.sent
    }

    fn is_empty(&self) -> bool {
        self.is_idle()
    }

    fn bytes_held(&self) -> u64 {
        u64::from(self.word.is_some())
    }

    fn progress(&self) -> u64 {
        u64::from(self.sent)
    }

    fn take_notice(&mut self) -> bool {
        false
    }

    fn handle_closed(&mut self) {}
}

#[test]
fn what_must_not_happen_twice_waits_until_the_peer_has_proven_that_it_is_no_replay() {
    // 25 ms each way: an INIT arrives after one of them, what confirms it after three.
    for (safe, at, early) in [(true, Duration::from_millis(25), true), (false, Duration::from_millis(75), false)] {
        let mut run = Setting::new(9).start();
        let (b, heard) = (run.b, Heard::default());
        let there = Arc::clone(&heard);
        let factory = move |_: Proposal<'_>| {
            let end = Post { safe, heard: Arc::clone(&there), ..Post::default() };
            Ok(Box::new(end) as Box<dyn Semantic>)
        };
        run.node(b).machine.register("post/1", factory).expect("a free name");
        run.connect_speaking("post/1", Box::new(Post { word: Some(7), ..Post::default() }));
        run.world.run_until(Instant::from_secs(2));
        let heard = heard.lock().expect("one thread").clone();
        assert_eq!(heard.len(), 1, "once, whenever that is");
        let after = heard[0].0.since(Instant::ZERO);
        assert!(after >= at && after < at + Duration::from_millis(5), "{after:?}");
        assert_eq!(heard[0].1, early);
    }
}
