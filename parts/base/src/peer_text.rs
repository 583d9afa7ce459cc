//! Words that somebody else chose.

use core::fmt::{self, Write};

/// Characters of a peer's text that are shown at most, escapes included; of a longer text the rest is left out.
pub const PEER_TEXT_SHOWN_MAX: usize = 1_024;
/// Combining marks that are shown on one character at most: more of them would cover the lines above.
pub const MARKS_SHOWN_MAX: usize = 4;

/// Text that a peer sends and a person may read: a reason, a name, a path.
///
/// Who prints it, with `{}` or `{:?}`, prints one line of characters that can be seen: controls, line and paragraph
/// separators, what turns the direction of writing, what has no width, and what Unicode has not assigned come out as
/// `\x` and two hexadecimal digits for each byte, `\x0a` or `\xe2\x80\xae`. So no text of a peer clears a terminal,
/// changes what stood there before, or forges a line of a log. A backslash stands for itself.
///
/// What the peer has sent, to the byte, is there by [`exact`](PeerText::exact): for file systems and JSON, not for
/// people.
///
/// `T` is `&str` in a message that is being read or written, and `String` in what is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PeerText<T = String>(T);

impl<T> PeerText<T> {
    /// This text, of a peer or for one.
    pub const fn new(text: T) -> PeerText<T> {
        PeerText(text)
    }
}

impl<T: AsRef<str>> PeerText<T> {
    /// The text as it was sent. It must not come to a terminal or a log.
    pub fn exact(&self) -> &str {
        self.0.as_ref()
    }

    /// Bytes of the exact text.
    pub fn len(&self) -> usize {
        self.exact().len()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.exact().is_empty()
    }

    /// The same, to keep.
    pub fn owned(&self) -> PeerText {
        PeerText(self.exact().to_owned())
    }

    /// The same, to read.
    pub fn borrowed(&self) -> PeerText<&str> {
        PeerText(self.exact())
    }

    /// The beginning of the text, `bytes_max` bytes at most: what fits a message.
    pub fn cut(&self, bytes_max: usize) -> PeerText<&str> {
        let text = self.exact();
        PeerText(&text[..text.floor_char_boundary(bytes_max)])
    }
}

impl<'a> PeerText<&'a str> {
    /// The text as it was sent, for as long as it is there. It must not come to a terminal or a log.
    pub const fn into_exact(self) -> &'a str {
        self.0
    }
}

/// What a character is to a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sight {
    /// It can be seen, and takes room.
    Plain,
    /// It can be seen on the one before it.
    Mark,
    /// It cannot be seen, or changes how others are seen.
    Hidden,
}

impl Sight {
    fn of(c: char) -> Sight {
        match c {
            ' '..='~' => Sight::Plain,
            // Assigned, said to be letters, marks or symbols, and blank all the same (Default_Ignorable_Code_Point;
            // U+2800).
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => Sight::Hidden,
            '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}' => Sight::Hidden,
            // The standard library knows what is printable, and says so by not escaping it: neither a control, a format
            // character, a separator, of private use, nor unassigned.
            _ if c.escape_debug().len() == 1 => Sight::Plain,
            // It escapes a mark that stands alone, and leaves one on a letter.
            _ => {
                let mut pair = [b'a'; 5];
                let end = 1 + c.encode_utf8(&mut pair[1..]).len();
                let kept = core::str::from_utf8(&pair[..end]).is_ok_and(|pair| pair.escape_debug().count() == 2);
                if kept { Sight::Mark } else { Sight::Hidden }
            }
        }
    }
}

/// Whether a person sees this character as what it is, so that it may come to a terminal or a log.
pub fn is_visible(c: char) -> bool {
    Sight::of(c) != Sight::Hidden
}

/// Characters that stand for a byte: `\x1b`.
const ESCAPE_LEN: usize = 4;

impl<T: AsRef<str>> fmt::Display for PeerText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // No mark may stand on what is printed before this.
        let (mut room, mut marks_left) = (PEER_TEXT_SHOWN_MAX, 0);
        for c in self.exact().chars() {
            let sight = Sight::of(c);
            let seen = sight == Sight::Plain || sight == Sight::Mark && marks_left > 0;
            marks_left = match sight {
                Sight::Plain => MARKS_SHOWN_MAX,
                Sight::Mark => marks_left.saturating_sub(1),
                Sight::Hidden => 0,
            };
            let len = if seen { 1 } else { c.len_utf8() * ESCAPE_LEN };
            let Some(left) = room.checked_sub(len) else { return f.write_char('…') };
            room = left;
            if seen {
                f.write_char(c)?;
            } else {
                c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
            }
        }
        Ok(())
    }
}

/// In quotes, which says where it begins and ends.
impl<T: AsRef<str>> fmt::Debug for PeerText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl From<&str> for PeerText {
    fn from(text: &str) -> PeerText {
        PeerText(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        PeerText::new(text).to_string()
    }

    /// What terminals and readers of logs stumble over.
    const EVIL: [&str; 14] = [
        "\u{1b}[2J",
        "\u{9b}31m",
        "\u{7f}",
        "\0",
        "\r",
        "a\nINFO all is well",
        "\u{2028}",
        "\u{202e}gpj.exe",
        "\u{2066}",
        "\u{200b}",
        "\u{feff}",
        "\u{e000}",
        "\u{378}",
        "\u{3164}",
    ];

    #[test]
    fn what_cannot_be_seen_comes_out_as_what_it_is() {
        assert_eq!(shown("\u{1b}]0;title\u{7}\n\u{202e}x"), r"\x1b]0;title\x07\x0a\xe2\x80\xaex");
        for text in EVIL {
            for printed in
                [shown(text), format!("{:?}", PeerText::new(text)), format!("{:?}", Some(PeerText::from(text)))]
            {
                assert!(printed.chars().all(is_visible), "{printed:?}");
            }
            assert!(!text.chars().all(is_visible), "control: the text itself is not fit to print");
            assert_eq!(PeerText::new(text).exact(), text);
        }
    }

    #[test]
    fn ordinary_words_of_any_language_stay_as_they_are() {
        for text in
            ["a b/c-d_e.txt", r#"C:\a "b" 'c'"#, "größe", "gro\u{308}ße", "文件", "שלום", "naïve…", "नमस्ते", "🦀"]
        {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn no_marks_pile_up_and_none_stands_on_the_words_before() {
        let pile = format!("a{}", "\u{301}".repeat(40));
        assert_eq!(shown(&pile).matches('\u{301}').count(), MARKS_SHOWN_MAX);
        assert_eq!(shown("\u{301}a"), r"\xcc\x81a");
    }

    #[test]
    fn a_long_text_is_cut_where_it_is_shown_and_only_there() {
        let long = "\u{1b}".repeat(PEER_TEXT_SHOWN_MAX);
        assert!(shown(&long).chars().count() <= PEER_TEXT_SHOWN_MAX + 1 && shown(&long).ends_with('…'));
        assert_eq!(PeerText::new(&long).len(), long.len());
        assert_eq!(PeerText::new("aß").cut(2).exact(), "a");
    }
}
