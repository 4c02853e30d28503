//! Writing JSON text, the other way round from [`crate::read`], and for the same reason not derived.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::peer::raw::Json;
use crate::read::spelled;

/// What has a form in JSON.
pub(crate) trait Written {
    fn write(&self, out: &mut String);

    /// What is written where it may be left out: nothing for what is empty.
    fn present(&self) -> Option<&dyn Written>
    where
        Self: Sized,
    {
        Some(self)
    }
}

/// What is written as an object, so that its members can also stand in another one.
pub(crate) trait WrittenFields {
    fn write_fields(&self, members: &mut Members<'_>);
}

pub(crate) fn text(value: &dyn Written) -> String {
    let mut out = String::new();
    value.write(&mut out);
    out
}

/// The text of an object.
pub(crate) fn object(write: impl FnOnce(&mut Members<'_>)) -> String {
    let mut out = String::new();
    Members::object(&mut out, write);
    out
}

/// An object that is being written.
pub(crate) struct Members<'a> {
    out: &'a mut String,
    empty: bool,
}

impl Members<'_> {
    /// Writes an object.
    pub(crate) fn object(out: &mut String, write: impl FnOnce(&mut Members<'_>)) {
        out.push('{');
        write(&mut Members { out, empty: true });
        out.push('}');
    }

    /// A field, by its name in Rust.
    #[inline(never)]
    pub(crate) fn field(&mut self, name: &str, value: &dyn Written) {
        self.begin();
        self.out.push('"');
        if name.contains('_') {
            self.out.extend(spelled(name));
        } else {
            self.out.push_str(name);
        }
        self.out.push_str("\":");
        value.write(self.out);
    }

    #[inline(never)]
    pub(crate) fn optional(&mut self, name: &str, value: Option<&dyn Written>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    pub(crate) fn entry(&mut self, key: &str, value: &dyn Written) {
        self.begin();
        quote(key, self.out);
        self.out.push(':');
        value.write(self.out);
    }

    fn begin(&mut self) {
        if !core::mem::take(&mut self.empty) {
            self.out.push(',');
        }
    }
}

/// `write_fields!(Type: always, only_where_there_is_something = optional)`.
macro_rules! write_fields {
    ($type:ty: $($field:ident $(= $mark:ident)?),* $(,)?) => {
        impl $crate::write::WrittenFields for $type {
            fn write_fields(&self, members: &mut $crate::write::Members<'_>) {
                $($crate::write::write_fields!(@ members self $field $($mark)?);)*
            }
        }

        impl $crate::write::Written for $type {
            fn write(&self, out: &mut alloc::string::String) {
                $crate::write::Members::object(out, |members| $crate::write::WrittenFields::write_fields(self, members));
            }
        }
    };
    (@ $members:ident $self:ident $field:ident) => { $members.field(stringify!($field), &$self.$field) };
    (@ $members:ident $self:ident $field:ident optional) => {
        $members.optional(stringify!($field), $crate::write::Written::present(&$self.$field))
    };
    (@ $members:ident $self:ident $field:ident flat) => {
        $crate::write::WrittenFields::write_fields(&$self.$field, $members)
    };
}
pub(crate) use write_fields;

/// `write_names!(Type: Every, Variant)` for an enum that is written as the name of its variant.
macro_rules! write_names {
    ($type:ty: $($variant:ident),*) => {
        impl $crate::write::Written for $type {
            fn write(&self, out: &mut alloc::string::String) {
                $crate::write::name(match self { $(Self::$variant => stringify!($variant)),* }, out);
            }
        }
    };
}
pub(crate) use write_names;

/// The name of a variant.
pub(crate) fn name(name: &str, out: &mut String) {
    out.push('"');
    out.extend(spelled(name));
    out.push('"');
}

/// A text in quotes.
#[inline(never)]
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Runs that need no escape are copied whole.
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (plain, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = behind.chars();
        escape(chars.next().unwrap_or_default(), out);
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(c: char, out: &mut String) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => _ = write!(out, "\\u{:04x}", u32::from(c)),
    }
}

/// An array of what comes next until nothing does.
fn array<'v>(next: &mut dyn FnMut() -> Option<&'v dyn Written>, out: &mut String) {
    out.push('[');
    let mut first = true;
    while let Some(value) = next() {
        if !core::mem::take(&mut first) {
            out.push(',');
        }
        value.write(out);
    }
    out.push(']');
}

impl Written for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }

    fn present(&self) -> Option<&dyn Written> {
        self.then_some(self)
    }
}

impl Written for u64 {
    fn write(&self, out: &mut String) {
        _ = write!(out, "{self}");
    }
}

impl Written for i64 {
    fn write(&self, out: &mut String) {
        _ = write!(out, "{self}");
    }
}

impl Written for u32 {
    fn write(&self, out: &mut String) {
        u64::from(*self).write(out);
    }

    fn present(&self) -> Option<&dyn Written> {
        (*self != 0).then_some(self)
    }
}

impl Written for u16 {
    fn write(&self, out: &mut String) {
        u64::from(*self).write(out);
    }
}

impl Written for &str {
    fn write(&self, out: &mut String) {
        quote(self, out);
    }
}

impl Written for String {
    fn write(&self, out: &mut String) {
        quote(self, out);
    }
}

impl Written for Json {
    fn write(&self, out: &mut String) {
        out.push_str(self.text());
    }
}

impl<T: Written> Written for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }

    fn present(&self) -> Option<&dyn Written> {
        self.as_ref().map(|value| value as &dyn Written)
    }
}

impl<T: Written> Written for Arc<T> {
    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: Written> Written for &T {
    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: Written> Written for Vec<T> {
    fn write(&self, out: &mut String) {
        let mut values = self.iter();
        array(&mut || values.next().map(|value| value as &dyn Written), out);
    }

    fn present(&self) -> Option<&dyn Written> {
        (!self.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::text;

    proptest! {
        #[test]
        fn texts_are_quoted_as_by_serde_json(value in any::<String>()) {
            prop_assert_eq!(Some(text(&value)), serde_json::to_string(&value).ok());
        }
    }
}
