//! Folders, for browsers.

use core::fmt::Write as _;

use tng_services::files::{Entry, Kind, SafePath};

/// Bytes of a page, at most; what has no room is only counted.
pub const PAGE_LEN_MAX: usize = 4 << 20;

/// A page with what is in a folder, and links that hold wherever the folder is mounted.
pub fn listing(folder: &SafePath, entries: &[Entry]) -> String {
    let title = text(&folder.to_string());
    let mut out = format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>/{title}</title></head>\n<body><h1>/{title}</h1>\n\
         <pre>\n"
    );
    if !folder.is_root() {
        out.push_str("<a href=\"../\">../</a>\n");
    }
    let mut left = entries.len();
    for entry in entries {
        let slash = if entry.kind == Kind::Folder { "/" } else { "" };
        let name = entry.path.as_str();
        if out.len() + 12 * name.len() > PAGE_LEN_MAX {
            break;
        }
        left -= 1;
        // A name with a colon would be taken for one of another scheme.
        let _ = write!(out, "<a href=\"./{}{slash}\">{}{slash}</a>", escape(name), text(&entry.path.to_string()));
        let _ = if slash.is_empty() { writeln!(out, "  {}", entry.size) } else { writeln!(out) };
    }
    if left > 0 {
        let _ = writeln!(out, "and {left} more");
    }
    out.push_str("</pre></body></html>\n");
    out
}

/// A text as it stands in a page: what has a meaning there is written as what it is.
fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A path as it stands in a URL: all but letters, digits and a few marks as `%xx`.
pub fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
