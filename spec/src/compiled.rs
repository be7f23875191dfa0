//! The checked form of a shipped specification as bytes, so that a program need not read and check its text each time.
//!
//! The bytes are made when litmpi is built (crate `litmpi-shipped`), and belong to that build alone. A place in a text is
//! a file's number and an offset; the texts themselves are in [`crate::shipped`]. What rules and functions say is made of
//! the bytes when it is first asked for: see [`crate::deferred`].

use crate::model::Spec;
use crate::shipped;
use crate::source::{Source, Span};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

thread_local! {
    /// The specification that is written or read now.
    static NOW: RefCell<Option<Reading>> = const { RefCell::new(None) };
}

/// Bytes of a specification, or of a part of it, and the files that its places are in.
#[derive(Clone)]
pub(crate) struct Reading {
    bytes: &'static [u8],
    files: Arc<[Arc<Source>]>,
}

impl Reading {
    /// A part of what is read now.
    pub(crate) fn of(part: &[u8]) -> Option<Reading> {
        NOW.with_borrow(|now| {
            let Reading { bytes, files } = now.as_ref()?;
            let start = part.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
            let bytes = bytes.get(start..start + part.len())?;
            Some(Reading { bytes, files: Arc::clone(files) })
        })
    }

    /// What the bytes say.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> postcard::Result<T> {
        let before = NOW.replace(Some(self.clone()));
        let value = postcard::from_bytes(self.bytes);
        NOW.set(before);
        value
    }
}

/// The bytes of a part of the specification that is written now.
pub(crate) fn encode_part<T: Serialize>(part: &T) -> postcard::Result<Vec<u8>> {
    postcard::to_allocvec(part)
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
    let before = NOW.replace(Some(Reading { bytes: &[], files: spec.files.as_slice().into() }));
    let bytes = postcard::to_allocvec(&(names, spec));
    NOW.set(before);
    bytes
}

/// The specification of these bytes.
///
/// # Errors
/// Bytes that [`encode`] of this build has not made.
pub fn decode(bytes: &'static [u8]) -> postcard::Result<Spec> {
    let (names, rest): (Vec<String>, &'static [u8]) = postcard::take_from_bytes(bytes)?;
    let text_of = |name: &String| {
        let (_, text) = shipped::FILES.iter().find(|(n, _)| Some(*n) == name.strip_prefix("spec/"))?;
        Some(Source::carried(name, text))
    };
    let files: Option<Vec<Arc<Source>>> = names.iter().map(text_of).collect();
    let files = files.ok_or(postcard::Error::DeserializeBadEncoding)?;
    let spec: Spec = Reading { bytes: rest, files: files.as_slice().into() }.read()?;
    Ok(Spec { files, ..spec })
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = NOW.with_borrow(|now| now.as_ref()?.files.iter().position(|f| Arc::ptr_eq(f, &self.source)));
        let file = file.ok_or_else(|| S::Error::custom(format!("{self} is in none of the specification's files")))?;
        (file, self.start, self.end).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let (file, start, end) = <(usize, usize, usize)>::deserialize(deserializer)?;
        let source = NOW.with_borrow(|now| now.as_ref()?.files.get(file).map(Arc::clone));
        let source = source.ok_or_else(|| D::Error::custom(format!("there is no file {file}")))?;
        Ok(Span { source, start, end })
    }
}
