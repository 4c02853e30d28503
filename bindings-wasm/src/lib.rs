//! The resolver as WebAssembly. JSON text crosses the boundary in both directions: see `docs/boundary.md`.

#[cfg(feature = "bindgen")]
pub mod bindgen;
// An address and a length share 64 bits, so its tests need a target with 32.
#[cfg(all(feature = "plain", any(target_family = "wasm", all(test, target_pointer_width = "32"))))]
mod plain;
