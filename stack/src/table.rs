//! Connections by id.

use crate::ConnectionId;

/// A slab with generations: an id is never used twice, a look-up is an index.
#[derive(Debug)]
pub(crate) struct Table<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    /// Apart from the others: it is large, and the slots grow by doubling.
    value: Option<Box<T>>,
}

impl<T> Table<T> {
    pub(crate) fn new() -> Table<T> {
        Table { slots: Vec::new(), free: Vec::new() }
    }

    /// Connections held.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn insert_with(&mut self, make: impl FnOnce(ConnectionId) -> T) -> ConnectionId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, value: None });
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[index as usize];
        let id = ConnectionId(u64::from(slot.generation) << 32 | u64::from(index));
        slot.value = Some(Box::new(make(id)));
        id
    }

    pub(crate) fn get(&self, id: ConnectionId) -> Option<&T> {
        let slot = self.slots.get(id.place())?;
        slot.value.as_deref().filter(|_| slot.generation == (id.0 >> 32) as u32)
    }

    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut T> {
        let slot = self.slots.get_mut(id.place())?;
        slot.value.as_deref_mut().filter(|_| slot.generation == (id.0 >> 32) as u32)
    }

    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<T> {
        let index = id.0 as u32;
        let slot = self.slots.get_mut(index as usize).filter(|slot| slot.generation == (id.0 >> 32) as u32)?;
        let value = slot.value.take()?;
        slot.generation += 1;
        // A slot whose generations are used up is never used again.
        if slot.generation != u32::MAX {
            self.free.push(index);
        }
        Some(*value)
    }

    /// What is held, counted anew, in the order of the slots.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> + '_ {
        self.slots.iter().filter_map(|slot| slot.value.as_deref())
    }

    /// Every id, in the order of the slots.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.value.is_some())
            .map(|(index, slot)| ConnectionId(u64::from(slot.generation) << 32 | index as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_a_removed_connection_finds_nothing_even_when_its_slot_is_used_again() {
        let mut table = Table::new();
        let first = table.insert_with(|_| 'a');
        assert_eq!(table.remove(first), Some('a'));
        let second = table.insert_with(|_| 'b');
        assert_ne!(first, second);
        assert_eq!((table.get(first), table.get(second)), (None, Some(&'b')));
        assert_eq!(table.remove(first), None);
        assert_eq!(table.ids().collect::<Vec<_>>(), [second]);
        assert_eq!(table.len(), 1);
    }
}
