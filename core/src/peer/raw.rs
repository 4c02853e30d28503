//! ValueParser JSON a peer wrote, part by part, so that one bad part never spoils the rest.
//!
//! Nested values stay unparsed text until somebody needs them. Skipping over text is iterative, so depth costs nothing;
//! a lone surrogate, a duplicate key or a wrong type spoils only the value it sits in.
//!
//! Not a library, because all that is needed is to find where values begin and end, and because the usual one, with its
//! numbers and its messages, was an eighth of the WebAssembly module. A test compares the two.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;

use crate::find::replaced;
use crate::sort::sort_by;

/// JSON text as a peer wrote it, known to be well formed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "unknown"))]
pub struct Json(String);

impl Json {
    /// Takes text that is one well-formed JSON value; gives nothing for any other text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        value(text).ok().map(|value| Self(value.to_owned()))
    }

    /// Takes a part of a text that was read already.
    pub(crate) const fn known(text: String) -> Self {
        Self(text)
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The members of an object: each readable key with the raw text of its value.
///
/// A key that is no valid Unicode is left out. A key that appears twice is reported as such: two readers might pick
/// different ones, so neither is used.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(Vec<Member<'a>>);

#[derive(Debug)]
struct Member<'a> {
    key: Cow<'a, str>,
    /// Nothing where the key is there twice.
    value: Option<&'a str>,
}

impl<'a> Object<'a> {
    /// Reads an object; anything else gives nothing.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let mut members = Vec::new();
        let mut scanner = Scanner::new(text);
        scanner.open(b'{')?;
        while scanner.more(b'}')? {
            let key = scanner.key()?;
            let value = Some(scanner.value()?);
            if let Some(key) = unquoted(key) {
                members.push(Member { key, value });
            }
        }
        scanner.end()?;
        sort_by(&mut members, |a, b| a.key.cmp(&b.key));
        members.dedup_by(|later, first| {
            let same = later.key == first.key;
            if same {
                first.value = None;
            }
            same
        });
        Some(Self(members))
    }

    /// Takes a member out.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.find(key)?;
        self.0.remove(at).value
    }

    /// The raw text of a member that is there exactly once.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.member(key)?.value
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// A member that is a string.
    pub(crate) fn string(&self, key: &str) -> Option<String> {
        string(self.get(key)?)
    }

    /// The members that are there exactly once, in the order of their keys.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().filter_map(|member| Some((member.key.as_ref(), member.value?)))
    }

    /// A key that is there more than once.
    pub(crate) fn repeated(&self) -> Option<&str> {
        self.0.iter().find(|member| member.value.is_none()).map(|member| member.key.as_ref())
    }

    fn member(&self, key: &str) -> Option<&Member<'a>> {
        self.0.get(self.find(key)?)
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.0.binary_search_by(|member| member.key.as_ref().cmp(key)).ok()
    }
}

/// The elements of an array as raw texts; anything else gives nothing.
pub(crate) fn array(text: &str) -> Option<Vec<&str>> {
    let mut elements = Vec::new();
    let mut scanner = Scanner::new(text);
    scanner.open(b'[')?;
    while scanner.more(b']')? {
        elements.push(scanner.value()?);
    }
    scanner.end()?;
    Some(elements)
}

/// A string value; lone surrogates and other types give nothing.
pub(crate) fn string(text: &str) -> Option<String> {
    unquoted(text).map(Cow::into_owned)
}

/// Follows a JSON pointer (RFC 6901) through objects.
pub(crate) fn pointer<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = text;
    for step in pointer.strip_prefix('/')?.split('/') {
        let key = replaced(&replaced(step, "~1", '/'), "~0", '~');
        here = Object::read(here)?.get(&key)?;
    }
    Some(here)
}

/// The only value of a text, without the blanks around it; or the place, in bytes, from which it is not JSON.
pub(crate) fn value(text: &str) -> Result<&str, usize> {
    let mut scanner = Scanner::new(text);
    scanner.value().filter(|_| scanner.end().is_some()).ok_or(scanner.at)
}

/// Finds where values begin and end. Nothing is given back for text that is not JSON.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether the object or array that was opened has had a member.
    begun: bool,
}

impl<'a> Scanner<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0, begun: false }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// Goes on if this byte is next.
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.skip())
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.skip();
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        self.blanks();
        self.take(bracket)
    }

    /// Whether another member follows, or else the closing bracket.
    fn more(&mut self, bracket: u8) -> Option<bool> {
        self.blanks();
        if self.take(bracket).is_some() {
            return Some(false);
        }
        if self.begun {
            self.take(b',')?;
        }
        self.begun = true;
        Some(true)
    }

    /// Nothing but blanks may follow.
    fn end(&mut self) -> Option<()> {
        self.blanks();
        self.peek().is_none().then_some(())
    }

    /// A key with its quotes, and the colon behind it.
    fn key(&mut self) -> Option<&'a str> {
        self.blanks();
        let start = self.at;
        self.string()?;
        let key = self.text.get(start..self.at);
        self.blanks();
        self.take(b':')?;
        key
    }

    /// The text of the next value.
    fn value(&mut self) -> Option<&'a str> {
        self.blanks();
        let start = self.at;
        // The closing brackets still to come; not recursion, which a peer could drive too deep.
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.blanks();
            let closed_by = match self.peek()? {
                b'{' => Some(b'}'),
                b'[' => Some(b']'),
                _ => None,
            };
            match closed_by {
                Some(bracket) => {
                    self.skip();
                    self.blanks();
                    if self.peek() != Some(bracket) {
                        open.push(bracket);
                        if bracket == b'}' {
                            self.key()?;
                        }
                        continue;
                    }
                    self.skip();
                }
                None => self.scalar()?,
            }
            loop {
                let Some(bracket) = open.last().copied() else {
                    return self.text.get(start..self.at);
                };
                self.blanks();
                if self.take(bracket).is_none() {
                    self.take(b',')?;
                    if bracket == b'}' {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    fn scalar(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        word.bytes().try_for_each(|byte| self.take(byte))
    }

    fn number(&mut self) -> Option<()> {
        _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.skip();
            if let Some(b'+' | b'-') = self.peek() {
                self.skip();
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.skip();
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
            self.at = self.at.saturating_add(plain);
            if self.take(b'"').is_some() {
                return Some(());
            }
            self.take(b'\\')?;
            self.escape()?;
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.skip(),
            b'u' => {
                self.skip();
                for _ in 0..4 {
                    self.peek().filter(u8::is_ascii_hexdigit)?;
                    self.skip();
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// What a string stands for, from its text with quotes; nothing where that is no string or no valid Unicode.
fn unquoted(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut made = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        made.push(if c == '\\' { escaped(&mut chars)? } else { c });
    }
    Some(Cow::Owned(made))
}

fn escaped(chars: &mut core::str::Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let mut units = [hex(chars)?, 0];
            let [first, second] = &mut units;
            let pair = matches!(first, 0xd800..=0xdbff);
            if pair {
                (chars.next()? == '\\' && chars.next()? == 'u').then_some(())?;
                *second = hex(chars)?;
            }
            let used = if pair { units.as_slice() } else { core::slice::from_ref(first) };
            char::decode_utf16(used.iter().copied()).next()?.ok()?
        }
        other => other,
    })
}

fn hex(chars: &mut core::str::Chars<'_>) -> Option<u16> {
    let mut unit = 0_u32;
    for _ in 0..4 {
        unit = unit << 4 | chars.next()?.to_digit(16)?;
    }
    u16::try_from(unit).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::{Json, Object, array, string, value};

    /// Texts that are JSON, nearly JSON, and made of what JSON is made of.
    fn text() -> impl Strategy<Value = String> {
        let soup = "[\\[\\]{}:,\"\\\\/utrfalsn0-9eE+. \t\n\u{0}-\u{1f}\u{7f}\u{e9}\u{1f600}-]{0,24}";
        let scalar = prop_oneof![
            Just("null".to_string()),
            any::<bool>().prop_map(|value| value.to_string()),
            any::<i64>().prop_map(|value| value.to_string()),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?",
            any::<String>().prop_map(|value| serde_json::to_string(&value).unwrap()),
            "\"(\\\\u[dD][89abAB][0-9a-f]{2}|\\\\u[dD][c-fC-F][0-9a-f]{2}|\\\\u00[0-9a-f]{2}|\\\\[\"\\\\/bfnrt]|x){0,4}\"",
        ];
        let nested = scalar.prop_recursive(4, 24, 4, |inner| {
            let member = ("\"[ab]?\"", inner.clone()).prop_map(|(key, value)| format!(" {key} : {value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{} ]", items.join(" ,"))),
                prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}\n}}", members.join(","))),
            ]
        });
        let broken =
            (nested.clone(), any::<prop::sample::Index>(), "[\\[\\]{}:,\"\\\\0-9.]?").prop_map(|(text, at, new)| {
                let chars: Vec<char> = text.chars().collect();
                let at = at.index(chars.len());
                chars
                    .iter()
                    .take(at)
                    .copied()
                    .chain(new.chars())
                    .chain(chars.iter().skip(at).skip(1).copied())
                    .collect()
            });
        prop_oneof![soup, nested, broken]
    }

    proptest! {
        #[test]
        fn is_json_for_serde_json_too(text in text()) {
            let theirs = serde_json::from_str::<&RawValue>(&text).ok().map(RawValue::get);
            prop_assert_eq!(value(&text).ok(), theirs);
            prop_assert_eq!(Json::from_text(&text).is_some(), theirs.is_some());
        }

        #[test]
        fn falls_into_the_same_parts_as_for_serde_json(text in text()) {
            if let Ok(value) = value(&text) {
                prop_assert_eq!(string(value), serde_json::from_str::<String>(&text).ok());
            }
            let elements = serde_json::from_str::<Vec<&RawValue>>(&text).ok();
            prop_assert_eq!(array(&text), elements.map(|parts| parts.into_iter().map(RawValue::get).collect()));
            let Some(object) = Object::read(&text) else {
                return Ok(());
            };
            // Their map needs readable keys, and keeps the last of those that are there twice.
            if let Ok(theirs) = serde_json::from_str::<BTreeMap<String, &RawValue>>(&text) {
                prop_assert!(theirs.keys().all(|key| object.has(key)));
                for (key, value) in object.members() {
                    prop_assert_eq!(Some(value), theirs.get(key).map(|raw| raw.get()));
                }
            }
        }
    }
}
