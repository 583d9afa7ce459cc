use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::*;

fn eid(n: u8) -> Eid {
    tng_isolation::Identity::from_seed([n; 32]).eid()
}

fn why(text: &str) -> String {
    Config::parse(text).expect_err(text).to_string()
}

#[test]
fn a_host_has_a_name_and_everything_that_a_helper_needs() {
    let text = format!(
        "helpers = \"named\"\n[hosts.attic]\neid = \"{}\"\naddress = [\"192.0.2.7\", \"attic.example:99\"]\n\
         token = \"open sesame\"\ntrusted = true\ncontroller = \"vegas\"\nqueue_time = \"20ms\"\n\
         [hosts.cellar]\neid = \"{}\"\naddress = \"cellar.example\"\n",
        eid(1),
        eid(2)
    );
    let config = Config::parse(&text).expect("it is fine");
    assert_eq!(config.helpers, tng::Helpers::Named(vec![eid(1), eid(2)]));
    assert_eq!(config.names().collect::<Vec<_>>(), ["attic", "cellar"]);
    let attic = config.host("attic").expect("it is there");
    let places: Vec<String> = attic.places.iter().map(HostAddress::to_string).collect();
    assert_eq!((attic.eid, places), (eid(1), vec!["192.0.2.7:4860".to_owned(), "attic.example:99".to_owned()]));
    assert_eq!((attic.token.as_ref().map(Token::expose), attic.trusted), (Some(&b"open sesame"[..]), true));
    let wishes = Wishes { controller: Some("vegas".to_owned()), queue_time: Some(Duration::from_millis(20)) };
    assert_eq!(attic.wishes, wishes);
    let cellar = config.host("cellar").expect("it is there");
    assert_eq!((cellar.trusted, &cellar.token, &cellar.wishes), (false, &None, &Wishes::default()));
    assert!(config.has_secrets);
}

#[test]
fn a_host_that_registries_let_those_find_who_have_a_token_needs_no_address() {
    let text = format!("[hosts.photos]\neid = \"{}\"\nregistry_token = \"open sesame\"\n", eid(1));
    let config = Config::parse(&text).expect("it is fine");
    let photos = config.host("photos").expect("it is there");
    assert_eq!((photos.eid, photos.places.len(), &photos.token), (eid(1), 0, &None));
    assert_eq!(config.registry_token(eid(1)).expect("there").expect("a word").expose(), b"open sesame");
    assert!(config.registry_token(eid(2)).is_none() && config.has_secrets);
    let bare = format!("[hosts.photos]\neid = \"{}\"\n", eid(1));
    assert!(why(&bare).contains("address"), "{}", why(&bare));
}

#[test]
fn a_token_for_registries_is_read_from_the_file_that_the_configuration_names_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("changed");
        path
    };
    let text = format!("[hosts.photos]\neid = \"{}\"\nregistry_token = \"@secret\"\n", eid(1));
    let config = Config::read(&write("config.toml", &text)).expect("it is fine");
    assert!(!config.has_secrets);
    let missing = config.registry_token(eid(1)).expect("there").expect_err("no file");
    assert!(missing.what.contains("secret"), "{missing}");
    write("secret", "open sesame\n");
    assert_eq!(config.registry_token(eid(1)).expect("there").expect("a line").expose(), b"open sesame");
}

#[test]
fn a_ticket_says_who_and_where() {
    let place = "192.0.2.7:4860".parse().expect("an address");
    let ticket = tng::Ticket::new(eid(1), vec![place], vec![7; 8]).expect("it fits");
    let config = Config::parse(&format!("[hosts.a]\nticket = \"{ticket}\"")).expect("it is fine");
    let host = config.host("a").expect("it is there");
    assert_eq!((host.eid, &host.places[..], &host.door[..]), (eid(1), &[HostAddress::Address(place)][..], &[7; 8][..]));
    assert!(config.has_secrets);
    let both = format!("[hosts.a]\nticket = \"{ticket}\"\neid = \"{}\"", eid(1));
    assert!(why(&both).starts_with("line 2: a ticket says who and where"), "{}", why(&both));
}

#[test]
fn an_empty_file_permits_all_helpers_and_names_none() {
    let config = Config::parse("").expect("it is fine");
    assert_eq!((config.helpers, config.hosts.len()), (tng::Helpers::Any, 0));
    for (text, expected) in [("none", tng::Helpers::None), ("named", tng::Helpers::Named(Vec::new()))] {
        assert_eq!(Config::parse(&format!("helpers = {text:?}")).expect("it is fine").helpers, expected);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_the_nearest_key() {
    let whole = format!("[hosts.a]\neid = \"{}\"\naddress = \"a.example\"\n", eid(1));
    assert!(Config::parse(&whole).is_ok(), "control");
    for (text, expected) in [
        ("\nhelper = \"any\"".to_owned(), "line 2: the file has no key \"helper\"; did you mean \"helpers\"?"),
        ("helpers = \"nmed\"".to_owned(), "line 1: there is no policy of helpers \"nmed\"; did you mean \"named\"?"),
        (format!("{whole}trustd = true"), "line 4: [hosts.a] has no key \"trustd\"; did you mean \"trusted\"?"),
        (format!("{whole}trusted = 1"), "line 4: trusted: write true or false"),
        (format!("{whole}token = \"\""), "line 4: token: a token has 1 to 64 bytes"),
        (format!("{whole}queue_time = \"2min\""), "line 4: queue_time: "),
        (format!("{whole}controller = \"cubc\""), "line 4: controller: "),
        (format!("{whole}controller = \"bbr\""), "line 4: controller: \"bbr\" cannot govern sections"),
        ("[hosts.a]\naddress = \"a.example\"".to_owned(), "line 1: [hosts.a] needs eid or ticket"),
        ("[hosts.a]\neid = \"x\"".to_owned(), "line 2: eid: "),
        ("[hosts.\"a b\"]\neid = \"x\"".to_owned(), "line 1: a b: a name has letters"),
        ("hosts = 7".to_owned(), "line 1: hosts: write a table"),
        ("[hosts.a]\nticket = \"tng1secret\"".to_owned(), "line 2: ticket: "),
    ] {
        let why = why(&text);
        assert!(why.starts_with(expected), "{why}");
        assert!(!why.contains("secret"), "{why}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_secrets_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    assert!(Config::read(&path).expect("there is none").hosts.is_empty());
    let host = format!("[hosts.a]\neid = \"{}\"\naddress = \"a.example\"\n", eid(1));
    let read = |text: &str, mode| {
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("changed");
        Config::read(&path).map(|_| ()).map_err(|failure| failure.exit)
    };
    assert_eq!(read(&host, 0o644), Ok(()), "an address is no secret");
    let secret = format!("{host}token = \"open sesame\"");
    assert_eq!((read(&secret, 0o644), read(&secret, 0o600)), (Err(Exit::Read), Ok(())));
}

#[test]
fn whose_offers_are_taken_is_what_the_command_line_says_else_the_file_else_anybodys() {
    let listed = format!("helpers_in_path = \"listed\"\n[hosts.a]\neid = \"{}\"\naddress = \"a.example\"\n", eid(1));
    let config = Config::parse(&listed).expect("it is fine");
    assert_eq!(config.in_path(None), tng::HelpersInPath::Listed(vec![eid(1)]));
    assert_eq!(config.in_path(Some(InPath::Forbid)), tng::HelpersInPath::Forbidden);
    assert_eq!(config.in_path(Some(InPath::Allow)), tng::HelpersInPath::Allowed);
    assert_eq!(Config::default().in_path(None), tng::HelpersInPath::Allowed);
    assert!(why("helpers_in_path = \"perhaps\"").contains("forbid"), "{}", why("helpers_in_path = \"perhaps\""));
}
