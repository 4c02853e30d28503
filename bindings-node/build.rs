//! Lets the addon find Node's symbols at load time.

fn main() {
    napi_build::setup();
}
