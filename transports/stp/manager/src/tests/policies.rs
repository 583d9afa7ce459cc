//! Policies as they are written.

use super::*;

fn why(text: &str) -> String {
    Policy::parse(text).expect_err(text).to_string()
}

#[test]
fn an_empty_policy_accepts_what_is_signed_by_nobody_yet() {
    let policy = Policy::parse("").expect("it is fine");
    assert_eq!(policy, Policy::default());
    assert_eq!((policy.default.accept, policy.default.foreign), (Acceptance::Signed, true));
    assert_eq!(policy.default.sources, [Source::Peer, Source::File]);
    assert_eq!(policy.limits.any.cap, Cap::Equation);
}

#[test]
fn a_policy_says_everything_in_its_file() {
    let text = format!(
        "accept = \"pinned\"\nforeign = false\nprefer = [\"sack\", \"{}\"]\n\
         sources = [\"file\", \"host:code.example\"]\n\
         pins = [\"{}\"]\n\
         [[rule]]\nname = \"lab\"\napplication = [\"perf\", \"get\"]\npeer = \"{}\"\nservice = \"files\"\n\
         port = [4860, \"5000-5999\"]\naccept = \"any\"\nforeign = true\nprefer = \"newreno\"\nsources = \"peer\"\n\
         trusts = \"marks\"\n\
         [[rule]]\naccept = \"none\"\n\
         [publishers.acme]\nkeys = [\"{}\", \"{}\"]\nthreshold = 2\n[publishers.other]\nkey = \"{}\"\n\
         [limits.signed]\nmemory = \"8MiB\"\nfuel = 3_000_000\ncap = \"equation\"\n\
         [violations]\nmost = 5\nwithin = \"2d\"\nout = \"1h\"\n",
        hash(1),
        hash(2),
        peer(7),
        publisher(1).public(),
        publisher(2).public(),
        publisher(3).public()
    );
    let policy = Policy::parse(&text).expect("it is fine");
    let names: Vec<_> = policy.default.prefer.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["sack".to_owned(), hash(1).to_string()]);
    assert_eq!(policy.default.sources, [Source::File, Source::Host("code.example".to_owned())]);
    assert_eq!(policy.pins.iter().copied().collect::<Vec<_>>(), [hash(2)]);
    let [lab, second] = &policy.rules[..] else { panic!("{:?}", policy.rules) };
    assert_eq!((&*lab.name, &*second.name), ("lab", "rule 2"));
    assert_eq!(lab.when.ports, [4860..=4860, 5000..=5999]);
    assert_eq!((lab.accept, lab.foreign, second.accept, second.foreign), {
        (Acceptance::Any, true, Acceptance::None, false)
    });
    assert_eq!((lab.trusts, second.trusts, policy.default.trusts), (Trust::Marks, Trust::Nothing, Trust::Nothing));
    assert_eq!(second.prefer, policy.default.prefer, "what a rule does not say is as where none applies");
    let thresholds: Vec<_> = policy.publishers.iter().map(|it| (it.keys.len(), it.threshold)).collect();
    assert_eq!(thresholds, [(2, 2), (1, 1)]);
    let signed = Limits { memory: 8 << 20, fuel: 3_000_000, cap: Cap::Equation };
    assert_eq!((policy.limits.signed, policy.limits.any), (signed, Policy::default().limits.any));
    assert_eq!(policy.offenders, Offenders { most: 5, within_s: 2 * DAY, out_s: 3_600 });
}

#[test]
fn the_first_rule_that_matches_decides_and_a_rule_matches_by_all_that_it_says() {
    let policy = Policy::parse(&format!(
        "[[rule]]\nname = \"a\"\napplication = \"get\"\nservice = \"files\"\n[[rule]]\nname = \"b\"\npeer = \"{}\"\n\
         [[rule]]\nname = \"c\"\nport = [\"10-20\", 30]\n[[rule]]\nname = \"d\"\nservice = \"files\"\n",
        peer(1)
    ))
    .expect("it is fine");
    let rule = |application, peer, service, port| {
        let question = Question { purpose: Purpose::Carry, application, no_foreign: false, peer, service, port };
        policy.rule(&question).name.to_string()
    };
    assert_eq!(rule(Some("get"), Some(peer(1)), "files", Some(15)), "a");
    assert_eq!(rule(Some("get"), Some(peer(1)), "ping", Some(15)), "b");
    assert_eq!(rule(None, Some(peer(2)), "files", Some(20)), "c");
    assert_eq!(rule(None, None, "files", Some(21)), "d");
    assert_eq!(rule(None, None, "ping", None), "default");
    assert_eq!(rule(None, None, "ping", Some(30)), "c");
}

#[test]
fn a_policy_accepts_a_level_if_any_of_its_rules_does() {
    let levels = |text: &str| {
        let policy = Policy::parse(text).expect("it is fine");
        [Level::BuiltIn, Level::Pinned, Level::Signed, Level::Any].map(|level| policy.accepts(level))
    };
    assert_eq!(levels("accept = \"none\""), [false; 4]);
    assert_eq!(levels("accept = \"pinned\""), [true, true, false, false]);
    assert_eq!(levels(""), [true, true, true, false]);
    assert_eq!(levels("accept = \"none\"\n[[rule]]\nname = \"lab\"\nservice = \"perf\"\naccept = \"any\""), [true; 4]);
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_the_nearest_key() {
    let key = publisher(1).public();
    for (text, expected) in [
        ("\nacept = \"any\"".to_owned(), "line 2: the file has no key \"acept\"; did you mean \"accept\"?"),
        ("accept = \"sined\"".to_owned(), "line 1: there is no acceptance \"sined\"; did you mean \"signed\"?"),
        ("foreign = \"no\"".to_owned(), "line 1: foreign: write true or false"),
        (
            "[[rule]]\nservise = \"files\"".to_owned(),
            "line 2: [[rule]] has no key \"servise\"; did you mean \"service\"?",
        ),
        ("[[rule]]\nname = \"default\"".to_owned(), "line 1: there are two rules called \"default\""),
        ("[[rule]]\nname = \"a\"\n[[rule]]\nname = \"a\"".to_owned(), "line 3: there are two rules called \"a\""),
        ("[[rule]]\nservice = []".to_owned(), "line 2: service: the list is empty"),
        ("[[rule]]\nport = 70000".to_owned(), "line 2: port: write a whole number from 0 to 65535"),
        ("[[rule]]\nport = \"20-10\"".to_owned(), "line 2: port: write a port, like 4860, or a range"),
        ("[[rule]]\npeer = \"me\"".to_owned(), "line 2: peer: "),
        ("[[rule]]\nservice = \"files\"\ntrusts = \"marks\"".to_owned(), "line 3: trust is for peers by name"),
        ("[[rule]]\ntrusts = \"losses\"".to_owned(), "line 2: there is no trust \"losses\""),
        ("trusts = \"marks\"".to_owned(), "line 1: the file has no key \"trusts\""),
        ("[rule]\nname = \"a\"".to_owned(), "line 1: rule: write [[rule]], with double brackets"),
        ("pins = [\"abc\"]".to_owned(), "line 1: pins: no hash of code"),
        ("prefer = \"Sack\"".to_owned(), "line 1: prefer: \"Sack\" is no hash and no name"),
        ("sources = [\"ftp\"]".to_owned(), "line 1: sources: \"ftp\" is no source"),
        ("[publishers.acme]\nthreshold = 1".to_owned(), "line 1: [publishers.acme] needs key or keys"),
        (
            format!("[publishers.acme]\nkey = \"{key}\"\nthreshold = 2"),
            "line 3: threshold: write a whole number from 1",
        ),
        (format!("[publishers.acme]\nkeys = [\"{key}\", \"{key}\"]"), "line 2: keys: a key is there twice"),
        (format!("[publishers.a]\nkey = \"{key}\"\n[publishers.b]\nkey = \"{key}\""), "line 3: a has one of its keys"),
        ("[publishers.acme]\nkey = \"tngpub1x\"".to_owned(), "line 2: key: no publisher's key"),
        ("[limits.any]\ncap = \"modern\"".to_owned(), "line 2: cap: code that nobody vouches for"),
        ("[limits.signed]\nmemroy = 1".to_owned(), "line 2: [limits.signed] has no key \"memroy\"; did you mean"),
        ("[limits.built-in]\nmemory = 1".to_owned(), "line 1: [limits] has no key"),
        ("[violations]\nmost = 0".to_owned(), "line 2: most: write a whole number from 1 to 16"),
        ("[violations]\nout = \"3 weeks\"".to_owned(), "line 2: out: "),
        ("accept = ".to_owned(), "line 1: "),
    ] {
        let why = why(&text);
        assert!(why.starts_with(expected), "{text:?}: {why}");
    }
    let rules: String = (0..257).map(|n| format!("[[rule]]\nname = \"r{n}\"\n")).collect();
    assert!(why(&rules).contains("at most 256 rules"));
}

#[test]
fn a_key_counts_once_in_either_of_its_forms() {
    let key = publisher(1).public();
    let mut bytes = *key.as_bytes();
    bytes[31] ^= 0x80;
    let twice = format!("[publishers.acme]\nkeys = [\"{key}\", \"{}\"]", PublisherKey::from_bytes(bytes));
    assert!(why(&twice).contains("a key is there twice"));
}

#[test]
fn a_name_of_nothing_that_there_is_is_told_with_its_line_and_the_nearest_one() {
    let find = |host: &str| if host == "attic" { Ok(()) } else { Err(format!("{host:?} is no host here")) };
    let words = Words { applications: Some(&["get", "serve"]), services: Some(&["files", "ping"]), host: Some(&find) };
    let read = |text: &str| Policy::parse_by(text, &words).map_err(|error| error.to_string());
    for (text, expected) in [
        ("[[rule]]\nservice = \"fiels\"", "line 2: there is no service \"fiels\"; did you mean \"files\"?"),
        ("[[rule]]\napplication = [\"get\",\n\"sevre\"]", "line 3: there is no application \"sevre\"; did you mean"),
        ("[[rule]]\napplication = \"backup\"", "line 2: there is no application \"backup\"; there is get, serve"),
        ("\nsources = [\"peer\", \"host:cellar\"]", "line 2: sources: \"cellar\" is no host here"),
        ("[[rule]]\nsources = \"host:cellar\"", "line 2: sources: \"cellar\" is no host here"),
    ] {
        let why = read(text).expect_err(text);
        assert!(why.starts_with(expected), "{text:?}: {why}");
        Policy::parse(text).expect("control: a reader that knows no words takes any");
    }
    let own = "applications = \"backup\"\nservices = [\"sensors\"]\nsources = \"host:attic\"\n\
               [[rule]]\napplication = [\"backup\", \"get\"]\nservice = [\"sensors\", \"ping\"]\n";
    let policy = read(own).expect("they are named");
    assert_eq!((policy.applications, policy.services), (vec!["backup".to_owned()], vec!["sensors".to_owned()]));
}
