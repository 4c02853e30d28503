//! The resolver as WebAssembly. JSON text crosses the boundary in both directions: see `docs/boundary.md`.

#[cfg(feature = "bindgen")]
pub mod bindgen;
#[cfg(all(feature = "plain", target_family = "wasm"))]
mod plain;
