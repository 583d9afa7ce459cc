//! Modules written by hand. Each has what makes it bad; what it leaves out it gets from a guest that does nothing.

use std::path::Path;

/// Writes the module of a text, with those exports of `quiet` that it does not have.
pub fn assemble(quiet: &Path, from: &Path, to: &Path) -> Result<(), String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()));
    let text = complete(&read(quiet)?, &read(from)?);
    let module = wat::parse_str(text).map_err(|why| format!("{}: {why}", from.display()))?;
    std::fs::write(to, module).map_err(|why| format!("{}: {why}", to.display()))
}

/// A line of `quiet` is one export.
fn complete(quiet: &str, text: &str) -> String {
    let name = |line: &str| Some(line.split_once("(export \"")?.1.split_once('"')?.0.to_owned());
    let has = |name: &str| text.contains(&format!("(export \"{name}\""));
    let missing = quiet.lines().filter(|line| name(line).is_some_and(|name| !has(&name)));
    let end = text.rfind(')').unwrap_or(text.len());
    format!("{}{})\n", &text[..end], missing.map(|line| format!("{line}\n")).collect::<String>())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_module_leaves_out_is_the_quiet_guests() {
        let quiet = "(func (export \"a\"))\n(func (export \"b\"))\n";
        let text = super::complete(quiet, "(module\n(func (export \"b\") unreachable)\n)");
        assert_eq!(text, "(module\n(func (export \"b\") unreachable)\n(func (export \"a\"))\n)\n");
        assert!(wat::parse_str(text).is_ok());
    }
}
