//! Messages of the language server protocol: JSON behind a header that says how long it is.

use crate::say::pass_on;
use serde_json::Value;
use std::io::{BufRead, Error, ErrorKind, Read};

/// Longer messages are refused: no test has such a text.
const LONGEST: u64 = 1 << 26;
/// So are longer headers.
const HEADER: u64 = 1 << 12;

/// The next message; none at the end of the input.
///
/// # Errors
/// An input that cannot be read or is no such message.
pub(super) fn read(input: &mut impl BufRead) -> std::io::Result<Option<Value>> {
    let wrong = |what: &str| Error::new(ErrorKind::InvalidData, what.to_owned());
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.by_ref().take(HEADER).read_line(&mut line)? == 0 {
            return if length.is_none() { Ok(None) } else { Err(wrong("the input ends within a message")) };
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong("a line of a header is `NAME: VALUE`"));
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.filter(|n| *n <= LONGEST).ok_or_else(|| wrong("a header says `Content-Length: BYTES`"))?;
    let mut bytes = vec![];
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(wrong("the input ends within a message"));
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|e| wrong(&format!("a message is no JSON: {e}")))
}

/// Sends a message; whether somebody reads it.
pub(super) fn write(message: &Value) -> bool {
    let text = message.to_string();
    pass_on(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_by_their_length() {
        let mut input = "Content-Length: 7\r\nContent-Type: x\r\n\r\n{\"a\":1}content-length: 2\r\n\r\n[]".as_bytes();
        assert_eq!(read(&mut input).expect("a message"), Some(serde_json::json!({ "a": 1 })));
        assert_eq!(read(&mut input).expect("a message"), Some(serde_json::json!([])));
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for wrong in [
            "Content-Length: 9\r\n\r\n{}",
            "\r\n{}",
            "Content-Length: 2\r\n\r\n{,",
            "{}\r\n\r\n",
            "Content-Length: 99999999999\r\n\r\n",
        ] {
            assert!(read(&mut wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
