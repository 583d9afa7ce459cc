//! What lies beside modules: their text, and the list of their hashes.

use std::path::Path;

/// Writes the text of every module of a directory, and the list. What modules may use is the sandbox's to say, whose
/// tests look at them.
pub fn pack(directory: &Path) -> Result<(), String> {
    let failed = |path: &Path, why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let entries = std::fs::read_dir(directory).map_err(|why| failed(directory, &why))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "wasm"));
    paths.sort();
    let mut list = String::new();
    for path in paths {
        let module = std::fs::read(&path).map_err(|why| failed(&path, &why))?;
        let text = wasmprinter::print_bytes(&module).map_err(|why| failed(&path, &why))?;
        std::fs::write(path.with_extension("wat"), text).map_err(|why| failed(&path, &why))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        list.push_str(&format!("{}  {name}\n", blake3::hash(&module)));
    }
    std::fs::write(directory.join("BLAKE3"), list).map_err(|why| failed(directory, &why))
}
