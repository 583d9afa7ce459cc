//! Stores on a disk that works.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use super::*;

fn open(folder: &Path) -> (Store, Contents, Vec<Note>) {
    Store::open(folder, fresh()).expect("it opens")
}

fn put(store: &Store, n: u8) -> Index {
    store
        .install(&module(n), (hash(n), entry(n, Origin::File(String::new()), None)), ByHand::default(), |_| true)
        .expect("there is room")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn damage(path: &Path) {
    let mut bytes = fs::read(path).expect("it is there");
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn everything_in_a_store_is_for_its_owner_alone() {
    let folder = folder();
    let root = folder.path().join("a/stp");
    let (store, ..) = open(&root);
    put(&store, 1);
    store.add_violations(&[(hash(1), NOW, Violation::Cpu)]).expect("written");
    store.keep_compiled(&hash(1), "tag", b"code").expect("written");
    for inner in ["", "modules", "manifests", "compiled", "revocations", "aside"] {
        assert_eq!(mode(&root.join(inner)), 0o700, "{inner}");
    }
    let module = format!("modules/{}", hash(1));
    let compiled = format!("compiled/{}-tag", hash(1));
    for file in ["lock", "key", "index", "history", &module, &compiled] {
        assert_eq!(mode(&root.join(file)), 0o600, "{file}");
    }
}

#[test]
fn a_folder_that_others_may_write_to_is_refused() {
    let folder = folder();
    let root = folder.path().join("stp");
    open(&root);
    for mode in [0o770, 0o702, 0o777] {
        fs::set_permissions(&root, fs::Permissions::from_mode(mode)).expect("set");
        assert_eq!(Store::open(&root, fresh()).expect_err("others may write"), StoreError::Open { mode });
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).expect("set");
    open(&root);
}

#[test]
fn a_module_that_was_damaged_is_set_aside_and_never_handed_out() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    put(&store, 1);
    put(&store, 2);
    assert_eq!(store.module(&hash(1)), Ok(module(1)), "control");
    damage(&folder.path().join("modules").join(hash(1).to_string()));
    assert_eq!(store.module(&hash(1)), Err(StoreError::Damaged(hash(1))));
    assert_eq!(store.module(&hash(1)), Err(StoreError::NotHere(hash(1))));
    assert_eq!(fs::read_dir(folder.path().join("aside")).expect("a folder").count(), 1);
    damage(&folder.path().join("modules").join(hash(2).to_string()));
    let verified = store.verify().expect("it can be read");
    assert_eq!((verified.modules, verified.wrong.len()), (0, 1), "{verified:?}");
    assert_eq!(store.verify().expect("it can be read"), Verified::default());
    assert!(open(folder.path()).1.index.modules().next().is_none());
}

#[test]
fn a_manifest_or_a_list_that_was_damaged_is_set_aside() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    let said = signed(said_of(1, "acme", [1, 0, 0]), &[1]);
    store
        .install(&module(1), (hash(1), entry(1, Origin::File(String::new()), Some(said))), ByHand::default(), |_| true)
        .expect("there is room");
    let mut list = RevocationList::new(publisher(1).public());
    list.number = 1;
    store.accept(list.sign(&publisher(1))).expect("it is new");
    assert!(store.verify().expect("it can be read").wrong.is_empty(), "control");
    damage(&folder.path().join("manifests").join(hash(1).to_string()));
    damage(&folder.path().join("revocations").join(publisher(1).public().to_string()));
    let wrong: Vec<_> = store.verify().expect("it can be read").wrong.into_iter().map(|note| note.what).collect();
    assert_eq!(wrong, [Damaged::Manifest(hash(1)), Damaged::Revocations(publisher(1).public().to_string())]);
    assert_eq!(wrong[0].to_string(), format!("manifests/{}", hash(1)));
    let index = store.contents().expect("it can be read").index;
    assert_eq!(index.module(&hash(1)).map(|entry| entry.manifest.is_none()), Some(true), "nobody vouches for it now");
}

#[test]
fn an_index_or_a_history_that_is_damaged_or_of_another_version_is_set_aside_and_told() {
    for (file, bytes) in [("index", None), ("history", None), ("index", Some(*b"tngi")), ("history", Some(*b"tngh"))] {
        let folder = folder();
        let (store, ..) = open(folder.path());
        let said = signed(said_of(1, "acme", [1, 2, 0]), &[1]);
        store
            .install(
                &module(1),
                (hash(1), entry(1, Origin::File(String::new()), Some(said))),
                ByHand::default(),
                |_| true,
            )
            .expect("there is room");
        put(&store, 2);
        store.add_violations(&[(hash(1), NOW, Violation::Cpu)]).expect("written");
        let path = folder.path().join(file);
        match bytes {
            None => damage(&path),
            Some(magic) => fs::write(&path, crate::wire::checked(b"", magic, 9)).expect("written"),
        }
        match file {
            "index" => assert!(matches!(store.contents(), Err(StoreError::Index(_)))),
            _ => assert!(matches!(store.contents(), Err(StoreError::History(_)))),
        }
        let (store, contents, notes) = open(folder.path());
        assert_eq!(notes.len(), 1, "{notes:?}");
        let what = notes[0].what.to_string();
        assert!(what == file && notes[0].why.contains(if bytes.is_some() { "version 9" } else { "damaged" }));
        assert!(fs::read_dir(folder.path().join("aside")).expect("a folder").count() >= 1);
        assert!(store.verify().expect("it can be read").wrong.is_empty());
        let (index, history) = (contents.index, contents.history);
        if file == "index" {
            let entry = index.module(&hash(1)).expect("its manifest says what it is");
            assert_eq!((&entry.origin, index.module(&hash(2))), (&Origin::Unknown, None));
            let name = "acme".parse().expect("a name");
            let mark = index.mark(&name, &publisher(1).public()).expect("its version is kept in mind");
            assert_eq!((mark.version, history.all().count()), (Version([1, 2, 0]), 1));
        } else {
            assert_eq!((index.modules().count(), history.all().count()), (2, 0));
        }
        assert_eq!(open(folder.path()).2, [], "once");
    }
}

#[test]
fn a_key_that_is_no_key_is_made_anew_and_one_that_is_stays() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    assert_eq!(store.key().expose(), &[9; 32]);
    let other = || Secret32::from_bytes([8; 32]);
    let (store, _, notes) = Store::open(folder.path(), other()).expect("it opens");
    assert_eq!((store.key().expose(), notes.len()), (&[9; 32], 0));
    fs::write(folder.path().join("key"), b"short").expect("written");
    let (store, _, notes) = Store::open(folder.path(), other()).expect("it opens");
    assert_eq!((store.key().expose(), notes.len()), (&[8; 32], 1));
}

#[test]
fn a_store_keeps_to_its_quota_and_what_was_not_used_for_longest_goes_first() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    let len = module(1).len() as u64;
    let store = store.with_quota(3 * len + 10);
    for n in 1..=3 {
        put(&store, n);
    }
    store.used(&[(hash(1), NOW + 9), (hash(3), NOW + 1)].into_iter().collect()).expect("written");
    put(&store, 4);
    let here = |index: &Index| [1, 2, 3, 4, 5].map(|n| index.module(&hash(n)).is_some());
    let index = store.contents().expect("it can be read").index;
    assert_eq!(here(&index), [true, false, true, true, false]);
    for n in [1, 3] {
        store.pin(hash(n), true).expect("written");
    }
    assert_eq!(here(&put(&store, 5)), [true, false, true, false, true], "what is pinned stays");
    store.pin(hash(5), true).expect("written");
    let full =
        store.install(&module(6), (hash(6), entry(6, Origin::File(String::new()), None)), ByHand::default(), |_| true);
    assert_eq!(full, Err(StoreError::Quota { bytes: len, quota: 3 * len + 10 }));
    assert_eq!(here(&store.contents().expect("it can be read").index), [true, false, true, false, true]);
}

#[test]
fn compiled_code_counts_and_goes_with_its_module() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    let store = store.with_quota(1_000);
    put(&store, 1);
    store.keep_compiled(&hash(1), "engine", &[7; 600]).expect("there is room");
    assert_eq!(store.compiled(&hash(1), "engine"), Ok(Some(vec![7; 600])));
    assert_eq!(store.compiled(&hash(1), "other"), Ok(None));
    let absent = store.keep_compiled(&hash(2), "engine", &[7; 60]);
    assert_eq!(absent, Err(StoreError::NotHere(hash(2))));
    for n in 2..=5 {
        put(&store, n);
        store.used(&[(hash(n), NOW + 1)].into_iter().collect()).expect("written");
    }
    assert_eq!(store.compiled(&hash(1), "engine"), Ok(None), "it went with its module");
    let too_large = store.keep_compiled(&hash(5), "engine", &[7; 2_000]);
    assert_eq!(too_large, Err(StoreError::Quota { bytes: 2_000, quota: 1_000 }));
}

#[test]
fn processes_that_change_a_store_at_once_lose_nothing_of_each_other() {
    let folder = folder();
    thread::scope(|scope| {
        for half in 0..4_u8 {
            let path = folder.path();
            scope.spawn(move || {
                let (store, ..) = open(path);
                for n in half * 10..half * 10 + 10 {
                    put(&store, n);
                    store.pin(hash(n), true).expect("written");
                }
            });
        }
    });
    let (store, contents, notes) = open(folder.path());
    assert_eq!((contents.index.modules().count(), contents.index.pins().count(), notes.len()), (40, 40, 0));
    assert_eq!(store.verify().expect("it can be read").modules, 40);
}

#[test]
fn a_users_store_is_in_his_data_folder() {
    let place = |xdg: Option<&str>, home: Option<&str>| default_folder(xdg.map(Into::into), home.map(Into::into));
    assert_eq!(place(Some("/data"), Some("/home/a")), Ok("/data/tng/stp".into()));
    assert_eq!(place(None, Some("/home/a")), Ok("/home/a/.local/share/tng/stp".into()));
    assert_eq!(place(Some("relative"), Some("/home/a")), Ok("/home/a/.local/share/tng/stp".into()));
    assert_eq!(place(None, None), Err(StoreError::NoHome));
}

#[test]
fn what_is_set_aside_is_bounded() {
    let folder = folder();
    let (store, ..) = open(folder.path());
    for _ in 0..40 {
        put(&store, 1);
        damage(&folder.path().join("modules").join(hash(1).to_string()));
        assert_eq!(store.module(&hash(1)), Err(StoreError::Damaged(hash(1))));
    }
    assert_eq!(fs::read_dir(folder.path().join("aside")).expect("a folder").count(), 32);
}
