//! What lies beside modules: the text of some, and the list of their hashes.

use std::path::Path;

/// Writes the text of these modules of a directory, and the list of all. What modules may use is the sandbox's to say,
/// whose tests look at them.
pub fn pack(directory: &Path, texts: &[&str]) -> Result<(), String> {
    let entries = std::fs::read_dir(directory).map_err(|why| failed(directory, &why))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "wasm"));
    paths.sort();
    let mut list = String::new();
    for path in paths {
        let module = std::fs::read(&path).map_err(|why| failed(&path, &why))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        list.push_str(&format!("{}  {name}\n", blake3::hash(&module)));
    }
    std::fs::write(directory.join("BLAKE3"), list).map_err(|why| failed(directory, &why))?;
    for guest in texts {
        let path = directory.join(format!("{guest}.wasm"));
        std::fs::write(path.with_extension("wat"), text(&path)?).map_err(|why| failed(&path, &why))?;
    }
    Ok(())
}

/// The text of a module.
fn text(path: &Path) -> Result<String, String> {
    let module = std::fs::read(path).map_err(|why| failed(path, &why))?;
    wasmprinter::print_bytes(module).map_err(|why| failed(path, &why))
}

fn failed(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_text_that_is_kept_is_that_of_its_module() {
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../modules/newreno.wasm");
        let kept = std::fs::read_to_string(module.with_extension("wat")).expect("it is kept");
        // Not compared by `assert_eq`, which would print both.
        assert!(super::text(&module).expect("a module") == kept);
    }
}
