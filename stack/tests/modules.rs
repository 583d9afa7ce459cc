//! The modules of this crate, as its files name them: none imports another that imports it, by whatever way.
//!
//! A module here is a file beside `lib.rs` with the folder of its name. What `lib.rs` hands on is an import of the
//! module that it comes from. Tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Files by their path within `src`, and what they say.
type Listing = BTreeMap<String, String>;

/// Which modules each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn read(folder: &Path, under: &str, listing: &mut Listing) {
    for entry in fs::read_dir(folder).expect("a folder of the crate can be read") {
        let path = entry.expect("its entries can, too").path();
        let name = format!("{under}{}", path.file_name().expect("an entry has a name").to_string_lossy());
        if path.is_dir() {
            read(&path, &format!("{name}/"), listing);
        } else if name.ends_with(".rs") {
            listing.insert(name, fs::read_to_string(&path).expect("a source file is text"));
        }
    }
}

/// The names of the modules that a file is in, from the outermost to its own.
fn module(file: &str) -> Vec<&str> {
    file.trim_end_matches(".rs").split('/').filter(|name| *name != "mod").collect()
}

/// A file without comments, and without its tests, which stand at its end.
fn bare(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// What stands between the brace at the beginning of `text` and the one that closes it.
fn braced(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    panic!("a brace is not closed: {text}")
}

/// The parts of a list between commas that stand in no braces.
fn parts(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let between = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    list.split(between).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The name at the beginning of a path.
fn first(path: &str) -> &str {
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    &path[..end]
}

/// The names at the root of the crate that a file names behind `prefix`.
fn named<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let starts = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let places = text.match_indices(prefix).filter(|(at, _)| starts(*at));
    let names = places.flat_map(|(at, _)| match &text[at + prefix.len()..] {
        tree if tree.starts_with('{') => parts(braced(tree)).into_iter().map(first).collect(),
        path => vec![first(path)],
    });
    // `pub(in crate::x)` and `use super::super::x` from deeper down are told by their prefixes alone.
    names.filter(|name| !matches!(*name, "super" | "self" | "")).collect()
}

/// The module, or the other crate, that each name comes from which `lib.rs` hands on.
fn handed_on(lib: &str) -> BTreeMap<&str, &str> {
    let mut from = BTreeMap::new();
    for (at, _) in lib.match_indices("use ") {
        let path = lib[at + "use ".len()..].split(';').next().unwrap_or_default().trim();
        let (source, rest) = (first(path), path.split_once("::").map_or("", |(_, rest)| rest));
        let items = rest.find('{').map_or_else(|| vec![rest], |at| parts(braced(&rest[at..])));
        for item in items {
            let item = item.rsplit("::").next().unwrap_or_default();
            let name = item.rsplit(" as ").next().unwrap_or_default();
            assert!(
                !name.is_empty() && !name.contains(['*', '{']),
                "lib.rs hands on names that it does not say: {item}"
            );
            from.insert(name, source);
        }
    }
    from
}

/// Which modules import which, of a whole crate.
fn imports(listing: &Listing) -> Imports {
    let modules: BTreeSet<&str> = listing.keys().map(|file| module(file)[0]).filter(|name| *name != "lib").collect();
    let lib = bare(&listing["lib.rs"]);
    let from = handed_on(&lib);
    let mut imports: Imports = modules.iter().map(|name| ((*name).to_owned(), BTreeSet::new())).collect();
    for (file, text) in listing {
        let own = module(file);
        if file == "lib.rs" || own.last() == Some(&"tests") {
            continue;
        }
        let (text, up) = (bare(text), "super::".repeat(own.len()));
        for name in named(&text, "crate::").into_iter().chain(named(&text, &up)) {
            let source = if modules.contains(name) { Some(&name) } else { from.get(name) };
            let source = source.unwrap_or_else(|| panic!("{file} imports {name}, and nobody knows from where"));
            if modules.contains(source) && *source != own[0] {
                imports.entry(own[0].to_owned()).or_default().insert((*source).to_owned());
            }
        }
    }
    imports
}

/// A circle of modules: each imports the next, and the last the first; none if there is none.
fn circle(mut imports: Imports) -> Option<Vec<String>> {
    // A module that imports nothing that is left is in none.
    while let Some(done) = imports.iter().find(|(_, of)| of.is_empty()).map(|(name, _)| name.clone()) {
        imports.remove(&done);
        imports.values_mut().for_each(|of| _ = of.remove(&done));
    }
    let mut way = vec![imports.keys().next()?.clone()];
    loop {
        let next = imports[way.last()?].first()?;
        if let Some(at) = way.iter().position(|name| name == next) {
            return Some(way.split_off(at));
        }
        way.push(next.clone());
    }
}

fn listing(files: &[(&str, &str)]) -> Listing {
    files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn no_modules_of_this_crate_import_each_other_in_a_circle() {
    let mut listing = Listing::new();
    read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "", &mut listing);
    let imports = imports(&listing);
    assert!(imports.len() > 20 && imports["host"].len() > 20, "the modules are not found: {imports:?}");
    assert_eq!(circle(imports), None);
}

const LIB: &str = "mod a;\nmod b;\nmod c;\npub use b::{Thing as Item, other::Deeper};\npub use elsewhere::Foreign;\n";

#[test]
fn a_circle_is_found_through_what_lib_hands_on_through_trees_and_through_paths_within_the_code() {
    let made_up = listing(&[
        ("lib.rs", LIB),
        ("a.rs", "use std::fmt;\nuse crate::{\n    Foreign,\n    Item,\n};\n"),
        ("b.rs", "mod inner;\n"),
        ("b/inner.rs", "use super::super::c::X;\n"),
        ("c.rs", "fn f() -> crate::a::Y { todo!() }\n"),
    ]);
    assert_eq!(circle(imports(&made_up)), Some(["a", "b", "c"].map(str::to_owned).to_vec()));
    let nested = listing(&[
        ("lib.rs", LIB),
        ("a.rs", "use crate::{b::{self, Thing}, Foreign};\n"),
        ("b.rs", "use super::c;\n"),
        ("c.rs", "use crate::Deeper;\n"),
    ]);
    assert_eq!(circle(imports(&nested)), Some(["b", "c"].map(str::to_owned).to_vec()));
}

#[test]
fn what_comments_and_tests_name_and_what_a_module_has_of_its_own_is_no_circle() {
    let made_up = listing(&[
        ("lib.rs", LIB),
        ("a.rs", "// crate::b\nuse crate::Item;\n/// See [`c`](crate::c).\nfn f() {}\n"),
        ("b.rs", "mod inner;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
        ("b/inner.rs", "use super::Thing;\nuse crate::b::Thing;\nuse crate::Foreign;\n"),
        ("b/tests.rs", "use crate::a;\n"),
        ("c.rs", "use crate::{a, b};\n"),
    ]);
    let found = imports(&made_up);
    assert_eq!(found["c"], BTreeSet::from(["a".to_owned(), "b".to_owned()]));
    assert_eq!(circle(found), None);
}

#[test]
#[should_panic(expected = "nobody knows from where")]
fn a_name_that_nobody_hands_on_is_not_passed_over() {
    imports(&listing(&[("lib.rs", LIB), ("a.rs", "use crate::Unheard;\n"), ("b.rs", ""), ("c.rs", "")]));
}
