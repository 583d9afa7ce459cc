//! The clients of a sprayer, each by its address and port, and what is kept for each: bounded, however many come.

use core::time::Duration;
use std::collections::HashMap;
use std::net::SocketAddr;

use tng_base::Instant;

/// Clients at once, if nothing else is said.
pub const CLIENTS_DEFAULT: usize = 4_096;
/// Clients at once that can be asked for: each has a descriptor.
pub const CLIENTS_MAX: usize = 60_000;
/// Places that are looked at for a newcomer when all are taken.
pub const PLACES_LOOKED_AT: usize = 16;
/// Who has been answered no request, and has been silent for so long, makes room for a newcomer: anybody can send a
/// first message in anybody's name.
pub const UNPROVEN_FOR: Duration = Duration::from_secs(1);
/// Who was answered makes room after this much silence.
pub const PROVEN_FOR: Duration = Duration::from_secs(15);

/// A client, and what is kept for it.
#[derive(Debug)]
pub struct Entry<T> {
    /// Where it is.
    pub client: SocketAddr,
    /// When it last sent something, or was sent something.
    pub last: Instant,
    /// A replica has answered a request of it: it could open what it was sent before, and so is where it says.
    pub is_proven: bool,
    /// What is kept for it.
    pub kept: T,
}

/// Clients by their addresses.
#[derive(Debug)]
pub struct Table<T> {
    by_client: HashMap<SocketAddr, usize>,
    places: Vec<Option<Entry<T>>>,
    free: Vec<usize>,
    most: usize,
    hand: usize,
}

impl<T> Table<T> {
    /// One of `most` places, all free.
    pub fn new(most: usize) -> Table<T> {
        let most = most.clamp(1, CLIENTS_MAX);
        Table { by_client: HashMap::new(), places: Vec::new(), free: Vec::new(), most, hand: 0 }
    }

    /// How many are there.
    pub fn len(&self) -> usize {
        self.by_client.len()
    }

    /// Whether nobody is.
    pub fn is_empty(&self) -> bool {
        self.by_client.is_empty()
    }

    /// The number of a client's place, if it has one.
    pub fn find(&self, client: SocketAddr) -> Option<usize> {
        self.by_client.get(&client).copied()
    }

    /// What is at a place.
    pub fn at(&mut self, place: usize) -> Option<&mut Entry<T>> {
        self.places.get_mut(place)?.as_mut()
    }

    /// A place for a newcomer, and who has made room for it; nothing if nobody can.
    pub fn room(&mut self, now: Instant) -> Option<(usize, Option<Entry<T>>)> {
        if let Some(place) = self.free.pop() {
            return Some((place, None));
        }
        if self.places.len() < self.most {
            self.places.push(None);
            return Some((self.places.len() - 1, None));
        }
        for _ in 0..PLACES_LOOKED_AT.min(self.most) {
            let place = self.hand;
            self.hand = (place + 1) % self.most;
            let makes_room =
                |held: &Entry<T>| now.since(held.last) >= if held.is_proven { PROVEN_FOR } else { UNPROVEN_FOR };
            if self.places[place].as_ref().is_some_and(makes_room) {
                let gone = self.vacate(place);
                self.free.pop();
                return Some((place, gone));
            }
        }
        None
    }

    /// Takes the place that there is [room](Table::room) at.
    pub fn enter(&mut self, place: usize, client: SocketAddr, now: Instant, kept: T) {
        self.by_client.insert(client, place);
        self.places[place] = Some(Entry { client, last: now, is_proven: false, kept });
    }

    /// Gives back a place that there was room at and that is not taken.
    pub fn give_back(&mut self, place: usize) {
        self.free.push(place);
    }

    /// Has those go who have been silent for so long.
    pub fn sweep(&mut self, now: Instant, idle: Duration, mut gone: impl FnMut(Entry<T>)) {
        for place in 0..self.places.len() {
            if self.places[place].as_ref().is_some_and(|held| now.since(held.last) >= idle) {
                self.vacate(place).into_iter().for_each(&mut gone);
            }
        }
    }

    fn vacate(&mut self, place: usize) -> Option<Entry<T>> {
        let gone = self.places[place].take()?;
        self.by_client.remove(&gone.client);
        self.free.push(place);
        Some(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u16) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, 1], number))
    }

    fn come(table: &mut Table<u16>, number: u16, at_ms: u64) -> Option<Option<u16>> {
        let now = Instant::from_millis(at_ms);
        let (place, gone) = table.room(now)?;
        table.enter(place, client(number), now, number);
        Some(gone.map(|gone| gone.kept))
    }

    #[test]
    fn who_is_silent_for_long_goes_and_its_place_is_taken_by_the_next() {
        let mut table = Table::new(3);
        for number in 0..3 {
            assert_eq!(come(&mut table, number, 10 * u64::from(number)), Some(None));
        }
        let place = table.find(client(1)).expect("there");
        table.at(place).expect("there").last = Instant::from_secs(50);
        let mut gone = Vec::new();
        table.sweep(Instant::from_secs(60), Duration::from_secs(30), |place| gone.push(place.kept));
        assert_eq!((gone, table.len(), table.find(client(0))), (vec![0, 2], 1, None));
        assert_eq!(come(&mut table, 7, 61_000), Some(None));
        assert_eq!((table.len(), table.find(client(1))), (2, Some(place)));
        assert!(!table.is_empty());
    }

    #[test]
    fn in_a_full_table_who_has_shown_nothing_makes_room_and_who_was_answered_does_not() {
        let mut table = Table::new(4);
        for number in 0..4 {
            come(&mut table, number, 0);
            let place = table.find(client(number)).expect("there");
            table.at(place).expect("there").is_proven = number != 2;
        }
        assert_eq!(come(&mut table, 10, 500), None, "nobody has been silent for long enough");
        assert_eq!(come(&mut table, 10, 1_000), Some(Some(2)));
        // A flood of names takes the one place again and again, and those who were answered stay.
        for number in 11..1_000 {
            let now = 2_000 + 1_000 * u64::from(number % 13);
            for known in [0, 1, 3] {
                let place = table.find(client(known)).expect("who speaks stays");
                table.at(place).expect("there").last = Instant::from_millis(now);
            }
            let _ = come(&mut table, number, now);
        }
        assert!(table.len() == 4 && [0, 1, 3].iter().all(|known| table.find(client(*known)).is_some()));
        // Control: if they are silent they go as well.
        assert!(come(&mut table, 2_000, 60_000).is_some_and(|gone| gone.is_some()));
    }

    #[test]
    fn a_newcomer_costs_a_look_at_a_few_places_however_many_there_are() {
        let most = 4 * PLACES_LOOKED_AT as u16;
        let mut table = Table::new(usize::from(most));
        (0..most).for_each(|number| assert_eq!(come(&mut table, number, 0), Some(None)));
        for number in 0..most {
            let place = table.find(client(number)).expect("there");
            table.at(place).expect("there").is_proven = number != most - 1;
        }
        let tries = (0..4).position(|number| come(&mut table, 5_000 + number, 2_000).is_some());
        assert_eq!(tries, Some(3), "the last place is the only one that makes room");
    }
}
