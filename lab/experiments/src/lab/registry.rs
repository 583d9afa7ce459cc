//! Every experiment.

use super::{Experiment, ours, sst, tcp, tng};
use crate::scenario::nearest;

/// Every experiment, in the order in which `tng lab all` runs them.
pub static EXPERIMENTS: &[&Experiment] = &[
    &sst::validation::VALIDATION,
    &sst::friendliness::FRIENDLINESS,
    &sst::fig7::FIG7,
    &sst::fig8::FIG8,
    &sst::fig9::FIG9,
    &sst::table1::TABLE1,
    &sst::table2::TABLE2,
    &tng::fig5::FIG5,
    &tng::fig6::FIG6,
    &tng::fig7::FIG7A,
    &tng::fig7::FIG7B,
    &tng::fig10::FIG10,
    &tng::fig11::FIG11,
    &tng::table1::TABLE1,
    &tng::five_helpers::FIVE_HELPERS,
    &tng::loops::LOOPS,
    &tng::set_up::SET_UP,
    &tng::eight_channels::EIGHT_CHANNELS,
    &tng::killed::KILLED,
    &tng::blocked::BLOCKED,
    &tng::ack_then_drop::ACK_THEN_DROP,
    &tng::bypass::BYPASS,
    &tng::false_bypass::FALSE_BYPASS,
    &tng::satellite::SATELLITE,
    &tcp::mathis::MATHIS,
    &tcp::kernel::KERNEL,
    &ours::datagrams::DATAGRAMS,
    &ours::head_of_line::HEAD_OF_LINE,
    &ours::many_streams::STREAMS_10K,
    &ours::movement::MOVE,
    &ours::handover::HANDOVER,
    &ours::multihoming::MULTIHOMING,
    &ours::offline::DAY_OFFLINE,
    &ours::kernel::KERNEL,
    &ours::sim_speed::SIM_SPEED,
];

/// The experiment of a name.
///
/// # Errors
/// The name that looks most like it, if there is none of this one.
pub fn find(name: &str) -> Result<&'static Experiment, Option<&'static str>> {
    let found = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
    found.copied().ok_or_else(|| {
        let names = || EXPERIMENTS.iter().map(|experiment| experiment.name);
        // Without its group, too: "fig9".
        let bare = names().find(|known| known.split('/').nth(1) == Some(name));
        bare.or_else(|| nearest(name, names()))
    })
}
