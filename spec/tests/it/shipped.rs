//! The rules that come with litmpi.

use litmpi_spec::load::load_shipped;

#[test]
fn every_shipped_model_loads() {
    for model in litmpi_spec::shipped::names() {
        if let Err(report) = load_shipped(model) {
            panic!("{model}:\n{}", report.render(false));
        }
    }
}
