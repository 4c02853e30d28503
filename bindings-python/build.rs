//! Where a linker wants every name known, such as on macOS, it must be told that Python brings the rest.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
