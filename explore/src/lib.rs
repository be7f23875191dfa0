//! Search over any transition system: outcomes, traces, bounds
