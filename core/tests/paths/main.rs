//! Paths and file URIs: the corpora, single cases, every awkward character, and properties over
//! generated input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first surprise"
)]

mod cases;
mod characters;
mod corpora;
mod properties;

use rootwise::path::PathStyle;

const POSIX: PathStyle = PathStyle::Posix;
const WINDOWS: PathStyle = PathStyle::Windows;
