//! What a module has to have, from the table of the border.

use tng_stp_abi::{Kind, Row, Side, TABLE, Type};
use wasmparser::{FuncType, ValType};

/// The export that the host reads and writes. Compilers call it so.
pub(crate) const MEMORY: &str = "memory";
/// The import of controllers, which have no other.
const NET_WINDOW: &str = "net_window";
/// What a transport has that a controller has, too.
const ABI: &str = "abi";
const AREA: &str = "area";
/// What only a controller has.
const SAMPLE: &str = "sample";

/// A function of one side, by its name.
pub(crate) fn row(side: Side, name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.side == side && row.name == name)
}

/// Names that a module of this kind has to export.
pub(crate) fn exports(kind: Kind) -> impl Iterator<Item = &'static str> {
    let of_kind = move |name: &str| match kind {
        Kind::Controller => matches!(name, ABI | AREA | SAMPLE),
        Kind::Transport => name != SAMPLE,
    };
    TABLE.iter().filter(move |row| row.side == Side::Export && of_kind(row.name)).map(|row| row.name)
}

/// Whether a module of this kind may import this.
pub(crate) fn may_import(kind: Kind, name: &str) -> bool {
    (kind == Kind::Controller) == (name == NET_WINDOW)
}

fn value(kind: Type) -> ValType {
    match kind {
        Type::U32 => ValType::I32,
        Type::U64 | Type::I64 => ValType::I64,
    }
}

/// Whether a function of a module is of the type that the table gives it.
pub(crate) fn is_typed(row: &Row, found: &FuncType) -> bool {
    let parameters = row.parameters.iter().map(|(_, kind)| value(*kind));
    let results = row.result.map(value);
    parameters.eq(found.params().iter().copied()) && results.iter().eq(found.results())
}
