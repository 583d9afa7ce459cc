//! What became of the flows of a run: kept beside the world, so that it outlives nodes that restart.

use core::cell::RefCell;
use std::rc::Rc;

use tng_base::Instant;

/// One flow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Account {
    pub(crate) state: State,
    pub(crate) started: Option<Instant>,
    /// When the receiver had the first byte.
    pub(crate) first_byte: Option<Instant>,
    /// Bytes that the sender has handed to its transport.
    pub(crate) sent: u64,
    /// Bytes that the receiver has, every one of them checked.
    pub(crate) received: u64,
}

/// How far a flow is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum State {
    /// Its time has not come.
    #[default]
    Waiting,
    /// Under way.
    Running,
    /// The receiver has everything, since then.
    Done(Instant),
    /// It will not end well.
    Failed(String),
}

/// The accounts, by flow. Nodes write, the run reads.
#[derive(Clone)]
pub(crate) struct Ledger(Rc<RefCell<Vec<Account>>>);

impl Ledger {
    pub(crate) fn new(flows: usize) -> Ledger {
        Ledger(Rc::new(RefCell::new(vec![Account::default(); flows])))
    }

    pub(crate) fn account(&self, flow: usize) -> Account {
        self.0.borrow()[flow].clone()
    }

    /// Whether every flow is done or has failed.
    pub(crate) fn is_settled(&self) -> bool {
        self.0.borrow().iter().all(|account| matches!(account.state, State::Done(_) | State::Failed(_)))
    }

    pub(crate) fn is_waiting(&self, flow: usize) -> bool {
        self.0.borrow()[flow].state == State::Waiting
    }

    pub(crate) fn is_running(&self, flow: usize) -> bool {
        self.0.borrow()[flow].state == State::Running
    }

    pub(crate) fn start(&self, flow: usize, now: Instant) {
        let account = &mut self.0.borrow_mut()[flow];
        account.state = State::Running;
        account.started = Some(now);
    }

    pub(crate) fn count_sent(&self, flow: usize, bytes: u64) {
        self.0.borrow_mut()[flow].sent += bytes;
    }

    pub(crate) fn count_received(&self, flow: usize, now: Instant, bytes: u64) {
        let account = &mut self.0.borrow_mut()[flow];
        account.first_byte.get_or_insert(now);
        account.received += bytes;
    }

    pub(crate) fn done(&self, flow: usize, now: Instant) {
        self.settle(flow, State::Done(now));
    }

    pub(crate) fn fail(&self, flow: usize, reason: impl Into<String>) {
        self.settle(flow, State::Failed(reason.into()));
    }

    /// What is settled stays so.
    fn settle(&self, flow: usize, state: State) {
        let account = &mut self.0.borrow_mut()[flow];
        if matches!(account.state, State::Waiting | State::Running) {
            account.state = state;
        }
    }
}
