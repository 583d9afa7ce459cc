//! Images with a mark for each client, made anew for each request (docs/wire.md section 6.2).

mod answers;
mod fetch;
mod given;
mod images;
mod marks;

pub use answers::Marked;
pub use fetch::{ASKED_AT_ONCE_MAX, By, MCUS_PER_ASKING, fetch};
pub use images::{IMAGES_KEPT_MAX, LAID_AT_ONCE_MAX, LAYOUTS_KEPT_MAX, LAYOUTS_WAITING_EACH_MAX, LAYOUTS_WAITING_MAX};
pub use marks::{MarksFile, NAMES_LEN_MAX};
