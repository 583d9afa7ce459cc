//! The guests that come with this crate (`transports/stp/guests`).

use tng_stp_abi::Kind;

/// A guest that is built in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What its module says that it is.
    pub kind: Kind,
    /// Its module.
    pub bytes: &'static [u8],
}

macro_rules! modules {
    ($(#[$doc:meta])* $list:ident: $($name:literal, $file:literal, $kind:ident, $title:literal;)*) => {
        $(#[$doc])*
        pub const $list: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            title: $title,
            kind: Kind::$kind,
            bytes: include_bytes!(concat!("../../guests/modules/", $file, ".wasm")),
        }),*];
    };
}

modules! {
    /// Those that a host has unless it is told otherwise.
    BUILT_IN:
    "newreno", "newreno", Transport, "TCP NewReno: a stream, cumulative acknowledgments (STP 5.1.2)";
    "sack", "sack", Transport, "TCP with selective acknowledgments: a stream (STP 5.1.3)";
    "udp-flood", "flood", Messages, "messages, as fast as the policer lets them, and never again (STP 5.1.1)";
    "cubic", "cubic", Controller, "the congestion controller cubic, as a guest";
    "vegas", "vegas", Controller, "the congestion controller vegas, as a guest";
    "template", "template", Messages, "messages, one at a time: what to begin with";
    "c-example", "c-example", Messages, "the same, written in C";
}

modules! {
    /// The catalogue: extensions of STP's Table 1 and what they are held against (docs/stp-catalogue.md). A host has
    /// them by name.
    CATALOGUE:
    "tahoe", "tahoe", Transport, "TCP of 1988: what the others are held against";
    "d-sack", "d-sack", Transport, "duplicate selective acknowledgments (RFC 2883, 3708)";
    "fack", "fack", Transport, "forward acknowledgments";
    "rfc1323", "rfc1323", Transport, "large windows, timestamps, PAWS (RFC 1323)";
    "tcpsat", "tcpsat", Transport, "TCP for satellites (RFC 2488, 2760)";
    "rr-tcp", "rr-tcp", Transport, "TCP that learns how far its path reorders";
    "wtcp", "wtcp", Transport, "WTCP: not TCP-friendly, and held";
    "eifel", "eifel", Transport, "the Eifel algorithm (RFC 3522, 4015)";
    "t-tcp", "t-tcp", Messages, "T/TCP: messages, a connection for each (RFC 1644)";
    "tfrc", "tfrc", Messages, "TFRC: messages at the rate that TCP would have (RFC 3448)";
    "dccp", "dccp", Messages, "DCCP: messages by CCID 2 or 3 (RFC 4340)";
    "sctp", "sctp", Messages, "SCTP: messages in streams (RFC 2960)";
    "rap", "rap", Messages, "RAP: messages at a rate of steps and halves";
    "vegas-tcp", "vegas-tcp", Transport, "TCP Vegas: a stream, by what waits in the queue";
    "westwood", "westwood", Transport, "TCP Westwood: not TCP-friendly, and held";
    "karn", "karn", Transport, "the algorithm of Karn and Partridge";
    "header-prediction", "header-prediction", Transport, "a short way for segments that nothing is special about";
    "fast-recovery", "fast-recovery", Transport, "fast recovery (RFC 2001)";
    "limited-transmit", "limited-transmit", Transport, "limited transmit (RFC 3042)";
    "byte-counting", "byte-counting", Transport, "appropriate byte counting (RFC 3465)";
    "nice", "nice", Transport, "TCP Nice: gives way to everybody";
    "media", "media", Messages, "media: messages with parity and a deadline";
}

modules! {
    /// Clients of servers that keep nothing of them: a host runs them in the receiver's role, on no channel
    /// (docs/stp.md, "Systems together").
    RECEIVERS:
    "trickles", "trickles", Transport, "downloads an object from a server that keeps nothing (Trickles 7.2)";
    "watermark", "watermark", Transport, "downloads a marked image, whose pieces it joins bit by bit (Trickles 6.2)";
    "http", "http", Transport, "downloads what a request of HTTP asks for, which it parses itself (Trickles 4.2)";
}

/// The built-in guest of a name, of the catalogue and the receivers, too.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().chain(CATALOGUE).chain(RECEIVERS).find(|guest| guest.name == name)
}
