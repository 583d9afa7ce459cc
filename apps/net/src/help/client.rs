//! The client's side of the help service: capabilities are asked for when they are needed, kept, and renewed at half of
//! their lives.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tng_base::Eid;
use tng_crypto::Zeroizing;
use tng_services::help::{Answer, Ask, BODY_MAX, HEAD_LEN, PROTOCOL, SERVICE, Terms, Token};
use tng_stack::{CloseCause, ConnectError, Stop, Target, Via, Wishes};
use tng_wire::{Reader, Repr};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::capability_store::{self, Grant};
use super::error::HelpError;
use crate::endpoint::{Endpoint, WeakEndpoint, time_of_day, unix};
use crate::error::{ConnectionError, RequestError};
use crate::ticket::Ticket;

/// Helpers of an endpoint, at most.
pub const HELPERS_MAX: usize = 64;
/// How long a helper may take to give a capability.
pub const ASK_WITHIN: Duration = Duration::from_secs(5);
/// The pause after a renewal that failed; doubles.
pub const RENEW_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such pause.
pub const RENEW_AGAIN_MAX: Duration = Duration::from_secs(60);
/// A capability that was asked for since the one before was declined is not replaced for being declined as well, so
/// long: anybody on the way can write that it was.
pub const DECLINED_PAUSE: Duration = Duration::from_secs(30);

/// A helper as its client knows it: who, where, and what is wanted of it. What lets the client use it is not printed.
#[derive(Clone)]
pub struct HelperTarget {
    /// Who it is.
    pub eid: Eid,
    /// Where it is, the likeliest first.
    pub addresses: Vec<SocketAddr>,
    /// What opens its door, if its access asks for it: the capability of its ticket.
    pub door: Option<Vec<u8>>,
    /// What shows that this host is a client, where its EID alone does not.
    pub token: Option<Token>,
    /// What is asked of it, of the section that leads to it.
    pub wishes: Wishes,
    /// See [`Via::trusted`].
    pub trusted: bool,
}

impl HelperTarget {
    /// The helper at these addresses, with no wishes beside its help.
    pub fn new(eid: Eid, addresses: Vec<SocketAddr>) -> HelperTarget {
        HelperTarget { eid, addresses, door: None, token: None, wishes: Wishes::default(), trusted: false }
    }
}

impl From<&Ticket> for HelperTarget {
    fn from(ticket: &Ticket) -> HelperTarget {
        let door = Some(ticket.capability().to_vec()).filter(|door| !door.is_empty());
        HelperTarget { door, ..HelperTarget::new(ticket.eid(), ticket.addresses().to_vec()) }
    }
}

impl fmt::Debug for HelperTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HelperTarget")
            .field("eid", &self.eid)
            .field("addresses", &self.addresses)
            .field("wishes", &self.wishes)
            .field("trusted", &self.trusted)
            .finish_non_exhaustive()
    }
}

fn now_ms() -> u64 {
    unix(time_of_day()).as_millis() as u64
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An endpoint's capabilities. What of it is locked is locked under the endpoint's lock, and never the other way round.
#[derive(Debug, Default)]
pub(crate) struct Purse {
    file: Option<PathBuf>,
    accounts: Mutex<BTreeMap<Eid, Arc<Account>>>,
    /// What renews them, which ends with the endpoint.
    renewals: Mutex<Vec<AbortHandle>>,
    /// Why the last one is not in the file, if it is not.
    failure: Mutex<Option<HelpError>>,
}

impl Drop for Purse {
    fn drop(&mut self) {
        for renewal in locked(&self.renewals).drain(..) {
            renewal.abort();
        }
    }
}

/// What there is with one helper.
#[derive(Debug)]
struct Account {
    /// Held while it is asked: the next to have it finds what the one before has got.
    asking: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// It has declined what it gave.
    declined: Notify,
}

#[derive(Debug)]
struct State {
    helper: HelperTarget,
    held: Option<Held>,
    /// Somebody renews it.
    attended: bool,
}

#[derive(Debug)]
struct Held {
    grant: Grant,
    /// It was asked for since the one before was declined.
    replaces_declined: bool,
    /// It is declined itself.
    declined: bool,
    /// Where it was given, of the helper's addresses.
    given_at: Option<IpAddr>,
}

impl State {
    /// What is good for a while still.
    fn good(&self, now_ms: u64) -> Option<&Held> {
        self.held.as_ref().filter(|held| !held.declined && held.grant.is_good(now_ms))
    }
}

impl Held {
    /// The helper as a path names it.
    ///
    /// # Errors
    /// If it does not do what it is wished for.
    fn via(&self, helper: &HelperTarget) -> Result<Via, HelpError> {
        let terms = &self.grant.terms;
        permits(terms, &helper.wishes)?;
        let given = |address: &&SocketAddr| self.given_at == Some(address.ip().to_canonical());
        let address = helper.addresses.iter().find(given).or(helper.addresses.first());
        let address = *address.ok_or(HelpError::NotReached(ConnectError::NoAddress))?;
        let stop = Stop { wishes: helper.wishes.clone(), ..Stop::new(address, terms.capability()) };
        Ok(Via { trusted: helper.trusted, ..Via::new(helper.eid, stop) })
    }
}

/// Whether the terms of a helper allow what is wished.
fn permits(terms: &Terms, wishes: &Wishes) -> Result<(), HelpError> {
    if let Some(wished) = &wishes.controller
        && !terms.controllers.iter().any(|offered| offered.exact() == wished)
    {
        return Err(HelpError::Controller { wished: wished.clone(), offered: terms.controllers.clone() });
    }
    let most = Duration::from_millis(terms.queue_time_max_ms.into());
    match wishes.queue_time {
        Some(wished) if wished > most => Err(HelpError::QueueTime { wished, most }),
        _ => Ok(()),
    }
}

impl Purse {
    pub(crate) fn new(file: Option<PathBuf>) -> Purse {
        let mut purse = Purse::default();
        purse.file = file;
        purse
    }

    fn file_error(&self, fault: super::FileFault) -> HelpError {
        HelpError::File { path: self.file.clone().unwrap_or_default(), fault }
    }

    /// What there is with a helper, in the file at first.
    fn account(&self, client: Eid, helper: &HelperTarget) -> Result<Arc<Account>, HelpError> {
        let known = locked(&self.accounts).get(&helper.eid).cloned();
        if let Some(account) = known {
            locked(&account.state).helper = helper.clone();
            return Ok(account);
        }
        let read = self.file.as_ref().map(|path| capability_store::read(path, client, helper.eid)).transpose();
        let grant = read.map_err(|fault| self.file_error(fault))?.flatten();
        let held = grant.map(|grant| Held { grant, replaces_declined: false, declined: false, given_at: None });
        let mut accounts = locked(&self.accounts);
        if accounts.len() >= HELPERS_MAX && !accounts.contains_key(&helper.eid) {
            return Err(HelpError::TooMany);
        }
        let begin = || Account {
            asking: tokio::sync::Mutex::default(),
            state: Mutex::new(State { helper: helper.clone(), held, attended: false }),
            declined: Notify::new(),
        };
        // Somebody else may have been faster.
        Ok(Arc::clone(accounts.entry(helper.eid).or_insert_with(|| Arc::new(begin()))))
    }

    /// One of these helpers does not take the capability that it was shown.
    pub(crate) fn note_declined(&self, helpers: &[Eid]) {
        let accounts = locked(&self.accounts);
        for account in helpers.iter().filter_map(|helper| accounts.get(helper)) {
            let mut state = locked(&account.state);
            let Some(held) = &mut state.held else { continue };
            let pause = DECLINED_PAUSE.as_millis() as u64;
            if !held.replaces_declined || now_ms() >= held.grant.asked_ms.saturating_add(pause) {
                held.declined = true;
                account.declined.notify_one();
            }
        }
    }
}

impl Account {
    /// Has the helper give another capability, unless there is one for which `enough` holds by the time that it can be
    /// asked.
    async fn renew(&self, endpoint: &Endpoint, enough: impl Fn(&State, u64) -> bool) -> Result<(), HelpError> {
        let _asking = self.asking.lock().await;
        let (helper, declined) = {
            let state = locked(&self.state);
            if enough(&state, now_ms()) {
                return Ok(());
            }
            (state.helper.clone(), state.held.as_ref().is_some_and(|held| held.declined))
        };
        let asked_ms = now_ms();
        let (terms, given_at) = ask(endpoint, &helper, Wanted::default()).await?;
        let given_at = given_at.map(|address| address.ip().to_canonical());
        let grant = Grant { terms, asked_ms };
        let purse = endpoint.purse();
        if let Some(path) = &purse.file {
            let _turn = capability_store::turn(path).await;
            let written = capability_store::write(path, endpoint.eid(), helper.eid, &grant);
            *locked(&purse.failure) = written.err().map(|fault| purse.file_error(fault));
        }
        let capability = grant.terms.capability();
        locked(&self.state).held = Some(Held { grant, replaces_declined: declined, declined: false, given_at });
        endpoint.renew(helper.eid, &capability);
        Ok(())
    }

    /// How long until it is renewed.
    fn left(&self) -> Duration {
        let state = locked(&self.state);
        let at_ms = state.held.as_ref().filter(|held| !held.declined).map_or(0, |held| held.grant.renewed_ms());
        Duration::from_millis(at_ms.saturating_sub(now_ms()))
    }
}

/// Renews a helper's capability for as long as the endpoint is there.
async fn attend(endpoint: WeakEndpoint, account: Arc<Account>) {
    let mut pause = RENEW_AGAIN_FIRST;
    loop {
        let _ = tokio::time::timeout(account.left(), account.declined.notified()).await;
        let Some(endpoint) = endpoint.upgrade() else { return };
        let enough = |state: &State, now_ms| state.good(now_ms).is_some_and(|held| now_ms < held.grant.renewed_ms());
        match account.renew(&endpoint, enough).await {
            Ok(()) => pause = RENEW_AGAIN_FIRST,
            Err(HelpError::NotReached(ConnectError::Closing)) => return,
            // What there is may be good for a while; and who uses it is told what becomes of that.
            Err(_) => {
                drop(endpoint);
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RENEW_AGAIN_MAX);
            }
        }
    }
}

/// What a capability is asked for: as much as the helper gives, if nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// For how long, in seconds; 0: for as long as the helper gives.
    pub life_s: u32,
    /// For how many flows at once; 0: for as many as the helper gives.
    pub flows: u16,
    /// Whether tunnels shall end there, too.
    pub tunnels: bool,
}

/// Asks a helper for a capability, over a connection for this alone; answers where it was given as well. Who only goes
/// by way of it has [`Endpoint::via`], which keeps and renews what it gets.
///
/// # Errors
/// See [`HelpError`].
pub async fn ask(
    endpoint: &Endpoint,
    helper: &HelperTarget,
    wanted: Wanted,
) -> Result<(Terms, Option<SocketAddr>), HelpError> {
    let HelperTarget { eid, addresses, door, token, .. } = helper.clone();
    let target = Target { eid, addresses, capability: door, via: Vec::new() };
    let connecting = endpoint.dial(target).map_err(HelpError::NotReached)?;
    let connection = connecting.connection().clone();
    let Wanted { life_s, flows, tunnels } = wanted;
    let body = Ask { life_s, flows, tunnels, token };
    let body = Bytes::from_owner(Zeroizing::new(body.to_vec()));
    let asked = connection.request(SERVICE, body).protocol(PROTOCOL).answer_max(HEAD_LEN + BODY_MAX);
    let answer = asked.deadline(ASK_WITHIN).await;
    let given_at = connection.remote_address();
    connection.close(0, "");
    let answer = answer.map_err(|error| match error {
        RequestError::Connection(ConnectionError::Ended(CloseCause::NotConnected(error))) => {
            HelpError::NotReached(error)
        }
        error @ (RequestError::Refused { .. } | RequestError::TooLong(_)) => HelpError::NoHelper(error),
        error => HelpError::NoAnswer(error),
    })?;
    // Nobody else has it, so it is wiped where it stands.
    let answer = Zeroizing::new(Vec::from(answer));
    let mut reader = Reader::new(&answer);
    match Answer::parse(&mut reader).ok().filter(|_| reader.is_empty()) {
        Some(Answer::Granted(terms)) => Ok((terms, given_at)),
        Some(Answer::Denied(denied)) => Err(denied.into()),
        None => Err(HelpError::Malformed),
    }
}

impl Endpoint {
    /// A helper to go through, for [`Target::via`](crate::Target::via): with the capability that is
    /// [kept](crate::Builder::capabilities) if it is good for a while still, else with one that the helper is asked
    /// for. Of several that want one of the same helper at once, one asks. From then on it is renewed at half of its
    /// life, for as long as the endpoint is there: flows under way and later ones go on with the fresh one. When a
    /// helper declines it, since its secret or its clock has changed, it is asked for another once.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use tng::help::HelperTarget;
    ///
    /// let endpoint = tng::Endpoint::builder().capabilities("capabilities").build().await?;
    /// let (helper, server): (tng::Ticket, tng::Ticket) = ("tng1...".parse()?, "tng1...".parse()?);
    /// let mut target = tng::Target::from(&server);
    /// target.via.push(endpoint.via(&HelperTarget::from(&helper)).await?);
    /// let connection = endpoint.connect(target).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`HelpError`]. A program that can do without goes on without this helper.
    pub async fn via(&self, helper: &HelperTarget) -> Result<Via, HelpError> {
        let account = self.purse().account(self.eid(), helper)?;
        let good = |state: &State, now_ms| state.good(now_ms).is_some();
        if !good(&locked(&account.state), now_ms()) {
            account.renew(self, good).await?;
        }
        let (via, attended) = {
            let mut state = locked(&account.state);
            let held = state.held.as_ref().ok_or(HelpError::Malformed)?;
            let via = held.via(helper)?;
            (via, core::mem::replace(&mut state.attended, true))
        };
        if !attended {
            let task = self.runtime().spawn(attend(self.downgrade(), account));
            locked(&self.purse().renewals).push(task.abort_handle());
        }
        Ok(via)
    }

    /// Why the capability that was given last is not in the [file](crate::Builder::capabilities), once. It is used all
    /// the same, and asked for again by the next process.
    pub fn take_capabilities_failure(&self) -> Option<HelpError> {
        locked(&self.purse().failure).take()
    }
}

#[cfg(test)]
mod tests {
    use tng_base::PeerText;
    use tng_stack::CapabilityKey;

    use super::*;

    fn terms() -> Terms {
        Terms {
            life_s: 60,
            flows_max: 1,
            tunnels: false,
            rate_max: 0,
            held_max: 0,
            controllers: vec![PeerText::new("vegas").owned(), PeerText::new("cubic").owned()],
            queue_time_max_ms: 50,
            shown: vec![1],
            key: CapabilityKey::from_bytes([1; 16]),
        }
    }

    #[test]
    fn of_a_capability_that_was_asked_for_after_one_was_declined_that_is_not_believed_for_a_while() {
        let (client, helper) = (Eid::from_bytes([1; 32]), Eid::from_bytes([2; 32]));
        let pause = DECLINED_PAUSE.as_millis() as u64;
        let believed = |replaces_declined, age_ms| {
            let purse = Purse::new(None);
            let account = purse.account(client, &HelperTarget::new(helper, Vec::new())).expect("there is room");
            let grant = Grant { terms: terms(), asked_ms: now_ms() - age_ms };
            locked(&account.state).held = Some(Held { grant, replaces_declined, declined: false, given_at: None });
            purse.note_declined(&[client]);
            assert!(locked(&account.state).good(now_ms()).is_some(), "another helper declined");
            purse.note_declined(&[client, helper]);
            locked(&account.state).good(now_ms()).is_none()
        };
        assert!(believed(false, 0), "control: the first is");
        assert!(!believed(true, 0) && !believed(true, pause / 2));
        assert!(believed(true, pause));
    }

    #[test]
    fn what_the_terms_do_not_allow_is_refused_by_its_name() {
        let terms = terms();
        let wishes = |controller: Option<&str>, ms: Option<u64>| Wishes {
            controller: controller.map(str::to_owned),
            queue_time: ms.map(Duration::from_millis),
        };
        for fine in [wishes(None, None), wishes(Some("vegas"), Some(50)), wishes(Some("cubic"), None)] {
            assert!(permits(&terms, &fine).is_ok(), "{fine:?}");
        }
        let error = permits(&terms, &wishes(Some("eln"), None)).expect_err("it is not offered");
        assert!(error.to_string().contains("\"eln\" for its section, but vegas, cubic;"), "{error}");
        let error = permits(&terms, &wishes(None, Some(51))).expect_err("it is too long");
        assert!(error.to_string().contains("50ms at most, not for 51ms"), "{error}");
        let none = Terms { controllers: Vec::new(), queue_time_max_ms: 0, ..terms };
        assert!(permits(&none, &wishes(Some("vegas"), None)).is_err());
        assert!(permits(&none, &wishes(None, Some(1))).is_err());
    }
}
