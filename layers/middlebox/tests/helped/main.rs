//! Helped paths from end to end, in virtual time.

mod apps;
mod changed;
mod control;
mod controllers;
mod discipline;
mod ending;
mod evil;
mod failure;
mod fairness;
mod governing;
mod in_path;
mod judged;
mod repair;
mod set_up;
mod transfer;
mod tunnel;
mod wishes;
mod world;
