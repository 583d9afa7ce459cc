//! The streams of pages.

use core::ops::Range;
use core::time::Duration;

use tng_base::Instant;

use super::{Lot, Plan, Planned};
use crate::engine::visits::Visit;
use crate::peers::web::Model;
use crate::scenario::{Amount, FlowSpec, StreamSpec, WebSpec};

impl Plan {
    /// Draws the pages of an entry of a flow; each request is a stream.
    pub(super) fn add_web(&mut self, flow: &FlowSpec, number: usize, spec: &WebSpec) -> Vec<Range<usize>> {
        let mut rng = self.rng(Lot::Pages, (number as u64) << 32 | self.visits.len() as u64);
        let (model, mut pages, mut thinks) = (Model::default(), Vec::new(), Vec::new());
        let mut start = Instant::ZERO + spec.start;
        for _ in 0..spec.pages {
            let first = self.streams.len();
            for request in model.page(&mut rng).requests {
                let stream = StreamSpec::new(spec.name.clone(), Amount::Bytes(request.answer), Duration::ZERO);
                let stream = StreamSpec { request: Some(request.request.into()), ..stream };
                let mut planned = Planned::new(flow, number, &stream, start, stream.amount);
                planned.visit = Some(self.visits.len() + pages.len());
                self.streams.push(planned);
                // What follows waits for what was before.
                start = Instant::FAR_FUTURE;
            }
            pages.push(first..self.streams.len());
            thinks.push(spec.think.draw(&mut rng));
        }
        let opener = (flow.to, flow.protocol);
        for (place, (page, think)) in pages.iter().zip(thinks).enumerate() {
            let next = pages.get(place + 1).map(|next| (next.start, think));
            self.visits.push(Visit::new(opener, page, spec.parallel as usize, next));
        }
        pages
    }

    /// The pages of an entry of a flow: of each, the streams.
    pub(crate) fn pages(&self, flow: usize, entry: usize) -> &[Range<usize>] {
        &self.webs[flow][entry]
    }
}
