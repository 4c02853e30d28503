//! Reading JSON a peer wrote, part by part, so that one bad part never spoils the rest.
//!
//! Nested values stay unparsed text until somebody needs them. Skipping over text is iterative, so depth costs nothing;
//! a lone surrogate, a duplicate key or a wrong type spoils only the value it sits in.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// JSON text as a peer wrote it, known to be well formed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "unknown"))]
pub struct Json(String);

impl Json {
    /// Takes text that is one well-formed JSON value; gives nothing for any other text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self(raw.get().to_owned()))
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(raw.get().to_owned()))
    }
}

/// The members of an object: each readable key with the raw text of its value.
///
/// A key that is no valid Unicode is left out. A key that appears twice is reported as [`Member::Twice`]: two readers
/// might pick different ones, so neither is used.
#[derive(Debug)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Member<'a>)>);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'a> {
    Once(&'a RawValue),
    Twice,
}

impl<'a> Object<'a> {
    /// Reads an object; anything else gives nothing.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let mut members = serde_json::from_str::<RawMembers<'a>>(text).ok()?.0;
        members.sort_by(|a, b| a.0.cmp(&b.0));
        members.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = Member::Twice;
            }
            same
        });
        Some(Self(members))
    }

    /// The raw text of a member that is there exactly once.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        match self.member(key)? {
            Member::Once(raw) => Some(raw.get()),
            Member::Twice => None,
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// A member that is a string.
    pub(crate) fn string(&self, key: &str) -> Option<String> {
        string(self.get(key)?)
    }

    #[cfg(feature = "wire")]
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, Member<'a>)> {
        self.0.iter().map(|(key, member)| (key.as_ref(), *member))
    }

    fn member(&self, key: &str) -> Option<Member<'a>> {
        let at = self.0.binary_search_by(|(k, _)| k.as_ref().cmp(key)).ok()?;
        self.0.get(at).map(|(_, member)| *member)
    }
}

/// The elements of an array as raw texts; anything else gives nothing.
pub(crate) fn array(text: &str) -> Option<Vec<&str>> {
    serde_json::from_str::<RawElements<'_>>(text).ok().map(|elements| elements.0)
}

/// A string value; lone surrogates and other types give nothing.
pub(crate) fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// Follows a JSON pointer (RFC 6901) through objects.
pub(crate) fn pointer<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut here = text;
    for step in pointer.strip_prefix('/')?.split('/') {
        let key = step.replace("~1", "/").replace("~0", "~");
        here = Object::read(here)?.get(&key)?;
    }
    Some(here)
}

struct RawMembers<'a>(Vec<(Cow<'a, str>, Member<'a>)>);

impl<'de> Deserialize<'de> for RawMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawMembers<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key::<&'de RawValue>()? {
                    let value = map.next_value::<&'de RawValue>()?;
                    if let Some(key) = key_text(key.get()) {
                        members.push((key, Member::Once(value)));
                    }
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

fn key_text(raw: &str) -> Option<Cow<'_, str>> {
    if let Ok(borrowed) = serde_json::from_str::<&str>(raw) {
        return Some(Cow::Borrowed(borrowed));
    }
    string(raw).map(Cow::Owned)
}

struct RawElements<'a>(Vec<&'a str>);

impl<'de> Deserialize<'de> for RawElements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = RawElements<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element::<&'de RawValue>()? {
                    elements.push(element.get());
                }
                Ok(RawElements(elements))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}
