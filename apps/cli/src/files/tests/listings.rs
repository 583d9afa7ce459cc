//! Listings beside peers who do not read theirs.

use std::time::Duration;

use tokio::time::timeout;

use super::*;

/// A folder whose listing fills every pipe.
fn full() -> tempfile::TempDir {
    let folder = scratch();
    for i in 0..2_000 {
        fs::write(folder.path().join(format!("a name that takes some room {i:06}")), b"").expect("written");
    }
    folder
}

/// A listing that is asked for by somebody who reads `each` bytes a second.
fn ask_and_read(service: &Arc<Service>, peer: u8, each: usize) -> tokio::task::JoinHandle<()> {
    let (service, account) = (Arc::clone(service), Arc::new(Account::new(Eid::from_bytes([peer; 32]))));
    tokio::spawn(async move {
        let (mut near, far) = duplex(1_000);
        let held = service.buffers.place(&account).await;
        let mut request = Vec::new();
        put(&Request::List { path: SafePath::root(), look: Look::default() }, &mut request);
        let reading = async {
            let mut some = vec![0; each.max(1)];
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                if each > 0 {
                    let _ = near.read_exact(&mut some).await;
                }
            }
        };
        tokio::select! {
            _ = answer_listing(service, account, held, &request, far) => {}
            () = reading => {}
        }
    })
}

async fn honest(server: &Server) {
    assert_eq!(list(server, &SafePath::root(), Look::default()).await.expect("listed").entries.len(), 2_000);
}

#[tokio::test]
async fn who_does_not_read_its_listing_or_a_byte_a_second_holds_up_no_other() {
    let folder = full();
    let server = Server::new(folder.path());
    for each in [0, 1] {
        let slow: Vec<_> = (0..32).map(|i| ask_and_read(&server.service, i / 2, each)).collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        timeout(STALL_TIME / 2, honest(&server)).await.expect("nobody is waited for");
        assert!(slow.iter().all(|slow| !slow.is_finished()), "they are at it still");
        slow.iter().for_each(tokio::task::JoinHandle::abort);
    }
    // Control: where they keep their turns until all is read, nobody else is served.
    let turns = server.service.listings.acquire_many(LISTINGS_MAX as u32).await.expect("never closed");
    assert!(timeout(Duration::from_secs(2), honest(&server)).await.is_err());
    drop(turns);
    honest(&server).await;
}

#[tokio::test]
async fn what_is_listed_and_not_read_is_counted_until_its_peer_is_given_up() {
    let folder = full();
    let mut service =
        Service::new(Root::new(folder.path()).expect("a folder"), None, Ration::new(HASH_RATE), Buffers::new(32 << 20));
    service.stall = Duration::from_secs(1);
    let account = Arc::new(Account::new(PEER));
    let (near, far) = duplex(1_000);
    let mut request = Vec::new();
    put(&Request::List { path: SafePath::root(), look: Look::default() }, &mut request);
    let held = service.buffers.place(&account).await;
    let mut most = 0;
    let mut giving = std::pin::pin!(answer_listing(Arc::new(service), Arc::clone(&account), held, &request, far));
    let given = loop {
        tokio::select! {
            given = &mut giving => break given,
            () = tokio::time::sleep(Duration::from_millis(1)) => {
                most = account.in_hand.load(Ordering::Relaxed).max(most);
            }
        }
    };
    assert!(matches!(given, Err(GiveError::Send(..))), "it is given up: {given:?}");
    let names = 2_000 * 35;
    assert!(most > names, "the names that are to come: {most}");
    assert_eq!(account.in_hand.load(Ordering::Relaxed), 0);
    drop(near);
}
