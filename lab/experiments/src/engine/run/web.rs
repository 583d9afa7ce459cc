//! What came of pages.

use super::{Run, Sum, add_series};
use crate::engine::ledger::State;
use crate::engine::report::{Spread, WebReport};
use crate::scenario::WebSpec;

impl Run {
    /// The pages of one entry.
    pub(super) fn web(&self, spec: &WebSpec, flow: usize, entry: usize, of_flow: &mut Sum) -> WebReport {
        let (mut all, mut series) = (Sum::default(), Vec::new());
        let (mut loads_s, mut objects_s) = (Vec::new(), Vec::new());
        for requests in self.plan.pages(flow, entry) {
            let mut page = Sum::default();
            for stream in requests.clone() {
                let account = self.ledger.stream(stream);
                let one = Sum::of_account(&account, false);
                add_series(&mut series, &account.series);
                if let (Some(start), State::Done(end)) = (account.started, &account.state) {
                    objects_s.push(end.since(start).as_secs_f64());
                }
                page.add(&one);
            }
            if let (Some(start), Some(end), false) = (page.start, page.end, page.open) {
                loads_s.push(end.since(start).as_secs_f64());
            }
            all.add(&page);
        }
        of_flow.add(&all);
        WebReport {
            name: spec.name.clone(),
            pages: spec.pages,
            completed: loads_s.len() as u32,
            objects: objects_s.len(),
            bytes: all.bytes,
            start_s: all.start.map(tng_base::Instant::as_secs_f64),
            load_s: Spread::of(loads_s.clone()),
            object_s: Spread::of(objects_s),
            each_load_s: loads_s,
            bytes_per_interval: series,
            failure: all.failure,
        }
    }
}
