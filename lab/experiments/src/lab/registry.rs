//! Every experiment.

#[cfg(feature = "guests")]
use super::stp;
use super::{Experiment, ours, soak, sst, tcp, tng, trickles};
use tng_settings::nearest;

/// Experiments of one kind: the first part of their names says which.
#[derive(Debug)]
pub struct Group {
    /// That part.
    pub name: &'static str,
    /// What they are about, in a few words.
    pub title: &'static str,
    /// In the order in which `tng lab all` runs them.
    pub experiments: &'static [&'static Experiment],
}

/// Every experiment, in the order in which `tng lab all` runs them. One more is one more row.
pub static GROUPS: &[Group] = &[
    Group {
        name: "sst",
        title: "Structured streams (SST)",
        experiments: &[
            &sst::validation::VALIDATION,
            &sst::friendliness::FRIENDLINESS,
            &sst::beside_kernel::BESIDE_KERNEL,
            &sst::fig7::FIG7,
            &sst::datagrams::DATAGRAMS,
            &sst::fig8::FIG8,
            &sst::fig9::FIG9,
            &sst::table1::TABLE1,
            &sst::table2::TABLE2,
        ],
    },
    Group {
        name: "tng",
        title: "Flows that helpers split (Tng)",
        experiments: &[
            &tng::fig5::FIG5,
            &tng::fig6::FIG6,
            &tng::fig7::FIG7A,
            &tng::fig7::FIG7B,
            &tng::fig10::FIG10,
            &tng::fig11::FIG11,
            &tng::found::FOUND,
            &tng::table1::TABLE1,
            &tng::five_helpers::FIVE_HELPERS,
            &tng::loops::LOOPS,
            &tng::set_up::SET_UP,
            &tng::punch::PUNCH,
            &tng::in_path::IN_PATH,
            &tng::eight_channels::EIGHT_CHANNELS,
            &tng::killed::KILLED,
            &tng::blocked::BLOCKED,
            &tng::ack_then_drop::ACK_THEN_DROP,
            &tng::bypass::BYPASS,
            &tng::false_bypass::FALSE_BYPASS,
            &tng::satellite::SATELLITE,
            &tng::tunnel::TUNNEL,
            &tng::capacity::CAPACITY,
            &tng::carrier::CARRIER,
            &tng::vegas_domain::VEGAS_DOMAIN,
        ],
    },
    Group {
        name: "trickles",
        title: "Servers that keep nothing (Trickles)",
        experiments: &[
            &trickles::fig16::FIG16,
            &trickles::fig17::FIG17,
            &trickles::fig18::FIG18,
            &trickles::fig19::FIG19,
            &trickles::fig20::FIG20,
            &trickles::fig21::FIG21,
            &trickles::fig22::FIG22,
            &trickles::fig23::FIG23,
            &trickles::fig24::FIG24,
            &trickles::fig25::FIG25,
            &trickles::fig26::FIG26,
            &trickles::fig27::FIG27,
            &trickles::fig28::FIG28,
            &trickles::fig29::FIG29,
            &trickles::fig30::FIG30,
            &trickles::kills::KILLS,
            &trickles::rolling::ROLLING,
            &trickles::sprayed::SPRAYED,
            &trickles::echo::ECHO,
            &trickles::replay::REPLAY,
            &trickles::delta::DELTA,
            &trickles::sizes::SIZES,
        ],
    },
    #[cfg(feature = "guests")]
    Group {
        name: "stp",
        title: "Transports that are guests (STP)",
        experiments: &[
            &stp::fig2::FIG2,
            &stp::fig4::FIG4,
            &stp::fig5::FIG5,
            &stp::fig6::FIG6,
            &stp::fig7::FIG7,
            &stp::fig8::FIG8,
            &stp::table1::TABLE1,
            &stp::table4::TABLE4,
            &stp::table5::TABLE5,
            &stp::table6::TABLE6,
            &stp::table7::TABLE7,
            &stp::table8::TABLE8,
            &stp::cap::CAP,
            &stp::gain::GAIN,
            &stp::zoo::ZOO,
            &stp::police::POLICE,
            &stp::set_up::SET_UP,
            &stp::shipping::SHIPPING,
            &stp::spread::SPREAD,
            &stp::process::PROCESS,
        ],
    },
    Group { name: "tcp", title: "The reference TCP", experiments: &[&tcp::mathis::MATHIS, &tcp::kernel::KERNEL] },
    Group {
        name: "ours",
        title: "Questions of our own",
        experiments: &[
            &ours::datagrams::DATAGRAMS,
            &ours::head_of_line::HEAD_OF_LINE,
            &ours::under_control::UNDER_CONTROL,
            &ours::many_streams::STREAMS_10K,
            &ours::movement::MOVE,
            &ours::handover::HANDOVER,
            &ours::forget::FORGET,
            &ours::multihoming::MULTIHOMING,
            &ours::offline::DAY_OFFLINE,
            &ours::bbr::BBR,
            &ours::kernel::KERNEL,
            &ours::kernel_bbr::KERNEL_BBR,
            &ours::quic::QUIC,
            &ours::sim_speed::SIM_SPEED,
            &ours::traces::TRACES,
            &ours::controllers::CONTROLLERS,
        ],
    },
    Group {
        name: "soak",
        title: "Long runs with oracles of their own",
        experiments: &[
            &soak::swarm::SWARM,
            &soak::relay::RELAY,
            &soak::relay::HOST,
            &soak::registry::REGISTRY,
            &soak::trickles::TRICKLES,
            #[cfg(feature = "guests")]
            &soak::guests::GUESTS,
        ],
    },
];

/// Every experiment, whatever its group.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    GROUPS.iter().flat_map(|group| group.experiments).copied()
}

/// The experiment of a name.
///
/// # Errors
/// The name that looks most like it, if there is none of this one.
pub fn find(name: &str) -> Result<&'static Experiment, Option<&'static str>> {
    experiments().find(|experiment| experiment.name == name).ok_or_else(|| {
        let names = || experiments().map(|experiment| experiment.name);
        // Without its group, too: "fig9".
        let bare = names().find(|known| known.split('/').nth(1) == Some(name));
        bare.or_else(|| nearest(name, names()))
    })
}
