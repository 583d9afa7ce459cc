use super::*;

/// Parameters that are an address and the length of what stands there.
fn pointer(row: &Row) -> Option<usize> {
    let at = row.parameters.iter().position(|(name, _)| *name == "len")?;
    Some(at - 1)
}

/// Bytes of memory in `Wat`.
const END: i64 = 65_536;

fn call(row: &Row, address: i64, len: i64) -> Result<i64, Fault> {
    let at = pointer(row).unwrap();
    let mut handed = String::new();
    for (place, (_, kind)) in row.parameters.iter().enumerate() {
        let number = match place {
            _ if place == at => address,
            _ if place == at + 1 => len,
            _ => 0,
        };
        write!(handed, "({}.const {number}) ", value(*kind)).unwrap();
    }
    let guest = Wat::transport().import(row.name).body("attach", format!("(drop (call ${} {handed}))", row.name));
    guest.call(Callback::Attach)
}

#[test]
fn every_host_call_that_takes_a_pointer_is_known() {
    let found: Vec<&str> = imports().filter(|row| pointer(row).is_some()).map(|row| row.name).collect();
    assert_eq!(found, ["so_read", "so_append_bytes", "net_send", "net_resend", "net_sendack", "seg_read", "log"]);
    // What has no length has no pointer: all else that is 32 bits is a number of something.
    let numbers = ["what", "segment", "from", "to", "code", "delay_us", "id", "in_ms"];
    for row in imports().filter(|row| pointer(row).is_none()) {
        let known = |(name, kind): &(&str, Type)| *kind != Type::U32 || numbers.contains(name);
        assert!(row.parameters.iter().all(known), "{}", row.name);
    }
}

#[test]
fn what_lies_outside_of_memory_ends_the_guest_in_every_host_call() {
    for row in imports().filter(|row| pointer(row).is_some()) {
        for (address, len) in [
            (END, 1),
            (END - 1, 2),
            (0, END + 1),
            (END + 1, 0),
            (1, END),
            (-1, 0),
            (-1, 1),
            (-1, -1),
            (0, -1),
            (1, -1),
            (-16, 32),
            (i64::from(i32::MIN), i64::from(i32::MIN)),
            (i64::from(i32::MAX), i64::from(i32::MAX)),
        ] {
            assert_eq!(call(row, address, len), Err(Fault::Pointer), "{} {address} {len}", row.name);
        }
    }
}

#[test]
fn what_lies_inside_is_the_hosts_to_judge() {
    for row in imports().filter(|row| pointer(row).is_some()) {
        for (address, len) in [(0, 0), (END, 0), (0, 1), (END - 1, 1), (0, 1_000), (END - 5_000, 5_000), (0, END)] {
            assert_eq!(call(row, address, len), Ok(0), "{} {address} {len}", row.name);
        }
    }
}

#[test]
fn what_was_outside_is_inside_when_memory_has_grown() {
    let guest = Wat::transport()
        .import("log")
        .body("attach", "(drop (memory.grow (i32.const 1))) (drop (call $log (i32.const 65530) (i32.const 100)))");
    assert_eq!(guest.call(Callback::Attach), Ok(0));
}

#[test]
fn the_host_may_write_over_ring_and_area_and_the_guest_has_only_itself_to_blame() {
    let overlapping = Wat::transport()
        .import("so_read")
        .body("ring", "i32.const 8192")
        .body("input", "(drop (call $so_read (i64.const 0) (i32.const 8192) (i32.const 8192)))");
    let mut instance = overlapping.start(Quotas::default());
    for callback in CALLBACKS {
        assert_eq!(instance.call(callback), Ok(0));
    }
}

#[test]
fn words_that_are_no_text_are_logged_as_what_they_are() {
    let guest = Wat::transport()
        .import("log")
        .field("(data (i32.const 0) \"\\ff\\fe\\80abc\")")
        .body("attach", "(drop (call $log (i32.const 0) (i32.const 65536)))");
    assert_eq!(guest.call(Callback::Attach), Ok(0));
}
