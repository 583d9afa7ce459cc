//! Tests that every store passes. Call them from the store's own tests.

use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};

use tng_base::Eid;
use tng_stack::Identity;

use super::{Attended, Change, Entry, Order, Policy, Put, Record, Statement, Store, Succession, TokenHash, Word};

fn host(n: u8) -> Identity {
    Identity::from_seed([n; 32])
}

fn entry(n: u8, word: Word, until_ms: u64) -> Entry {
    let attended = Attended {
        registry: host(200).eid(),
        addresses: vec![([192, 0, 2, 1], 4_860).into()],
        observed: ([198, 51, 100, n], 4_860).into(),
    };
    Entry {
        statement: Statement::new(&host(n), word),
        policy: Policy::Token(TokenHash([n; 32])),
        attended: Some(attended),
        until_ms,
    }
}

fn record(number: u64, expires_s: u64) -> Word {
    Word::Here(Record { number, expires_s, addresses: vec![([203, 0, 113, 1], number as u16).into()] })
}

/// Checks that a store, empty at `now_ms`, is one. Leases last for `lease` there, and `waits` for that time; in a store
/// that goes by the times that it is told, it need not.
///
/// # Panics
/// If the store breaks one of the rules.
pub async fn battery<W: Future<Output = ()>>(
    store: &dyn Store,
    now_ms: u64,
    lease: Duration,
    waits: impl Fn(Duration) -> W,
) {
    let lease_ms = lease.as_millis() as u64;
    let (until_ms, expires_s) = (now_ms + lease_ms, now_ms / 1_000 + 3_600);
    let told = Arc::<Mutex<Vec<Change>>>::default();
    let heard = Arc::clone(&told);
    store.watch(Arc::new(move |change| heard.lock().unwrap_or_else(PoisonError::into_inner).push(change)));
    let put = async |entry: &Entry| store.put(now_ms, entry.clone()).await.expect("the store answers");
    let get = async |at_ms: u64, n: u8| store.get(at_ms, host(n).eid()).await.expect("the store answers");

    assert_eq!(get(now_ms, 1).await, None, "it is empty");
    let first = entry(1, record(10, expires_s), until_ms);
    assert_eq!(put(&first).await, Put::New);
    assert_eq!(store.count(now_ms), 1, "it is counted at once");
    assert_eq!(get(now_ms, 1).await, Some(first.clone()), "what was put is found, whole");
    assert_eq!(get(now_ms, 2).await, None, "and it is nobody else's");

    let longer = Entry { until_ms: until_ms + lease_ms, ..first.clone() };
    assert_eq!(put(&longer).await, Put::Renewed);
    let moved = Attended { observed: ([198, 51, 100, 77], 1).into(), ..longer.attended.clone().expect("it has one") };
    let moved = Entry { attended: Some(moved), ..longer.clone() };
    assert_eq!(put(&moved).await, Put::New, "it is seen elsewhere");
    assert_eq!(get(now_ms, 1).await, Some(moved.clone()));
    let moved = Entry { policy: Policy::Listed(Vec::new()), ..moved };
    assert_eq!(put(&moved).await, Put::New, "others may know");
    assert_eq!(get(now_ms, 1).await, Some(moved.clone()));

    for older in [record(9, expires_s), record(10, expires_s + 1)] {
        assert_eq!(put(&entry(1, older, until_ms)).await, Put::Older(Order { rank: 0, number: 10 }));
    }
    assert_eq!(get(now_ms, 1).await, Some(moved), "an older one changes nothing");
    let newer = entry(1, record(11, expires_s), until_ms);
    assert_eq!(put(&newer).await, Put::New);
    assert_eq!(get(now_ms, 1).await, Some(newer));

    let gone = entry(1, Word::Succeeded(Succession::new(host(1).eid(), &host(2), expires_s)), until_ms + lease_ms);
    assert_eq!(put(&gone).await, Put::New, "a succession is above every record");
    let heir = |n: u8, made_s| Word::Succeeded(Succession::new(host(1).eid(), &host(n), made_s));
    assert_eq!(put(&entry(1, heir(3, expires_s + 1), until_ms)).await, Put::OtherHeir, "an heir is taken once");
    assert_eq!(get(now_ms, 1).await, Some(gone.clone()), "the first one stays");
    assert_eq!(
        put(&entry(1, record(u64::MAX, expires_s), until_ms)).await,
        Put::Older(Order { rank: 1, number: expires_s })
    );
    let revoked = entry(1, Word::Revoked { made_s: 0 }, until_ms + 100 * lease_ms);
    assert_eq!(put(&revoked).await, Put::New, "and a revocation above that");
    assert_eq!(get(now_ms, 1).await, Some(revoked.clone()));

    // Hosts whose keys differ in their first bits and in their last ones.
    for n in 2..=40 {
        assert_eq!(put(&entry(n, record(n.into(), expires_s), until_ms)).await, Put::New);
    }
    assert_eq!((store.remove_expired(now_ms).await, store.count(now_ms)), (Ok(()), 40), "nothing has expired");
    for n in 2..=40 {
        assert_eq!(get(now_ms, n).await, Some(entry(n, record(n.into(), expires_s), until_ms)));
    }

    let changes = |of: Eid| {
        let told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|change| matches!(change, Change::Any | Change::Of(_)) && is_of(**change, of)).count()
    };
    let mut waited = 0;
    // Others may tell of changes a while later.
    while changes(host(40).eid()) == 0 && waited < 100 {
        waits(Duration::from_millis(100)).await;
        waited += 1;
    }
    assert!(changes(host(40).eid()) >= 1, "changes are told");
    assert!(changes(host(1).eid()) >= 1);

    waits(lease).await;
    let later_ms = until_ms + 1;
    assert_eq!(get(later_ms, 2).await, None, "its lease has ended");
    assert_eq!((store.remove_expired(later_ms).await, store.count(later_ms)), (Ok(()), 1), "all others as well");
    assert_eq!(get(later_ms, 1).await, Some(revoked));
    let again = entry(2, record(1, expires_s), later_ms + lease_ms);
    assert_eq!(store.put(later_ms, again).await, Ok(Put::New), "whose lease has ended may begin anew");
}

fn is_of(change: Change, eid: Eid) -> bool {
    match change {
        Change::Of(of) => of == eid,
        Change::Any => true,
    }
}

#[cfg(test)]
mod tests {
    use core::future::{Future, ready};
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};

    use super::super::Memory;
    use super::*;

    /// What never waits is ready at once.
    fn ready_now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("memory waits for nobody"),
        }
    }

    #[test]
    fn memory_is_a_store() {
        ready_now(battery(&Memory::new(100), 1_000_000, Duration::from_secs(60), |_| ready(())));
    }

    #[test]
    fn a_store_that_is_full_takes_nobody_new_and_renews_those_that_it_has() {
        let store = Memory::new(2);
        let put = |n: u8, number, now_ms: u64| {
            let entry = entry(n, record(number, 2_000), now_ms + 1_000);
            ready_now(store.put(now_ms, entry)).expect("memory answers")
        };
        assert_eq!([put(1, 1, 0), put(2, 1, 0), put(3, 1, 0)], [Put::New, Put::New, Put::Full]);
        assert_eq!([put(1, 1, 500), put(2, 2, 0)], [Put::Renewed, Put::New]);
        assert_eq!((ready_now(store.remove_expired(1_200)), store.count(1_200)), (Ok(()), 1));
        assert_eq!(put(3, 1, 1_200), Put::New);
    }

    #[test]
    fn who_fills_a_store_from_one_network_or_with_what_is_said_of_keys_makes_room_for_others() {
        let store = Memory::new(6);
        let put = |n: u8, from: Option<u8>| {
            let seen = entry(n, record(1, 2_000), 1_000);
            let attended = from
                .zip(seen.attended.clone())
                .map(|(last, attended)| Attended { observed: ([192, 0, 2, last], n.into()).into(), ..attended });
            store.put_now(0, Entry { attended, ..seen })
        };
        let kept = || (1..100).filter(|n| store.get_now(0, host(*n).eid()).is_some()).collect::<Vec<u8>>();
        assert!((1..=6).all(|n| put(n, Some(1)) == Put::New));
        assert_eq!(put(7, Some(1)), Put::Full, "it has all that there is");
        assert_eq!([put(11, Some(2)), put(12, None)], [Put::New, Put::New]);
        assert_eq!(kept(), [1, 2, 3, 4, 11, 12], "its last make room");
        assert_eq!([put(13, None), put(14, None)], [Put::New, Put::Full], "for as many as itself");
        assert_eq!(put(1, Some(3)), Put::New, "who moves takes its place along");
        assert_eq!((kept(), store.sweep(0).len(), store.sweep(0).len()), (vec![1, 2, 3, 11, 12, 13], 3, 0));
        store.sweep(1_000);
        assert_eq!(store.count(1_000), 0);
        assert!((1..=6).all(|n| store.put_now(1_000, entry(n, record(1, 2_000), 2_000)) == Put::New));
    }
}
