//! The pipelines of docs/ci: the page shows them as they are, and the commands in them do here what they are to do there.

use crate::command::root;
use crate::planted::planted;
use crate::support::{at, folder, here, litmpi_with};

const PIPELINES: [&str; 3] = ["github.yml", "gitlab.yml", "Jenkinsfile"];

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The command of a pipeline that runs the tests, as words.
fn command(pipeline: &str) -> Vec<String> {
    let text = text(&format!("ci/{pipeline}"));
    let mut lines = text.lines().filter_map(|l| Some(&l[l.find("litmpi run ")?..]));
    let line = lines.next().expect("a command").trim_end_matches('\'').replace("${{ matrix.shard }}", "1");
    assert!(lines.next().is_none(), "{pipeline} has one command");
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[test]
fn the_page_shows_the_pipelines_as_they_are() {
    for name in PIPELINES {
        let file = text(&format!("ci/{name}"));
        assert!(
            text("ci.md").contains(&format!("```{}\n{file}```", if name == "Jenkinsfile" { "groovy" } else { "yaml" })),
            "{name}"
        );
    }
}

#[test]
fn the_commands_of_pipelines_turn_red_for_what_is_new_alone() {
    let order = std::fs::read_to_string(root().join("litmus/mpi/order-same-tag.litmus")).expect("a test");
    for _ in here(&["mpi"]) {
        for pipeline in PIPELINES {
            let dir = folder(&[("litmpi/litmus/mpi/order-same-tag.litmus", &order)]);
            let environment = [("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")];
            let short = ["--sizes", "8", "--time", "30"];
            let run = |more: &[&str]| {
                let words = command(pipeline);
                litmpi_with(
                    &environment,
                    dir.path(),
                    words.iter().map(String::as_str).chain(short).chain(more.iter().copied()),
                )
            };
            run(&[]).exits(0).says("conforms? yes, as far as was seen; 1 result of 1 test on mpi");
            let report = std::fs::read_to_string(at(&dir, "litmpi.xml")).expect("a report");
            assert!(report.contains("<testcase name=\"order-same-tag (8 B"), "{report}");
            // Rules under which no send is buffered: what every library does is new.
            let rules =
                planted("mpi/point-to-point.spec", "const buffering: Bool = true", "const buffering: Bool = false");
            let spec = at(&rules, "mpi/mpi.spec");
            let test = std::fs::read_to_string(root().join("litmus/mpi/eager-head-to-head.litmus")).expect("a test");
            std::fs::write(dir.path().join("litmpi/litmus/mpi/order-same-tag.litmus"), test).expect("our file");
            run(&["--spec", &spec]).exits(1).says("conforms? NO: 1 new violation");
            let add = ["known", "add", "--says", "it buffers", "--ticket", "T-7"];
            litmpi_with(&[], dir.path(), add).exits(0);
            run(&["--spec", &spec]).exits(0).says("conforms? no, but nothing is new");
            for (file, says) in [("annotations.txt", "::notice file="), ("litmpi.tap", "# TODO VIOLATION")] {
                if command(pipeline).last().is_some_and(|w| w.contains(file)) {
                    let text = std::fs::read_to_string(at(&dir, file)).expect("a report");
                    assert!(text.contains(says), "{text}");
                }
            }
        }
    }
}
