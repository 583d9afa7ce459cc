//! What a cluster is asked, in the JSON of its gateway: bytes are base64, and whole numbers texts.

use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};

use super::client::{Etcd, EtcdError, Lines, READ_WITHIN, WRITE_WITHIN};

/// Changes that are made by one transaction: etcd takes 128 operations, and those inside count with those around.
pub const CHANGES_MAX: usize = 96;
/// What is kept, read in pages of so many.
pub const PAGE: usize = 1_000;

/// Code of what refers to something that is not there: a lease, mostly.
const NOT_FOUND: u64 = 5;
/// Code of a revision whose history is gone.
const OUT_OF_RANGE: u64 = 11;

/// A key and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kv {
    /// The key.
    pub key: Vec<u8>,
    /// The value; nothing where it was removed.
    pub value: Option<Vec<u8>>,
    /// With which revision of all that is kept it came.
    pub revision: u64,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The keys, in their order.
    pub found: Vec<Kv>,
    /// Whether there are more.
    pub more: bool,
    /// The revision at which the member was that has answered.
    pub revision: u64,
}

/// A key that shall have another value, if it is as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The key.
    pub key: Vec<u8>,
    /// With which revision its value came that it has; 0: there is none.
    pub was: u64,
    /// Its value from now on, and the lease that it ends with, 0 for none; nothing: it is removed.
    pub to: Option<(Vec<u8>, u64)>,
}

/// What became of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is made, with this revision.
    Made(u64),
    /// The key is otherwise than it was to be, as this tells.
    Otherwise {
        /// What it is, if it is.
        found: Option<Kv>,
        /// At which revision.
        revision: u64,
    },
}

/// A watch that goes on.
#[derive(Debug)]
pub struct Watching(Lines);

/// What a watch tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// These were changed, in this order.
    Changed {
        /// The keys.
        keys: Vec<Kv>,
        /// All is told up to this revision; 0: as before.
        revision: u64,
    },
    /// What was to be told is history that is gone.
    Compacted,
}

fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    // What is empty is left out.
    BASE64.decode(value.as_str().unwrap_or_default().as_bytes()).ok()
}

fn number(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn revision(answer: &Value) -> u64 {
    number(&answer["header"]["revision"])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn kv(value: &Value) -> Option<Kv> {
    Some(Kv {
        key: bytes(&value["key"])?,
        value: Some(bytes(&value["value"])?),
        revision: number(&value["mod_revision"]),
    })
}

fn range(answer: &Value) -> Range {
    let found = list(&answer["kvs"]).iter().filter_map(kv).collect();
    Range { found, more: answer["more"] == true, revision: revision(answer) }
}

impl EtcdError {
    /// Whether a lease is meant that is over.
    pub fn is_not_found(&self) -> bool {
        matches!(self, EtcdError::Refused { code: NOT_FOUND, .. })
    }

    /// Whether a revision is meant that is not to be had any more, or not yet.
    pub fn is_out_of_range(&self) -> bool {
        matches!(self, EtcdError::Refused { code: OUT_OF_RANGE, .. })
    }
}

impl Etcd {
    /// What is at a key, without a leader: as that member has it which is least behind of all that answer. One that was
    /// just started may not know yet what it had agreed to.
    ///
    /// # Errors
    /// If no member answers.
    pub async fn get(&self, key: &[u8]) -> Result<Range, EtcdError> {
        let asked = json!({ "key": base64(key), "serializable": true });
        let answers = self.ask_all("/v3/kv/range", &asked.to_string(), READ_WITHIN).await?;
        let newest = answers.iter().max_by_key(|answer| revision(answer));
        newest.map(range).ok_or_else(|| EtcdError::Silent("it answers nothing".to_owned()))
    }

    /// The same, as the cluster agrees that it is now.
    ///
    /// # Errors
    /// If no member answers that has a leader.
    pub async fn get_agreed(&self, key: &[u8]) -> Result<Range, EtcdError> {
        self.range(&json!({ "key": base64(key) }), WRITE_WITHIN).await
    }

    /// A page of what is from one key up to another, which is not in it, as it was at a revision; 0: as it is where it
    /// is asked.
    ///
    /// # Errors
    /// If no member answers, or none has that revision.
    pub async fn page(&self, (from, to): (&[u8], &[u8]), at: u64) -> Result<Range, EtcdError> {
        let asked = json!({
            "key": base64(from), "range_end": base64(to), "limit": PAGE.to_string(), "revision": at.to_string(),
            "serializable": true,
        });
        self.range(&asked, WRITE_WITHIN).await
    }

    async fn range(&self, asked: &Value, within: Duration) -> Result<Range, EtcdError> {
        Ok(range(&self.ask("/v3/kv/range", &asked.to_string(), within).await?))
    }

    /// Makes changes, each that still fits, all at once; at most [`CHANGES_MAX`] of as many keys. They may have been
    /// made although no member answers.
    ///
    /// # Errors
    /// If no member answers that has a leader, or a lease is over: then none is made.
    pub async fn change(&self, changes: &[Change]) -> Result<Vec<Outcome>, EtcdError> {
        let each: Vec<Value> = changes.iter().map(|change| json!({ "request_txn": as_txn(change) })).collect();
        let answer = self.ask("/v3/kv/txn", &json!({ "success": each }).to_string(), WRITE_WITHIN).await?;
        let (revision, responses) = (revision(&answer), list(&answer["responses"]));
        let outcome = |response: &Value| {
            let response = &response["response_txn"];
            match response["succeeded"] == true {
                true => Outcome::Made(revision),
                false => {
                    let found = list(&response["responses"][0]["response_range"]["kvs"]).first().and_then(kv);
                    Outcome::Otherwise { found, revision }
                }
            }
        };
        match responses.len() == changes.len() {
            true => Ok(responses.iter().map(outcome).collect()),
            false => Err(EtcdError::Silent("it answers something else".to_owned())),
        }
    }

    /// Makes one change.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub async fn change_one(&self, change: Change) -> Result<Outcome, EtcdError> {
        let mut outcomes = self.change(&[change]).await?;
        outcomes.pop().ok_or_else(|| EtcdError::Silent("it answers nothing".to_owned()))
    }

    /// A new lease of so many seconds.
    ///
    /// # Errors
    /// If no member answers that has a leader.
    pub async fn grant(&self, seconds: u64) -> Result<u64, EtcdError> {
        let asked = json!({ "TTL": seconds.to_string() });
        let answer = self.ask("/v3/lease/grant", &asked.to_string(), WRITE_WITHIN).await?;
        match number(&answer["ID"]) {
            0 => Err(EtcdError::Silent("it grants no lease".to_owned())),
            id => Ok(id),
        }
    }

    /// Has leases go on. Answers those of them that are over.
    ///
    /// # Errors
    /// If no member answers that has a leader.
    pub async fn keep_alive(&self, leases: &[u64]) -> Result<Vec<u64>, EtcdError> {
        let asked: String = leases.iter().map(|id| format!("{{\"ID\":\"{id}\"}}\n")).collect();
        let answer = self.ask("/v3/lease/keepalive", &asked, WRITE_WITHIN).await?;
        let answers = if answer.is_array() { list(&answer) } else { std::slice::from_ref(&answer) };
        let is_over = |answer: &&Value| number(&answer["result"]["TTL"]) == 0;
        if answers.iter().any(|answer| number(&answer["result"]["ID"]) == 0) {
            return Err(EtcdError::Silent("it says nothing of the lease".to_owned()));
        }
        Ok(answers.iter().filter(is_over).map(|answer| number(&answer["result"]["ID"])).collect())
    }

    /// Ends a lease, and all that ends with it.
    ///
    /// # Errors
    /// If no member answers that has a leader.
    pub async fn revoke(&self, lease: u64) -> Result<(), EtcdError> {
        let asked = json!({ "ID": lease.to_string() });
        self.ask("/v3/lease/revoke", &asked.to_string(), WRITE_WITHIN).await.map(drop)
    }

    /// Has what changes from one key up to another told, from a revision on.
    ///
    /// # Errors
    /// If no member answers.
    pub async fn watch(&self, (from, to): (&[u8], &[u8]), at: u64) -> Result<Watching, EtcdError> {
        let asked = json!({ "create_request": {
            "key": base64(from), "range_end": base64(to), "start_revision": at.to_string(),
        } });
        Ok(Watching(self.follow("/v3/watch", &asked.to_string()).await?))
    }
}

fn as_txn(Change { key, was, to }: &Change) -> Value {
    let key = base64(key);
    let done = match to {
        Some((value, lease)) => {
            json!({ "request_put": { "key": key, "value": base64(value), "lease": lease.to_string() } })
        }
        None => json!({ "request_delete_range": { "key": key } }),
    };
    json!({
        "compare": [{ "key": key, "target": "MOD", "result": "EQUAL", "mod_revision": was.to_string() }],
        "success": [done],
        "failure": [{ "request_range": { "key": key } }],
    })
}

impl Watching {
    /// What is told next.
    ///
    /// # Errors
    /// If the watch is over.
    pub async fn next(&mut self) -> Result<Told, EtcdError> {
        let said = self.0.next().await?;
        let result = &said["result"];
        if number(&result["compact_revision"]) > 0 {
            return Ok(Told::Compacted);
        }
        if result["canceled"] == true || result.is_null() {
            let why = result["cancel_reason"].as_str().or(said["error"]["message"].as_str());
            return Err(EtcdError::Silent(why.unwrap_or("it has ended the watch").to_owned()));
        }
        let keys: Vec<Kv> = list(&result["events"]).iter().filter_map(event).collect();
        let revision = keys.last().map_or(0, |kv| kv.revision);
        Ok(Told::Changed { keys, revision })
    }
}

fn event(value: &Value) -> Option<Kv> {
    let told = kv(&value["kv"])?;
    let is_removed = value["type"] == "DELETE";
    Some(Kv { value: told.value.filter(|_| !is_removed), ..told })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::etcd::members::Members;

    #[tokio::test]
    async fn a_change_is_made_where_nothing_else_has_changed_and_each_of_several_for_itself() {
        let Some(members) = Members::start(1) else { return };
        let etcd = Etcd::new(&members.clients());
        let change = |key: &str, was, value: &str| Change {
            key: key.as_bytes().to_vec(),
            was,
            to: Some((value.as_bytes().to_vec(), 0)),
        };
        let Outcome::Made(first) = etcd.change_one(change("a", 0, "1")).await.expect("it answers") else {
            panic!("nobody was before");
        };
        let outcomes = etcd.change(&[change("a", 0, "2"), change("b", 0, "2"), change("c", 7, "2")]).await;
        let outcomes = outcomes.expect("it answers");
        let found = Kv { key: b"a".to_vec(), value: Some(b"1".to_vec()), revision: first };
        assert!(matches!(&outcomes[0], Outcome::Otherwise { found: Some(kept), .. } if *kept == found), "{outcomes:?}");
        assert!(matches!(outcomes[1], Outcome::Made(made) if made > first), "{outcomes:?}");
        assert!(matches!(outcomes[2], Outcome::Otherwise { found: None, .. }), "{outcomes:?}");
        let many: Vec<Change> = (0..CHANGES_MAX).map(|n| change(&format!("m{n}"), 0, "x")).collect();
        let made = etcd.change(&many).await.expect("it takes as many");
        assert!(made.iter().all(|outcome| matches!(outcome, Outcome::Made(_))));
        let removed = Change { key: b"a".to_vec(), was: first, to: None };
        assert!(matches!(etcd.change_one(removed).await, Ok(Outcome::Made(_))));
        assert_eq!(etcd.get(b"a").await.expect("it answers").found, []);
        let page = etcd.page((b"m", b"n"), 0).await.expect("it answers");
        assert_eq!((page.found.len(), page.more), (CHANGES_MAX, false));
    }

    #[tokio::test]
    async fn what_changes_is_told_and_what_hangs_on_a_lease_ends_with_it() {
        let Some(members) = Members::start(1) else { return };
        let etcd = Etcd::new(&members.clients());
        let mut watching = etcd.watch((b"k", b"l"), 1).await.expect("it answers");
        assert_eq!(watching.next().await, Ok(Told::Changed { keys: Vec::new(), revision: 0 }), "it is there");
        let lease = etcd.grant(60).await.expect("granted");
        let put = |lease| Change { key: b"k1".to_vec(), was: 0, to: Some((b"v".to_vec(), lease)) };
        let Ok(Outcome::Made(made)) = etcd.change_one(put(lease)).await else { panic!("it is new") };
        let kv =
            |value: Option<&[u8]>, revision| Kv { key: b"k1".to_vec(), value: value.map(<[u8]>::to_vec), revision };
        let told = Told::Changed { keys: vec![kv(Some(b"v"), made)], revision: made };
        assert_eq!(watching.next().await, Ok(told));
        assert_eq!(etcd.keep_alive(&[lease, lease + 1]).await, Ok(vec![lease + 1]), "nobody has granted that");
        etcd.revoke(lease).await.expect("ended");
        let Ok(Told::Changed { keys, .. }) = watching.next().await else { panic!("it is told") };
        assert_eq!((keys.len(), keys[0].value.as_ref()), (1, None));
        assert_eq!(etcd.keep_alive(&[lease]).await, Ok(vec![lease]));
        let error = etcd.change_one(put(lease)).await.expect_err("the lease is over");
        assert!(error.is_not_found(), "{error}");
    }

    #[tokio::test]
    async fn a_member_that_does_not_answer_is_passed_over_and_none_at_all_is_told() {
        let Some(mut members) = Members::start(1) else { return };
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        // It takes connections, and says nothing.
        let hangs = nobody.local_addr().expect("bound");
        let etcd = Etcd::new(&[hangs, members.clients()[0]]);
        assert_eq!(etcd.get(b"a").await.expect("the other answers").found, []);
        members.kill(0);
        let error = etcd.get(b"a").await.expect_err("none is left");
        assert!(matches!(&error, EtcdError::Silent(_)) && error.to_string().contains("start its members"), "{error}");
    }
}
