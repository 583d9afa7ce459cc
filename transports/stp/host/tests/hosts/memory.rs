//! What a guest's connection holds stays within its quotas, whatever the peer sends and the application leaves.

use core::time::Duration;

use stp_guest_flood::Flood;
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng_sim::Loss;
use tng_stp_host::{Code, Quotas, Shim};

use crate::bad::{Bad, KEEPS_ALL};
use crate::world::{Run, Says, Setting};

const SECOND: Duration = Duration::from_secs(1);

/// What an end may hold and promise: both buffers, what waits to leave in memory that has grown by doubling, a
/// scoreboard, and two rings of segments with what each costs.
fn most(quotas: &Quotas) -> u64 {
    let rings = 2 * 64 * 1_600;
    quotas.send_buffer + quotas.receive_buffer + 2 * quotas.queued as u64 + 16 * quotas.scoreboard as u64 + rings
}

fn small() -> Quotas {
    Quotas { send_buffer: 64 << 10, receive_buffer: 64 << 10, queued: 16 << 10, scoreboard: 512, ..Quotas::default() }
}

/// The peer says as much as it can, and the server reads nothing.
fn crowd(code: &Code, server: &Code, quotas: Quotas, loss: f64) -> Run {
    let says = Says { amount: 1 << 30, message: 1_000, ..Says::default() };
    let mut setting = Setting { quotas, ..Setting::new(1) }.saying(says);
    setting.says[1].deaf = true;
    setting.links[0] = setting.links[0].clone().loss(Loss::Independent(loss));
    let mut run = setting.start();
    run.connect_as([code, server]);
    run.pass(5 * SECOND);
    run
}

#[test]
fn an_end_that_nobody_reads_holds_what_its_quotas_say_and_no_more() {
    let codes = [Code::native::<NewReno>("it"), Code::native::<Sack>("it"), Code::native::<Flood>("it")];
    for code in &codes {
        for loss in [0.0, 0.05] {
            for quotas in [small(), Quotas::default()] {
                let run = crowd(code, code, quotas, loss);
                for node in [run.a, run.b] {
                    let talk = run.app(node).talk();
                    let (held, all) = talk.memory;
                    assert!(held > quotas.receive_buffer / 3, "{held} is little: nobody has sent much");
                    assert!(all <= most(&quotas), "{} and {loss}: {held}, {all} of {}", code.name(), most(&quotas));
                }
                let accounting = run.host(run.b).accounting();
                assert_eq!(accounting, run.host(run.b).recount());
            }
        }
    }
}

#[test]
fn a_guest_that_keeps_every_segment_has_no_more_than_others() {
    let (flood, keeper) = (Code::native::<Flood>("it"), Code::native::<Bad<KEEPS_ALL>>("it"));
    let run = crowd(&flood, &keeper, small(), 0.0);
    let (held, all) = run.app(run.b).talk().memory;
    assert!(all <= most(&small()), "{held}, {all} of {}", most(&small()));
}

#[test]
fn a_host_that_gives_less_memory_is_promised_less() {
    let workshop = Setting::new(1).workshop(0);
    let mut guest = workshop.transport(&Code::native::<NewReno>("it"), tng_stp_abi::Role::Responder).expect("room");
    let promised = |guest: &tng_stp_host::Transport| tng_base::Semantic::bytes_promised(guest);
    assert_eq!(promised(&guest), Quotas::default().receive_buffer);
    guest.set_memory(20_000);
    assert_eq!(promised(&guest), 10_000);
    let _: &Shim = guest.shim();
}
