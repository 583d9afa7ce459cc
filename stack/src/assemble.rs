//! Where the layers meet: what is offered, what is agreed, and the link that comes of it.

use core::time::Duration;
use std::sync::Arc;

use tng_base::{ChannelId, ChannelKey, Eid, Instant, Protocol, Rng, Taken};
use tng_channel::{Channel, Config, Describe};
use tng_congestion::{Choice, RegulationConfig, SectionChoice};
use tng_crypto::SecretRng;
use tng_endpoint::{Path, RemoteIds};
use tng_flow::wire::Greeting;
use tng_flow::{Carries, End, Origin, Party, Section, SectionStart};
use tng_isolation::{Established, Limits, Offer, Refusal, ResetToken, Terms};
use tng_semantic::structured::{self, Role, Services, Streams};

use crate::HostConfig;
use crate::answer::through_helper;
use crate::attachment::{Offered, Open, State, Unconfirmed};
use crate::connection::{Connection, Session};
use crate::dial::Dialed;
use crate::helped::{EndToEndChannel, HELPED_IDLE_TIMES, Joining, THIN_ACKS};
use crate::host_wide::HostWide;
use crate::link::Link;
use crate::names::Owner;
use crate::semantics::negotiation::Transports;
use crate::terms::{ciphers, idle_timeout, limits};
use crate::watch::{self, KEY_LINES_MAX, SetUp};

/// The streams of a new session with a peer who may have so much credit over all of them from the start.
pub(crate) fn streams(role: Role, config: &HostConfig, first_window: u64, services: &Arc<Services>) -> Streams {
    let host_window_first = config.streams.host_window_first.min(first_window);
    let streams = structured::Config { host_window_first, ..config.streams.clone() };
    Streams::new(role, streams, Arc::clone(services))
}

/// What the two sides have agreed on, as seen from one of them.
struct Agreed<'a> {
    owner: Owner,
    peer: Eid,
    established: Established,
    peer_limits: &'a Limits,
    peer_token: Option<[u8; 16]>,
    path: Path,
    controller: Option<Choice>,
    initial_rtt: Duration,
    /// The section below it, if the path is helped.
    helped: Option<Joining>,
    /// When its INIT left, or came.
    began_at: Instant,
    rng: Rng,
    describe: Describe,
    /// Whether routers may mark what leaves: not of a guest's transport, which could hide it, but where the host heeds
    /// marks for it.
    marked: bool,
}

/// Whether routers may mark what this sends.
fn is_marked(semantics: &impl Protocol) -> bool {
    !semantics.polices_itself() || semantics.heeds_marks()
}

fn link(now: Instant, agreed: Agreed<'_>, wide: &mut HostWide) -> Link {
    let Agreed { owner, peer, established, peer_limits, peer_token, path, controller, initial_rtt, .. } = agreed;
    let Agreed { helped, began_at, mut rng, describe, marked, .. } = agreed;
    let mut config = Config::new(owner.channel, established.remote_id, rng.fork());
    config.peer_max_ack_delay = Duration::from_micros(peer_limits.ack_delay_max_us.min(1_000_000));
    config.failed_after = wide.config.path_failed_after;
    config.ecn &= marked;
    if helped.is_some() {
        // What governs the sending, and sees marks, is the section.
        (config.ack, config.ecn, config.initial_rtt) = (THIN_ACKS, false, initial_rtt);
    }
    let (local_id, remote_id, cipher) = (established.local_id, established.remote_id, established.cipher);
    let began = established.role() == tng_isolation::Role::Initiator;
    let beginning = wide.config.watch.notes.then(|| watch::beginning(owner, &established, peer_limits, &path));
    if wide.config.watch.secrets && wide.key_lines.len() < KEY_LINES_MAX {
        wide.key_lines.push_back(established.key_log_line().to_string());
    }
    let mut channel = Channel::new(config, established.armor_renewing_after(wide.config.renew_keys_after), now);
    watch::begin(began_at, &mut channel, (beginning, describe));
    let onward_max = helped.as_ref().map_or(u16::MAX, |joining| joining.greeting.payload_max);
    let (channel, over, wished, remote_ids) = match helped {
        None => (channel, None, None, RemoteIds::new(remote_id, peer_token)),
        Some(joining) => {
            let Greeting { id, reset_token, .. } = joining.greeting;
            let (hop_key, wished) = (joining.key.clone(), joining.wished.clone());
            let mut config = Config::of_section(owner.channel, id, rng);
            config.failed_after = wide.config.path_failed_after;
            let end = if began { End::Near } else { End::Far };
            let section = Channel::new(config, Box::new(hop_key.armor(end, Carries::Sealed)), now);
            let over = EndToEndChannel::new(now, channel, joining);
            (section, Some(over), wished, RemoteIds::new(id, Some(reset_token)))
        }
    };
    let controller = match over {
        None => controller,
        Some(_) => Some(SectionChoice::of_host(controller.as_ref().unwrap_or(&wide.config.controller)).into()),
    };
    let payload_max = usize::try_from(peer_limits.udp_payload_max).unwrap_or(usize::MAX);
    let idle_timeout = idle_timeout(&wide.config, peer_limits);
    let idle_times = if over.is_some() { HELPED_IDLE_TIMES } else { 1 };
    let start = SectionStart {
        owner,
        party: Party::Host(peer).wishing(wished.map(Choice::from)),
        channel,
        controller,
        path,
        initial_rtt,
        began,
        local_id,
        remote_ids,
        idle_timeout,
        idle_times,
        payload_max,
    };
    let mut section = wide.with_section(|around| Section::new(now, start, around));
    section.note_greetings(onward_max, u16::MAX);
    Link::new(now, section, over, cipher)
}

/// The session that a completed exchange begins.
fn session(established: &Established, role: Role) -> Session {
    Session::new(established.session(), role, established.exporter.duplicate())
}

/// A REPLY completed our exchange: the channel is open.
pub(crate) fn dialed(
    now: Instant,
    owner: Owner,
    connection: &mut Connection,
    dialed: Dialed,
    transports: (Option<&dyn Transports>, u64),
    wide: &mut HostWide,
) {
    let Dialed { established, acceptance, sends, init_sent_at, payload_sent, frames, .. } = dialed;
    let Dialed { helped, helper_keys, init_len, reply_len, path, ephemeral, .. } = dialed;
    let key = owner.channel;
    let settled = connection.settle_offer(acceptance.transport, transports);
    // An INIT sent once gives the first round-trip time; one repeated is ambiguous (Karn).
    let initial_rtt = match sends {
        1 => now.since(init_sent_at).max(Duration::from_micros(1)),
        _ => RegulationConfig::default().initial_rtt,
    };
    let session = session(&established, Role::Initiator);
    let agreed = Agreed {
        owner,
        peer: connection.peer,
        established: *established,
        peer_limits: &acceptance.limits,
        peer_token: Some(*acceptance.reset_token.as_bytes()),
        path,
        controller: connection.controller.clone(),
        initial_rtt,
        helped,
        began_at: init_sent_at,
        rng: wide.rng.fork(),
        describe: connection.semantics.describe(),
        marked: is_marked(&connection.semantics),
    };
    let mut link = link(now, agreed, wide);
    if let Some(over) = &mut link.over {
        over.helper_keys = helper_keys;
    }
    watch::note_set_up(init_sent_at, link.channel_mut(), true, (SetUp::Init, init_len), || frames);
    watch::note_set_up(now, link.channel_mut(), false, (SetUp::Reply, reply_len), || {
        watch::frames(connection.semantics.describe(), acceptance.payload.as_deref())
    });
    watch::note_state(now, link.channel_mut(), "handshake_completed");
    let Some((attachment, semantics)) = connection.split(key) else { return };
    let first = attachment.attach.is_none();
    // Noted twice, a repeated INIT times nothing (Karn).
    for _ in 0..sends.min(2) {
        if payload_sent {
            link.note_set_up_sent(init_sent_at, init_len, &mut wide.flows);
        }
    }
    let set_up = acceptance.set_up.as_deref();
    let mut violation = match settled {
        Ok(true) if first => semantics.handle_set_up_item(set_up).err(),
        Ok(_) => None,
        Err(violation) => Some(violation),
    };
    if acceptance.taken && payload_sent && violation.is_none() {
        link.acknowledge_set_up(now, semantics, &mut wide.flows);
    }
    let mut taken = true;
    if let Some(payload) = acceptance.payload.as_ref().filter(|_| violation.is_none()) {
        match semantics.handle_set_up_packet(now, key, payload, false) {
            Ok(verdict) => taken = verdict == Taken::All,
            Err(broken) => violation = Some(broken),
        }
    }
    link.channel_mut().note_setup_received(now, acceptance.payload.is_some() && taken);
    wide.with_section(|around| link.section.confirm(now, around));
    if let Some(over) = &mut link.over {
        over.greet();
    }
    attachment.state = State::Open(Box::new(Open { link, unconfirmed: None }));
    match violation {
        Some(violation) if first => return connection.reject_answer(now, violation, wide),
        Some(violation) => return connection.reject(now, violation, wide),
        None => {}
    }
    if first {
        connection.begin(session);
        connection.tell_connected();
    }
    connection.attached(now, key, wide);
    connection.listen_for_offers(now, key, ephemeral, wide);
    if sends == 1 {
        connection.note_answered_at_once(key);
    }
}

/// The application, or its standing orders, accepted an offer: what came with the INIT and may be done twice is done.
pub(crate) fn admit(now: Instant, connection: &mut Connection, key: ChannelKey) {
    let Some((attachment, semantics)) = connection.split(key) else { return };
    let first = attachment.attach.is_none();
    let State::Offered(offered) = &mut attachment.state else { return };
    offered.accepted = true;
    let mut told = false;
    let opening = offered.offer.opening();
    let set_up = opening.set_up.as_deref().filter(|_| first);
    let mut rejected = set_up.and_then(|item| semantics.handle_opening_item(Some(item)).err());
    if let Some(payload) = &opening.payload
        && if first { semantics.replay_safe(payload) } else { semantics.repeatable(payload) }
    {
        match semantics.handle_set_up_packet(now, key, payload, first) {
            Ok(verdict) => offered.taken = verdict == Taken::All,
            Err(violation) => rejected = rejected.or(Some(violation)),
        }
        // The application has work, so it must know; whether this is a replay is not known yet.
        told = first;
    }
    told &= rejected.is_none();
    offered.rejected = rejected;
    if told {
        connection.tell_accepted();
    }
}

/// Builds the REPLY of an accepted offer, and the link.
///
/// # Errors
/// The refusal to send instead, if offer and terms do not meet.
pub(crate) fn respond(
    now: Instant,
    (owner, local_id): (Owner, ChannelId),
    connection: &mut Connection,
    rng: &mut SecretRng,
    wide: &mut HostWide,
) -> Result<(), (Origin, Vec<u8>)> {
    let (key, peer, controller) = (owner.channel, connection.peer, connection.controller.clone());
    let transport = connection.transport_answer();
    let Some((attachment, semantics)) = connection.split(key) else { return Ok(()) };
    let (describe, marked) = (semantics.describe(), is_marked(&*semantics));
    let first = attachment.attach.is_none();
    let State::Offered(offered) = core::mem::replace(&mut attachment.state, State::Ended) else { return Ok(()) };
    let Offered { offer, origin, init_len, joining, until, taken, rejected, .. } = *offered;
    let reset_token = ResetToken::from_bytes(wide.reset_token(local_id));
    let (mut limits, ciphers) = (limits(&wide.config), ciphers(&wide.config));
    let mut path = Vec::new();
    if joining.is_some() {
        limits.ack_delay_max_us = THIN_ACKS.max_delay.as_micros() as u64;
        path.clone_from(&offer.opening().path);
    }
    let terms = Terms { channel: local_id, ciphers, extensions: Vec::new(), path, limits, reset_token };
    let through = joining.as_ref().map(|joining| joining.greeting.id);
    let mut refuse = |offer: Offer, refusal: Refusal| {
        (origin, through_helper(through, offer.refuse(refusal, rng).unwrap_or_default()))
    };
    let mut acceptance = match offer.negotiate(terms) {
        Ok(acceptance) => acceptance,
        Err(refusal) => return Err(refuse(offer, refusal)),
    };
    acceptance.taken = taken;
    (acceptance.set_up, acceptance.transport) = if first { (semantics.set_up_item(), transport) } else { (None, None) };
    let mut payload = vec![0; acceptance.payload_room()];
    let filled = if rejected.is_none() { semantics.poll_packet(now, key, 0, &mut payload) } else { None };
    acceptance.payload = filled.map(|filled| {
        payload.truncate(filled.len);
        payload
    });
    let frames =
        if wide.config.watch.notes { watch::frames(describe, acceptance.payload.as_deref()) } else { Vec::new() };
    let opening = offer.opening().clone();
    // What is accepted was cut to fit; a REPLY that does not is this host's fault, and the peer tries again.
    let Ok((established, mut reply)) = offer.accept(acceptance, rng) else { return Ok(()) };
    if let Some(Joining { key, greeting, .. }) = &joining {
        let reset_token = wide.reset_token(local_id);
        let own = Greeting { id: local_id, reset_token, payload_max: u16::MAX, repair_ms: 0 };
        reply = tng_flow::joined(key, greeting.id, &own, &reply);
    }
    let mut path = Path::unproven(origin.remote, origin.local);
    path.handle_received(init_len);
    let session = session(&established, Role::Responder);
    let agreed = Agreed {
        owner,
        peer,
        established,
        peer_limits: &opening.limits,
        peer_token: opening.reset_token.map(|token| *token.as_bytes()),
        path,
        controller,
        initial_rtt: RegulationConfig::default().initial_rtt,
        helped: joining,
        began_at: now,
        rng: rng.visible(),
        describe,
        marked,
    };
    let mut link = link(now, agreed, wide);
    watch::note_set_up(now, link.channel_mut(), false, (SetUp::Init, init_len), || {
        watch::frames(describe, opening.payload.as_deref())
    });
    watch::note_state(now, link.channel_mut(), "handshake_completed");
    link.channel_mut().note_setup_received(now, taken);
    let held = opening.payload.filter(|_| !taken);
    let filled = filled.is_some();
    let unconfirmed = Unconfirmed { reply, reply_due: true, filled, frames, held, rejected, until };
    attachment.state = State::Open(Box::new(Open { link, unconfirmed: Some(Box::new(unconfirmed)) }));
    if first {
        connection.begin(session);
    }
    Ok(())
}
