use wasmtime::{ExternType, Store, ValType};

use super::*;
use crate::store::State;

fn is(kind: Type, found: &ValType) -> bool {
    match kind {
        Type::U32 => found.is_i32(),
        Type::U64 | Type::I64 => found.is_i64(),
    }
}

#[test]
fn imports_are_those_of_the_table_by_name_and_by_type() {
    let engine = engine();
    let mut store = Store::new(engine.wasmtime(), State::new(Quotas::default()));
    let found: Vec<_> =
        engine.linker().iter(&mut store).map(|(module, name, it)| (module.to_owned(), name, it)).collect();
    let mut names: Vec<&str> = found.iter().map(|(_, name, _)| *name).collect();
    let mut expected: Vec<&str> = imports().map(|row| row.name).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    for (module, name, it) in &found {
        assert_eq!(module, "tng");
        let row = crate::border::row(Side::Import, name).unwrap();
        let ExternType::Func(found) = it.ty(&store) else { panic!("{name} is no function") };
        assert!(row.parameters.iter().map(|(_, kind)| *kind).zip(found.params()).all(|(kind, of)| is(kind, &of)));
        assert_eq!(found.params().len(), row.parameters.len(), "{name}");
        assert_eq!(found.results().len(), usize::from(row.result.is_some()), "{name}");
        assert!(row.result.into_iter().zip(found.results()).all(|(kind, of)| is(kind, &of)), "{name}");
    }
}

#[test]
fn every_import_of_a_transport_can_be_called_and_answers() {
    for row in imports().filter(|row| row.name != "net_window") {
        let handed: String = row.parameters.iter().map(|(_, kind)| format!("{}.const 0 ", value(*kind))).collect();
        let drop = if row.result.is_some() { "drop" } else { "" };
        let guest = Wat::transport().import(row.name).body("attach", format!("{handed} call ${} {drop}", row.name));
        assert_eq!(guest.call(Callback::Attach), Ok(0), "{}", row.name);
    }
}

#[test]
fn a_module_exports_its_kind_and_a_controller_has_three_functions() {
    assert_eq!(Wat::transport().load().unwrap().kind(), Kind::Transport);
    assert_eq!(Wat::controller().load().unwrap().kind(), Kind::Controller);
    assert_eq!(crate::border::exports(Kind::Controller).collect::<Vec<_>>(), ["abi", "area", "sample"]);
    let exports = TABLE.iter().filter(|row| row.side == Side::Export).count();
    assert_eq!(crate::border::exports(Kind::Transport).count(), exports - 1);
}

#[test]
fn each_fault_of_a_module_says_what_to_do() {
    let errors = [
        ModuleError::TooLarge { bytes: 2 << 20 },
        ModuleError::Start,
        ModuleError::Version { found: 2 },
        ModuleError::MissingExport("ring"),
        ModuleError::Asked(Fault::Cpu),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains(';') || text.contains(':'), "{text}");
    }
}
