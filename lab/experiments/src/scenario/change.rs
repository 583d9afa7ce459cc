//! Values given beside a file, in place of its own: `link.rate=10mbit`.

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// Puts a value into a file: `what` is a key, an equals sign and the value, as the file would say it, quotes left out.
///
/// A key is a path: the section, then a name or a number from 1 if there are several of it, and the key. Without name or
/// number it means all of them.
///
/// # Errors
/// A sentence that says what to write.
pub(super) fn put<'i>(root: &mut DeTable<'i>, what: &'i str) -> Result<(), String> {
    let Some((path, text)) = what.split_once('=') else {
        return Err("write a key, an equals sign and a value, like link.rate=10mbit".into());
    };
    let path: Vec<&str> = path.trim().split('.').collect();
    match path.split_last() {
        Some((key, sections)) if path.iter().all(|part| !part.is_empty()) => {
            put_in(root, sections, key, &value(text.trim()));
            Ok(())
        }
        _ => Err("a key is a path of words with dots between them, like world.duration or link.rate".into()),
    }
}

/// The value as TOML, or else as a text.
fn value<'i>(text: &'i str) -> Spanned<DeValue<'i>> {
    DeValue::parse(text).unwrap_or_else(|_| Spanned::new(0..0, DeValue::String(text.into())))
}

fn put_in<'i>(table: &mut DeTable<'i>, path: &[&'i str], key: &'i str, value: &Spanned<DeValue<'i>>) {
    let Some((section, rest)) = path.split_first() else {
        table.insert(Spanned::new(0..0, key.into()), value.clone());
        return;
    };
    if table.get(*section).is_none() {
        table.insert(Spanned::new(0..0, (*section).into()), Spanned::new(0..0, DeValue::Table(DeTable::new())));
    }
    match table.get_mut(*section).map(Spanned::as_mut) {
        Some(DeValue::Table(table)) => put_in(table, rest, key, value),
        Some(DeValue::Array(list)) => {
            let one = rest.split_first().and_then(|(which, rest)| Some((place(list, which)?, rest)));
            match one {
                Some((place, rest)) => put_in_element(&mut list.as_mut()[place], rest, key, value),
                None => list.iter_mut().for_each(|element| put_in_element(element, rest, key, value)),
            }
        }
        // A value that has keys now: the reader says what is wrong with that.
        Some(other) => *other = DeValue::Table(DeTable::new()),
        None => {}
    }
}

fn put_in_element<'i>(
    element: &mut Spanned<DeValue<'i>>,
    path: &[&'i str],
    key: &'i str,
    value: &Spanned<DeValue<'i>>,
) {
    if let DeValue::Table(table) = element.as_mut() {
        put_in(table, path, key, value);
    }
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
