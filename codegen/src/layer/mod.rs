//! A layer as a library in C: each instruction that it makes becomes a function, made from the layer's own text.
//!
//! Bodies of the layers below take the place of calls, as when a client is expanded (`litmpi_litmus::layer`), but nodes,
//! threads and objects stay open: how many there are is known when the program runs. Each thread of a specification is a
//! process with a node of its own. Only puts, gets, waits and fences are left then; `c/layer` is what they stand on.

mod body;
mod text;
mod users;
mod value;

use crate::suite::SuiteFile;
use body::Writer;
use litmpi_litmus::layer::Made;
use litmpi_spec::diag::{Diagnostic, Report};

/// What every library stands on: the device, queue pairs, and how processes find each other.
pub const LAYER_RUNTIME: &[(&str, &str)] = &[
    ("litmpi-net.h", include_str!("../../c/layer/litmpi-net.h")),
    ("litmpi-net.c", include_str!("../../c/layer/litmpi-net.c")),
    ("litmpi-meet.c", include_str!("../../c/layer/litmpi-meet.c")),
];

/// The library of a layer, `layers` being it and those that it stands on, each made of the next: header, source and runtime.
///
/// # Errors
/// What of the layer has no C.
pub fn layer_library(layers: &[Made<'_>], title: &str) -> Result<Vec<SuiteFile>, Report> {
    let top = layers.first().and_then(|l| Some((l, l.spec.layer.as_ref()?)));
    let Some((top, layer)) = top else {
        return Err(Diagnostic::general("this is no layer").help("`litmpi layers` lists those that ship").into());
    };
    let mut writer = Writer::new(layers);
    for body in &layer.bodies {
        writer.function(body);
    }
    writer.errors.clone().into_result()?;
    let (header, source) = text::library(&writer, &top.spec.name, title);
    let file = |name: String, text: String| SuiteFile { name, text };
    let mut files = vec![file(format!("{}.h", top.spec.name), header), file(format!("{}.c", top.spec.name), source)];
    files.extend(LAYER_RUNTIME.iter().map(|(n, t)| file((*n).to_owned(), (*t).to_owned())));
    Ok(files)
}
