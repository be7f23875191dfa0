//! Targets, building, launching, watching, comparing
