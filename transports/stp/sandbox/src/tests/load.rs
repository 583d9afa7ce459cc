use super::*;
use crate::engine::FEATURES;
use crate::{BUILT_IN, CATALOGUE, RECEIVERS};

fn bytes_of(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

fn malformed(bytes: &[u8]) -> String {
    match Module::new(&engine(), bytes) {
        Err(ModuleError::Malformed(what)) => what,
        other => panic!("{other:?}"),
    }
}

fn cut(bytes: &[u8]) {
    let refused = Module::new(&engine(), bytes).unwrap_err();
    assert!(matches!(refused, ModuleError::Cut(_)) && refused.to_string().contains("the file is cut off"), "{refused}");
}

#[test]
fn what_is_no_module_is_malformed() {
    for bytes in [&b"\0asm\x02\0\0\0"[..], b"GIF89a", &[0xff; 4_096]] {
        malformed(bytes);
    }
    for bytes in [&b""[..], b"\0as", b"\0asm", b"\0asm\x01\0\0"] {
        cut(bytes);
    }
    assert!(malformed(b"\0asm\x0d\0\x01\0").contains("component"));
}

#[test]
fn a_module_that_is_cut_off_is_told_to_be_cut_wherever_it_is() {
    let active = Wat::transport().import("net_send").field("(data (i32.const 0) \"abc\")");
    let passive = Wat::transport().field("(data $abc \"abc\")").body("attach", "data.drop $abc");
    let engine = engine();
    let mut told: Vec<String> = Vec::new();
    for whole in [active.bytes(), passive.bytes()] {
        let (mut ran, mut nameless) = (0, 0);
        for len in 0..whole.len() {
            match Module::new(&engine, &whole[..len]) {
                Err(ModuleError::Cut(what)) => told.push(what),
                // Cut between two sections, a module is whole, and lacks what stood behind: its names, or its data.
                Ok(_) => ran += 1,
                // The same, before anything was promised: it has a head, types and imports at most.
                Err(ModuleError::MissingExport("memory")) => nameless += 1,
                other => panic!("{len}: {other:?}"),
            }
        }
        assert!(ran <= 2 && (1..=3).contains(&nameless), "{ran} ran, {nameless} without exports");
    }
    // A parser that says it in other words would have them told as malformed.
    for words in crate::check::WORDS_OF_CUT {
        assert!(told.iter().any(|what| what.contains(words)), "{words:?}");
    }
}

#[test]
fn a_whole_module_that_exports_nothing_lacks_what_it_has_to_export_and_is_not_cut() {
    for bytes in [b"\0asm\x01\0\0\0".to_vec(), bytes_of("(module (func))")] {
        assert_eq!(Module::new(&engine(), &bytes).unwrap_err(), ModuleError::MissingExport("memory"));
    }
}

#[test]
fn a_module_with_a_wrong_byte_is_refused_or_runs_within_its_quotas() {
    let whole = Wat::transport().import("random").body("attach", "call $random drop").bytes();
    let engine = engine();
    let mut ran = 0;
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            if let Ok(module) = Module::new(&engine, &bytes)
                && module.kind() == Kind::Transport
            {
                let mut instance = Sandboxed::new(&module, shim(Quotas::default())).unwrap();
                // Whatever it does, the host goes on.
                let _ = instance.call(Callback::Attach);
                ran += 1;
            }
        }
    }
    assert!(ran > 0);
}

#[test]
fn a_module_beyond_a_megabyte_is_not_looked_at() {
    let bytes = vec![0xff; crate::MODULE_MAX + 1];
    assert_eq!(Module::new(&engine(), &bytes).unwrap_err(), ModuleError::TooLarge { bytes: bytes.len() });
    malformed(&bytes[1..]);
}

#[test]
fn what_is_switched_off_is_malformed() {
    let cases = [
        ("(func (result v128) v128.const i64x2 0 0)", "SIMD"),
        ("(func (param v128))", "SIMD"),
        ("(func (param i32) (result i32 i32) local.get 0 local.get 0)", "multi-value"),
        ("(func (param externref))", "reference types"),
        ("(table 1 externref)", "reference types"),
        ("(table $t 1 funcref) (func (drop (table.size $t)))", "reference types"),
        ("(func return_call 0)", "tail call"),
        ("(tag)", "exceptions"),
        ("(func (drop (i32.atomic.load (i32.const 0))))", "threads"),
        ("(func (drop (i64.add128 (i64.const 0) (i64.const 0) (i64.const 0) (i64.const 0)) drop))", "wide arithmetic"),
        ("(type (struct))", "gc proposal"),
        ("(global i32 (i32.add (i32.const 1) (i32.const 2)))", "constant expression"),
    ];
    for (field, what) in cases {
        let said = malformed(&Wat::transport().field(field).bytes());
        assert!(said.to_lowercase().contains(&what.to_lowercase()), "{field}: {said}");
    }
    let memories = [
        ("(memory (export \"memory\") i64 1)", "memory64"),
        ("(memory (export \"memory\") 1 1 shared)", "threads"),
        ("(memory (export \"memory\") 1 (pagesize 1))", "custom"),
    ];
    for (memory, what) in memories {
        let said = malformed(&Wat::transport().memory(memory).bytes());
        assert!(said.contains(what), "{memory}: {said}");
    }
}

#[test]
fn code_that_does_not_fit_its_types_is_malformed() {
    for body in ["i32.const 1", "local.get 7", "br 9", "i32.const 0 i64.load drop drop"] {
        malformed(&Wat::transport().body("attach", body).bytes());
    }
    malformed(&bytes_of("(module (func call 9))"));
}

#[test]
fn a_start_function_is_refused() {
    let guest = Wat::transport().field("(func $main) (start $main)");
    assert_eq!(guest.load().unwrap_err(), ModuleError::Start);
}

#[test]
fn an_import_that_hosts_do_not_have_is_refused_by_name() {
    let cases = [
        ("(import \"env\" \"abort\" (func))", "env", "abort"),
        ("(import \"wasi_snapshot_preview1\" \"fd_write\" (func))", "wasi_snapshot_preview1", "fd_write"),
        ("(import \"tng\" \"open\" (func))", "tng", "open"),
        ("(import \"tng\" \"load\" (func))", "tng", "load"),
        ("(import \"tng\" \"attach\" (func))", "tng", "attach"),
        ("(import \"tng\" \"memory\" (memory 1))", "tng", "memory"),
        ("(import \"env\" \"gettick\" (func (result i64)))", "env", "gettick"),
        ("(import \"\" \"\" (func))", "", ""),
    ];
    for (text, module, name) in cases {
        let memory = if name == "memory" { "(export \"memory\" (memory 0))" } else { "(memory (export \"memory\") 1)" };
        let guest = Wat::transport().import_text(text).memory(memory);
        let expected = ModuleError::UnknownImport { module: module.to_owned(), name: name.to_owned() };
        assert_eq!(guest.load().unwrap_err(), expected, "{text}");
    }
}

#[test]
fn an_import_of_another_type_is_refused_by_name() {
    for row in imports() {
        let text = format!("(import \"tng\" {:?} (func (param f64)))", row.name);
        let refused = Wat::transport().import_text(&text).load().unwrap_err();
        assert_eq!(refused, ModuleError::ImportType(row.name.to_owned()));
        let text = format!("(import \"tng\" {:?} (global i32))", row.name);
        let refused = Wat::transport().import_text(&text).load().unwrap_err();
        assert_eq!(refused, ModuleError::ImportType(row.name.to_owned()));
    }
}

#[test]
fn a_controller_imports_its_window_alone_and_a_transport_all_but_that() {
    for row in imports() {
        let (kind, other) = match row.name {
            "net_window" => (Wat::controller(), Wat::transport()),
            _ => (Wat::transport(), Wat::controller()),
        };
        kind.import(row.name).load().unwrap();
        let refused = other.import(row.name).load().unwrap_err();
        assert_eq!(refused, ModuleError::ImportOfKind(row.name.to_owned()));
    }
}

#[test]
fn an_export_that_is_missing_or_of_another_type_is_refused_by_name() {
    for kind in [Kind::Transport, Kind::Controller] {
        for name in crate::border::exports(kind) {
            let missing = Wat::new(kind).without(name);
            assert_eq!(missing.load().unwrap_err(), ModuleError::MissingExport(name));
            let function = missing.clone().field(&format!("(func (export {name:?}) (param f32))"));
            assert_eq!(function.load().unwrap_err(), ModuleError::ExportType(name.to_owned()));
            let global = missing.field(&format!("(global (export {name:?}) i32 (i32.const 0))"));
            assert_eq!(global.load().unwrap_err(), ModuleError::ExportType(name.to_owned()));
        }
    }
    let hidden = Wat::transport().memory("(memory 1)");
    assert_eq!(hidden.load().unwrap_err(), ModuleError::MissingExport("memory"));
    let function = Wat::transport().memory("(func (export \"memory\"))");
    assert_eq!(function.load().unwrap_err(), ModuleError::ExportType("memory".to_owned()));
}

#[test]
fn another_version_and_another_kind_are_refused() {
    for found in [0, 2, u64::MAX >> 8] {
        let guest = Wat::transport().body("abi", format!("i64.const {}", (found << 8 | 2) as i64));
        assert_eq!(guest.load().unwrap_err(), ModuleError::Version { found });
    }
    for kind in [0, 4, 255] {
        let guest = Wat::transport().body("abi", format!("i64.const {}", 1 << 8 | kind));
        assert_eq!(guest.load().unwrap_err(), ModuleError::UnknownKind);
    }
}

#[test]
fn a_module_that_does_not_say_what_it_is_is_refused() {
    let cases = [
        ("unreachable", Fault::Trapped("wasm trap: wasm `unreachable` instruction executed".to_owned())),
        ("(loop $l br $l) i64.const 0", Fault::Cpu),
        ("call $abi", Fault::Stack),
    ];
    for (body, fault) in cases {
        assert_eq!(Wat::transport().body("abi", body).load().unwrap_err(), ModuleError::Asked(fault));
    }
    let asks_back = Wat::transport().import("random").body("abi", "call $random").load();
    assert!(matches!(asks_back, Err(ModuleError::Asked(Fault::Trapped(_)))));
}

#[test]
fn ring_and_area_lie_in_memory_whole() {
    for (name, last) in [("ring", 65_536 - 8_192), ("area", 65_536 - 4_096)] {
        Wat::transport().body(name, format!("i32.const {last}")).load().unwrap();
        for address in [last + 1, 65_536, -1, i32::MIN, -4_096] {
            let guest = Wat::transport().body(name, format!("i32.const {address}"));
            assert_eq!(guest.load().unwrap_err(), ModuleError::OutsideMemory(name), "{address}");
        }
    }
    let empty = Wat::transport().memory("(memory (export \"memory\") 0)").body("area", "i32.const 0");
    assert_eq!(empty.load().unwrap_err(), ModuleError::OutsideMemory("area"));
}

#[test]
fn too_many_of_anything_is_refused_before_it_is_compiled() {
    let many = |count: usize, text: &str| text.repeat(count);
    let types: String = (0..1_025).map(|i| format!("(type (func (param {})))", many(i % 500 + 1, "i32 "))).collect();
    let cases = [
        ("functions", Wat::transport().field(&many(100_000, "(func)"))),
        ("types", Wat::transport().field(&types)),
        ("imports", (0..65).fold(Wat::transport(), |guest, _| guest.import_text("(import \"tng\" \"so_end\" (func))"))),
        ("globals", Wat::transport().field(&many(257, "(global i32 (i32.const 0))"))),
        ("tables", Wat::transport().field("(table 1 funcref) (table 1 funcref)")),
        ("memories", Wat::transport().field("(memory 1)")),
        ("data segments", Wat::transport().field(&many(1_025, "(data (i32.const 0) \"\")"))),
        (
            "element segments",
            Wat::transport().field(&("(table 1 funcref)".to_owned() + &many(1_025, "(elem (i32.const 0))"))),
        ),
        (
            "exports",
            Wat::transport().field(&(0..257).map(|i| format!("(export \"x{i}\" (func $attach))")).collect::<String>()),
        ),
        ("bytes in one function", Wat::transport().body("attach", many(33_000, "i32.const 0 drop "))),
        ("locals in one function", Wat::transport().body("attach", format!("(local {})", many(5_000, "i64 ")))),
        ("bytes of memory", Wat::transport().memory("(memory (export \"memory\") 65)")),
        ("bytes of memory", Wat::transport().memory("(memory (export \"memory\") 65536)")),
        ("entries in its table", Wat::transport().field("(table 1025 funcref)")),
        ("entries in its table", Wat::transport().field("(table 0xffffffff funcref)")),
    ];
    for (of, guest) in cases {
        match guest.load().unwrap_err() {
            ModuleError::TooMany { what, found, most } => assert!(what == of && found > most, "{what} {found} {most}"),
            other => panic!("{of}: {other}"),
        }
    }
}

#[test]
fn a_count_that_promises_what_is_not_there_is_malformed() {
    // Sections whose first number says four billion.
    for section in 1..=12_u8 {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        bytes.extend([section, 5, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        let refused = Module::new(&engine(), &bytes).unwrap_err();
        let named = matches!(
            refused,
            ModuleError::Malformed(_) | ModuleError::Cut(_) | ModuleError::TooMany { .. } | ModuleError::Start
        );
        assert!(named, "{section}: {refused}");
    }
}

#[test]
fn segments_that_lie_outside_are_refused_when_the_module_is_loaded() {
    let data = Wat::transport().field("(data (i32.const 65535) \"ab\")");
    assert!(matches!(data.load(), Err(ModuleError::Asked(Fault::Trapped(_)))));
    let elements = Wat::transport().field("(table 1 funcref) (elem (i32.const 1) $attach)");
    assert!(matches!(elements.load(), Err(ModuleError::Asked(Fault::Trapped(_)))));
}

#[test]
fn every_module_that_is_committed_uses_what_is_switched_on_and_nothing_else() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/modules");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let modules: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "wasm")).collect();
    assert!(modules.len() >= BUILT_IN.len(), "{modules:?}");
    for path in modules {
        let module = std::fs::read(&path).unwrap();
        let refused = wasmparser::Validator::new_with_features(FEATURES).validate_all(&module).err();
        assert!(refused.is_none(), "{}: {refused:?}", path.display());
    }
}

#[test]
fn every_guest_that_is_built_in_says_of_itself_what_the_list_says_of_it() {
    let engine = engine();
    for guest in BUILT_IN.iter().chain(CATALOGUE).chain(RECEIVERS) {
        assert_eq!(Module::new(&engine, guest.bytes).unwrap().kind(), guest.kind, "{}", guest.name);
    }
}

#[test]
fn what_compilers_emit_today_is_taken() {
    let guest = Wat::transport()
        .field("(type $f (func)) (table 4 4 funcref) (elem (i32.const 0) $attach $connect)")
        .field("(global $sp (mut i32) (i32.const 65536)) (global (export \"__heap_base\") i32 (i32.const 1024))")
        .field("(data $d \"abc\")")
        .body("connect", "(memory.fill (i32.const 0) (i32.const 1) (i32.const 9))")
        .body("accept", "(memory.copy (i32.const 0) (i32.const 9) (i32.const 9))")
        .body("abort", "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 3))")
        .body("timer", "(drop (i64.extend8_s (i64.trunc_sat_f64_s (f64.const 1e300))))")
        .body("path_changed", "(call_indirect (type $f) (i32.const 1))");
    for callback in CALLBACKS {
        assert_eq!(guest.call(callback), Ok(0), "{callback:?}");
    }
}
