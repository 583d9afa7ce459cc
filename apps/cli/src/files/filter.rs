//! Which files and folders of a tree take part, in rsync's manner: of all rules the first that matches decides, and
//! what none matches takes part. What is in a folder that does not take part does not either.

use std::collections::BTreeSet;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use globset::{Glob, GlobBuilder, GlobSet};
use tng_services::files::SafePath;

use crate::failure::Failure;

const EXCLUDE: &str = "exclude";
const INCLUDE: &str = "include";

/// The rules of a command line, in their order.
#[derive(Clone, Debug, Default)]
pub struct FilterArgs(Vec<(bool, String)>);

impl FilterArgs {
    /// What they say.
    ///
    /// # Errors
    /// If a pattern is none.
    pub fn filter(&self) -> Result<Filter, Failure> {
        let (mut patterns, mut rules) = (GlobSet::builder(), Vec::new());
        for (takes, pattern) in &self.0 {
            let (body, folders_only) = pattern.strip_suffix('/').map_or((&**pattern, false), |body| (body, true));
            let glob = glob(body);
            patterns.add(glob.map_err(|why| Failure::usage(format!("reading the pattern {pattern:?}"), why))?);
            rules.push(Rule { takes: *takes, folders_only });
        }
        let patterns = patterns.build().map_err(|error| Failure::usage("reading the patterns", error.kind()))?;
        Ok(Filter { patterns, rules, only: None })
    }
}

impl Args for FilterArgs {
    fn augment_args(command: Command) -> Command {
        let arg = |name, help| {
            Arg::new(name).long(name).value_name("PATTERN").action(ArgAction::Append).help(help).requires("recursive")
        };
        command
            .arg(arg(
                EXCLUDE,
                "Leave out what matches: *.o, /build/, docs/**/draft. The first --exclude or --include that matches \
                 decides",
            ))
            .arg(arg(INCLUDE, "Include what matches, even if a later --exclude matches too"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FilterArgs::augment_args(command)
    }
}

impl FromArgMatches for FilterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FilterArgs, clap::Error> {
        let of = |name: &'static str, takes: bool| {
            let values = matches.get_many::<String>(name).into_iter().flatten().cloned();
            let places = matches.indices_of(name).into_iter().flatten();
            places.zip(values).map(move |(place, pattern)| (place, (takes, pattern)))
        };
        let mut rules: Vec<_> = of(EXCLUDE, false).chain(of(INCLUDE, true)).collect();
        rules.sort_by_key(|(place, _)| *place);
        Ok(FilterArgs(rules.into_iter().map(|(_, rule)| rule).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FilterArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A pattern without the slash at its end. One that begins with a slash begins at the top, any other anywhere.
fn glob(body: &str) -> Result<Glob, String> {
    let whole = match body.strip_prefix('/') {
        Some("") => return Err("there is nothing in it".to_owned()),
        None if body.is_empty() => return Err("there is nothing in it".to_owned()),
        Some(body) => body.to_owned(),
        None => format!("**/{body}"),
    };
    // Names that are shown escaped have backslashes.
    let glob = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(false).build();
    glob.map_err(|error| error.kind().to_string())
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    takes: bool,
    folders_only: bool,
}

/// What takes part.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// One for each rule.
    patterns: GlobSet,
    rules: Vec<Rule>,
    only: Option<Only>,
}

/// What is named, and nothing else.
#[derive(Clone, Debug)]
struct Only {
    /// These, and what is in them.
    paths: BTreeSet<SafePath>,
    /// The folders that they are in.
    above: BTreeSet<SafePath>,
}

impl Filter {
    /// The same, and of that only these, and what is in them.
    pub fn only(self, paths: BTreeSet<SafePath>) -> Filter {
        let folders = |path: &SafePath| {
            let of = prefixes(path.as_str()).filter(|(_, is_last)| !is_last);
            of.filter_map(|(above, _)| SafePath::parse(above).ok()).collect::<Vec<_>>()
        };
        let above = paths.iter().flat_map(folders).collect();
        Filter { only: Some(Only { paths, above }), ..self }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.only.is_none()
    }

    /// What is named one by one.
    pub fn named(&self) -> impl Iterator<Item = &SafePath> {
        self.only.iter().flat_map(|only| &only.paths)
    }

    /// Whether something takes part, by its path below the top of the tree.
    pub fn takes(&self, path: &SafePath, is_folder: bool) -> bool {
        self.is_listed(path, is_folder)
            && prefixes(path.as_str()).all(|(part, is_last)| self.rules_take(part, !is_last || is_folder))
    }

    fn rules_take(&self, path: &str, is_folder: bool) -> bool {
        // In the order of the rules.
        let mut matching = self.patterns.matches(path).into_iter().map(|which| self.rules[which]);
        let first = matching.find(|rule| is_folder || !rule.folders_only);
        first.is_none_or(|rule| rule.takes)
    }

    fn is_listed(&self, path: &SafePath, is_folder: bool) -> bool {
        let Some(only) = &self.only else { return true };
        let mut parts = prefixes(path.as_str()).filter_map(|(part, _)| SafePath::parse(part).ok());
        (is_folder && only.above.contains(path)) || parts.any(|part| only.paths.contains(&part))
    }
}

/// A path's folders from the top, and then itself; whether it is itself.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, bool)> {
    path.match_indices('/').map(|(at, _)| (&path[..at], false)).chain(std::iter::once((path, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(rules: &[&str]) -> Filter {
        let args = [&["x", "-r"], rules].concat();
        let recursive = Arg::new("recursive").short('r').action(ArgAction::SetTrue);
        let matches =
            FilterArgs::augment_args(Command::new("x").arg(recursive)).try_get_matches_from(args).expect("rules");
        FilterArgs::from_arg_matches(&matches).expect("rules").filter().expect("patterns")
    }

    fn taken<'a>(filter: &Filter, paths: &[&'a str]) -> Vec<&'a str> {
        let takes = |path: &&&str| {
            let folder = path.strip_suffix('/');
            filter.takes(&SafePath::parse(folder.unwrap_or(path)).expect("a path"), folder.is_some())
        };
        paths.iter().filter(takes).copied().collect()
    }

    #[test]
    fn of_all_rules_the_first_that_matches_decides() {
        let paths = ["a.o", "keep.o", "d/", "d/b.o", "d/c.rs"];
        assert_eq!(taken(&filter(&["--exclude", "*.o"]), &paths), ["d/", "d/c.rs"]);
        assert_eq!(taken(&filter(&["--include", "keep.*", "--exclude", "*.o"]), &paths), ["keep.o", "d/", "d/c.rs"]);
        assert_eq!(taken(&filter(&["--exclude", "*.o", "--include", "keep.*"]), &paths), ["d/", "d/c.rs"]);
        assert_eq!(
            taken(&filter(&["--include", "*/", "--include", "*.rs", "--exclude", "*"]), &paths),
            ["d/", "d/c.rs"]
        );
        assert_eq!(taken(&filter(&[]), &paths), paths);
    }

    #[test]
    fn a_slash_in_front_means_the_top_and_one_behind_folders_alone() {
        let paths = ["build/", "build/x", "sub/", "sub/build", "sub/deep/", "sub/deep/build/", "sub/deep/build/y"];
        let without = |pattern: &str| taken(&filter(&["--exclude", pattern]), &paths);
        assert_eq!(without("/build"), paths[2..]);
        assert_eq!(without("build/"), ["sub/", "sub/build", "sub/deep/"]);
        assert_eq!(without("sub/*"), ["build/", "build/x", "sub/"]);
        assert_eq!(without("sub/**/y"), paths[..6]);
        assert_eq!(without("b*x"), paths, "a star does not lead across a slash");
    }

    #[test]
    fn patterns_stand_for_what_a_shell_takes_them_for() {
        let cases: [(&str, &[&str], &[&str]); 9] = [
            ("/*.o", &["a.o", ".o"], &["a.oo", "d/a.o"]),
            ("*.o", &["a.o", "d/a.o", "d/e/a.o", "a.o/b"], &["a.oo"]),
            ("ab", &["ab", "d/ab"], &["xab", "d/xab"]),
            ("/d/**/x", &["d/x", "d/e/x", "d/e/f/x"], &["dx", "d/ex"]),
            ("/d/**", &["d/x", "d/e/x"], &["d", "e/d"]),
            ("a?c", &["abc"], &["ac", "a/c"]),
            ("[a-c]x[!0-9]", &["axb", "cx-"], &["dxb", "ax1", "ax/"]),
            ("*.{o,rs}", &["a.o", "a.rs"], &["a.c"]),
            (r"new\x0aline", &[r"new\x0aline"], &["newx0aline"]),
        ];
        for (pattern, leaves, takes) in cases {
            let filter = filter(&["--exclude", pattern]);
            for (paths, is_taken) in [(takes, true), (leaves, false)] {
                for path in paths.iter().filter(|path| !path.ends_with('/')) {
                    assert_eq!(!taken(&filter, &[path]).is_empty(), is_taken, "{pattern} {path}");
                }
            }
        }
        for none in ["[a", "{a", "", "/"] {
            let args = FilterArgs(vec![(false, none.to_owned())]);
            assert!(args.filter().is_err(), "{none}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_does_not_take_for_ever() {
        let filter = filter(&["--exclude", &format!("{}b", "*a".repeat(100))]);
        let path = vec!["a".repeat(250); 15].join("/");
        assert_eq!(taken(&filter, &[&*path]), [&*path]);
    }

    #[test]
    fn what_is_named_comes_with_what_is_in_it_and_the_folders_that_it_is_in() {
        let only = ["a/b", "c"].map(|path| SafePath::parse(path).expect("a path"));
        let filter = Filter::default().only(only.into());
        let paths = ["a/", "a/b/", "a/b/x", "a/bc", "c", "d/", "cd"];
        assert_eq!(taken(&filter, &paths), ["a/", "a/b/", "a/b/x", "c"]);
    }
}
