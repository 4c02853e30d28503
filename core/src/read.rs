//! ValueParser what a host writes as JSON: policies, host facts, events, snapshots.
//!
//! Not derived: derived readers were two fifths of the WebAssembly module, and could not say at which field they failed.
//! ValueParser goes on after a fault and the first one counts, because leaving at once would cost, at every field, the code
//! that drops those before it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::find::last_part;
use crate::peer::raw::{self, Json, Object};

/// What can be read from the text of one well-formed JSON value.
pub(crate) trait Readable: Sized {
    /// Gives back anything of the type where the value cannot be read, and keeps the fault.
    fn read(text: &str, faults: &mut Faults) -> Self;
}

/// Reads a whole text, which need not be JSON at all.
pub(crate) fn parse<T: Readable>(text: &str) -> Result<T, Fault> {
    let mut faults = Faults::default();
    let read = match raw::value(text) {
        Ok(value) => T::read(value, &mut faults),
        Err(at) => return Err(Fault { place: line_and_column(text, at), problem: "is not JSON".into() }),
    };
    faults.0.map_or(Ok(read), Err)
}

fn line_and_column(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let column = last_part(before, '\n').chars().count();
    format!("line {} column {}", before.split('\n').count(), column.saturating_add(1))
}

/// What cannot be read, where, and what belongs there.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: String,
    pub(crate) problem: String,
}

/// The first fault, if there is one.
#[derive(Default)]
pub(crate) struct Faults(pub(crate) Option<Fault>);

impl Faults {
    #[cold]
    #[inline(never)]
    pub(crate) fn note(&mut self, problem: &str) {
        self.0.get_or_insert_with(|| Fault { place: String::new(), problem: problem.into() });
    }

    /// Reads a part; a fault in it is told with its place.
    pub(crate) fn within<T>(&mut self, step: Step<'_>, read: impl FnOnce(&mut Self) -> T) -> T {
        let clean = self.0.is_none();
        let value = read(self);
        if clean && self.0.is_some() {
            self.lead_with(step);
        }
        value
    }

    #[cold]
    #[inline(never)]
    fn lead_with(&mut self, step: Step<'_>) {
        let Some(Fault { place, .. }) = &mut self.0 else { return };
        let inner = core::mem::take(place);
        match step {
            Step::Field(name) => place.extend(spelled(name)),
            Step::Key(key) => place.push_str(key),
            Step::Index(at) => *place = format!("[{at}]"),
        }
        if !inner.is_empty() && !inner.starts_with('[') {
            place.push('.');
        }
        place.push_str(&inner);
    }
}

/// One step on the way to a part of a value.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// A field, as Rust spells it.
    Field(&'a str),
    Key(&'a str),
    Index(usize),
}

/// What is written as an object with fixed fields.
pub(crate) trait Fielded: Sized {
    /// The fields as Rust spells them, in the order in which they are taken.
    const FIELDS: &'static [&'static str];

    fn take(fields: &mut Fields<'_, '_>) -> Self;

    fn read_object(object: &Object<'_>, faults: &mut Faults) -> Self {
        Self::take(&mut Fields::of(object, Self::FIELDS, faults))
    }
}

impl<T: Fielded> Readable for T {
    fn read(text: &str, faults: &mut Faults) -> Self {
        Self::read_object(&object(text, faults), faults)
    }
}

/// The members of an object that has each only once.
pub(crate) fn object<'a>(text: &'a str, faults: &mut Faults) -> Object<'a> {
    let object = Object::read(text).unwrap_or_else(|| {
        faults.note("must be an object");
        Object::default()
    });
    if let Some(key) = object.repeated() {
        faults.within(Step::Key(key), |faults| faults.note("is there twice"));
    }
    object
}

/// The only member of an object.
pub(crate) fn only_member<'o, 'a>(object: &'o Object<'a>) -> Option<(&'o str, &'a str)> {
    let mut members = object.members();
    members.next().filter(|_| members.next().is_none())
}

/// The values of an object's fields, to be taken one after the other.
pub(crate) struct Fields<'a, 'f> {
    names: &'static [&'static str],
    values: Vec<Option<&'a str>>,
    /// How many have been taken.
    taken: usize,
    faults: &'f mut Faults,
    /// Whether there was no fault before the last one taken.
    clean: bool,
}

impl<'a, 'f> Fields<'a, 'f> {
    pub(crate) fn of(object: &Object<'a>, names: &'static [&'static str], faults: &'f mut Faults) -> Self {
        let mut values = Vec::new();
        values.resize(names.len(), None);
        for (key, value) in object.members() {
            match position(names, key).and_then(|at| values.get_mut(at)) {
                Some(slot) => *slot = Some(value),
                None if names.last() == Some(&OTHERS) => {}
                None => faults
                    .within(Step::Key(key), |faults| faults.note(&listed("there is no such field; there are", names))),
            }
        }
        Self { names, values, taken: 0, faults, clean: true }
    }

    /// The next field's value. Not generic and never inlined, like the other two, because every field comes by here.
    #[inline(never)]
    fn next(&mut self) -> Option<&'a str> {
        let value = self.values.get(self.taken).copied().flatten();
        self.taken = self.taken.saturating_add(1);
        self.clean = self.faults.0.is_none();
        value
    }

    #[inline(never)]
    fn need(&mut self) -> &'a str {
        self.next().unwrap_or_else(|| {
            self.faults.note("is missing");
            ""
        })
    }

    /// A fault in the value that was read last is told with its place.
    #[inline(never)]
    fn done(&mut self) {
        if self.clean && self.faults.0.is_some() {
            let name = self.names.get(self.taken.saturating_sub(1)).copied().unwrap_or_default();
            self.faults.lead_with(Step::Field(name));
        }
    }

    pub(crate) fn required<T: Readable>(&mut self) -> T {
        let value = T::read(self.need(), self.faults);
        self.done();
        value
    }

    pub(crate) fn or<T: Readable>(&mut self, otherwise: T) -> T {
        let mut value = otherwise;
        self.over(&mut value);
        value
    }

    pub(crate) fn optional<T: Readable + Default>(&mut self) -> T {
        match self.next() {
            Some(text) => {
                let value = T::read(text, self.faults);
                self.done();
                value
            }
            None => T::default(),
        }
    }

    /// Replaces what is there already.
    pub(crate) fn over<T: Readable>(&mut self, value: &mut T) {
        if let Some(text) = self.next() {
            *value = T::read(text, self.faults);
            self.done();
        }
    }
}

/// As the last of the fields: others may be there and mean nothing.
pub(crate) const OTHERS: &str = "..";

/// `read_fields!(Type: required, fields; optional, fields = 10)`, with `; ..` at the end where other fields may be there;
/// `read_fields!(Type by default: fields)` where what is absent is as in `Type::default()`.
macro_rules! read_fields {
    ($type:ident: $($required:ident),*; $($optional:ident $(= $otherwise:expr)?),* $(; $others:tt)?) => {
        impl $crate::read::Fielded for $type {
            const FIELDS: &'static [&'static str] =
                &[$(stringify!($required),)* $(stringify!($optional),)* $($crate::read::read_fields!(@names $others))?];

            fn take(fields: &mut $crate::read::Fields<'_, '_>) -> Self {
                Self {
                    $($required: fields.required(),)*
                    $($optional: $crate::read::read_fields!(@value fields $($otherwise)?),)*
                }
            }
        }
    };
    ($type:ident by default: $($field:ident),*) => {
        impl $crate::read::Fielded for $type {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn take(fields: &mut $crate::read::Fields<'_, '_>) -> Self {
                let mut made = Self::default();
                $(fields.over(&mut made.$field);)*
                made
            }
        }
    };
    (@names ..) => { $crate::read::OTHERS };
    (@value $fields:ident) => { $fields.optional() };
    (@value $fields:ident $otherwise:expr) => { $fields.or($otherwise) };
}
pub(crate) use read_fields;

/// What is written as one of a few names.
pub(crate) trait Named: Copy + 'static {
    const NAMES: &'static [&'static str];
    const ALL: &'static [Self];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.get(position(Self::NAMES, name)?).copied()
    }
}

/// `read_names!(Type: Every, Variant)` for an enum that is written as the name of its variant.
macro_rules! read_names {
    ($type:ty: $first:ident $(, $variant:ident)*) => {
        impl $crate::read::Named for $type {
            const NAMES: &'static [&'static str] = &[stringify!($first) $(, stringify!($variant))*];
            const ALL: &'static [Self] = &[Self::$first $(, Self::$variant)*];
        }

        impl $crate::read::Readable for $type {
            fn read(text: &str, faults: &mut $crate::read::Faults) -> Self {
                // A variant that was left out does not compile here.
                let _: fn(Self) = |one| match one { Self::$first $(| Self::$variant)* => {} };
                let at = $crate::read::one_of(text, <Self as $crate::read::Named>::NAMES, faults);
                <Self as $crate::read::Named>::ALL.get(at).copied().unwrap_or(Self::$first)
            }
        }
    };
}
pub(crate) use read_names;

pub(crate) fn one_of(text: &str, names: &[&str], faults: &mut Faults) -> usize {
    raw::string(text).and_then(|name| position(names, &name)).unwrap_or_else(|| {
        faults.note(&listed("must be one of", names));
        0
    })
}

fn position(names: &[&str], wire: &str) -> Option<usize> {
    names.iter().position(|name| spelled(name).eq(wire.chars()))
}

#[cold]
#[inline(never)]
fn listed(problem: &str, names: &[&str]) -> String {
    if names.is_empty() {
        return "takes no fields".into();
    }
    let mut text = String::from(problem);
    for (at, name) in names.iter().filter(|name| **name != OTHERS).enumerate() {
        text.push_str(if at == 0 { ": " } else { ", " });
        text.extend(spelled(name));
    }
    text
}

/// A Rust name as it is in JSON: `ask_by` and `AskBy` are `askBy`.
pub(crate) fn spelled(name: &str) -> impl Iterator<Item = char> {
    let mut before = None;
    name.chars().filter_map(move |c| match (before.replace(c), c) {
        (_, '_') => None,
        (None, _) => Some(c.to_ascii_lowercase()),
        (Some('_'), _) => Some(c.to_ascii_uppercase()),
        _ => Some(c),
    })
}

impl Readable for bool {
    fn read(text: &str, faults: &mut Faults) -> Self {
        if text != "true" && text != "false" {
            faults.note("must be true or false");
        }
        text == "true"
    }
}

macro_rules! read_numbers {
    ($($type:ty: $which:literal),*) => {
        $(impl Readable for $type {
            fn read(text: &str, faults: &mut Faults) -> Self {
                text.parse().unwrap_or_else(|_| {
                    faults.note(concat!("must be a whole number", $which));
                    0
                })
            }
        })*
    };
}
read_numbers!(i64: "", u32: " from 0 to 4294967295", u16: " from 0 to 65535");

impl Readable for String {
    fn read(text: &str, faults: &mut Faults) -> Self {
        raw::string(text).unwrap_or_else(|| {
            faults.note("must be a string of Unicode characters");
            Self::new()
        })
    }
}

impl Readable for Json {
    fn read(text: &str, _: &mut Faults) -> Self {
        Self::known(text.to_owned())
    }
}

impl<T: Readable> Readable for Option<T> {
    fn read(text: &str, faults: &mut Faults) -> Self {
        (text != "null").then(|| T::read(text, faults))
    }
}

impl<T: Readable> Readable for Arc<T> {
    fn read(text: &str, faults: &mut Faults) -> Self {
        Self::new(T::read(text, faults))
    }
}

impl<T: Readable> Readable for Vec<T> {
    fn read(text: &str, faults: &mut Faults) -> Self {
        let elements = raw::array(text).unwrap_or_else(|| {
            faults.note("must be an array");
            Vec::new()
        });
        let mut made = Self::with_capacity(elements.len());
        for (at, text) in elements.into_iter().enumerate() {
            made.push(faults.within(Step::Index(at), |faults| T::read(text, faults)));
        }
        made
    }
}
