#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| litmpi_tests::fuzz::spec(bytes));
