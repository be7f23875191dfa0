//! The checked form of a shipped specification as bytes, so that a program need not read and check its text each time.
//!
//! The bytes are made when litmpi is built (crate `litmpi-shipped`), and belong to that build alone. A place in a text is
//! a file's number and an offset; the texts themselves are in [`crate::shipped`].

use crate::model::Spec;
use crate::shipped;
use crate::source::{Source, Span};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

thread_local! {
    /// The files of the specification that is written or read now.
    static FILES: RefCell<Vec<Arc<Source>>> = const { RefCell::new(vec![]) };
}

/// Models by name, each with its bytes.
pub type Carried = &'static [(&'static str, &'static [u8])];

static CARRIED: OnceLock<Carried> = OnceLock::new();

/// From here on, [`crate::load::load_shipped`] takes these models' checked forms instead of their texts.
pub fn carry(models: Carried) {
    let _ = CARRIED.set(models);
}

/// The checked form of a model, if the program carries it.
pub(crate) fn carried(model: &str) -> Option<Spec> {
    let (_, bytes) = CARRIED.get()?.iter().find(|(name, _)| *name == model)?;
    decode(bytes).ok()
}

/// The bytes of a specification all of whose files are shipped ones.
///
/// # Errors
/// A place in a file that is not among the specification's own.
pub fn encode(spec: &Spec) -> postcard::Result<Vec<u8>> {
    let names: Vec<&str> = spec.files.iter().map(|f| f.name.as_str()).collect();
    FILES.set(spec.files.clone());
    let bytes = postcard::to_allocvec(&(names, spec));
    FILES.take();
    bytes
}

/// The specification of these bytes.
///
/// # Errors
/// Bytes that [`encode`] of this build has not made.
pub fn decode(bytes: &[u8]) -> postcard::Result<Spec> {
    let (names, rest): (Vec<String>, _) = postcard::take_from_bytes(bytes)?;
    let text_of = |name: &String| {
        let (_, text) = shipped::FILES.iter().find(|(n, _)| Some(*n) == name.strip_prefix("spec/"))?;
        Some(Source::new(name, *text))
    };
    let files: Option<Vec<Arc<Source>>> = names.iter().map(text_of).collect();
    let files = files.ok_or(postcard::Error::DeserializeBadEncoding)?;
    FILES.set(files.clone());
    let spec = postcard::from_bytes::<Spec>(rest);
    FILES.take();
    Ok(Spec { files, ..spec? })
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = FILES.with_borrow(|files| files.iter().position(|f| Arc::ptr_eq(f, &self.source)));
        let file = file.ok_or_else(|| S::Error::custom(format!("{self} is in none of the specification's files")))?;
        (file, self.start, self.end).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let (file, start, end) = <(usize, usize, usize)>::deserialize(deserializer)?;
        let source = FILES.with_borrow(|files| files.get(file).map(Arc::clone));
        let source = source.ok_or_else(|| D::Error::custom(format!("there is no file {file}")))?;
        Ok(Span { source, start, end })
    }
}
