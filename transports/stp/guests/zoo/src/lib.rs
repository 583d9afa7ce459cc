//! Guests that mean harm, or are broken: what a host has to live with.
//!
//! Those that need a working transport are a NewReno with a [`Wile`]; the others are a few lines of text each, in
//! `wat`.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![forbid(unsafe_code)]

mod between;
mod wiles;

pub use between::{Bad, Wile};
pub use wiles::{
    AckFlooder, AckLiar, CeConcealer, ColludingReceiver, LimitIgnorer, SLEEPS_SEGMENTS, SegmentForger, Sleeper,
};
