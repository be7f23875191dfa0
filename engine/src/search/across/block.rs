//! What is sent at a time: bytes for one process. They are written and read as one piece, not one by one.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Bytes for the process of this number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) to: u64,
    pub(super) bytes: Vec<u8>,
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        // The number stands before what it is of.
        let mut all = self.to.to_le_bytes().to_vec();
        all.extend_from_slice(&self.bytes);
        s.serialize_bytes(&all)
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Block, D::Error> {
        let mut bytes = d.deserialize_byte_buf(AsBytes)?;
        let (to, _) = bytes.split_first_chunk::<8>().ok_or_else(|| D::Error::custom("no number"))?;
        let to = u64::from_le_bytes(*to);
        bytes.drain(..8);
        Ok(Block { to, bytes })
    }
}

struct AsBytes;

impl Visitor<'_> for AsBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Block;

    #[test]
    fn a_block_is_read_as_it_was_written() {
        for bytes in [vec![], vec![7], (0..=255).collect()] {
            let block = Block { to: 3, bytes };
            let written = postcard::to_allocvec(&block).expect("bytes can be written");
            assert_eq!(postcard::from_bytes::<Block>(&written), Ok(block));
        }
    }
}
