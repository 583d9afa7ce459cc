//! Paths that a stranger may name.

use core::fmt;
use std::borrow::Cow;
#[cfg(unix)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tng_base::PeerText;

use super::{NAME_MAX, PATH_MAX};

/// A path below some root: `/`-separated names that lead nowhere but down. Empty means the root itself.
///
/// Names have any bytes. The path is a text in which those that are none, control characters and backslashes are
/// [escaped]; so it goes over the wire, into JSON and before people, and nothing is lost.
///
/// What passes here can be joined to a folder without leaving it, as far as text goes; a server must also see that no
/// symbolic link on the way leads out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SafePath(PeerText);

/// Why a text is not a [`SafePath`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnsafePath {
    /// Longer than [`PATH_MAX`], or a name in it longer than [`NAME_MAX`].
    #[error("the path is too long: {PATH_MAX} bytes are allowed, {NAME_MAX} in each name")]
    TooLong,
    /// It begins with `/` or with a drive letter.
    #[error("the path is absolute: only paths below the served folder are allowed")]
    Absolute,
    /// A name in it is `.` or `..`.
    #[error("the path holds . or .., which could lead out of the folder")]
    Dots,
    /// Two slashes in a row, or one at the end.
    #[error("the path holds an empty name: write one / between names and none at the end")]
    Empty,
    /// A control character, or a backslash with which no byte is [escaped].
    #[error("the path holds a control character, or a backslash that is not written as \\x5c")]
    Character,
    /// A name that some systems take for a device.
    #[error("the path holds a name that this system takes for a device")]
    Device,
}

impl SafePath {
    /// The root itself.
    pub const fn root() -> SafePath {
        SafePath(PeerText::new(String::new()))
    }

    /// Checks `text`.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse(text: &str) -> Result<SafePath, UnsafePath> {
        if text.len() > PATH_MAX {
            return Err(UnsafePath::TooLong);
        }
        if text.is_empty() {
            return Ok(SafePath::root());
        }
        let drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if text.starts_with('/') || drive {
            return Err(UnsafePath::Absolute);
        }
        for name in text.split('/') {
            check_name(name)?;
            if cfg!(windows) && is_device(name) {
                return Err(UnsafePath::Device);
            }
        }
        Ok(SafePath(text.into()))
    }

    /// The path one name further down.
    ///
    /// # Errors
    /// As [`parse`](SafePath::parse).
    pub fn child(&self, name: &str) -> Result<SafePath, UnsafePath> {
        check_name(name)?;
        SafePath::parse(&if self.is_root() { name.to_owned() } else { format!("{}/{name}", self.as_str()) })
    }

    /// The path of these bytes, as file systems have them.
    ///
    /// # Errors
    /// As [`parse`](SafePath::parse).
    pub fn of_bytes(bytes: &[u8]) -> Result<SafePath, UnsafePath> {
        SafePath::parse(&escaped(bytes))
    }

    /// Its bytes, as file systems have them.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        // Every path that there is was checked.
        unescaped(self.as_str()).unwrap_or_default()
    }

    /// Its names, as file systems have them.
    #[cfg(unix)]
    pub fn names(&self) -> impl DoubleEndedIterator<Item = OsString> {
        use std::os::unix::ffi::OsStringExt;
        let names = self.as_str().split('/').filter(|name| !name.is_empty());
        names.map(|name| OsString::from_vec(unescaped(name).unwrap_or_default().into_owned()))
    }

    /// The path as it was sent: for programs. People are shown the path itself, which prints as words.
    pub fn as_str(&self) -> &str {
        self.0.exact()
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last name; none for the root.
    pub fn name(&self) -> Option<&str> {
        self.as_str().rsplit('/').next().filter(|name| !name.is_empty())
    }

    /// What tells it from other paths where holding them all would be too much: 16 bytes of its BLAKE3 hash.
    #[cfg(feature = "hosts")]
    pub fn fingerprint(&self) -> [u8; 16] {
        let hash = blake3::hash(self.as_str().as_bytes());
        let mut front = [0; 16];
        front.copy_from_slice(&hash.as_bytes()[..16]);
        front
    }

    /// The path below `root`.
    pub fn below(&self, root: &Path) -> PathBuf {
        let mut path = root.to_owned();
        #[cfg(unix)]
        path.extend(self.names());
        #[cfg(not(unix))]
        path.extend(self.as_str().split('/').filter(|name| !name.is_empty()));
        path
    }
}

pub(super) fn check_name(name: &str) -> Result<(), UnsafePath> {
    match name {
        "" => Err(UnsafePath::Empty),
        "." | ".." => Err(UnsafePath::Dots),
        _ if name.contains('/') => Err(UnsafePath::Character),
        _ => match unescaped(name) {
            None => Err(UnsafePath::Character),
            Some(bytes) if bytes.len() > NAME_MAX => Err(UnsafePath::TooLong),
            Some(_) => Ok(()),
        },
    }
}

/// The text of any bytes: those that are no text, control characters and backslashes are written as `\x` and two
/// hexadecimal digits for each byte, `\x0a`.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let hex = |out: &mut String, bytes: &[u8]| bytes.iter().for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if c.is_control() || c == '\\' => hex(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => out.push(c),
            }
        }
        hex(&mut out, chunk.invalid());
    }
    out
}

/// The bytes that have this text; none if it is not what [`escaped`] writes, or if one of them is 0 or an escaped
/// slash.
pub fn unescaped(text: &str) -> Option<Cow<'_, [u8]>> {
    if !text.contains('\\') {
        return (!text.contains(char::is_control)).then_some(Cow::Borrowed(text.as_bytes()));
    }
    let (mut bytes, mut left) = (Vec::with_capacity(text.len()), text);
    while let Some((before, after)) = left.split_once('\\') {
        let digits = after.strip_prefix('x').and_then(|after| after.get(..2))?;
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| *byte != 0)?);
        left = &after[3..];
    }
    bytes.extend_from_slice(left.as_bytes());
    // One path has one text.
    (escaped(&bytes) == text).then_some(Cow::Owned(bytes))
}

/// Whether Windows takes `name` for a device, whatever its extension, or would strip its end.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| stem.strip_prefix(prefix).is_some_and(|n| matches!(n.as_bytes(), [b'1'..=b'9']));
    let device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT");
    device || name.contains(':') || name.ends_with(['.', ' '])
}

impl fmt::Display for SafePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for SafePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_pass_and_stay_below_their_root() {
        for text in ["a", "a/b.txt", "größe/文件", ".hidden/..twice", "12:30/a b%20c", "a...b/-rf"] {
            let path = SafePath::parse(text).expect(text);
            assert_eq!(path.below(Path::new("/srv")), Path::new("/srv").join(text));
        }
        assert_eq!(SafePath::root().below(Path::new("/srv")), Path::new("/srv"));
        assert_eq!(SafePath::parse("a/b").map(|p| p.name().map(str::to_owned)), Ok(Some("b".to_owned())));
        assert_eq!(SafePath::root().name(), None);
    }

    #[test]
    fn every_way_out_is_refused() {
        let long = "x".repeat(NAME_MAX + 1);
        for (text, why) in [
            ("/etc/passwd", UnsafePath::Absolute),
            ("//host/share", UnsafePath::Absolute),
            ("C:/windows", UnsafePath::Absolute),
            ("c:", UnsafePath::Absolute),
            ("..", UnsafePath::Dots),
            ("a/../../b", UnsafePath::Dots),
            ("a/./b", UnsafePath::Dots),
            ("a//b", UnsafePath::Empty),
            ("a/", UnsafePath::Empty),
            ("a\\..\\b", UnsafePath::Character),
            ("a\0b", UnsafePath::Character),
            ("a\nb", UnsafePath::Character),
            ("\u{1b}[2J", UnsafePath::Character),
            (long.as_str(), UnsafePath::TooLong),
        ] {
            assert_eq!(SafePath::parse(text), Err(why), "{text:?}");
        }
        assert_eq!(SafePath::parse(&"a/".repeat(PATH_MAX)), Err(UnsafePath::TooLong));
    }

    #[test]
    fn names_of_any_bytes_have_a_text_of_which_there_is_one() {
        for (bytes, text) in [
            (&b"a\nb"[..], "a\\x0ab"),
            (b"\xff/\x1b[2J", "\\xff/\\x1b[2J"),
            (b"back\\slash", "back\\x5cslash"),
            ("ü\u{85}".as_bytes(), "ü\\xc2\\x85"),
        ] {
            let path = SafePath::of_bytes(bytes).expect("a path");
            assert_eq!((path.as_str(), &*path.bytes()), (text, bytes));
            assert_eq!(SafePath::parse(text), Ok(path));
        }
        for text in ["\\x41", "\\x2f", "\\x00", "\\xFF", "\\xc3\\xbc", "\\n", "\\x0", "a\\", "\\x\u{fc}"] {
            assert_eq!(SafePath::parse(text), Err(UnsafePath::Character), "{text}");
        }
        let long = SafePath::of_bytes(&[0xff; NAME_MAX]).expect("255 bytes");
        assert_eq!(long.bytes().len(), NAME_MAX);
        assert_eq!(SafePath::of_bytes(&[0xff; NAME_MAX + 1]), Err(UnsafePath::TooLong));
    }

    #[test]
    fn a_child_is_one_name_and_no_more() {
        let a = SafePath::parse("a").expect("a path");
        assert_eq!(a.child("b"), SafePath::parse("a/b"));
        assert_eq!(SafePath::root().child("b"), SafePath::parse("b"));
        assert_eq!(a.child("b/c"), Err(UnsafePath::Character));
        assert_eq!(a.child(".."), Err(UnsafePath::Dots));
        assert_eq!(SafePath::root().child("/etc"), Err(UnsafePath::Character));
        assert_eq!(a.child(""), Err(UnsafePath::Empty));
    }

    #[test]
    fn device_names_are_known() {
        for name in ["nul", "CON.txt", "aux .c", "com1", "LPT9.x", "a:b", "end.", "end "] {
            assert!(is_device(name), "{name}");
        }
        for name in ["null", "com", "com10", "console", "a.nul"] {
            assert!(!is_device(name), "{name}");
        }
    }
}
