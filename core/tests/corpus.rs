//! Replays the inputs that fuzzing kept, and feeds random ones to the same properties; `core/fuzz` has both. Discovery runs
//! need a nightly compiler: see `docs/reliability.md`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "a property that does not hold stops the test"
)]

#[path = "../fuzz/src/lib.rs"]
mod properties;

use std::path::Path;

use proptest::prelude::*;

type Property = fn(&[u8]);

/// Every function that the fuzzer calls, by the name of its corpus.
const TARGETS: [(&str, Property); 6] = [
    ("messages", properties::messages),
    ("roots", properties::roots),
    ("paths", properties::paths),
    ("policies", properties::policies),
    ("snapshots", properties::snapshots),
    ("sequences", properties::sequences),
];

#[test]
fn every_kept_input_has_the_properties() {
    for (name, property) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let mut inputs = 0;
        for file in std::fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            let input = std::fs::read(&path).unwrap();
            let outcome = std::panic::catch_unwind(|| property(&input));
            assert!(outcome.is_ok(), "{} fails", path.display());
            inputs += 1;
        }
        println!("{name}: {inputs} inputs");
        assert!(inputs > 0, "{} is empty", folder.display());
    }
}

/// Lines of the parts that paths, URIs and names are made of.
fn hostile_lines() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "file:///",
            "/work",
            "/work/a",
            "C:\\work\\a",
            "..",
            "%2e",
            "%5C",
            "%0A",
            "%1B[2J",
            "%E2%80%AE",
            "\u{202e}",
            "\u{1b}]0;",
            "\u{7}",
            "\r",
            "\u{2029}",
            "\u{200f}",
            "{list}",
            "\n",
            "\\\\host\\share",
            "name",
            " ",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_sequences_have_the_properties(data in prop::collection::vec(any::<u8>(), 0..160)) {
        properties::sequences(&data);
    }

    #[test]
    fn random_roots_have_the_properties(policy in any::<u8>(), host in any::<u8>(), lines in hostile_lines()) {
        properties::roots(&[&[policy, host], lines.as_bytes()].concat());
    }

    #[test]
    fn random_paths_have_the_properties(text in hostile_lines()) {
        properties::paths(text.as_bytes());
    }
}
