//! The JSON form of what is both read and written: one line for a type.

/// `fields!(Type: required, fields; optional, fields)` or `fields!(Type by default: fields)`, see
/// [`crate::read::read_fields`].
macro_rules! fields {
    ($type:ident: $($required:ident),*; $($optional:ident),*) => {
        $crate::read::read_fields!($type: $($required),*; $($optional),*);
        $crate::write::write_fields!($type: $($required,)* $($optional = optional,)*);
    };
    ($type:ident by default: $($field:ident),*) => {
        $crate::read::read_fields!($type by default: $($field),*);
        $crate::write::write_fields!($type: $($field),*);
    };
}
pub(crate) use fields;

/// `names!(Type: Every, Variant)`, see [`crate::read::read_names`].
macro_rules! names {
    ($type:ty: $($variant:ident),*) => {
        $crate::read::read_names!($type: $($variant),*);
        $crate::write::write_names!($type: $($variant),*);
    };
}
pub(crate) use names;
