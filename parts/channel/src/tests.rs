//! What a channel does, in sentences.

mod acks;
mod attacks;
mod control;
mod controllers;
mod loss;
mod marks;
mod notices;
mod path;
mod receipts;
mod setup;
mod swarm;
mod trains;
mod world;
