//! Modules as text.

use crate::{BUILT_IN, TextError, text};

#[test]
fn the_text_of_every_guest_that_is_built_in_is_of_that_module() {
    for guest in BUILT_IN {
        let text = text(guest.bytes, 1 << 20).expect("it has one");
        let again = wat::parse_str(&text).expect("it can be read");
        let code = |module: &[u8]| {
            let parts = wasmparser::Parser::new(0).parse_all(module).filter_map(Result::ok);
            parts.filter(|part| matches!(part, wasmparser::Payload::CodeSectionEntry(_))).count()
        };
        assert!(code(guest.bytes) > 0 && code(&again) == code(guest.bytes), "{}", guest.name);
    }
}

#[test]
fn a_text_that_is_longer_than_it_may_be_and_bytes_that_are_no_module_have_none() {
    let module = BUILT_IN[0].bytes;
    let whole = text(module, 1 << 20).expect("it has one");
    assert_eq!(text(module, whole.len() - 1), Err(TextError::TooLong(whole.len() - 1)));
    assert_eq!(text(module, whole.len()), Ok(whole), "control");
    for len in 0..module.len().min(2_000) {
        // Cut between two sections it may be a module still.
        let _ = text(&module[..len], 1 << 20);
    }
    assert!(matches!(text(b"GIF89a", 1 << 20), Err(TextError::NoModule(_))));
}
