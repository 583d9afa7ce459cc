//! What is looked at before a module is compiled.

use core::fmt;

use tng_stp_abi::{Kind, Side};
use tng_stp_host::{Fault, Quotas};
use wasmparser::{Encoding, ExternalKind, FuncType, Parser, Payload, TableInit, TypeRef, Validator};

use crate::border::{self, MEMORY};
use crate::engine::FEATURES;
use crate::imports::MODULE;
use crate::limits::{
    BODY_MAX, EXPORTS_MAX, FUNCTIONS_MAX, GLOBALS_MAX, IMPORTS_MAX, LOCALS_MAX, MEMORIES_MAX, MODULE_MAX, SEGMENTS_MAX,
    TABLES_MAX, TYPES_MAX,
};

/// Why a module is not loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModuleError {
    /// Guest: more bytes than a module may have.
    TooLarge {
        /// Bytes.
        bytes: usize,
    },
    /// Guest: it is no module of WebAssembly, is damaged, or uses what guests may not use.
    Malformed(String),
    /// Caller, or environment: it ends in the middle.
    Cut(String),
    /// Guest: more of something than a module may have.
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many it has.
        found: u64,
        /// How many it may have.
        most: u64,
    },
    /// Guest: it has a start function.
    Start,
    /// Guest: it imports what hosts do not have.
    UnknownImport {
        /// From which module.
        module: String,
        /// What.
        name: String,
    },
    /// Guest: it imports what hosts have, as something else.
    ImportType(String),
    /// Guest: it imports what its kind has no use for.
    ImportOfKind(String),
    /// Guest: it does not export what the host needs.
    MissingExport(&'static str),
    /// Guest: it exports what the host needs, as something else.
    ExportType(String),
    /// Guest: it is of another version of the border.
    Version {
        /// Which.
        found: u64,
    },
    /// Guest: it is neither a transport nor a controller.
    UnknownKind,
    /// Guest: its ring or its area lies outside of its memory.
    OutsideMemory(&'static str),
    /// Guest: it went wrong when it was asked what it is.
    Asked(Fault),
    /// Environment: the compiler does not make code of it.
    Uncompiled(String),
}

/// What every module begins with.
const MAGIC: &[u8] = b"\0asm";

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModuleError::TooLarge { bytes } => {
                write!(f, "the module has {bytes} bytes; at most {MODULE_MAX} are allowed: strip and optimize it")
            }
            ModuleError::Malformed(what) => write!(
                f,
                "this is no module that guests may be, or it is damaged: {what}; copy it again, or build it for \
                 WebAssembly 1.0 with bulk memory, and no more"
            ),
            ModuleError::Cut(what) => write!(f, "the file is cut off: {what}; copy it again, whole"),
            ModuleError::TooMany { what, found, most } => {
                write!(f, "the module has {found} {what}; at most {most} are allowed")
            }
            ModuleError::Start => f.write_str("the module has a start function; begin with `attach` instead"),
            ModuleError::UnknownImport { module, name } => write!(
                f,
                "the module imports {module:?}.{name:?}, which hosts do not have; import only the functions of `tng`"
            ),
            ModuleError::ImportType(name) => {
                write!(f, "the module imports {name:?} with another type; see the table in docs/stp.md")
            }
            ModuleError::ImportOfKind(name) => {
                write!(f, "the module imports {name:?}; controllers import `net_window` alone, transports all others")
            }
            ModuleError::MissingExport(name) => {
                write!(f, "the module does not export {name:?}; export all that the table in docs/stp.md has of guests")
            }
            ModuleError::ExportType(name) => {
                write!(f, "the module exports {name:?} with another type; see the table in docs/stp.md")
            }
            ModuleError::Version { found } => write!(
                f,
                "the module is of version {found}, this host of version {}; build it against that",
                tng_stp_abi::ABI_VERSION
            ),
            ModuleError::UnknownKind => {
                f.write_str("the module is neither a transport nor a controller; look at what its `abi` answers")
            }
            ModuleError::OutsideMemory(what) => {
                write!(f, "the module's {what} lies outside of its memory; give an address that has room behind it")
            }
            ModuleError::Asked(fault) => write!(
                f,
                "the module went wrong when it was asked what it is: {fault}; answer `abi`, `ring` and `area` at once"
            ),
            ModuleError::Uncompiled(what) => write!(f, "the module could not be compiled: {what}"),
        }
    }
}

impl core::error::Error for ModuleError {}

/// Names that a module imports and exports, all of them known and of the right type.
#[derive(Debug, Default)]
pub(crate) struct Names {
    imports: Vec<&'static str>,
    exports: Vec<&'static str>,
}

impl Names {
    /// Whether they are those of this kind.
    pub(crate) fn check(&self, kind: Kind) -> Result<(), ModuleError> {
        if let Some(name) = self.imports.iter().find(|name| !border::may_import(kind, name)) {
            return Err(ModuleError::ImportOfKind((*name).to_owned()));
        }
        match border::exports(kind).find(|name| !self.exports.contains(name)) {
            Some(name) => Err(ModuleError::MissingExport(name)),
            None => Ok(()),
        }
    }

    /// Whether it can be asked what it is.
    fn check_abi(&self) -> Result<(), ModuleError> {
        match [MEMORY, "abi"].into_iter().find(|name| !self.exports.contains(name)) {
            Some(name) => Err(ModuleError::MissingExport(name)),
            None => Ok(()),
        }
    }
}

/// Types and functions as far as they were read.
#[derive(Default)]
struct Functions {
    types: Vec<FuncType>,
    of: Vec<u32>,
}

impl Functions {
    fn type_of(&self, function: u32) -> Option<&FuncType> {
        self.of.get(function as usize).and_then(|kind| self.types.get(*kind as usize))
    }
}

/// Words of the parser's of what ends within a section, and of code or data that was promised and is not there.
pub(crate) const WORDS_OF_CUT: [&str; 3] = ["unexpected end", "code section is absent", "data section is absent"];

fn malformed(error: wasmparser::Error) -> ModuleError {
    match WORDS_OF_CUT.iter().any(|words| error.message().contains(words)) {
        true => ModuleError::Cut(error.to_string()),
        false => ModuleError::Malformed(error.to_string()),
    }
}

fn at_most(what: &'static str, found: impl Into<u64>, most: u64) -> Result<(), ModuleError> {
    let found = found.into();
    if found > most { Err(ModuleError::TooMany { what, found, most }) } else { Ok(()) }
}

/// Looks at sizes first, then at names, and at the code last: what takes long is done for what is small.
pub(crate) fn check(bytes: &[u8], quotas: &Quotas) -> Result<Names, ModuleError> {
    if bytes.len() > MODULE_MAX {
        return Err(ModuleError::TooLarge { bytes: bytes.len() });
    }
    if MAGIC.starts_with(bytes) {
        return Err(ModuleError::Cut(format!("it has {} bytes", bytes.len())));
    }
    if !bytes.starts_with(MAGIC) {
        let what = "it does not begin like one (give the .wasm file, not its text)";
        return Err(ModuleError::Malformed(what.to_owned()));
    }
    let (mut names, mut functions) = (Names::default(), Functions::default());
    let mut parser = Parser::new(0);
    parser.set_features(FEATURES);
    for payload in parser.parse_all(bytes) {
        match payload.map_err(malformed)? {
            Payload::Version { encoding: Encoding::Component, .. } => {
                return Err(ModuleError::Malformed("it is a component".to_owned()));
            }
            Payload::TypeSection(types) => {
                at_most("types", types.count(), TYPES_MAX)?;
                let types: Result<Vec<_>, _> = types.into_iter_err_on_gc_types().collect();
                functions.types = types.map_err(malformed)?;
            }
            Payload::ImportSection(imports) => {
                at_most("imports", imports.count(), IMPORTS_MAX)?;
                for import in imports.into_imports() {
                    import_of(import.map_err(malformed)?, &mut names, &mut functions)?;
                }
            }
            Payload::FunctionSection(own) => {
                at_most("functions", own.count(), FUNCTIONS_MAX)?;
                for kind in own {
                    functions.of.push(kind.map_err(malformed)?);
                }
            }
            Payload::TableSection(tables) => {
                at_most("tables", tables.count(), TABLES_MAX)?;
                for table in tables {
                    let table = table.map_err(malformed)?;
                    at_most("entries in its table", table.ty.initial, quotas.table)?;
                    if !matches!(table.init, TableInit::RefNull) {
                        return Err(ModuleError::Malformed("its table has an initial value".to_owned()));
                    }
                }
            }
            Payload::MemorySection(memories) => {
                at_most("memories", memories.count(), MEMORIES_MAX)?;
                for memory in memories {
                    let pages = memory.map_err(malformed)?.initial;
                    at_most("bytes of memory", pages.saturating_mul(64 << 10), quotas.memory)?;
                }
            }
            Payload::GlobalSection(globals) => at_most("globals", globals.count(), GLOBALS_MAX)?,
            Payload::ExportSection(exports) => {
                at_most("exports", exports.count(), EXPORTS_MAX)?;
                for export in exports {
                    export_of(export.map_err(malformed)?, &mut names, &functions)?;
                }
            }
            Payload::StartSection { .. } => return Err(ModuleError::Start),
            Payload::ElementSection(segments) => at_most("element segments", segments.count(), SEGMENTS_MAX)?,
            Payload::DataSection(segments) => at_most("data segments", segments.count(), SEGMENTS_MAX)?,
            Payload::CodeSectionEntry(body) => {
                at_most("bytes in one function", body.range().len() as u64, BODY_MAX)?;
                let mut locals = 0_u64;
                for group in body.get_locals_reader().map_err(malformed)? {
                    locals += u64::from(group.map_err(malformed)?.0);
                }
                at_most("locals in one function", locals, LOCALS_MAX)?;
            }
            _ => {}
        }
    }
    Validator::new_with_features(FEATURES).validate_all(bytes).map_err(malformed)?;
    names.check_abi()?;
    Ok(names)
}

fn import_of(import: wasmparser::Import<'_>, names: &mut Names, functions: &mut Functions) -> Result<(), ModuleError> {
    let unknown = || ModuleError::UnknownImport { module: import.module.to_owned(), name: import.name.to_owned() };
    let row = if import.module == MODULE { border::row(Side::Import, import.name) } else { None };
    let row = row.ok_or_else(unknown)?;
    let TypeRef::Func(kind) = import.ty else {
        return Err(ModuleError::ImportType(import.name.to_owned()));
    };
    functions.of.push(kind);
    // A type that is not there is the validator's to find.
    if functions.types.get(kind as usize).is_some_and(|found| !border::is_typed(row, found)) {
        return Err(ModuleError::ImportType(import.name.to_owned()));
    }
    names.imports.push(row.name);
    Ok(())
}

fn export_of(export: wasmparser::Export<'_>, names: &mut Names, functions: &Functions) -> Result<(), ModuleError> {
    let wrong = || Err(ModuleError::ExportType(export.name.to_owned()));
    if export.name == MEMORY {
        if export.kind != ExternalKind::Memory {
            return wrong();
        }
        names.exports.push(MEMORY);
    } else if let Some(row) = border::row(Side::Export, export.name) {
        if export.kind != ExternalKind::Func {
            return wrong();
        }
        if functions.type_of(export.index).is_some_and(|found| !border::is_typed(row, found)) {
            return wrong();
        }
        names.exports.push(row.name);
    }
    Ok(())
}
