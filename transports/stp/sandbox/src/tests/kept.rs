//! Code that was compiled before, and kept.

use tng_base::CodeHash;
use tng_crypto::code_hash;

use super::*;
use crate::{BUILT_IN, CompiledError, CompiledKey, built_in};

fn key(n: u8) -> CompiledKey {
    CompiledKey::derive(&Secret32::from_bytes([n; 32]))
}

fn compiled(engine: &Engine, bytes: &[u8]) -> (CodeHash, Vec<u8>) {
    let hash = code_hash(bytes);
    let module = Module::new(engine, bytes).unwrap();
    (hash, module.compiled(&key(1), &hash).unwrap())
}

fn refused(engine: &Engine, key: &CompiledKey, hash: &CodeHash, kept: &[u8]) -> CompiledError {
    Module::of_compiled(engine, key, hash, kept).expect_err("it is not this host's own")
}

#[test]
fn every_guest_that_is_built_in_is_the_same_when_it_was_kept() {
    let engine = engine();
    for guest in BUILT_IN {
        let (hash, kept) = compiled(&engine, guest.bytes);
        let module = Module::of_compiled(&engine, &key(1), &hash, &kept).unwrap();
        assert_eq!(module.kind(), guest.kind, "{}", guest.name);
        // And it can be kept again, the same to the byte.
        assert_eq!(module.compiled(&key(1), &hash).unwrap(), kept, "{}", guest.name);
    }
}

#[test]
fn an_instance_of_kept_code_is_held_to_the_same_quotas() {
    let endless = Wat::transport().body("attach", "(loop $l (br $l))").bytes();
    let engine = engine();
    let (hash, kept) = compiled(&engine, &endless);
    let module = Module::of_compiled(&engine, &key(1), &hash, &kept).unwrap();
    let mut instance = Sandboxed::new(&module, shim(Quotas::default())).unwrap();
    assert_eq!(instance.call(Callback::Attach), Err(Fault::Cpu));
}

#[test]
fn kept_code_that_was_changed_or_cut_anywhere_is_not_looked_at() {
    let engine = engine();
    let (hash, kept) = compiled(&engine, &Wat::transport().bytes());
    Module::of_compiled(&engine, &key(1), &hash, &kept).expect("control: it is good");
    let mut rng = Rng::from_u64(1);
    let places = (0..64).chain((0..200).map(|_| usize::try_from(rng.below(kept.len() as u64)).unwrap()));
    for at in places {
        let mut bad = kept.clone();
        bad[at] ^= 1 << (at % 8);
        assert_eq!(refused(&engine, &key(1), &hash, &bad), CompiledError::Unproven, "byte {at}");
    }
    for len in [0, 1, 15, 16, 17, kept.len() / 2, kept.len() - 1] {
        assert_eq!(refused(&engine, &key(1), &hash, &kept[..len]), CompiledError::Unproven, "{len} bytes");
    }
    let more = [&kept[..], &[0]].concat();
    assert_eq!(refused(&engine, &key(1), &hash, &more), CompiledError::Unproven);
}

#[test]
fn kept_code_of_another_host_of_other_code_or_of_another_engine_is_refused() {
    let engine = engine();
    let (hash, kept) = compiled(&engine, &Wat::transport().bytes());
    assert_eq!(refused(&engine, &key(2), &hash, &kept), CompiledError::Unproven, "another host's secret");
    let other = code_hash(b"other");
    assert_eq!(refused(&engine, &key(1), &other, &kept), CompiledError::Unproven, "under another hash");
    let smaller = Engine::new(Quotas { memory: 1 << 20, ..Quotas::default() }).unwrap();
    assert_ne!(smaller.tag(), engine.tag());
    assert_eq!(refused(&smaller, &key(1), &hash, &kept), CompiledError::Unproven, "checked against other quotas");
    assert_eq!(Engine::new(Quotas::default()).unwrap().tag(), engine.tag(), "control");
    assert_eq!(engine.tag().len(), 16);
}

/// `cargo test --release -p tng-stp-sandbox kept_code_is_there -- --nocapture` tells the times.
#[test]
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
fn kept_code_is_there_sooner_than_it_is_compiled() {
    use std::time::{Duration, Instant};
    let (engine, newreno) = (engine(), built_in("newreno").unwrap());
    let timed = |work: &dyn Fn()| {
        let times = (0..20).map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        });
        times.min().unwrap_or(Duration::MAX)
    };
    let (hash, kept) = compiled(&engine, newreno.bytes);
    let compiling = timed(&|| drop(Module::new(&engine, newreno.bytes).unwrap()));
    let taking = timed(&|| drop(Module::of_compiled(&engine, &key(1), &hash, &kept).unwrap()));
    println!("newreno: {} bytes kept; compiled in {compiling:?}, taken in {taking:?}", kept.len());
    assert!(taking < compiling / 2, "{taking:?}, {compiling:?}");
    assert!(cfg!(debug_assertions) || taking < Duration::from_millis(1), "{taking:?}");
}
