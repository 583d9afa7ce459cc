//! Scenarios made by lot: trees of streams and datagrams, over a path to which everything happens, and every byte
//! arrives.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use tng_base::Rng;
use tng_experiments::{Run, Scenario};

/// Scenarios in a usual run.
const SEEDS: u64 = 40;

fn within(rng: &mut Rng, range: Range<u64>) -> u64 {
    range.start + rng.below(range.end - range.start)
}

/// A scenario, drawn.
fn scenario(seed: u64) -> String {
    let mut rng = Rng::from_u64(seed);
    let mut text = format!(
        "[world]\nseed={seed}\nduration='300s'\n[[node]]\nname='a'\nkeep_alive='5s'\n[[node]]\nname='b'\n\
         [[link]]\nbetween=['a','b']\nrate='{}mbit'\ndelay='{}ms'\njitter='{}ms'\nloss={}\nqueue={{packets={}}}\n\
         reorder={{share='2%',by='8ms'}}\nduplicate='0.5%'\n[[flow]]\nname='f'\nfrom='a'\nto='b'\n",
        within(&mut rng, 2..50),
        within(&mut rng, 1..60),
        within(&mut rng, 0..5),
        within(&mut rng, 0..20) as f64 / 1000.0,
        within(&mut rng, 20..200),
    );
    let streams = within(&mut rng, 2..7);
    let (mut counts, mut parents_of_some) = (Vec::new(), BTreeSet::new());
    for number in 0..streams {
        let count = [1, 1, within(&mut rng, 2..30)][rng.below(3) as usize];
        let _ = write!(
            text,
            "[[flow.stream]]\nname='s{number}'\ncount={count}\nbytes={}\nstart='{}ms'\nevery='{}ms'\ndirection='{}'\n",
            within(&mut rng, 0..3_000_000 / count),
            within(&mut rng, 0..4000),
            within(&mut rng, 0..20),
            ["forth", "back"][rng.below(2) as usize],
        );
        let parents: Vec<usize> =
            (0..counts.len()).filter(|parent| counts[*parent] == 1 || counts[*parent] == count).collect();
        if !parents.is_empty() && rng.below(2) == 0 {
            let parent = parents[rng.below(parents.len() as u64) as usize];
            let _ = writeln!(text, "parent='s{parent}'");
            parents_of_some.insert(parent as u64);
        } else if rng.below(3) == 0 {
            let _ = writeln!(text, "request={}", within(&mut rng, 0..5000));
        }
        if rng.below(3) == 0 {
            let _ = writeln!(
                text,
                "priority={{level={},weight={}}}",
                within(&mut rng, 0..4) as i64 - 2,
                within(&mut rng, 1..255)
            );
        }
        if rng.below(5) == 0 {
            let _ =
                writeln!(text, "chunk={}\ninterval='{}ms'", within(&mut rng, 40_000..80_000), within(&mut rng, 1..30));
        }
        counts.push(count);
    }
    for number in 0..rng.below(3) {
        let _ = write!(
            text,
            "[[flow.datagrams]]\nname='d{number}'\nsize={}\ninterval='{}ms'\ncount={}\nstart='{}ms'\ndirection='{}'\n",
            [within(&mut rng, 8..1200), within(&mut rng, 1200..60_000)][rng.below(2) as usize],
            within(&mut rng, 10..200),
            within(&mut rng, 1..50),
            within(&mut rng, 500..3000),
            ["forth", "back"][rng.below(2) as usize],
        );
        if rng.below(2) == 0 {
            let _ = writeln!(text, "lifetime='{}ms'", within(&mut rng, 10..500));
        }
    }
    for number in 0..rng.below(8) {
        let (at, stream) = (within(&mut rng, 0..5000), rng.below(streams));
        let _ = writeln!(text, "[[event]]\nat='{at}ms'");
        // A parent that is cut short may take those with it that are not there yet.
        let most = if parents_of_some.contains(&stream) { 6 } else { 8 };
        let _ = match rng.below(most) {
            0 => writeln!(text, "kind='outage'\nlink='a-b'\nlasts='{}ms'", within(&mut rng, 10..2500)),
            1 => writeln!(text, "kind='rebind'\nnode='a'\nseen='203.0.113.{}:4000'", number + 1),
            2 => writeln!(text, "kind='address'\nnode='a'\nto='198.51.100.{}'", number + 1),
            3 => writeln!(text, "kind='link'\nlink='a-b'\nrate='{}mbit'", within(&mut rng, 1..20)),
            4 => writeln!(
                text,
                "kind='pause'\nstream='s{stream}'\n[[event]]\nat='{}ms'\nkind='resume'\nstream='s{stream}'",
                at + within(&mut rng, 0..3000)
            ),
            5 => writeln!(
                text,
                "kind='priority'\nstream='s{stream}'\nby='{}'\npriority={}",
                ["sender", "receiver"][rng.below(2) as usize],
                within(&mut rng, 0..4)
            ),
            6 => writeln!(text, "kind='finish'\nstream='s{stream}'"),
            _ => writeln!(text, "kind='{}'\nstream='s{stream}'\ncode=5", ["reset", "stop"][rng.below(2) as usize]),
        };
    }
    text
}

/// `TNG_SEEDS=2000 cargo test -p tng-experiments --test swarm` runs more.
#[test]
fn whatever_happens_to_the_path_every_stream_arrives_whole_or_is_cut_as_the_scenario_says() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS);
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let text = scenario(seed);
        let parsed = Scenario::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let report = Run::new(parsed).finish().expect("no capture that could fail");
        let flow = &report.flows[0];
        let open = flow
            .streams
            .iter()
            .flat_map(|stream| &stream.each)
            .any(|one| one.completion_s.is_none() && one.cut.is_none());
        let repeated = flow.datagrams.iter().any(|group| group.repeated > 0);
        if flow.failure.is_some() || open || repeated {
            println!("seed {seed}: {report}\n{text}");
            wrong.push(seed);
        }
    }
    assert!(wrong.is_empty(), "seeds {wrong:?} of {seeds}");
}
