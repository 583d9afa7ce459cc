//! The channels of a connection, and what is on its way on each.

use std::collections::BTreeMap;

use tng_base::{ChannelKey, Fate, PathCondition};

#[derive(Debug)]
struct Carrier<T> {
    key: ChannelKey,
    /// What packets hold whose fate is open, by number.
    sent: BTreeMap<u64, Vec<T>>,
    /// `None` until it is attached.
    condition: Option<PathCondition>,
    /// It gives way to others.
    retired: bool,
}

impl<T> Carrier<T> {
    fn works(&self) -> bool {
        self.condition == Some(PathCondition::Good) && !self.retired
    }
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Carriers<T> {
    all: Vec<Carrier<T>>,
}

impl<T> Default for Carriers<T> {
    fn default() -> Carriers<T> {
        Carriers { all: Vec::new() }
    }
}

impl<T: Copy> Carriers<T> {
    fn get(&mut self, key: ChannelKey) -> Option<&mut Carrier<T>> {
        self.all.iter_mut().find(|carrier| carrier.key == key)
    }

    fn enter(&mut self, key: ChannelKey) -> &mut Carrier<T> {
        let at = self.all.iter().position(|carrier| carrier.key == key).unwrap_or_else(|| {
            self.all.push(Carrier { key, sent: BTreeMap::new(), condition: None, retired: false });
            self.all.len() - 1
        });
        &mut self.all[at]
    }

    pub(crate) fn attach(&mut self, key: ChannelKey) {
        let carrier = self.enter(key);
        (carrier.condition, carrier.retired) = (Some(PathCondition::Good), false);
    }

    /// Answers what was on its way there.
    pub(crate) fn detach(&mut self, key: ChannelKey) -> Vec<T> {
        let Some(at) = self.all.iter().position(|carrier| carrier.key == key) else { return Vec::new() };
        self.all.remove(at).sent.into_values().flatten().collect()
    }

    pub(crate) fn note_condition(&mut self, key: ChannelKey, condition: PathCondition) {
        if let Some(carrier) = self.get(key).filter(|carrier| carrier.condition.is_some()) {
            carrier.condition = Some(condition);
        }
    }

    pub(crate) fn set_retired(&mut self, key: ChannelKey, retired: bool) {
        if let Some(carrier) = self.get(key) {
            carrier.retired = retired;
        }
    }

    /// Whether others work, and this one does not.
    pub(crate) fn leaves_to_others(&self, key: ChannelKey) -> bool {
        let mut working = self.all.iter().filter(|carrier| carrier.works()).peekable();
        working.peek().is_some() && working.all(|carrier| carrier.key != key)
    }

    pub(crate) fn note_sent(&mut self, key: ChannelKey, number: u64, items: Vec<T>) {
        self.enter(key).sent.insert(number, items);
    }

    /// What a packet held. It is remembered if its fate is still to come.
    pub(crate) fn settle(&mut self, key: ChannelKey, number: u64, fate: Fate) -> Vec<T> {
        let Some(carrier) = self.get(key) else { return Vec::new() };
        let items = match fate {
            Fate::Doubtful => carrier.sent.get(&number).cloned(),
            Fate::Acked | Fate::Lost => carrier.sent.remove(&number),
        };
        items.unwrap_or_default()
    }

    /// What is on its way on channels whose paths do not work, if there are others. It may still arrive.
    pub(crate) fn on_stalled(&self) -> Vec<T> {
        if !self.all.iter().any(Carrier::works) {
            return Vec::new();
        }
        let failing = self.all.iter().filter(|carrier| carrier.condition != Some(PathCondition::Good));
        failing.flat_map(|carrier| carrier.sent.values().flatten().copied()).collect()
    }

    /// Packets whose fate is open.
    pub(crate) fn outstanding(&self) -> usize {
        self.all.iter().map(|carrier| carrier.sent.len()).sum()
    }
}
