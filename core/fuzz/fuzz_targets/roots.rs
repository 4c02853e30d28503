#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rootwise_fuzz::roots(data));
