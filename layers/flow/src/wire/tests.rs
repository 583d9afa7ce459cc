use super::*;

#[test]
fn every_message_survives_the_wire_and_no_truncation_goes_unnoticed() {
    let receiver = ChannelId::from_u64(0x0102_0304_0506);
    let greeting: &[u8] = &[7; Greeting::LEN + TAG_LEN];
    let nonce = [3; NONCE_LEN];
    tng_wire::battery::round_trip(&Join { version: VERSION, sender: receiver, nonce, greeting, onward: &[1, 2, 3] });
    tng_wire::battery::round_trip(&Joined { receiver, nonce, greeting, reply: &[2; 40] });
    tng_wire::battery::round_trip(&Greeting { id: receiver, reset_token: [9; 16], payload_max: 1_181, repair_ms: 40 });
    tng_wire::battery::round_trip(&Answered { receiver, answer: &[3; 39] });
    for refusal in REFUSALS {
        tng_wire::battery::round_trip(&Declined { receiver, refusal });
    }
    tng_wire::battery::round_trip(&Order { capability: &[5; 64], nonce, instructions: &[6; 90] });
    for next in ["192.0.2.1:4860", "[2001:db8::1]:4860"] {
        let next = next.parse().expect("an address");
        let (near, far) = (HopKey::from_bytes([1; 16]), HopKey::from_bytes([2; 16]));
        let queue_time = Some(core::time::Duration::from_millis(20));
        let wishes = Wishes { controller: Some("vegas"), queue_time };
        for wishes in [Wishes::default(), wishes] {
            let (near, far) = (near.clone(), far.clone());
            tng_wire::battery::round_trip(&Instructions { near, far, next, wishes, onward: &[1; 20] });
        }
    }
}
