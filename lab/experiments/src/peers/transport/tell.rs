//! Kinds of parts that worlds have in common, each told in one way.

use tng_congestion::Choice;
use tng_middlebox::{HelperConfig, Neighbourhood};
use tng_sim::Link;
use tng_stack::{Access, HostConfig};

use tng_stp_host::Quotas;
use tng_trickles::Site;
use tng_trickles::client::ClientConfig;
use tng_trickles::server::ServerConfig;

use crate::peers::guests::{GuestRun, quotas};
use crate::peers::quic;
use crate::peers::transport::trickles::{Usage, client_config, server_config};
use crate::settings::Settings;

/// One direction of a link.
pub(crate) fn link(settings: &mut Settings, part: &str, link: &Link) {
    settings.configure(part, "link", &["rate_bps", "delay", "queue"], link, &Link::new());
}

/// A host that speaks tng.
pub(crate) fn host(settings: &mut Settings, part: &str, config: &HostConfig) {
    settings.configure(part, "tng", &["controller", "pacing"], config, &HostConfig::new(Access::Public));
}

/// A host that speaks the reference TCP.
pub(crate) fn tcp(settings: &mut Settings, part: &str, config: &tng_tcp::Config) {
    settings.configure(part, "reference TCP", &["controller", "pacing"], config, &tng_tcp::Config::default());
}

/// What an operator decides of a helper's sections with neighbours of one kind, but for the queues that they feed.
pub(crate) fn section(settings: &mut Settings, part: &str, config: &Neighbourhood) {
    let always = ["controller", "pacing", "repair", "lease"];
    settings.configure(part, "neighbourhood", &always, config, &Neighbourhood::default());
    controller_in_force(settings, part, config);
}

/// The same with those queues.
pub(crate) fn neighbourhood(settings: &mut Settings, part: &str, config: &Neighbourhood) {
    let always = ["controller", "queue_time", "repair", "lease"];
    settings.configure(part, "neighbourhood", &always, config, &Neighbourhood::default());
    controller_in_force(settings, part, config);
    settings.set(part, "discipline in force", format_args!("{:?}", config.discipline()));
}

/// A helper, and its sections with hosts and helpers in no neighbourhood.
pub(crate) fn helper(settings: &mut Settings, part: &str, config: &HelperConfig) {
    let always = ["elsewhere.controller", "elsewhere.queue_time", "elsewhere.repair", "elsewhere.lease"];
    settings.configure(part, "helper", &always, config, &HelperConfig::default());
    controller_in_force(settings, part, &config.elsewhere);
    settings.set(part, "discipline in force", format_args!("{:?}", config.elsewhere.discipline()));
}

/// A lease has its own, whatever is configured.
fn controller_in_force(settings: &mut Settings, part: &str, config: &Neighbourhood) {
    if config.lease.is_some() {
        settings.set(part, "controller in force", Choice::fixed());
    }
}

/// A host that speaks QUIC.
pub(crate) fn quic(settings: &mut Settings, part: &str, config: &quic::Config) {
    settings.configure(part, "QUIC", &["controller"], config, &quic::Config::default());
}

/// Clients and servers that speak Trickles.
pub(crate) fn trickles(settings: &mut Settings, part: &str, usage: Usage) {
    settings.describe(part, &usage);
    let (client, server) = (format!("{part}, clients"), format!("{part}, servers"));
    let (own, usual) = (client_config(usage), ClientConfig::default());
    settings.configure(&client, "client of Trickles", &["datagram_len"], &own, &usual);
    let config = server_config(usage, Site::default());
    settings.configure(&server, "server of Trickles", &["site", "filter"], &config, &ServerConfig::default());
    settings.set(&server, "initial window", tng_trickles::INITIAL_WINDOW);
}

/// Hosts whose connections are guests'.
pub(crate) fn guest(settings: &mut Settings, part: &str, run: &GuestRun) {
    settings.describe(part, run);
    settings.configure(part, "guest", &[], &quotas(), &Quotas::default());
}
