//! The shipped specifications in their checked form, made when litmpi is built: see [`litmpi_spec::compiled`].

use litmpi_spec::compiled::Carried;

/// All of them.
pub const MODELS: Carried = include!(concat!(env!("OUT_DIR"), "/models.rs"));

#[cfg(test)]
mod tests {
    use super::MODELS;
    use litmpi_spec::compiled::{decode, encode};
    use litmpi_spec::load::load_shipped;
    use litmpi_spec::model::Spec;

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
    fn what_a_rule_says_is_made_when_it_is_asked_for_and_a_copy_shares_it_until_it_is_changed() {
        let (_, bytes) = MODELS.iter().find(|(name, _)| *name == "mpi").expect("a shipped model");
        let made = decode(bytes).expect("the bytes");
        let parts = |spec: &Spec| {
            let rules = spec.rules.iter().filter(|r| r.says.is_made()).count();
            let functions = spec.functions.iter().filter(|f| f.body.is_made()).count();
            let declared = spec.instructions.list.iter().filter(|i| i.declared.is_made()).count();
            (rules, functions, declared)
        };
        assert_eq!(parts(&made), (0, 0, 0));
        let mut copy = made.clone();
        assert!(!made.rules[0].cite.is_empty());
        assert!(!made.instructions.list[0].params.is_empty());
        assert_eq!((parts(&made), parts(&copy)), ((1, 0, 1), (1, 0, 1)));
        assert_eq!(copy.rules[0].cite, made.rules[0].cite);
        assert_eq!(copy.instructions, made.instructions);
        copy.rules[0].cite.push('!');
        assert_ne!(copy.rules[0].cite, made.rules[0].cite);
    }

    #[test]
    fn bytes_that_are_cut_off_are_refused() {
        let (_, bytes) = MODELS[0];
        for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            assert!(decode(&bytes[..len]).is_err(), "{len}");
        }
    }
}
