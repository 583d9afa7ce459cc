//! The store with real members of etcd, where there are any.

use std::sync::atomic::{AtomicUsize, Ordering};

use tng::Identity;
use tng::registry::{Attended, Order, Policy, Record, Statement, Word, battery};

use super::*;
use crate::etcd::members::Members;
use crate::registry::parts::Parts;

/// What was told of trouble: how often there was some, and how often it was over.
#[derive(Default)]
struct Told([AtomicUsize; 2]);

impl Told {
    fn counts(&self) -> [usize; 2] {
        [0, 1].map(|which| self.0[which].load(Ordering::Relaxed))
    }
}

fn config(members: &Members, session: Duration) -> (EtcdConfig, Arc<Told>) {
    let told = Arc::<Told>::default();
    let counted = Arc::clone(&told);
    let tell = Arc::new(move |trouble: Option<&StoreError>| {
        counted.0[usize::from(trouble.is_none())].fetch_add(1, Ordering::Relaxed);
    });
    let place = members.place("tng").parse().expect("a place");
    (EtcdConfig { place, part: (0, 1), hosts_max: 1_000, session, tell }, told)
}

fn open(members: &Members) -> EtcdStore {
    EtcdStore::open(config(members, SESSION).0).expect("opened")
}

fn host(n: u8) -> Identity {
    Identity::from_seed([n; 32])
}

/// What a host says at a registry, for a minute.
fn entry(n: u8, number: u64, registry: u8) -> Entry {
    let now_ms = now_ms();
    let record = Record { number, expires_s: 4_000_000_000, addresses: Vec::new() };
    let attended = Attended {
        registry: host(registry).eid(),
        addresses: vec![([192, 0, 2, registry], 4_860).into()],
        observed: ([198, 51, 100, n], 4_860).into(),
    };
    Entry {
        statement: Statement::new(&host(n), Word::Here(record)),
        policy: Policy::Public,
        attended: Some(attended),
        until_ms: now_ms + 60_000,
    }
}

async fn number(store: &EtcdStore, n: u8) -> Option<u64> {
    let found = store.get(now_ms(), host(n).eid()).await.ok().flatten()?;
    Some(found.statement.order().number)
}

/// Waits until it is so, for a minute.
async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = clock::now();
    while !is_so().await {
        assert!(began.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_of_etcd_is_a_store() {
    let Some(members) = Members::start(1) else { return };
    // Its leases are real: so long that all is put within one.
    battery(&open(&members), now_ms(), Duration::from_secs(8), tokio::time::sleep).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clusters_that_share_the_hosts_are_a_store_and_each_has_its_part_and_is_taken_for_no_other() {
    let (Some(one), Some(two)) = (Members::start(1), Members::start(1)) else { return };
    let part = |members: &Members, which| {
        let (config, told) = config(members, SESSION);
        (Arc::new(EtcdStore::open(EtcdConfig { part: (which, 2), ..config }).expect("opened")), told)
    };
    let stores: Vec<Arc<dyn Store>> = vec![part(&one, 0).0, part(&two, 1).0];
    battery(&Parts::new(stores), now_ms(), Duration::from_secs(8), tokio::time::sleep).await;
    let kept = async |members: &Members| {
        let page = Etcd::new(&members.clients()).page((b"tng/hosts/", b"tng/hosts0"), 0).await.expect("it answers");
        page.found.len()
    };
    // What is left of it: a revocation, and a host that has come again, each in its part.
    assert_eq!(kept(&one).await + kept(&two).await, 2);
    // Another registry that names them the other way round.
    let (swapped, told) = part(&one, 1);
    let refused = swapped.put(now_ms(), entry(3, 1, 7)).await.expect_err("it is the other part");
    assert!(refused.0.contains("has part 1 of 2") && refused.0.contains("named as part 2 of 2"), "{refused}");
    assert!(swapped.get(now_ms(), host(3).eid()).await.is_err(), "that it is not there is not known");
    until("trouble", async || told.counts()[0] == 1 && swapped.trouble().is_some()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_at_one_registry_is_found_and_told_at_another_with_who_attends_to_the_host() {
    let Some(members) = Members::start(3) else { return };
    let [one, two] = [open(&members), open(&members)];
    let told = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&told);
    two.watch(Arc::new(move |change| {
        assert_eq!(change, Change::Of(host(1).eid()));
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(one.put(now_ms(), entry(1, 5, 7)).await, Ok(Put::New));
    until("another registry to hear", async || told.load(Ordering::Relaxed) == 1).await;
    let found = two.get(now_ms(), host(1).eid()).await.expect("it answers").expect("it is there");
    assert_eq!(found.attended, entry(1, 5, 7).attended);
    // The highest number counts, wherever it was said.
    let older = Put::Older(Order { rank: 0, number: 5 });
    assert_eq!(two.put(now_ms(), entry(1, 4, 8)).await, Ok(older));
    assert_eq!(two.put(now_ms(), entry(1, 6, 8)).await, Ok(Put::New));
    until("the first to hear", async || number(&one, 1).await == Some(6)).await;
    assert_eq!(one.put(now_ms(), entry(1, 5, 7)).await, Ok(Put::Older(Order { rank: 0, number: 6 })));
    // A registry that has just begun knows as much.
    let three = open(&members);
    assert_eq!(number(&three, 1).await, Some(6));
}

#[tokio::test(flavor = "multi_thread")]
async fn registries_that_put_at_the_same_time_leave_the_highest_number_whatever_the_order() {
    let Some(members) = Members::start(1) else { return };
    let stores: Vec<Arc<EtcdStore>> = (0..3).map(|_| Arc::new(open(&members))).collect();
    let mut puts = tokio::task::JoinSet::new();
    for number in 1..=60u64 {
        let store = Arc::clone(&stores[number as usize % 3]);
        // In an order of its own at each.
        puts.spawn(async move { store.put(now_ms(), entry(1, number * 37 % 61, number as u8 % 3)).await });
    }
    let mut kept = 0;
    while let Some(put) = puts.join_next().await {
        kept += usize::from(put.expect("no panic") == Ok(Put::New));
    }
    assert!(kept >= 1);
    for store in &stores {
        until("the highest", async || number(store, 1).await == Some(60)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_dies_takes_its_hosts_along_when_its_lease_ends_and_another_has_them_again() {
    let Some(members) = Members::start(1) else { return };
    let short = Duration::from_secs(3);
    let mortal = EtcdStore::open(config(&members, short).0).expect("opened");
    let other = open(&members);
    for n in [1, 2] {
        let lease = Entry { until_ms: now_ms() + 2_500, ..entry(n, 1, 7) };
        assert_eq!(mortal.put(now_ms(), lease).await, Ok(Put::New));
    }
    // One is registered at the other as well, which wrote before.
    until("the other to hear", async || number(&other, 1).await == Some(1)).await;
    assert_eq!(other.put(now_ms(), entry(1, 1, 8)).await, Ok(Put::New));
    let lease = Entry { until_ms: now_ms() + 2_500, attended: entry(1, 1, 9).attended, ..entry(1, 1, 7) };
    until("the first to hear", async || mortal.put(now_ms(), lease.clone()).await == Ok(Put::New)).await;
    drop(mortal);
    until("its lease to end", async || number(&other, 2).await.is_none()).await;
    let asked = Etcd::new(&members.clients());
    let key = other.shared.keys.host(host(1).eid());
    until("the other to write it", async || {
        let found = asked.get_agreed(&key).await.expect("it answers").found;
        found
            .into_iter()
            .next()
            .and_then(|kv| stored(host(1).eid(), kv))
            .is_some_and(|stored| stored.entry.attended == entry(1, 1, 8).attended)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_that_etcd_has_lost_are_granted_anew_and_what_hung_on_them_is_put_again() {
    let Some(members) = Members::start(1) else { return };
    let store = open(&members);
    for n in 1..=20 {
        assert_eq!(store.put(now_ms(), entry(n, 1, 7)).await, Ok(Put::New));
    }
    let before = *store.shared.leases.lock().await.get(&0).expect("granted");
    let etcd = Etcd::new(&members.clients());
    etcd.revoke(before).await.expect("it is lost");
    for n in 1..=20 {
        assert_eq!(number(&store, n).await, Some(1), "who said it here is found all the time");
    }
    until("all to be there again", async || {
        let page = etcd.page((b"tng/hosts/", b"tng/hosts0"), 0).await.expect("it answers");
        page.found.len() == 20
    })
    .await;
    assert_ne!(store.shared.leases.lock().await.get(&0), Some(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn when_etcd_is_down_what_is_known_is_answered_and_said_so_and_all_is_well_when_it_is_back() {
    let Some(mut members) = Members::start(1) else { return };
    let ((config, told), other) = (config(&members, SESSION), open(&members));
    let store = EtcdStore::open(config).expect("opened");
    assert_eq!(store.put(now_ms(), entry(1, 1, 7)).await, Ok(Put::New));
    assert_eq!(other.put(now_ms(), entry(2, 1, 8)).await, Ok(Put::New));
    until("it to hear", async || number(&store, 2).await == Some(1)).await;
    members.kill(0);
    until("trouble", async || store.trouble().is_some()).await;
    assert_eq!(told.counts()[0], 1);
    for n in [1, 2] {
        assert_eq!(number(&store, n).await, Some(1), "own and others' are answered from memory");
    }
    assert_eq!(store.put(now_ms(), entry(1, 1, 7)).await.map(drop), Ok(()), "who is there renews");
    assert!(store.get(now_ms(), host(3).eid()).await.is_err(), "that nobody has registered is not known");
    let denied = store.put(now_ms(), entry(3, 1, 7)).await.expect_err("nothing new is kept");
    assert!(denied.0.contains("etcd does not answer"), "{denied}");
    members.restart(0);
    until("no trouble", async || store.trouble().is_none()).await;
    assert_eq!(told.counts(), [1, 1]);
    // An answer may come late: then it is kept, and said again.
    let is_kept = |put| matches!(put, Ok(Put::New | Put::Renewed));
    until("what is new to be kept", async || is_kept(store.put(now_ms(), entry(3, 1, 7)).await)).await;
    until("the other to hear", async || number(&other, 3).await == Some(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_whose_entry_is_damaged_or_another_hosts_is_not_there() {
    let Some(members) = Members::start(1) else { return };
    let etcd = Etcd::new(&members.clients());
    let key = |n: u8| format!("tng/hosts/{}", host(n).eid()).into_bytes();
    for (n, value) in [(1, b"nonsense".to_vec()), (2, entry(3, 1, 7).to_vec())] {
        let change = KeyChange { key: key(n), was: 0, to: Some((value, 0)) };
        assert!(matches!(etcd.change_one(change).await, Ok(Outcome::Made(_))));
    }
    let store = open(&members);
    for n in [1, 2] {
        assert_eq!(store.get(now_ms(), host(n).eid()).await, Ok(None));
        assert_eq!(store.put(now_ms(), entry(n, 1, 7)).await, Ok(Put::New), "and may come");
    }
}
