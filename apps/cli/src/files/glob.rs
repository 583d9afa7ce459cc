//! Patterns of paths: `?` and `*` stand for what is in a name, `**` for anything, `[a-z]` and `[!a-z]` for one of many.
//!
//! A pattern is a machine without memory of where it came from: it takes each character of a path once, so that none
//! takes longer than the pattern times the path.

/// A pattern.
#[derive(Clone, Debug)]
pub struct Glob(Vec<Token>);

#[derive(Clone, Debug)]
enum Token {
    Char(char),
    /// `?`
    Any,
    /// `[...]`: whether it stands for all others, and the first and the last of each range.
    Class(bool, Vec<(char, char)>),
    /// `*`
    Name,
    /// `**`
    All,
    /// `**/`: nothing, or [`Token::Folders`].
    Below,
    /// Names, each with a slash behind it. It is not begun from anywhere but [`Token::Below`].
    Folders,
}

/// Why a text is no pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadGlob {
    /// A `[` without its end.
    #[error("a [ has no ]")]
    Open,
    /// Nothing is there.
    #[error("there is nothing in it")]
    Empty,
}

impl Glob {
    /// Reads one.
    ///
    /// # Errors
    /// [`BadGlob`].
    pub fn new(text: &str) -> Result<Glob, BadGlob> {
        let mut tokens = Vec::new();
        let mut left = text;
        while let Some(c) = left.chars().next() {
            if let Some(after) = left.strip_prefix("**/") {
                tokens.extend([Token::Below, Token::Folders]);
                left = after;
                continue;
            }
            if let Some(after) = left.strip_prefix("**") {
                tokens.push(Token::All);
                left = after;
                continue;
            }
            left = &left[c.len_utf8()..];
            tokens.push(match c {
                '*' => Token::Name,
                '?' => Token::Any,
                '[' => {
                    let (class, after) = class(left).ok_or(BadGlob::Open)?;
                    left = after;
                    class
                }
                c => Token::Char(c),
            });
        }
        if tokens.is_empty() { Err(BadGlob::Empty) } else { Ok(Glob(tokens)) }
    }

    /// Whether it stands for all of `path`.
    pub fn matches(&self, path: &str) -> bool {
        let mut at = vec![false; self.0.len() + 1];
        self.enter(0, &mut at);
        for c in path.chars() {
            let mut next = vec![false; at.len()];
            for (which, token) in self.0.iter().enumerate().filter(|(which, _)| at[*which]) {
                let (stays, goes) = match token {
                    Token::Char(own) => (false, *own == c),
                    Token::Any => (false, c != '/'),
                    Token::Class(others, ranges) => {
                        let is_in = ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
                        (false, c != '/' && is_in != *others)
                    }
                    Token::Name => (c != '/', false),
                    Token::All => (true, false),
                    Token::Below => (false, false),
                    Token::Folders => (true, c == '/'),
                };
                if stays && matches!(token, Token::Folders) {
                    next[which] = true;
                } else if stays {
                    self.enter(which, &mut next);
                }
                if goes {
                    self.enter(which + 1, &mut next);
                }
            }
            at = next;
        }
        at[self.0.len()]
    }

    /// Comes to a token, and to those behind it that it may be nothing before.
    fn enter(&self, which: usize, at: &mut [bool]) {
        if std::mem::replace(&mut at[which], true) {
            return;
        }
        match self.0.get(which) {
            Some(Token::Name | Token::All) => self.enter(which + 1, at),
            Some(Token::Below) => {
                at[which + 1] = true;
                self.enter(which + 2, at);
            }
            _ => {}
        }
    }
}

/// What stands behind a `[`, up to its end, and what is behind that.
fn class(text: &str) -> Option<(Token, &str)> {
    let (others, text) = match text.strip_prefix(['!', '^']) {
        Some(after) => (true, after),
        None => (false, text),
    };
    // The first may be the end itself.
    let first = text.chars().next()?.len_utf8();
    let end = first + text[first..].find(']')?;
    let (mut ranges, mut chars) = (Vec::new(), text[..end].chars().peekable());
    while let Some(from) = chars.next() {
        let mut ahead = chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) => {
                ranges.push((from, to));
                chars = ahead;
            }
            _ => ranges.push((from, from)),
        }
    }
    Some((Token::Class(others, ranges), &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_what_a_shell_takes_them_for() {
        let cases: [(&str, &[&str], &[&str]); 9] = [
            ("*.o", &["a.o", ".o"], &["a.oo", "d/a.o"]),
            ("**/*.o", &["a.o", "d/a.o", "d/e/a.o"], &["a.o/b"]),
            ("**/ab", &["ab", "d/ab"], &["xab", "d/xab"]),
            ("d/**/x", &["d/x", "d/e/x", "d/e/f/x"], &["dx", "d/ex"]),
            ("d/**", &["d/x", "d/e/x"], &["d", "e/d"]),
            ("a?c", &["abc", "a\u{fc}c"], &["ac", "a/c"]),
            ("[a-c]x[!0-9]", &["axb", "cx-"], &["dxb", "ax1", "ax/"]),
            ("[]-]", &["]", "-"], &["a"]),
            ("", &[], &[]),
        ];
        for (pattern, takes, leaves) in cases {
            let Ok(glob) = Glob::new(pattern) else {
                assert_eq!(Glob::new(pattern).err(), Some(BadGlob::Empty));
                continue;
            };
            for path in takes {
                assert!(glob.matches(path), "{pattern} {path}");
            }
            for path in leaves {
                assert!(!glob.matches(path), "{pattern} {path}");
            }
        }
        assert_eq!(Glob::new("[a").err(), Some(BadGlob::Open));
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_longer_than_itself_times_the_path() {
        let glob = Glob::new(&format!("{}b", "*a".repeat(500))).expect("a pattern");
        assert!(!glob.matches(&"a".repeat(4_000)));
    }
}
