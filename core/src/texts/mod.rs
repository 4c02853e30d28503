//! Every sentence for people, as data: the code picks one by its key and fills in the `{names}`.
//!
//! The texts of errors stand beside their codes, in `error.rs`, `api/reason.rs` and `path/refusal.rs`.

pub(crate) mod advice;
pub(crate) mod cause;
pub(crate) mod client_advice;
pub(crate) mod endpoint;
pub(crate) mod explanation;
pub(crate) mod host;
pub(crate) mod log;
pub(crate) mod parameter;
pub(crate) mod path;
pub(crate) mod roots;
pub(crate) mod standard;
pub(crate) mod tools;

use alloc::string::String;

/// Puts the values in; a `{word}` nobody knows stays as it is.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, tail))
        });
        match known {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
