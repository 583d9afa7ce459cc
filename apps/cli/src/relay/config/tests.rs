use super::*;

fn places() -> Places {
    Places { state: ("/s".into(), Origin::Default), runtime: ("/r".into(), Origin::Environment("RUNTIME_DIRECTORY")) }
}

fn parse(text: &str) -> core::result::Result<RelayConfig, String> {
    RelayConfig::parse(text, &places()).map_err(|error| error.to_string())
}

const EID: &str = "wyjsuv6ckrakcd4lglvtn5m5rnm3mjqbrvhpoapuagjpcqanavjq";

#[test]
fn an_empty_file_is_a_relay_that_serves_nobody_and_every_value_says_that_it_is_the_default() {
    let config = parse("").expect("it is good");
    assert_eq!(config.clients.count(), (0, false));
    assert_eq!((config.fixed.listen.port(), config.helper.relays_max), (DEFAULT_PORT, RELAYS_MAX));
    let told = |key: &str| config.told.iter().find(|told| told.key == key).expect("it is told").clone();
    assert_eq!(told("relay.threads"), Told { key: "relay.threads".into(), value: "1".into(), origin: Origin::Default });
    assert_eq!(told("relay.control").origin, Origin::Environment("RUNTIME_DIRECTORY"));
    let elsewhere = config.told.iter().filter(|told| told.key.starts_with("elsewhere."));
    assert_eq!(elsewhere.count(), ELSEWHERE.len());
}

#[test]
fn what_a_neighbourhood_does_not_say_is_as_elsewhere_and_told_so() {
    let text = "[elsewhere]\nqueue_time = '40ms'\n[[neighbourhood]]\nnetwork = '10.0.0.0/8'\ncontroller = 'vegas'\n";
    let config = parse(text).expect("it is good");
    let (network, there) = &config.helper.neighbourhoods[0];
    assert_eq!((network.bits, there.queue_time.as_millis()), (8, 40));
    assert_eq!((there.controller.family(), config.helper.elsewhere.controller.family()), ("vegas", "cubic"));
    let origin = |key: &str| config.told.iter().find(|told| told.key == key).expect("told").origin.to_string();
    assert_eq!(origin("neighbourhood.1.queue_time"), "as [elsewhere]");
    assert_eq!(origin("neighbourhood.1.controller"), "line 5");
    assert_eq!(origin("elsewhere.queue_time"), "line 2");
}

#[test]
fn a_wrong_key_or_value_is_told_with_its_line_and_what_should_stand_there() {
    for (text, wanted) in [
        ("[relay]\nlisten = ':1'\nthread = 2", "line 3: [relay] has no key \"thread\"; did you mean \"threads\"?"),
        ("[relay]\nlisten = '1'", "line 2: listen: write IP:PORT"),
        ("[realy]\n", "line 1: the file has no key \"realy\"; did you mean \"relay\"?"),
        ("[relay]\nonward = 'all'", "line 2: onward: write \"public\", or a list of networks"),
        ("[relay]\nonward = ['10.1.0.0/8']", "line 2: onward: \"10.1.0.0/8\" has bits beyond the first 8"),
        ("[relay]\nonward = ['10.0.0.0/33']", "line 2: onward: \"10.0.0.0/33\" is no network"),
        ("[relay]\nsecret = 'here'", "line 2: secret: write a whole path"),
        ("[relay]\nflows_max = 0", "line 2: flows_max: write a whole number from 1 to 16384"),
        ("[elsewhere]\ncontroller = 'bbr'", "line 2: controller: "),
        ("[elsewhere]\nqueue_time = 5", "line 2: queue_time: "),
        ("[elsewhere]\ncontroller = 'guest-a:bbr'", "line 2: controller: \"guest-a:bbr\" cannot govern sections"),
        ("[terms]\ncontrollers = ['guest-vegas']", "line 2: controllers: what an order asks for governs both ends"),
        (
            "[elsewhere]\ncontroller = 'guest-vegas'\nlease = { rate = '1mbit' }",
            "line 2: a leased way is under \"fixed\", at the rate of the lease; leave \"guest-vegas\" out",
        ),
        ("[[neighbourhood]]\ncontroller = 'vegas'", "line 1: a [[neighbourhood]] needs network"),
        ("[neighbourhood]\nnetwork = '::/0'", "line 1: neighbourhood: write [[neighbourhood]]"),
        (
            "[[neighbourhood]]\nnetwork = '10.0.0.0/8'\n[[neighbourhood]]\nnetwork = '10.1.0.0/16'",
            "line 4: \"10.1.0.0/16\" lies in \"10.0.0.0/8\", which stands before it and counts; put it first",
        ),
        (
            "[[neighbourhood]]\nnetwork = '10.0.0.0/8'\n[[neighbourhood]]\nnetwork = '10.0.0.0/8'",
            "line 4: \"10.0.0.0/8\" has a [[neighbourhood]] already, and that one counts; leave one out",
        ),
        ("[[client]]\nname = 'a'", "line 1: a [[client]] needs eid or token_sha256"),
        ("[[client]]\neid = 'abc'", "line 2: eid: \"abc\" is no EID"),
        ("[[client]]\ntoken_sha256 = 'abc'", "line 2: token_sha256: write the 64 hexadecimal digits"),
        ("[terms]\nlife = '5ms'", "line 2: life: write at least \"1s\""),
        ("[terms]\nlife = '1000h'", "line 2: life: write at most \"720h\""),
        ("[terms]\ncontrollers = ['vegass']", "line 2: "),
        ("[elsewhere]\nrepair = '10s'", "line 2: repair: write at most \"4s\""),
        (
            "[elsewhere]\ncontroller = 'vegas'\nlease = { rate = '1mbit' }",
            "line 2: a leased way is under \"fixed\", at the rate of the lease; leave \"vegas\" out",
        ),
        (
            "[elsewhere]\nlease = { rate = '1mbit' }\n[[neighbourhood]]\nnetwork = '10.0.0.0/8'\ncontroller = 'vegas'",
            "line 5: a leased way is under \"fixed\"",
        ),
        ("[elsewhere]\ncontroller = 'fixed'", "line 2: \"fixed\" keeps to a rate, and none is said; write one"),
        ("[elsewhere]\ncontroller = 'eln:fixed'", "line 2: \"eln:fixed\" keeps to a rate, and none is said"),
        ("[terms]\ncontrollers = ['fixed']", "line 2: controllers: \"fixed\" keeps to a rate, and none is said"),
        ("relay = 5", "line 1: relay: write a table in braces"),
        ("[relay", "line 1: "),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
    let twice = format!("[[client]]\neid = '{EID}'\n[[client]]\neid = '{EID}'");
    assert!(parse(&twice).expect_err("twice").contains("is listed twice"));
}

#[test]
fn a_guest_that_governs_sections_is_told_with_its_place_and_put_where_the_file_names_it() {
    let text = "[elsewhere]\ncontroller = 'guest-vegas'\n[[neighbourhood]]\nnetwork = '10.0.0.0/8'\n\
                [[neighbourhood]]\nnetwork = '11.0.0.0/8'\ncontroller = 'guest-fast'\n\
                [[neighbourhood]]\nnetwork = '12.0.0.0/8'\ncontroller = 'cubic'\n";
    let config = parse(text).expect("it is good");
    let guest = |name: &str, place: &str| GuestNamed { name: name.into(), place: place.into() };
    assert_eq!(config.guests, [guest("vegas", "line 2"), guest("fast", "line 7")]);
    let told = |key: &str| {
        let told = config.told.iter().find(|told| told.key == key).expect("told");
        format!("{} ({})", told.value, told.origin)
    };
    assert_eq!(told("elsewhere.controller"), "'guest-vegas' (line 2)");
    assert_eq!(told("neighbourhood.1.controller"), "\"guest-vegas\" (as [elsewhere])");
    // What stands for a guest is put wherever the file names it, and nowhere else.
    let fixed = |name: &str| format!("fixed:{}mbit", name.len()).parse::<SectionChoice>();
    let helper = config.helper(fixed).expect("they are controllers");
    let all = helper.neighbourhoods.iter().map(|(_, there)| there).chain([&helper.elsewhere]);
    let names: Vec<&str> = all.map(|around| around.controller.name()).collect();
    assert_eq!(names, ["fixed:5mbit", "fixed:4mbit", "cubic", "fixed:5mbit"]);
    assert_eq!(config.helper(|name| Err(name.to_owned())).err().as_deref(), Some("vegas"), "and what fails is told");
}

#[test]
fn a_leased_way_is_under_fixed_and_one_beside_it_is_not() {
    let text = "[elsewhere]\ncontroller = 'fixed'\nlease = { rate = '1mbit' }\n\
                [[neighbourhood]]\nnetwork = '10.0.0.0/8'\n\
                [[neighbourhood]]\nnetwork = '11.0.0.0/8'\nlease = 'none'\n\
                [[neighbourhood]]\nnetwork = '12.0.0.0/8'\nlease = 'none'\ncontroller = 'fixed:2mbit'\n";
    let config = parse(text).expect("it is good");
    let shown = |key: &str| {
        let told = config.told.iter().find(|told| told.key == key).expect("told");
        format!("{} as {}", told.value, told.origin)
    };
    assert_eq!(shown("elsewhere.controller"), "'fixed' as line 2");
    assert_eq!(shown("neighbourhood.1.controller"), "\"fixed\" as as the lease");
    assert_eq!(shown("neighbourhood.2.controller"), "\"cubic\" as default");
    assert_eq!(shown("neighbourhood.3.controller"), "'fixed:2mbit' as line 12");
    let plain = parse("[elsewhere]\nlease = { rate = '1mbit' }\n").expect("it is good");
    assert!(plain.told.iter().any(|told| told.key == "elsewhere.controller" && told.value == "\"fixed\""));
}

#[test]
fn every_key_of_a_client_is_told_and_a_name_that_it_has_not_is_its_eid() {
    let hash = "ab".repeat(32);
    let config = parse(&format!("[[client]]\nname = 'us'\ntoken_sha256 = '{hash}'\n[[client]]\neid = '{EID}'\n"));
    let config = config.expect("it is good");
    let told = |key: &str| {
        let told = config.told.iter().find(|told| told.key == key).expect("told");
        format!("{} ({})", told.value, told.origin)
    };
    assert_eq!(
        (told("client.1.name"), told("client.1.token_sha256")),
        ("'us' (line 2)".into(), format!("'{hash}' (line 3)"))
    );
    assert_eq!(
        (told("client.2.name"), told("client.2.eid")),
        (format!("\"{EID}\" (default)"), format!("'{EID}' (line 5)"))
    );
}

#[test]
fn a_listed_host_or_token_gets_its_own_terms_and_others_none_or_the_standard() {
    let ask = |token: Option<&str>| tng::help::Ask {
        life_s: 0,
        flows: 0,
        tunnels: false,
        token: token.map(|token| tng::help::Token::new(token).expect("short")),
    };
    let hash: String = tng_crypto::sha256(&[b"open"]).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!(
        "[terms]\nflows = 5\n[[client]]\neid = '{EID}'\nrate = '8mbit'\n\
         [[client]]\nname = 'bob'\ntoken_sha256 = '{hash}'\n"
    );
    let config = parse(&text).expect("it is good");
    let listed: tng_base::Eid = EID.parse().expect("an EID");
    let other = tng::Identity::from_seed([7; 32]).eid();
    let granted = config.clients.decide(listed, &ask(None)).expect("it is listed");
    assert_eq!((granted.terms.flows_max, granted.rate_max), (5, Some(1_000_000)));
    assert_eq!(config.helper.limits_of(granted.client).and_then(|limits| limits.rate_max), Some(1_000_000));
    assert_eq!(config.clients.decide(other, &ask(None)).err(), Some(tng::help::Denied::NotAClient));
    assert_eq!(config.clients.decide(other, &ask(Some("shut"))).err(), Some(tng::help::Denied::WrongToken));
    let bob = config.clients.decide(other, &ask(Some("open"))).expect("it has the token");
    assert_eq!(config.clients.name(bob.client), "bob");
    let anyone = parse("[terms]\nanyone = true").expect("it is good");
    assert_eq!(anyone.clients.decide(other, &ask(None)).expect("anyone").terms.flows_max, super::super::clients::FLOWS);
}

#[test]
fn a_reload_may_change_anything_but_what_was_settled_at_the_start() {
    let before = parse("[relay]\nlisten = ':5000'\n").expect("good");
    let same =
        parse("[relay]\nlisten = ':5000'\nonward = ['10.0.0.0/8']\ndrain = '5s'\n[terms]\nflows = 3").expect("good");
    before.check_reload(&same).expect("nothing of what is fixed");
    let moved = parse("[relay]\n\nlisten = ':5001'\n").expect("good");
    let error = before.check_reload(&moved).expect_err("it listens elsewhere").to_string();
    assert_eq!(error, "line 3: relay.listen changes with a restart alone; restart the relay, or take the change back");
    let gone = parse("").expect("good");
    assert!(
        before
            .check_reload(&gone)
            .expect_err("the default is another")
            .to_string()
            .starts_with("relay.listen, which the file leaves out now, changes with a restart alone")
    );
}

#[test]
fn a_tunnel_says_who_asks_whom_and_what_it_ends_in_and_contradictions_are_told() {
    use super::super::tunnels::config::{DEVICE_MTU, EndConfig, Side};

    let client = format!("[[client]]\nname = 'site'\neid = '{EID}'\ntunnels = true\n");
    let to = format!("to = '{EID}@192.0.2.1:4860'\n");
    let text = format!(
        "{client}[[tunnel]]\nname = 'a'\n{to}token = 'sesame'\ndevice = 'tng0'\naddresses = ['10.200.0.1/30', \
         'fd00::1/64']\n[[tunnel]]\nname = 'b'\nfrom = 'site'\nlisten = '127.0.0.1:5000'\npeer = 'host:6000'\n"
    );
    let config = parse(&text).expect("it is good");
    let [a, b] = &config.tunnels[..] else { panic!("two tunnels") };
    assert!(matches!(&a.side, Side::To(there) if there.token.is_some()), "{a:?}");
    assert!(matches!(&a.end, EndConfig::Device { addresses, mtu: DEVICE_MTU, .. } if addresses.len() == 2), "{a:?}");
    assert!(matches!(&b.side, Side::From { client, .. } if client == "site"), "{b:?}");
    assert!(matches!(&b.end, EndConfig::Port { peer: Some(peer), .. } if peer == "host:6000"), "{b:?}");
    assert!(config.told.iter().all(|told| !told.value.contains("sesame")), "a token is nobody's to see");
    assert!(parse(&text.replace("'site'\nlisten", &format!("'{EID}'\nlisten"))).is_ok(), "by its EID as well");
    let other = parse(&text.replace("host:6000", "host:6001")).expect("it is good");
    assert!(config.check_reload(&other).expect_err("refused").to_string().contains("tunnel.2.peer"));
    let fewer = parse(text.split("[[tunnel]]\nname = 'b'").next().expect("some")).expect("it is good");
    assert!(config.check_reload(&fewer).is_err() && fewer.check_reload(&config).is_err());
    assert!(config.check_reload(&config.clone()).is_ok());

    for (text, wanted) in [
        (
            "[[tunnel]]\nname = 'a'\ndevise = 'x'",
            "line 3: a [[tunnel]] has no key \"devise\"; did you mean \"device\"?",
        ),
        ("[[tunnel]]\ndevice = 'x'", "line 1: a [[tunnel]] needs name"),
        ("[[tunnel]]\nname = 'a'", "line 1: a [[tunnel]] needs to or from"),
        ("[[tunnel]]\nname = 'a'\nTOdevice = 'a b'", "line 4: device: write 1 to 15 letters"),
        ("[[tunnel]]\nname = 'a'\nTO", "line 1: a [[tunnel]] needs device or listen"),
        ("[[tunnel]]\nname = 'a'\nTOdevice = 'x'\nlisten = '127.0.0.1:1'", "line 5: a tunnel ends in a device"),
        ("[[tunnel]]\nname = 'a'\nTOdevice = 'x'\npeer = 'h:1'", "line 5: peer is for an end with listen"),
        ("[[tunnel]]\nname = 'a'\nTOlisten = '127.0.0.1:1'\nmtu = 1300", "line 5: mtu is for an end with a device"),
        ("[[tunnel]]\nname = 'a'\nTOlisten = '127.0.0.1:1'\npeer = 'h'", "line 5: peer: write host:port"),
        ("[[tunnel]]\nname = 'a'\nTOlisten = '192.0.2.1:1'", "line 4: others than this host reach it: write peer"),
        ("[[tunnel]]\nname = 'a'\nTOlisten = '[::]:1'", "line 4: others than this host reach it: write peer"),
        ("[[tunnel]]\nname = 'a'\nTOdevice = 'x'\nmtu = 1300", "line 5: it is only set beside addresses"),
        (
            "[[tunnel]]\nname = 'a'\nTOdevice = 'x'\naddresses = ['fd00::1/64']\nmtu = 1000",
            "line 6: IPv6 needs 1280 at least",
        ),
        ("[[tunnel]]\nname = 'a'\nTOdevice = 'x'\naddresses = ['10.0.0.1']", "line 5: addresses: \"10.0.0.1\" is no"),
        ("[[tunnel]]\nname = 'a'\nfrom = 'b'\ndevice = 'x'", "line 3: no [[client]] is called \"b\""),
        ("[[tunnel]]\nname = 'a'\nTOtoken = 'x'\ntoken_file = '/y'\ndevice = 'x'", "line 5: there is a token"),
    ] {
        let text = text.replace("TO", &to);
        let error = parse(&text).expect_err(&text);
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
    for (relay, listen, overlaps) in [
        ("127.0.0.1:5", "127.0.0.1:5", true),
        ("[::]:5", "127.0.0.1:5", true),
        ("0.0.0.0:5", "127.0.0.1:5", true),
        ("[::]:5", "127.0.0.1:6", false),
        ("0.0.0.0:5", "[::1]:5", false),
        ("127.0.0.2:5", "127.0.0.1:5", false),
        ("[::]:0", "127.0.0.1:0", false),
    ] {
        let text = format!("[relay]\nlisten = '{relay}'\n[[tunnel]]\nname = 'a'\n{to}listen = '{listen}'\n");
        let wanted = format!("line 6: the relay itself listens at {relay}, by relay.listen; write another port");
        assert_eq!(parse(&text).err(), overlaps.then_some(wanted), "{relay} {listen}");
    }
    let token = text.replace("sesame", "another");
    let error = config.check_reload(&parse(&token).expect("it is good")).expect_err("refused").to_string();
    assert!(error.starts_with("line 8: tunnel.1.token changes with a restart alone"), "{error}");
    let twice = format!("[[tunnel]]\nname = 'a'\n{to}device = 'x'\n[[tunnel]]\nname = 'a'\n{to}device = 'y'");
    assert!(parse(&twice).expect_err("twice").contains("two tunnels are called \"a\""));
    let without = text.replace("tunnels = true\n", "");
    assert!(parse(&without).expect_err("without").contains("may have no tunnels"));
}

#[test]
fn two_clients_have_two_names() {
    let client = |name: &str, n: u8| {
        format!("[[client]]\nname = '{name}'\ntoken_sha256 = '{}'\n", format!("{n:02x}").repeat(32))
    };
    let error = parse(&(client("a", 1) + &client("a", 2))).expect_err("two are one");
    assert_eq!(error, "line 4: two clients are called \"a\"; give each a name of its own");
    assert_eq!(parse(&(client("a", 1) + &client("b", 1))).expect_err("one is two"), "line 4: \"b\" is listed twice");
    assert!(parse(&(client("a", 1) + &client("b", 2))).is_ok(), "control");
}

#[test]
fn a_file_that_would_be_in_a_home_is_refused_where_there_is_none() {
    use crate::daemon::told::check_home;

    let nowhere = || ("/".into(), Origin::Homeless);
    let places = Places { state: nowhere(), runtime: nowhere() };
    let checked = |text: &str| check_home("running", &RelayConfig::parse(text, &places).expect("it is good").told);
    let failure = checked("").expect_err("nowhere");
    assert_eq!(
        (&*failure.what, &*failure.why),
        ("running: finding relay.key", "neither XDG_CONFIG_HOME nor HOME is set to a whole path")
    );
    let named = "[relay]\nkey = '/k'\nsecret = '/s'\n";
    assert!(checked(named).expect_err("nowhere").remedy.starts_with("write relay.control into the file"));
    assert_eq!(checked(&format!("{named}control = '/c'\n")), Ok(()));
}

#[test]
fn clients_each_of_which_may_take_all_flows_are_known_by_name() {
    let client = |name: &str, n: u8, flows: &str| {
        format!("[[client]]\nname = '{name}'\ntoken_sha256 = '{}'\n{flows}", format!("{n:02x}").repeat(32))
    };
    let (greedy, modest) = (client("greedy", 1, "flows = 100\n"), client("modest", 2, "flows = 99\n"));
    let of = |text: &str| {
        let config = parse(text).expect("it is good");
        let all = config.clients.takes_all(config.helper.relays_max);
        all.into_iter().map(|(name, flows)| format!("{name} {flows}")).collect::<Vec<_>>()
    };
    let relay = "[relay]\nflows_max = 100\n";
    assert_eq!(of(&format!("{relay}{modest}{greedy}")), ["greedy 100"]);
    assert_eq!(of(&format!("{relay}{greedy}")), [""; 0], "there is nobody else");
    let anyone = format!("{relay}[terms]\nanyone = true\nflows = 200\n");
    assert_eq!(of(&format!("{anyone}{modest}")), ["any client not listed 200"]);
    assert_eq!(of(&anyone), ["any client not listed 200"]);
    assert_eq!(of(&format!("{modest}{greedy}")), [""; 0], "control: by default there are 16,384 flows");
}
