//! What findings resemble of what is known.

use super::CampaignArgs;
use crate::known::Known;
use crate::left_out::LeftOut;
use crate::load::files;
use litmpi_litmus::{parse_family, sites};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is known, and the tests of which something is, with the functions that they call.
pub(super) struct Resembling {
    known: Known,
    tests: Vec<(BTreeSet<String>, String)>,
}

impl Resembling {
    pub(super) fn new(args: &CampaignArgs) -> Result<Resembling, Report> {
        let (known, mut left_out, mut tests) = (Known::load(&[])?, LeftOut::default(), vec![]);
        for path in files(std::slice::from_ref(&args.known_tests), &mut left_out) {
            let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            if known.of_test(&name).is_empty() {
                continue;
            }
            let source = Source::read_as(&path, "the test ")?;
            if parse_family(&source).is_ok_and(|f| f == "mpi") {
                tests.push((called(&source), name));
            }
        }
        left_out.into_result()?;
        Ok(Resembling { known, tests })
    }

    /// How likely it is that what a program with these functions shows is known in this version of a library: 2 if it resembles a test of which
    /// something is known, 1 if it calls all that such a test calls.
    pub(super) fn likely(&self, own: &BTreeSet<String>, library: &str) -> u8 {
        let known = |(functions, test): &(BTreeSet<String>, String)| {
            let is_known = || !self.known.of_test_with(test, library).is_empty();
            match (alike(own, functions), functions.is_subset(own)) {
                (true, _) if is_known() => 2,
                (false, true) if is_known() => 1,
                _ => 0,
            }
        };
        self.tests.iter().map(known).max().unwrap_or_default()
    }

    /// What is known, in this version of a library, of tests which resemble a program: of the functions that either calls, at least half are called by both.
    pub(super) fn of(&self, program: &Arc<Source>, library: &str) -> Vec<String> {
        let own = called(program);
        let alike = self
            .tests
            .iter()
            .filter(|(functions, _)| alike(&own, functions))
            .flat_map(|(_, test)| self.known.of_test_with(test, library));
        alike.collect::<BTreeSet<String>>().into_iter().collect()
    }
}

fn alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    2 * one.intersection(other).count() >= one.union(other).count()
}

/// The functions that a program calls.
pub(super) fn called(source: &Arc<Source>) -> BTreeSet<String> {
    sites::ranks(source).unwrap_or_default().into_iter().flat_map(|r| r.calls).map(|c| c.name).collect()
}

#[cfg(test)]
mod tests {
    use super::Resembling;
    use crate::known::Known;
    use litmpi_spec::source::Source;

    #[test]
    fn a_program_resembles_tests_with_which_it_shares_half_of_the_functions() {
        let functions = ["resized", "struct"].map(|what| format!("MPI_Type_create_{what}"));
        let bounds = ["extent", "true_extent"].map(|what| format!("MPI_Type_get_{what}"));
        let tests = vec![(functions.into_iter().chain(bounds).collect(), "type-markers-last".to_owned())];
        let known = Resembling { known: Known::load(&[]).expect("what is known"), tests };
        let of = |calls: &str, library: &str| {
            let text = format!("litmus mpi small \"a finding\"\nrank 0 {{\n{calls}\n}}\nexists true\n");
            known.of(&Source::new("small.litmus", text), library)
        };
        let resized = "MPI_Type_create_resized(MPI_INT, 0, 4, d)\nMPI_Type_create_struct([1, 1], [0, 5], [d, MPI_INT], e)\n\
                       MPI_Type_get_extent(e, l, x)";
        let lines = of(resized, "MPICH Version: 4.0.2");
        assert!(lines.len() == 1 && lines[0].starts_with("known of MPICH 4.0.2 to 4.2.1: "), "{lines:?}");
        assert!(of(resized, "MPICH Version: 3.4.3").is_empty(), "it was not seen in so early a version");
        let more = format!("{resized}\nMPI_Type_contiguous(2, newtype: f)\nMPI_Barrier()");
        assert_eq!(of(&more, "MPICH Version: 4.0.2"), lines);
        assert!(of(resized, "Open MPI v4.1.4").is_empty());
        let likely = |calls: &[&str], library: &str| {
            known.likely(&known.tests[0].0.iter().cloned().chain(calls.iter().map(|&c| c.into())).collect(), library)
        };
        let others = ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Wait", "MPI_Barrier"];
        assert_eq!(likely(&others[..4], "MPICH Version: 4.0.2"), 2);
        assert_eq!(likely(&others, "MPICH Version: 4.0.2"), 1, "it calls all that the test calls, and more");
        assert_eq!(likely(&others[..4], "Open MPI v4.1.4"), 0);
        assert_eq!(known.likely(&others.map(String::from).into(), "MPICH Version: 4.0.2"), 0);
        assert!(of("MPI_Type_create_resized(MPI_INT, 0, 4, d)", "MPICH Version: 4.0.2").is_empty());
        assert!(
            of(&format!("{more}\nMPI_Send(1, dest: 0)\nMPI_Recv(a, source: 0)"), "MPICH Version: 4.0.2").is_empty()
        );
    }
}
