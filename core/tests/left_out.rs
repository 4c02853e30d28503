//! Says what `cargo test` in this crate does not run. It has no harness, because a harness hides what a passing test prints.

fn main() {
    if !cfg!(feature = "testing") {
        println!("left out: the target `testing`, which needs `--features testing`");
    }
    println!(
        "left out: the bindings, the adapters, the examples and the documentation, which `npm test` in the repository runs"
    );
}
