//! What worlds are made of, as their pages tell it: from the configuration itself, not from what somebody wrote about
//! it.
//!
//! What makes a world is [`Configured`]: it tells its links, hosts and helpers to [`Settings`], from the very values
//! that it makes them of. A configuration is told by its `Debug` form, so each field of it is there by the name that it
//! has in the code, units and all, those that are added later too. What has its default stands once, with all defaults.

use core::fmt::{self, Debug, Display};

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Values of one setting that are kept: of more, over many worlds, it is told that there are others.
const VALUES_MAX: usize = 8;

/// A configuration that a world is made of.
pub trait Configured {
    /// Tells what will be in it.
    fn tell(&self, settings: &mut Settings);
}

impl<C: Configured> Configured for &C {
    fn tell(&self, settings: &mut Settings) {
        (**self).tell(settings);
    }
}

/// What worlds were made of: parts, and what is set of each. A part that is in several worlds stands here once, with
/// every value that a setting had, and in how many of them it had any if not in all.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// How many worlds there were.
    worlds: u64,
    parts: Parts,
    /// What those parts have that nothing else is told of.
    defaults: Parts,
}

/// In the order in which they were told.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Parts(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    /// In how many worlds it is.
    worlds: u64,
    settings: Vec<Setting>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Setting {
    key: String,
    values: Vec<String>,
    /// It had more values than are kept.
    others: bool,
    /// In how many worlds it had one.
    worlds: u64,
}

impl Settings {
    /// Those of one world.
    pub fn of(world: &impl Configured) -> Settings {
        let mut settings = Settings { worlds: 1, ..Settings::default() };
        world.tell(&mut settings);
        settings
    }

    /// What is set of a part.
    pub fn set(&mut self, part: &str, key: &str, value: impl Display) {
        self.parts.of(part).add(key, value.to_string());
    }

    /// What is set of a part by a configuration of a kind: what differs from the default, and in any case what is
    /// `always` told. The defaults are told, too.
    pub fn configure<C: Debug>(&mut self, part: &str, kind: &str, always: &[&str], config: &C, default: &C) {
        let (own, usual) = (fields(config), fields(default));
        let part = self.parts.of(part);
        part.add("kind", kind.to_owned());
        for (key, value) in own {
            if always.contains(&key.as_str()) || usual.iter().all(|(other, usual)| *other != key || *usual != value) {
                part.add(&key, value);
            }
        }
        let defaults = self.defaults.of(kind);
        usual.into_iter().for_each(|(key, value)| defaults.add(&key, value));
    }

    /// What is set of a part by something that has no default: all of it.
    pub fn describe(&mut self, part: &str, what: &impl Debug) {
        let part = self.parts.of(part);
        fields(what).into_iter().for_each(|(key, value)| part.add(&key, value));
    }

    /// With those of other worlds.
    pub fn add(&mut self, other: &Settings) {
        self.worlds += other.worlds;
        self.parts.add(&other.parts);
        self.defaults.add(&other.defaults);
    }

    /// For programs: `{worlds, parts: {part: {key: [value]}}, defaults: {kind: {key: [value]}}}`.
    pub fn for_programs(&self) -> Value {
        json!({ "worlds": self.worlds, "parts": Named(&self.parts), "defaults": Named(&self.defaults) })
    }

    /// Whether nothing was told: there was no world.
    pub fn is_empty(&self) -> bool {
        self.worlds == 0
    }

    /// What they are the settings of.
    pub fn title(&self) -> String {
        match self.worlds {
            1 => "Settings of the world that ran".to_owned(),
            worlds => format!("Settings of the {worlds} worlds that ran"),
        }
    }

    /// Each part with what is set of it, in words.
    pub fn parts(&self) -> impl Iterator<Item = [String; 2]> {
        self.parts.0.iter().map(|part| [part.name.clone(), part.to_string()])
    }

    /// The same; then what stands for everything else.
    pub fn lines(&self) -> Vec<[String; 2]> {
        let defaults = self.defaults.0.iter().map(|part| [format!("{} by default", part.name), part.to_string()]);
        self.parts().chain(defaults).collect()
    }
}

impl Parts {
    /// The part of a name.
    fn of(&mut self, name: &str) -> &mut Part {
        let place = self.0.iter().position(|part| part.name == name).unwrap_or_else(|| {
            self.0.push(Part { name: name.to_owned(), worlds: 1, settings: Vec::new() });
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// With those of other worlds.
    fn add(&mut self, other: &Parts) {
        for part in &other.0 {
            match self.0.iter_mut().find(|own| own.name == part.name) {
                None => self.0.push(part.clone()),
                Some(own) => own.join(part),
            }
        }
    }
}

impl Part {
    fn add(&mut self, key: &str, value: String) {
        match self.settings.iter_mut().find(|setting| setting.key == key) {
            None => {
                let (key, values) = (key.to_owned(), vec![value]);
                self.settings.push(Setting { key, values, others: false, worlds: 1 });
            }
            Some(setting) => setting.add(value),
        }
    }

    /// With what is set of it in other worlds.
    fn join(&mut self, other: &Part) {
        self.worlds += other.worlds;
        for setting in &other.settings {
            match self.settings.iter_mut().find(|own| own.key == setting.key) {
                None => self.settings.push(setting.clone()),
                Some(own) => {
                    setting.values.iter().for_each(|value| own.add(value.clone()));
                    own.others |= setting.others;
                    own.worlds += setting.worlds;
                }
            }
        }
    }
}

impl Setting {
    fn add(&mut self, value: String) {
        match &mut self.values {
            values if values.contains(&value) => {}
            values if values.len() < VALUES_MAX => values.push(value),
            _ => self.others = true,
        }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Setting { key, values, others, worlds }) in self.settings.iter().enumerate() {
            let (before, after) = (if place == 0 { "" } else { "; " }, if *others { " and others" } else { "" });
            write!(f, "{before}{key}: {}{after}", values.join(" / "))?;
            // What is not told of the others is there as by default, or not at all.
            if *worlds < self.worlds {
                write!(f, " (in {worlds} of {} worlds)", self.worlds)?;
            }
        }
        Ok(())
    }
}

/// Something under its names.
struct Named<'a, T>(&'a T);

impl Serialize for Named<'_, Parts> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.0.len()))?;
        self.0.0.iter().try_for_each(|part| map.serialize_entry(&part.name, &Named(part)))?;
        map.end()
    }
}

impl Serialize for Named<'_, Part> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.settings.len()))?;
        self.0.settings.iter().try_for_each(|setting| map.serialize_entry(&setting.key, &setting.values))?;
        map.end()
    }
}

/// The fields of a value, those of values within it with a dot between; of what has none itself, under no name.
fn fields(value: &impl Debug) -> Vec<(String, String)> {
    let mut out = Vec::new();
    flatten("", &format!("{value:?}"), &mut out);
    out
}

fn flatten(key: &str, text: &str, out: &mut Vec<(String, String)>) {
    let inner = text.strip_prefix("Some(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    match body(inner) {
        Some(body) => {
            for (name, value) in split(body).filter_map(|field| field.split_once(": ")) {
                let key = if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
                flatten(&key, value, out);
            }
        }
        None => {
            let bare = inner.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(inner);
            out.push((key.to_owned(), if bare == "None" { "none" } else { bare }.to_owned()));
        }
    }
}

/// What stands between the braces of `Name { key: value, key: value }`.
fn body(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(" { ")?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    rest.strip_suffix(" }").filter(|_| plain)
}

/// The parts of a text between commas that stand in no brackets or quotes.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let parts = text.split(move |c: char| {
        let literal = escaped;
        escaped = quoted && c == '\\' && !literal;
        match c {
            '"' if !literal => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !quoted
    });
    parts.map(str::trim)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tng_sim::{Link, Loss};
    use tng_stack::{Access, HostConfig};

    use super::*;

    struct Wire(Link);

    impl Configured for Wire {
        fn tell(&self, settings: &mut Settings) {
            settings.configure("wire", "link", &["rate_bps"], &self.0, &Link::new());
        }
    }

    fn line(link: Link) -> String {
        Settings::of(&Wire(link)).lines()[0].join(" ")
    }

    #[test]
    fn what_differs_from_the_default_is_told_with_its_part_and_the_defaults_once() {
        let link = Link::new().rate(1_000_000).delay(Duration::from_millis(10)).loss(Loss::Independent(0.01));
        assert_eq!(line(link), "wire kind: link; rate_bps: 1000000; delay: 10ms; loss: Independent(0.01)");
        let lines = Settings::of(&Wire(Link::new())).lines();
        assert_eq!(lines[0][1], "kind: link; rate_bps: none");
        assert_eq!(lines[1][0], "link by default");
        assert!(lines[1][1].contains("queue: DropTail(Packets(1000))"), "{lines:?}");
    }

    #[test]
    fn every_field_of_a_configuration_is_told_also_of_one_within_another() {
        type Change = (&'static str, fn(&mut HostConfig));
        let changes: [Change; 5] = [
            ("pacing: false", |config| config.pacing = false),
            ("keep.bytes_max: 7", |config| config.keep.bytes_max = 7),
            ("idle_timeout: none", |config| config.idle_timeout = None),
            ("judge: none", |config| config.judge = None),
            ("exchanges.in_all.per_s: 3", |config| config.exchanges.in_all.per_s = 3),
        ];
        let default = HostConfig::new(Access::Public);
        for (words, change) in changes {
            let mut config = default.clone();
            change(&mut config);
            let mut settings = Settings::default();
            settings.configure("host", "tng", &[], &config, &default);
            assert_eq!(settings.lines()[0][1], format!("kind: tng; {words}"));
        }
    }

    #[test]
    fn over_several_worlds_a_part_has_every_value_until_they_are_too_many() {
        let mut all = Settings::default();
        for percent in [1_u32, 2, 1] {
            all.add(&Settings::of(&Wire(Link::new().loss(Loss::Independent(f64::from(percent) / 100.0)))));
        }
        assert_eq!(all.title(), "Settings of the 3 worlds that ran");
        assert!(all.lines()[0][1].ends_with("loss: Independent(0.01) / Independent(0.02)"), "{all:?}");
        // What only some of them had is not to look as if all had it.
        all.add(&Settings::of(&Wire(Link::new())));
        let some = "loss: Independent(0.01) / Independent(0.02) (in 3 of 4 worlds)";
        assert_eq!(all.lines()[0][1], format!("kind: link; rate_bps: none; {some}"));
        for rate in 0..20 {
            all.add(&Settings::of(&Wire(Link::new().rate(rate + 1))));
        }
        assert!(all.lines()[0][1].contains("/ 7 and others; loss"), "{all:?}");
    }

    #[test]
    fn brackets_quotes_and_commas_within_values_belong_to_them() {
        #[derive(Debug)]
        #[expect(dead_code, reason = "they are for Debug")]
        struct Odd {
            list: Vec<(u8, &'static str)>,
            text: &'static str,
            last: Option<Option<u8>>,
        }
        let odd = Odd { list: vec![(1, "a, } b"), (2, "\"")], text: "x: y, {", last: Some(None) };
        let told = fields(&odd).into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
        assert_eq!(told, [r#"list=[(1, "a, } b"), (2, "\"")]"#, "text=x: y, {", "last=none"]);
    }
}
