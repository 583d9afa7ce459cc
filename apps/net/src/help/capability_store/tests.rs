use tng_base::PeerText;
use tng_stack::CapabilityKey;

use super::*;

const CLIENT: Eid = Eid::from_bytes([1; 32]);
const HELPER: Eid = Eid::from_bytes([2; 32]);

fn grant(number: u8, asked_ms: u64) -> Grant {
    let terms = Terms {
        life_s: 100,
        flows_max: 16,
        tunnels: false,
        rate_max: 0,
        held_max: 0,
        controllers: vec![PeerText::new("vegas").owned()],
        queue_time_max_ms: 50,
        shown: vec![number; 40],
        key: CapabilityKey::from_bytes([number; 16]),
    };
    Grant { terms, asked_ms }
}

fn place() -> (PathBuf, impl Drop) {
    struct Folder(PathBuf);
    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
    let name: String = random_seed().expect("entropy").expose()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = std::env::temp_dir().join(format!("tng-kept-{name}"));
    (folder.join("tng/capabilities"), Folder(folder))
}

fn number(path: &Path, client: Eid, helper: Eid) -> Option<u8> {
    read(path, client, helper).expect("a good file").map(|grant| grant.terms.shown[0])
}

#[test]
fn what_is_kept_of_a_helper_is_there_again_for_the_same_client_alone() {
    let (path, _folder) = place();
    assert_eq!(number(&path, CLIENT, HELPER), None, "there is no file");
    write(&path, CLIENT, HELPER, &grant(7, 5_000)).expect("written");
    let again = read(&path, CLIENT, HELPER).expect("a good file").expect("it is there");
    assert_eq!((again.terms, again.asked_ms), (grant(7, 5_000).terms, 5_000));
    assert_eq!(number(&path, HELPER, CLIENT), None);
    assert_eq!(number(&path, Eid::from_bytes([3; 32]), HELPER), None, "the file was copied to another");
    write(&path, CLIENT, CLIENT, &grant(8, 6_000)).expect("written");
    write(&path, CLIENT, HELPER, &grant(9, 7_000)).expect("written");
    assert_eq!((number(&path, CLIENT, HELPER), number(&path, CLIENT, CLIENT)), (Some(9), Some(8)));
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("read").count(), 1, "nothing is left beside");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_several_write_at_once_is_all_kept() {
    let (path, _folder) = place();
    let helpers: Vec<Eid> = (10..26).map(|byte| Eid::from_bytes([byte; 32])).collect();
    let writing = (0..).zip(helpers.clone()).map(|(number, helper)| {
        let path = path.clone();
        tokio::spawn(async move {
            let _turn = turn(&path).await.expect("a turn");
            write(&path, CLIENT, helper, &grant(number, 5_000)).expect("written");
        })
    });
    for one in writing.collect::<Vec<_>>() {
        one.await.expect("it did not panic");
    }
    let kept: Vec<_> = helpers.iter().map(|helper| number(&path, CLIENT, *helper)).collect();
    assert_eq!(kept, (0..16).map(Some).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone_and_one_that_others_read_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let (path, _folder) = place();
    write(&path, CLIENT, HELPER, &grant(7, 5_000)).expect("written");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
    assert!(matches!(read(&path, CLIENT, HELPER), Err(FileFault::OpenToOthers(0o640))));
}

#[test]
fn a_file_with_any_bit_changed_is_refused_and_so_is_one_that_is_cut_off() {
    let (path, _folder) = place();
    write(&path, CLIENT, HELPER, &grant(7, 5_000)).expect("written");
    let whole = fs::read(&path).expect("read");
    let rewrite = |bytes: &[u8]| {
        replace(&path, bytes).expect("written");
        read(&path, CLIENT, HELPER)
    };
    assert!(rewrite(&whole).is_ok(), "control");
    for at in 0..whole.len() - 1 {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            assert!(rewrite(&changed).is_err(), "bit {bit} of byte {at}");
        }
    }
    for len in (0..whole.len() - 1).filter(|len| !(HEAD.len()..=HEAD.len() + 1).contains(len)) {
        assert!(rewrite(&whole[..len]).is_err(), "{len} bytes");
    }
    assert!(matches!(rewrite(&whole[..=HEAD.len()]), Ok(None)), "nothing is kept there");
    let text = String::from_utf8(whole).expect("text");
    for (from, to) in [(" 5000 ", " +5000 "), (" 5000 ", "  5000 "), ("\n", "\r\n"), (HEAD, "tng-capabilities 2")] {
        assert!(rewrite(text.replace(from, to).as_bytes()).is_err(), "{to:?}");
    }
    assert!(matches!(rewrite(format!("{text}x\n").as_bytes()), Err(FileFault::Line(3))));
    assert!(matches!(rewrite(b"anything else\n"), Err(FileFault::Foreign)));
    let refused = write(&path, CLIENT, HELPER, &grant(7, 5_000));
    assert!(matches!(refused, Err(FileFault::Foreign)), "what is somebody else's is not written over");
}

#[test]
fn of_too_many_the_oldest_are_forgotten_and_so_are_those_that_have_ended() {
    let (path, _folder) = place();
    let helper = |number: u8| Eid::from_bytes([number; 32]);
    for number in 0..=CAPABILITIES_KEPT_MAX as u8 {
        write(&path, CLIENT, helper(number), &grant(number, 1_000 + u64::from(number))).expect("written");
    }
    assert_eq!((number(&path, CLIENT, helper(0)), number(&path, CLIENT, helper(1))), (None, Some(1)));
    write(&path, CLIENT, HELPER, &grant(9, 200_000)).expect("written");
    assert_eq!((number(&path, CLIENT, HELPER), number(&path, CLIENT, helper(9))), (Some(9), None));
}

#[test]
fn a_capability_is_good_until_an_eighth_of_its_life_is_left_and_not_before_it_was_asked_for() {
    let grant = grant(1, 1_000_000);
    let good = |ms: u64| grant.is_good(1_000_000 + ms);
    assert_eq!([0, 87_499, 87_500, 100_000].map(good), [true, true, false, false]);
    assert!(!grant.is_good(999_999));
    assert_eq!((grant.renewed_ms(), grant.ends_ms()), (1_050_000, 1_100_000));
}
