//! The highest that was seen of each host: a registry that is behind, or pretends to be, is found out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tng_base::Eid;
use tng_services::registry::{Order, Statement};

use super::error::SeenFault;
use crate::help::{replace, turn};

/// Hosts that are remembered; of more, those whose numbers are lowest are forgotten.
pub const SEEN_MAX: usize = 4_096;
/// Bytes of a file of what was seen that is read, at most.
pub const SEEN_FILE_MAX: u64 = (SEEN_MAX * LINE_MAX) as u64;

/// Bytes of a line, at most: two EIDs, a rank, a number, spaces.
const LINE_MAX: usize = 2 * Eid::TEXT_LEN + 1 + 20 + 4;

/// What was seen of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sight {
    pub(super) order: Order,
    /// The heir of its key, if it has named one.
    pub(super) heir: Option<Eid>,
}

impl Sight {
    pub(super) fn of(statement: &Statement) -> Sight {
        Sight { order: statement.order(), heir: statement.word.heir() }
    }
}

/// What was seen of all hosts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Seen(BTreeMap<Eid, Sight>);

impl Seen {
    pub(super) fn of(&self, eid: Eid) -> Option<Sight> {
        self.0.get(&eid).copied()
    }

    /// Notes what is seen, if it is more than was before. Answers whether it is.
    pub(super) fn note(&mut self, eid: Eid, sight: Sight) -> bool {
        if self.0.get(&eid).is_some_and(|before| before.order >= sight.order) {
            return false;
        }
        self.0.insert(eid, sight);
        while self.0.len() > SEEN_MAX {
            let lowest = self.0.iter().filter(|(of, _)| **of != eid).min_by_key(|(_, sight)| sight.order);
            let Some(lowest) = lowest.map(|(of, _)| *of) else { break };
            self.0.remove(&lowest);
        }
        true
    }

    fn parse(text: &str) -> Result<Seen, usize> {
        let line = |text: &str| {
            let mut words = text.split(' ');
            let (eid, rank) = (words.next()?.parse().ok()?, words.next()?);
            let rank = ["0", "1", "2"].iter().position(|word| *word == rank)? as u8;
            let number = words.next()?;
            let number = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())??;
            let heir = words.next().map(|word| word.parse().ok()).map_or(Some(None), |heir| heir.map(Some))?;
            words.next().is_none().then_some((eid, Sight { order: Order { rank, number }, heir }))
        };
        let lines = text.split_terminator('\n').enumerate().take(SEEN_MAX);
        lines.map(|(at, text)| line(text).ok_or(at + 1)).collect::<Result<_, _>>().map(Seen)
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for (eid, Sight { order: Order { rank, number }, heir }) in &self.0 {
            // Writing to a String does not fail.
            let _ = write!(text, "{eid} {rank} {number}");
            if let Some(heir) = heir {
                let _ = write!(text, " {heir}");
            }
            text.push('\n');
        }
        text
    }
}

/// Reads what was seen; a file that is not there says nothing.
pub(super) fn read(path: &Path) -> Result<Seen, SeenFault> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Seen::default()),
        opened => opened.map_err(SeenFault::Read)?,
    };
    let mut text = String::new();
    file.take(SEEN_FILE_MAX).read_to_string(&mut text).map_err(SeenFault::Read)?;
    Seen::parse(&text).map_err(SeenFault::Line)
}

/// Notes in the file what is seen, beside what others have noted there meanwhile.
pub(super) async fn write(path: PathBuf, eid: Eid, sight: Sight) -> Result<(), SeenFault> {
    let _turn = turn(&path).await;
    let mut seen = read(&path)?;
    if !seen.note(eid, sight) {
        return Ok(());
    }
    replace(&path, seen.to_text().as_bytes()).map_err(SeenFault::Write)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eid(n: u8) -> Eid {
        Eid::from_bytes([n; 32])
    }

    fn sight(rank: u8, number: u64) -> Sight {
        Sight { order: Order { rank, number }, heir: (rank == 1).then(|| eid(9)) }
    }

    #[test]
    fn what_was_seen_survives_its_file_and_a_damaged_line_is_named() {
        let mut seen = Seen::default();
        for (n, rank) in [(1, 0), (2, 1), (3, 2)] {
            assert!(seen.note(eid(n), sight(rank, 1_000 + u64::from(n))));
        }
        let text = seen.to_text();
        assert_eq!(Seen::parse(&text), Ok(seen));
        for wrong in [text.replacen(" 1 ", " 3 ", 1), text.replacen(" 1002 ", " +1002 ", 1), text.replace(" 2 ", " ")] {
            assert!(wrong != text && Seen::parse(&wrong).is_err(), "{wrong}");
        }
        assert_eq!(Seen::parse("no line\n"), Err(1));
    }

    #[test]
    fn a_lower_number_is_not_noted_and_the_lowest_hosts_are_forgotten_first() {
        let mut seen = Seen::default();
        assert!(seen.note(eid(1), sight(0, 5)) && !seen.note(eid(1), sight(0, 5)) && !seen.note(eid(1), sight(0, 4)));
        assert!(seen.note(eid(1), sight(1, 1)), "a succession is above every record");
        for n in 0..SEEN_MAX as u16 {
            let mut bytes = [7; 32];
            bytes[..2].copy_from_slice(&n.to_be_bytes());
            seen.note(Eid::from_bytes(bytes), sight(0, u64::from(n)));
        }
        assert_eq!(seen.0.len(), SEEN_MAX);
        assert_eq!(seen.of(eid(1)), Some(sight(1, 1)), "it is not the lowest");
    }

    #[tokio::test]
    async fn two_who_note_what_they_see_leave_the_higher_of_each() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("seen");
        for (n, number) in [(1, 5), (2, 1), (1, 4), (2, 3)] {
            write(path.clone(), eid(n), sight(0, number)).await.expect("it is written");
        }
        let seen = read(&path).expect("it is read");
        assert_eq!([seen.of(eid(1)), seen.of(eid(2))], [Some(sight(0, 5)), Some(sight(0, 3))]);
    }
}
