//! Prose in lines.

use core::fmt;

use crate::settings::Settings;

/// Characters of a line of prose.
pub(super) const WIDTH: usize = 120;

/// Words in lines of at most [`WIDTH`] characters where they allow it; all lines but the first begin with `indent`.
pub(super) fn wrap(words: &str, indent: &str) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in words.split_whitespace() {
        let len = word.chars().count();
        let between = match width {
            0 => "",
            _ if width + 1 + len > WIDTH => &format!("\n{indent}"),
            _ => " ",
        };
        width = if between.starts_with('\n') { indent.len() } else { width + between.len() } + len;
        text = text + between + word;
    }
    text
}

/// What worlds were made of, for a terminal; nothing if there were none.
pub(super) fn settings(f: &mut fmt::Formatter<'_>, settings: &Settings) -> fmt::Result {
    if settings.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{}", settings.title())?;
    settings.lines().iter().try_for_each(|[part, words]| writeln!(f, "{}", wrap(&format!("- {part}: {words}"), "  ")))
}
