//! The guests that come with this crate (`transports/stp/guests`).

/// A guest that is built in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// It regulates what others send, and carries nothing.
    pub is_controller: bool,
    /// Its module.
    pub bytes: &'static [u8],
}

macro_rules! modules {
    ($($name:literal, $file:literal, $is_controller:literal, $title:literal;)*) => {
        /// All of them.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            title: $title,
            is_controller: $is_controller,
            bytes: include_bytes!(concat!("../../guests/modules/", $file, ".wasm")),
        }),*];
    };
}

modules! {
    "newreno", "newreno", false, "TCP NewReno: a stream, cumulative acknowledgments (STP 5.1.2)";
    "sack", "sack", false, "TCP with selective acknowledgments: a stream (STP 5.1.3)";
    "udp-flood", "flood", false, "messages, as fast as the policer lets them, and never again (STP 5.1.1)";
    "cubic", "cubic", true, "the congestion controller cubic, as a guest";
    "vegas", "vegas", true, "the congestion controller vegas, as a guest";
    "template", "template", false, "messages, one at a time: what to begin with";
    "c-example", "c-example", false, "the same, written in C";
}

/// The built-in guest of a name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|guest| guest.name == name)
}
