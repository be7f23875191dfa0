//! The shipped specifications in their checked form, made when litmpi is built: see [`litmpi_spec::compiled`].

use litmpi_spec::compiled::Carried;

/// All of them.
pub const MODELS: Carried = include!(concat!(env!("OUT_DIR"), "/models.rs"));

#[cfg(test)]
mod tests {
    use super::MODELS;
    use litmpi_spec::compiled::{decode, encode};
    use litmpi_spec::load::load_shipped;

    #[test]
    fn the_checked_form_is_what_reading_and_checking_the_text_gives() {
        assert!(!MODELS.is_empty());
        for (model, bytes) in MODELS {
            let read = load_shipped(model).expect("the text");
            let made = decode(bytes).expect("the bytes");
            assert!(format!("{made:#?}") == format!("{read:#?}"), "{model}");
            assert_eq!(made.hash(), read.hash());
            assert_eq!(encode(&made).expect("bytes"), *bytes);
        }
    }

    #[test]
    fn bytes_that_are_cut_off_are_refused() {
        let (_, bytes) = MODELS[0];
        for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(decode(&bytes[..len]).is_err(), "{len}");
        }
    }
}
