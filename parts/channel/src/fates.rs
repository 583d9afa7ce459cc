//! What was found to have become of packets, until it is told above.

use core::ops::Range;

use tng_base::Fate;

/// Fates by runs of numbers: neighbours that met the same one are one run. Keeps its room until it rests.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    runs: Vec<(Range<u64>, Fate)>,
}

impl Fates {
    /// Notes the fate of one packet. Numbers may rise or fall.
    pub(crate) fn push(&mut self, number: u64, fate: Fate) {
        match self.runs.last_mut() {
            Some((run, same)) if *same == fate && run.end == number => run.end += 1,
            Some((run, same)) if *same == fate && run.start == number + 1 => run.start = number,
            _ => self.runs.push((number..number + 1, fate)),
        }
    }

    /// Turns the order of the runs round: an acknowledgment tells of the highest first, and what stands above likes its
    /// oldest packets first.
    pub(crate) fn reverse(&mut self) {
        self.runs.reverse();
    }

    /// Gives its room back.
    pub(crate) fn shrink(&mut self) {
        self.runs.shrink_to_fit();
    }

    /// Tells what was noted, in order, and forgets it.
    pub(crate) fn tell(&mut self, mut tell: impl FnMut(Range<u64>, Fate)) {
        self.runs.drain(..).for_each(|(run, fate)| tell(run, fate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(fates: &mut Fates) -> Vec<(Range<u64>, Fate)> {
        let mut told = Vec::new();
        fates.tell(|run, fate| told.push((run, fate)));
        told
    }

    #[test]
    fn neighbours_of_one_fate_are_told_as_one_run_whether_their_numbers_rise_or_fall() {
        let mut fates = Fates::default();
        [9, 8, 7, 3].into_iter().for_each(|number| fates.push(number, Fate::Acked));
        fates.reverse();
        [4, 5, 12].into_iter().for_each(|number| fates.push(number, Fate::Lost));
        let runs = [(3..4, Fate::Acked), (7..10, Fate::Acked), (4..6, Fate::Lost), (12..13, Fate::Lost)];
        assert_eq!(told(&mut fates), runs);
        assert_eq!(told(&mut fates), []);
    }

    #[test]
    fn a_neighbour_of_another_fate_begins_a_run() {
        let mut fates = Fates::default();
        fates.push(1, Fate::Lost);
        fates.push(2, Fate::Acked);
        fates.push(1, Fate::Acked);
        assert_eq!(told(&mut fates), [(1..2, Fate::Lost), (1..3, Fate::Acked)]);
    }
}
