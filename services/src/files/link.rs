//! Where symbolic links lead.

use tng_base::PeerText;

use super::path::{check_name, escaped, unescaped};
use super::{PATH_MAX, SafePath};
use std::borrow::Cow;

/// What a symbolic link says: names that lead from the folder that it is in, and steps up; a text, with what is none
/// [escaped] as in a [`SafePath`].
///
/// It may say anything; [`stays_below`](LinkTarget::stays_below) tells whether it may be made.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LinkTarget(PeerText);

impl LinkTarget {
    /// What a link says; none if that is empty, above [`PATH_MAX`] bytes or not escaped.
    pub fn new(text: &str) -> Option<LinkTarget> {
        let fits = (1..=PATH_MAX).contains(&text.len()) && unescaped(text).is_some();
        fits.then(|| LinkTarget(text.into()))
    }

    /// What a link says in these bytes, as file systems have them.
    pub fn of_bytes(bytes: &[u8]) -> Option<LinkTarget> {
        LinkTarget::new(&escaped(bytes))
    }

    /// Its bytes, as file systems have them.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        // Every target that there is was checked.
        unescaped(self.as_str()).unwrap_or_default()
    }

    /// As it was sent: for programs.
    pub fn as_str(&self) -> &str {
        self.0.exact()
    }

    /// Whether the link `at` leads to a place in the tree that `at` is a path of, whatever other links stand in that
    /// tree for which the same is true.
    ///
    /// All steps up come first, and are no more than the folders that `at` is in: those are folders and no links, so
    /// they lead to where they are written. What is below is again in the tree, by links too. A step up behind a name
    /// is refused: the name may be a link, and the step would begin where that leads.
    pub fn stays_below(&self, at: &SafePath) -> bool {
        let mut above = at.as_str().matches('/').count();
        let mut down = false;
        !self.as_str().starts_with('/')
            && self.as_str().split('/').all(|part| match part {
                "" | "." => true,
                ".." if down || above == 0 => false,
                ".." => {
                    above -= 1;
                    true
                }
                name => {
                    down = true;
                    check_name(name).is_ok()
                }
            })
    }
}

impl core::fmt::Display for LinkTarget {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(&self.0, f)
    }
}

impl core::fmt::Debug for LinkTarget {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_out_in_any_way_is_known() {
        let stays = |at: &str, target: &str| {
            let at = SafePath::parse(at).expect("a path");
            LinkTarget::new(target).is_some_and(|target| target.stays_below(&at))
        };
        for (at, target) in
            [("l", "f"), ("d/e/l", "../../f"), ("d/l", ".."), ("l", "./d//f/"), ("l", "."), ("d/l", "../l")]
        {
            assert!(stays(at, target), "{at} -> {target}");
        }
        // The last one leads out if `up` is a link to the top of the tree.
        for (at, target) in [
            ("l", ".."),
            ("l", "/etc"),
            ("d/l", "../../f"),
            ("l", "a\nb"),
            ("l", ""),
            ("d/l", "up/../../f"),
            ("l", "up/.."),
        ] {
            assert!(!stays(at, target), "{at} -> {target}");
        }
    }
}
