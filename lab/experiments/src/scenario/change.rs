//! Values given beside a file, in place of its own: `link.rate=10mbit`.

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use tng_settings::nearest;

/// Sections that a file may have several of, and within flows, too.
const LISTS: &[&str] = &["node", "link", "flow", "event", "stream", "datagrams", "web"];
/// Keys whose values may be tables: what follows one of them is no name.
const TABLES: &[&str] = &[
    "stream",
    "datagrams",
    "web",
    "forth",
    "back",
    "queue",
    "loss",
    "reorder",
    "priority",
    "bytes",
    "every",
    "on",
    "off",
    "think",
];
/// Most names that an error lists.
const NAMES_TOLD: usize = 12;

/// Puts a value into a file: `what` is a key, an equals sign and the value, as the file would say it, quotes left out.
///
/// A key is a path: the section, then a name or a number from 1 if there are several of it, and the key. Without name
/// or number it means all of them.
///
/// # Errors
/// A sentence that says what to write.
pub(super) fn put<'i>(root: &mut DeTable<'i>, what: &'i str) -> Result<(), String> {
    let Some((path, text)) = what.split_once('=') else {
        return Err("write a key, an equals sign and a value, like link.rate=10mbit".into());
    };
    let path: Vec<&str> = path.trim().split('.').collect();
    match path.split_last() {
        Some((key, sections)) if !sections.is_empty() && path.iter().all(|part| !part.is_empty()) => {
            match put_in(root, sections, key, &value(text.trim()))? {
                0 => Err(format!("the file has no [[{}]]", lists(sections))),
                _ => Ok(()),
            }
        }
        _ => {
            Err("a key is a path of words with dots between them, its section first, like world.duration or link.rate"
                .into())
        }
    }
}

/// The sections of a path, without names and numbers.
fn lists(sections: &[&str]) -> String {
    sections.iter().filter(|section| LISTS.contains(section)).copied().collect::<Vec<_>>().join(".")
}

/// The value as TOML, or else as a text.
fn value<'i>(text: &'i str) -> Spanned<DeValue<'i>> {
    DeValue::parse(text).unwrap_or_else(|_| Spanned::new(0..0, DeValue::String(text.into())))
}

/// In how many places it was put.
fn put_in<'i>(
    table: &mut DeTable<'i>,
    path: &[&'i str],
    key: &'i str,
    value: &Spanned<DeValue<'i>>,
) -> Result<usize, String> {
    let Some((section, rest)) = path.split_first() else {
        table.insert(Spanned::new(0..0, key.into()), value.clone());
        return Ok(1);
    };
    if table.get(*section).is_none() {
        if LISTS.contains(section) {
            return Ok(0);
        }
        table.insert(Spanned::new(0..0, (*section).into()), Spanned::new(0..0, DeValue::Table(DeTable::new())));
    }
    match table.get_mut(*section).map(Spanned::as_mut) {
        Some(DeValue::Table(table)) => put_in(table, rest, key, value),
        Some(DeValue::Array(list)) => match rest.split_first() {
            Some((which, rest)) if let Some(place) = place(list, which) => {
                put_in_element(&mut list.as_mut()[place], rest, key, value)
            }
            Some((which, _)) if !is_key(list, which) => Err(unknown(section, which, list)),
            _ => {
                let put: Vec<_> = list.iter_mut().map(|element| put_in_element(element, rest, key, value)).collect();
                let places = put.iter().flatten().sum();
                // What only some of them have is put there.
                if places == 0 { put.into_iter().find(Result::is_err).unwrap_or(Ok(0)) } else { Ok(places) }
            }
        },
        // A value that has keys from now on, such as a queue that was a name.
        Some(other) => {
            let mut keys = DeTable::new();
            let places = put_in(&mut keys, rest, key, value)?;
            *other = DeValue::Table(keys);
            Ok(places)
        }
        None => Ok(0),
    }
}

fn put_in_element<'i>(
    element: &mut Spanned<DeValue<'i>>,
    path: &[&'i str],
    key: &'i str,
    value: &Spanned<DeValue<'i>>,
) -> Result<usize, String> {
    match element.as_mut() {
        DeValue::Table(table) => put_in(table, path, key, value),
        _ => Ok(0),
    }
}

/// Whether a word is a key of elements, not the name of one: the reader knows more of it.
fn is_key(list: &DeArray<'_>, word: &str) -> bool {
    let has =
        |element: &Spanned<DeValue<'_>>| element.get_ref().as_table().is_some_and(|table| table.contains_key(word));
    TABLES.contains(&word) || list.iter().any(has)
}

/// That no element of a section has this name or number, and which there are.
fn unknown(section: &str, which: &str, list: &DeArray<'_>) -> String {
    let names: Vec<String> = list.iter().filter_map(name).collect();
    let known = match nearest(which, names.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => {
            let numbers = if list.len() == 1 { "1".to_owned() } else { format!("a number from 1 to {}", list.len()) };
            let told: Vec<String> = names.iter().take(NAMES_TOLD).map(|name| format!("{name:?}")).collect();
            let more = if names.len() > NAMES_TOLD { ", ..." } else { "" };
            match told.is_empty() {
                true => format!("write {numbers}"),
                false => format!("there is {}{more}; or write {numbers}", told.join(", ")),
            }
        }
    };
    format!("there is no {section} {which:?}; {known}")
}

/// The place of the element with this name or number.
fn place(list: &DeArray<'_>, which: &str) -> Option<usize> {
    let number = which.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    list.iter().position(|element| name(element).as_deref() == Some(which)).or(number).filter(|at| *at < list.len())
}

/// An element's name, or the one that it has when the file gives it none.
fn name(element: &Spanned<DeValue<'_>>) -> Option<String> {
    let table = element.get_ref().as_table()?;
    let text = |key: &str| Some(table.get(key)?.get_ref().as_str()?.to_owned());
    let between = || {
        let ends: Vec<&str> =
            table.get("between")?.get_ref().as_array()?.iter().filter_map(|end| end.get_ref().as_str()).collect();
        Some(ends.join("-"))
    };
    let flow = || Some(format!("{}->{}", text("from")?, text("to")?));
    text("name").or_else(between).or_else(flow)
}
