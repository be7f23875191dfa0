//! Conformance tests: golden, agreement, end to end
