//! A download over a DSL line: the paper's Figure 6.

use super::contenders::{DROP_TAIL, NEWRENO, SPLIT, VEGAS};
use super::dsl::{self, Phases};
use crate::lab::{Check, Context, Experiment, Goal, Outcome, RunError, SEEDS_MIN, Worlds};
use crate::peers::helped::Direction;

/// Figure 6.
pub static FIG6: Experiment = Experiment {
    name: "tng/fig6",
    title: "Low delay from a DSL line: download",
    source: "Tng 5.1, Figure 6",
    claim: "as for the upload; the delay of the split flow increases, since newreno fills the queue at the gateway, \
            but not as much as with newreno from end to end",
    about: "As tng/fig5, with data from the server to the client: newreno in the core feeds the helper's queue, which \
            vegas empties over the line. That once with the queue that the controller has by default, and once with \
            the paper's, which is drop-tail; both hold 100 ms at most. By default the helper keeps the queue short \
            with CoDel, and so has less to send while newreno recovers from a loss in the core: the goal for the \
            bandwidth is 90 % of newreno's, where that for the upload is 95 %. For the delay the goal is the paper's: \
            less than newreno's. That it is at most 0.8 of it in every phase holds on few seeds, and was given up.",
    params: dsl::PARAMS,
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[
        ("modem", &["16kB", "32kB", "64kB", "128kB", "256kB"]),
        ("down", &["1.5mbit", "3mbit", "5mbit", "8mbit", "16mbit"]),
        ("flows", &["1", "2", "3", "5", "8"]),
    ],
    run,
};

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let phases = dsl::measure(context, Direction::Down)?;
    Ok(checks(&phases).into_iter().fold(dsl::outcome(context, &phases), Outcome::check))
}

fn checks(phases: &Phases) -> Vec<Check> {
    let rate = phases.least_rate(SPLIT, NEWRENO);
    let [by_newreno, by_vegas] = [NEWRENO, VEGAS].map(|other| phases.most_delay(SPLIT, other));
    let papers_rate = phases.least_rate(DROP_TAIL, NEWRENO);
    let [papers_by_newreno, papers_by_ours] = [NEWRENO, SPLIT].map(|other| phases.mean_delay(DROP_TAIL, other));
    vec![
        Check::new("beside flows, in the worst phase: split's bandwidth by newreno's", rate, "", Goal::AtLeast(0.9))
            .on(0.9)
            .ours()
            .paper("similar to the upload"),
        Check::new("beside flows, in the worst phase: split's delay by newreno's", by_newreno, "", Goal::AtMost(1.0))
            .on(0.95)
            .paper("some increase, not as much as newreno"),
        Check::new(
            "beside flows, in the worst phase: bandwidth by newreno's with the paper's queue",
            papers_rate,
            "",
            Goal::AtLeast(0.95),
        )
        .by_median()
        .ours()
        .paper("similar to the upload"),
        Check::new("beside flows: delay by newreno's with the paper's queue", papers_by_newreno, "", Goal::AtMost(1.0))
            .paper("some increase, not as much as newreno"),
        Check::new(
            "beside flows: delay with the paper's queue by that with ours",
            papers_by_ours,
            "",
            Goal::AtLeast(1.1),
        )
        .ours(),
        Check::new("beside flows, in the worst phase: split's delay by vegas's", by_vegas, "", Goal::AtMost(1.3))
            .ours()
            .paper("some increase"),
        Check::new("vegas's bandwidth beside all flows by that alone", phases.left(VEGAS), "", Goal::AtMost(0.85))
            .ours()
            .paper("similar to the upload"),
        phases.stays_split(SPLIT),
        phases.stays_split(DROP_TAIL),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: &[&str] = &["step=30s", "flows=1"];

    #[test]
    fn the_figure_of_the_paper_comes_out() {
        let record = measured(&FIG6, 2, SHORT);
        assert!(record.holds(), "{record}");
    }

    #[test]
    fn a_split_flow_with_newreno_on_the_line_too_has_no_low_delay() {
        // On 15 of the seeds from 1 to 16.
        let record = measured(&FIG6, 2, &[SHORT[0], SHORT[1], "on-line=newreno"]);
        assert!(unmet(&record.outcome).iter().any(|name| name.contains("split's delay by vegas's")), "{record}");
    }
}
