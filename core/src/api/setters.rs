//! The setters of events.

/// One function for each field that has a default or changes on the way: it sets the field and returns the rest unchanged. Behind the
/// semicolon, a value counts as `Some`.
macro_rules! setters {
    ($name:ident { $($field:ident: $type:ty),*; $($option:ident: $inner:ty),* $(,)? }) => {
        impl $name {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(self, $field: $type) -> Self {
                    Self { $field, ..self }
                }
            )*
            $(
                #[doc = concat!("Sets [`", stringify!($option), "`](field@Self::", stringify!($option), ").")]
                #[must_use]
                pub fn $option(self, $option: impl Into<Option<$inner>>) -> Self {
                    Self { $option: $option.into(), ..self }
                }
            )*
        }
    };
}
