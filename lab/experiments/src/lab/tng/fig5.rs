//! An upload over a DSL line: the paper's Figure 5.

use super::contenders::{NEWRENO, SPLIT, VEGAS};
use super::dsl::{self, Phases};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, RunError, SEEDS_MIN, Worlds};
use crate::peers::helped::Direction;

/// Figure 5.
pub static FIG5: Experiment = Experiment {
    name: "tng/fig5",
    title: "Low delay from a DSL line: upload",
    source: "Tng 5.1, Figure 5",
    claim: "a flow that is split at the gateway, with vegas on the line and newreno in the core, has newreno's \
            bandwidth and vegas's delay",
    about: "An endless upload over a DSL line and a core link. Flows of TCP newreno join it on the core link, one \
            after the other. The same with newreno and with vegas from end to end, with a helper at the gateway that \
            joins vegas on the line, which the client asks for in its order, to newreno behind it, and, as the paper \
            could not, with bbr from end to end.",
    params: dsl::PARAMS,
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[
        ("modem", &["16kB", "32kB", "64kB", "128kB", "256kB"]),
        ("up", &["384kbit", "768kbit", "1.5mbit", "5mbit", "10mbit"]),
        ("flows", &["1", "2", "3", "5", "8"]),
    ],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let phases = dsl::measure(context, Direction::Up)?;
    Ok(checks(&phases).into_iter().fold(dsl::outcome(context, &phases), Outcome::check))
}

fn checks(phases: &Phases) -> Vec<Check> {
    let (rate, delay) = (phases.least_rate(SPLIT, NEWRENO), phases.most_delay(SPLIT, VEGAS));
    let high = 1.0 / phases.most_delay(SPLIT, NEWRENO);
    vec![
        Check::new("beside flows, in the worst phase: split's bandwidth by newreno's", rate, "", Goal::AtLeast(0.95))
            .paper("competes as effectively"),
        Check::new("beside flows, in the worst phase: split's delay by vegas's", delay, "", Goal::AtMost(1.3))
            .paper("low"),
        Check::new("beside flows, in the worst phase: newreno's delay by split's", high, "", Goal::AtLeast(2.0))
            .ours()
            .paper("consistently high"),
        Check::new("vegas's bandwidth beside all flows by that alone", phases.left(VEGAS), "", Goal::AtMost(0.85))
            .ours()
            .paper("quickly given up"),
        Check::new(
            "alone: split's delay by vegas's",
            phases.quiet_delay_s(SPLIT) / phases.quiet_delay_s(VEGAS),
            "",
            Goal::AtMost(1.05),
        )
        .ours()
        .paper("slightly lower"),
        phases.stays_split(SPLIT),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: &[&str] = &["step=30s", "flows=1"];

    #[test]
    fn the_figure_of_the_paper_comes_out_and_the_same_again() {
        let record = measured(&FIG5, 2, SHORT);
        assert!(record.holds(), "{record}");
        assert_eq!(record, measured(&FIG5, 2, SHORT));
    }

    #[test]
    fn a_split_flow_with_newreno_on_the_line_too_has_no_low_delay() {
        let record = measured(&FIG5, 1, &[SHORT[0], SHORT[1], "on-line=newreno"]);
        let unmet = unmet(&record.outcome);
        let is_unmet = |name: &str| unmet.iter().any(|unmet| unmet.contains(name));
        assert!(is_unmet("split's delay by vegas's") && is_unmet("newreno's delay by split's"), "{record}");
    }
}
