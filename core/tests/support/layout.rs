//! JSON text with its key order and spelling kept, written back in one stable layout.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// How wide a line may be before a list or an object goes over several.
const WIDTH: usize = 120;

/// A JSON value as text.
pub(crate) enum Node {
    /// Anything without parts, as it was spelled.
    Leaf(String),
    /// An array.
    List(Vec<Self>),
    /// An object, in its order.
    Object(Vec<(String, Self)>),
}

impl Node {
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim();
        match text.chars().next() {
            Some('{') => {
                let members: Members = serde_json::from_str(text).unwrap();
                let read = |(key, part): (String, Box<RawValue>)| (key, Self::read(part.get()));
                Self::Object(members.0.into_iter().map(read).collect())
            }
            Some('[') => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
                Self::List(items.iter().map(|item| Self::read(item.get())).collect())
            }
            _ => Self::Leaf(text.to_owned()),
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Self::Object(members) => members.as_slice(),
            Self::Leaf(_) | Self::List(_) => &[],
        };
        members.iter().map(|(key, _)| key.as_str())
    }

    pub(crate) fn member(&self, wanted: &str) -> &Self {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == wanted),
            Self::Leaf(_) | Self::List(_) => None,
        }
        .map_or_else(|| panic!("there is no `{wanted}`"), |(_, part)| part)
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            Self::Leaf(_) | Self::Object(_) => panic!("not a list"),
        }
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.compact()).unwrap()
    }

    /// Without any blanks between parts.
    pub(crate) fn compact(&self) -> String {
        self.line(",", ":", "")
    }

    /// A whole file: the parts of the scenario and of each step, or the replies of a recording, on lines of their own.
    pub(crate) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, 0, Depth::Scenario);
        out.push('\n');
        out
    }

    fn line(&self, comma: &str, colon: &str, pad: &str) -> String {
        let parts: Vec<String> = match self {
            Self::Leaf(text) => return text.clone(),
            Self::List(items) => items.iter().map(|item| item.line(comma, colon, pad)).collect(),
            Self::Object(members) => {
                members.iter().map(|(key, part)| quoted(key) + colon + &part.line(comma, colon, pad)).collect()
            }
        };
        let parts = parts.join(comma);
        match self {
            Self::Object(members) if !members.is_empty() => format!("{{{pad}{parts}{pad}}}"),
            Self::Object(_) => "{}".into(),
            Self::Leaf(_) | Self::List(_) => format!("[{parts}]"),
        }
    }

    /// Writes the value on one line if it fits behind the `used` characters, else its parts on lines of their own.
    fn write(&self, out: &mut String, indent: usize, used: usize, depth: Depth) {
        let line = self.line(", ", ": ", " ");
        if depth == Depth::Part && indent + used + line.chars().count() < WIDTH {
            out.push_str(&line);
            return;
        }
        let below = indent + 2;
        let (first, last, parts): (char, char, Vec<(String, &Self)>) = match self {
            Self::Leaf(text) => return out.push_str(text),
            Self::List(items) => ('[', ']', items.iter().map(|item| (String::new(), item)).collect()),
            Self::Object(members) => ('{', '}', members.iter().map(|(key, part)| (quoted(key) + ": ", part)).collect()),
        };
        out.push(first);
        for (at, (key, part)) in parts.iter().enumerate() {
            out.push_str(if at == 0 { "\n" } else { ",\n" });
            out.push_str(&" ".repeat(below));
            out.push_str(key);
            part.write(out, below, key.chars().count(), depth.below(key));
        }
        out.push('\n');
        out.push_str(&" ".repeat(indent));
        out.push(last);
    }
}

/// What is written: only parts may share a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Scenario,
    Steps,
    Step,
    Part,
}

impl Depth {
    fn below(self, key: &str) -> Self {
        match self {
            Self::Scenario if key == "\"steps\": " => Self::Steps,
            Self::Steps => Self::Step,
            Self::Scenario | Self::Step | Self::Part => Self::Part,
        }
    }
}

fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}

struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}
