//! The import tables of docs/architecture.md against what Cargo says.
//!
//! The page is the truth: a crate may import what its row says, and a crate without a row fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Crates by folder (`parts/base`), each with what it imports: folders of ours, and names of others' crates.
#[derive(Default)]
struct Graph(BTreeMap<String, Imports>);

#[derive(Default)]
struct Imports {
    ours: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Graph {
    fn read(metadata: &Metadata) -> Graph {
        let root = metadata.workspace_root.as_std_path();
        let folder =
            |path: &Path| path.strip_prefix(root).expect("a member lies in the workspace").display().to_string();
        let mut graph = Graph::default();
        for package in &metadata.packages {
            let home = package.manifest_path.parent().expect("a manifest has a folder");
            let imports = graph.0.entry(folder(home.as_std_path())).or_default();
            for dependency in package.dependencies.iter().filter(|d| d.kind != DependencyKind::Development) {
                match &dependency.path {
                    Some(path) => imports.ours.insert(folder(path.as_std_path())),
                    None => imports.others.insert(dependency.name.clone()),
                };
            }
        }
        graph
    }
}

/// What one crate may import of ours.
#[derive(Clone, Debug)]
enum Rule {
    Only(Vec<String>),
    AnythingBut(Vec<String>),
}

impl Rule {
    fn parse(text: &str) -> Rule {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        match text.trim() {
            "nothing" => Rule::Only(Vec::new()),
            "anything" => Rule::AnythingBut(Vec::new()),
            text => match text.strip_prefix("anything but ") {
                Some(rest) => Rule::AnythingBut(words(rest)),
                None => Rule::Only(words(text)),
            },
        }
    }

    fn allows(&self, folder: &str) -> bool {
        match self {
            Rule::Only(names) => names.iter().any(|name| is(folder, name)),
            Rule::AnythingBut(names) => !names.iter().any(|name| is(folder, name)),
        }
    }
}

/// Whether `folder` is the crate that a table calls `name`: its last component or components, or a group (`parts/*`).
fn is(folder: &str, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(group) => folder.starts_with(group),
        None => folder == name || folder.strip_suffix(name).is_some_and(|group| group.ends_with('/')),
    }
}

/// The two tables of the page.
struct Tables {
    rules: Vec<(String, Rule)>,
    walls: Vec<(String, Vec<String>)>,
}

impl Tables {
    fn parse(page: &str) -> Tables {
        let names = |cell: &str| cell.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        let rules = rows(page, "| crate | may import |")
            .flat_map(|row| names(row[0]).into_iter().map(move |name| (name, Rule::parse(row[1]))));
        let walls = rows(page, "| dependency | only in |").flat_map(|row| {
            let homes: Vec<String> = row[1].split_whitespace().map(str::to_owned).collect();
            names(row[0]).into_iter().map(move |name| (name, homes.clone()))
        });
        Tables { rules: rules.collect(), walls: walls.collect() }
    }

    fn rule(&self, folder: &str) -> Option<&Rule> {
        self.rules.iter().find(|(name, _)| is(folder, name)).map(|(_, rule)| rule)
    }

    fn violations(&self, graph: &Graph) -> Vec<String> {
        let mut found = Vec::new();
        for (folder, imports) in &graph.0 {
            match self.rule(folder) {
                None => found.push(format!("{folder} is not in the import table")),
                Some(rule) => found.extend(
                    imports.ours.iter().filter(|i| !rule.allows(i)).map(|i| format!("{folder} may not import {i}")),
                ),
            }
            for (dependency, homes) in &self.walls {
                if imports.others.contains(dependency) && !homes.iter().any(|home| is(folder, home)) {
                    found.push(format!("{folder} may not import {dependency}"));
                }
            }
        }
        found
    }
}

/// The rows of the table that begins with `head`, as cells.
fn rows<'a>(page: &'a str, head: &str) -> impl Iterator<Item = Vec<&'a str>> {
    let at = page.find(head).unwrap_or_else(|| panic!("docs/architecture.md lost its table {head}"));
    page[at..].lines().skip(2).take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells.len() >= 2, "a row with fewer than two cells: {line}");
        cells
    })
}

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/architecture.md");
    std::fs::read_to_string(path).expect("docs/architecture.md is there")
}

fn graph(edges: &[(&str, &[&str], &[&str])]) -> Graph {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let entry = |(folder, ours, others): &(&str, &[&str], &[&str])| {
        ((*folder).to_owned(), Imports { ours: owned(ours), others: owned(others) })
    };
    Graph(edges.iter().map(entry).collect())
}

#[test]
fn every_crate_imports_only_what_the_table_allows() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata runs");
    let graph = Graph::read(&metadata);
    assert!(graph.0.len() > 10, "the workspace has more crates than {}", graph.0.len());
    let violations = Tables::parse(&page()).violations(&graph);
    assert!(violations.is_empty(), "{}\nThe table is section 1 of docs/architecture.md.", violations.join("\n"));
}

#[test]
fn a_forbidden_import_is_seen() {
    let tables = Tables::parse(&page());
    let bad = graph(&[
        ("layers/middlebox", &["parts/queue", "layers/isolation"], &[]),
        ("layers/semantic", &["parts/base", "parts/channel"], &[]),
        ("stack", &["layers/semantic", "layers/middlebox"], &["tokio"]),
        ("lab/experiments", &["stack", "apps/net", "apps/cli"], &["aws-lc-rs"]),
    ]);
    assert_eq!(
        tables.violations(&bad),
        [
            "lab/experiments may not import apps/cli",
            "lab/experiments may not import aws-lc-rs",
            "layers/middlebox may not import layers/isolation",
            "layers/semantic may not import parts/channel",
            "stack may not import layers/middlebox",
            "stack may not import tokio",
        ]
    );
}

#[test]
fn a_crate_without_a_row_is_seen() {
    let tables = Tables::parse(&page());
    assert_eq!(tables.violations(&graph(&[("parts/util", &[], &[])])), ["parts/util is not in the import table"]);
}

#[test]
fn an_allowed_import_passes() {
    let tables = Tables::parse(&page());
    let good = graph(&[
        ("parts/base", &[], &["rand_chacha"]),
        ("transports/stp/host", &["parts/nonce", "transports/stp/abi"], &[]),
        ("apps/net", &["parts/trace", "layers/flow", "stack", "services", "transports/trickles"], &["tokio"]),
        ("apps/cli", &["lab/experiments", "apps/net"], &["clap"]),
    ]);
    assert_eq!(tables.violations(&good), Vec::<String>::new());
}

#[test]
fn no_way_through_the_table_leads_from_a_helper_to_what_is_end_to_end() {
    let tables = Tables::parse(&page());
    let names: Vec<&str> = tables.rules.iter().map(|(name, _)| name.as_str()).collect();
    let mut reached = BTreeSet::from(["middlebox"]);
    while let Some(next) = names.iter().find(|name| {
        !reached.contains(**name) && reached.iter().any(|r| tables.rule(r).is_some_and(|x| x.allows(name)))
    }) {
        reached.insert(next);
    }
    assert!(reached.contains("channel"), "a helper does join channels");
    assert!(!reached.contains("isolation") && !reached.contains("semantic"), "{reached:?}");
}
