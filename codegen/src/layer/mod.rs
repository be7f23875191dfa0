//! A layer as a library in C or Rust: each instruction that it makes becomes a function, made from the layer's own text. `body.rs` makes
//! steps of that (`code.rs`), which `c.rs` and `rust.rs` write down.
//!
//! Bodies of the layers below take the place of calls, as when a client is expanded (`litmpi_litmus::layer`), but nodes,
//! threads and objects stay open: how many there are is known when the program runs. Each thread of a specification is a
//! process with a node of its own. Only puts, gets, waits and fences are left then; `c/layer` is what they stand on.

mod blocks;
mod body;
mod c;
mod code;
mod rust;
mod users;
mod value;

use crate::suite::SuiteFile;
use body::Writer;
use litmpi_litmus::layer::Made;
use litmpi_spec::decl::Language;
use litmpi_spec::diag::{Diagnostic, Report};

/// What every library stands on: the device, queue pairs, and how processes find each other.
pub const LAYER_RUNTIME: &[(&str, &str)] = &[
    ("litmpi-net.h", include_str!("../../c/layer/litmpi-net.h")),
    ("litmpi-net.c", include_str!("../../c/layer/litmpi-net.c")),
    ("litmpi-verbs.h", include_str!("../../c/layer/litmpi-verbs.h")),
    ("litmpi-verbs.c", include_str!("../../c/layer/litmpi-verbs.c")),
    ("litmpi-meet.c", include_str!("../../c/layer/litmpi-meet.c")),
];

/// The crate that all libraries in Rust stand on.
const LAYER_CRATE: &[(&str, &str)] = &[
    ("litmpi-net/Cargo.toml", include_str!("../../rust/layer/Cargo.toml.in")),
    ("litmpi-net/build.rs", include_str!("../../rust/layer/build.rs")),
    ("litmpi-net/src/lib.rs", include_str!("../../rust/layer/lib.rs")),
    ("litmpi-net/src/device.rs", include_str!("../../rust/layer/device.rs")),
    ("litmpi-net/src/error.rs", include_str!("../../rust/layer/error.rs")),
    ("litmpi-net/src/meet.rs", include_str!("../../rust/layer/meet.rs")),
    ("litmpi-net/c/litmpi-verbs.h", include_str!("../../c/layer/litmpi-verbs.h")),
    ("litmpi-net/c/litmpi-verbs.c", include_str!("../../c/layer/litmpi-verbs.c")),
];

/// The library of a layer, `layers` being it and those that it stands on, each made of the next: in C header, source and runtime, the
/// first two first; in Rust a crate, its text first, and the one below it.
///
/// # Errors
/// What of the layer has no place in a library.
pub fn layer_library(layers: &[Made<'_>], title: &str, language: Language) -> Result<Vec<SuiteFile>, Report> {
    let top = layers.first().and_then(|l| Some((l, l.spec.layer.as_ref()?)));
    let Some((top, layer)) = top else {
        return Err(Diagnostic::general("this is no layer").help("`litmpi layers` lists those that ship").into());
    };
    let mut writer = Writer::new(layers);
    for body in &layer.bodies {
        writer.function(body);
    }
    writer.errors.clone().into_result()?;
    let name = &top.spec.name;
    let file = |name: String, text: String| SuiteFile { name, text };
    let (mut files, below) = match language {
        Language::C => {
            let (header, source) = c::library(&writer, name, title);
            (vec![file(format!("{name}.h"), header), file(format!("{name}.c"), source)], LAYER_RUNTIME)
        }
        Language::Rust => {
            let text = file(format!("{name}/src/lib.rs"), rust::library(&writer, name, title));
            (vec![text, file(format!("{name}/Cargo.toml"), rust::manifest(name, title))], LAYER_CRATE)
        }
    };
    files.extend(below.iter().map(|(n, t)| file((*n).to_owned(), (*t).to_owned())));
    Ok(files)
}
