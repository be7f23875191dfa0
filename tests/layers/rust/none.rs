//! A program that uses no layer, for checks of the crates themselves.

#[allow(dead_code)]
mod launch;

fn main() {}
