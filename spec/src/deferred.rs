//! Parts of a carried specification that are made of its bytes when somebody first asks for them.
//!
//! A small test of MPI runs a few rules and functions of several hundred, and making all of them takes longer than its search.

use crate::compiled::{Reading, encode_part};
use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// A value that is there, or will be made of its bytes. Copies share it until one of them is changed, so that a specification of which a rule is changed
/// costs no copy of the others.
pub struct Deferred<T> {
    made: Arc<OnceLock<T>>,
    of: Option<Reading>,
}

impl<T> Deferred<T> {
    /// Whether it is there: it was given, or somebody has asked for it.
    pub fn is_made(&self) -> bool {
        self.made.get().is_some()
    }
}

impl<T> From<T> for Deferred<T> {
    fn from(value: T) -> Deferred<T> {
        Deferred { made: Arc::new(OnceLock::from(value)), of: None }
    }
}

impl<T: DeserializeOwned> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.made.get_or_init(|| {
            let reading = self.of.as_ref().expect("a value that was not given has bytes");
            reading.read().expect("the bytes of a part are those that the build made of it")
        })
    }
}

impl<T: DeserializeOwned + Clone> DerefMut for Deferred<T> {
    fn deref_mut(&mut self) -> &mut T {
        let _: &T = self;
        Arc::make_mut(&mut self.made).get_mut().expect("it was made just now")
    }
}

/// A copy of what nobody has asked for yet is made once for both.
impl<T> Clone for Deferred<T> {
    fn clone(&self) -> Deferred<T> {
        Deferred { made: Arc::clone(&self.made), of: self.of.clone() }
    }
}

impl<T: DeserializeOwned + PartialEq> PartialEq for Deferred<T> {
    fn eq(&self, other: &Deferred<T>) -> bool {
        **self == **other
    }
}

impl<T: DeserializeOwned + Eq> Eq for Deferred<T> {}

impl<T: DeserializeOwned + fmt::Debug> fmt::Debug for Deferred<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: DeserializeOwned + Serialize> Serialize for Deferred<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&encode_part(&**self).map_err(S::Error::custom)?)
    }
}

impl<'de, T> Deserialize<'de> for Deferred<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Deferred<T>, D::Error> {
        struct Bytes<T>(PhantomData<T>);
        impl<'de, T> Visitor<'de> for Bytes<T> {
            type Value = Deferred<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes of a specification that the program carries")
            }

            fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'de [u8]) -> Result<Deferred<T>, E> {
                let of = Reading::of(bytes).ok_or_else(|| E::custom("a part that is none of the whole"))?;
                Ok(Deferred { made: Arc::new(OnceLock::new()), of: Some(of) })
            }
        }
        deserializer.deserialize_bytes(Bytes(PhantomData)).map_err(D::Error::custom)
    }
}
