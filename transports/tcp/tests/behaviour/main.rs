//! The reference TCP in virtual time, in sentences.

mod closing;
mod rates;
mod recovery;
mod transfer;
mod world;
