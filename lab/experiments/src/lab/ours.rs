//! Questions of our own.

pub mod head_of_line;
pub mod movement;
