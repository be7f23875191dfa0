//! Where pictures go: one file of a chosen form, or all of them into a folder.

use clap::Args;
use litmpi_graph::{Graph, Sequence};
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::{Path, PathBuf};

/// Which pictures are drawn, and where they go.
#[derive(Debug, Args)]
pub(crate) struct PictureArgs {
    /// Write the execution graph; the form is that of the name: .svg, .dot or .txt
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Write all graphs, message sequences and steps into this folder, in every form
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The relations to draw, those that the model defines among them; by default po, rf, mo, rb, nfo, pf, and
    /// ib, ob of an allowed execution
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) relations: Vec<String>,
}

/// The relations that are drawn unless `--relations` says others, as far as a model has them.
const RELATIONS: [&str; 10] = ["po", "rf", "mo", "co", "rb", "fr", "nfo", "pf", "ib", "ob"];
/// How many of them are drawn of a candidate that fails: an order with a cycle in it relates everything there to
/// everything.
const OF_FAILING: usize = 8;

/// The relations that are drawn of a graph unasked.
pub(super) fn usual(graph: &Graph) -> Vec<String> {
    let failing = !graph.cycle.is_empty() || !graph.marked.is_empty();
    let names = if failing { &RELATIONS[..OF_FAILING] } else { &RELATIONS[..] };
    names.iter().map(|n| (*n).to_owned()).collect()
}

/// What is written where.
pub(crate) struct Files<'a> {
    args: &'a PictureArgs,
    /// How many graphs have been written to `--graph`.
    graphs: usize,
    /// What was written, for the terminal.
    pub(crate) written: Vec<PathBuf>,
}

/// The form of a picture, by the end of its file's name.
#[derive(Debug, Clone, Copy)]
enum Form {
    Svg,
    Dot,
    Text,
}

impl<'a> Files<'a> {
    /// Checks what can be told before anything is searched.
    pub(crate) fn new(args: &'a PictureArgs, tests: usize) -> Result<Files<'a>, Report> {
        if let Some(path) = &args.graph {
            form(path)?;
            if tests > 1 {
                let d = Diagnostic::general(format!("{tests} tests do not fit into one file `{}`", path.display()));
                return Err(d.help("name a folder instead: --output DIR").into());
            }
        }
        Ok(Files { args, graphs: 0, written: vec![] })
    }

    /// The names of the relations to draw.
    pub(crate) fn relations(&self, graph: &Graph) -> Result<Vec<String>, Report> {
        if self.args.relations.is_empty() {
            return Ok(usual(graph));
        }
        let known: Vec<&str> = graph.relations.iter().map(|r| r.name.as_str()).collect();
        let unknown = self.args.relations.iter().filter(|r| !known.contains(&r.as_str()));
        let told = |r: &String| {
            let d = Diagnostic::general(format!("the model defines no relation `{r}`"));
            d.help(format!("its relations are {}", known.join(", ")))
        };
        Report(unknown.map(told).collect()).into_result()?;
        Ok(self.args.relations.clone())
    }

    /// Writes a graph of a test: `what` tells it from others, `graph`, `forbidden-1`.
    pub(crate) fn graph(&mut self, test: &str, what: &str, graph: &Graph) -> Result<(), Report> {
        let names = self.relations(graph)?;
        let text = || format!("{}\n{}{}", graph.title, graph.text(&names), graph.cycle_text(&graph.cycle));
        if let Some(path) = &self.args.graph {
            self.graphs += 1;
            // A second one stands beside the first.
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let end = path.extension().unwrap_or_default().to_string_lossy();
            let path = if self.graphs == 1 {
                path.clone()
            } else {
                path.with_file_name(format!("{stem}-{}.{end}", self.graphs))
            };
            let content = match form(&path)? {
                Form::Svg => graph.svg(&names),
                Form::Dot => graph.dot(&names),
                Form::Text => text(),
            };
            self.write(path, &content)?;
        }
        self.put(test, what, "svg", || graph.svg(&names))?;
        self.put(test, what, "dot", || graph.dot(&names))?;
        self.put(test, what, "txt", text)
    }

    /// Writes a sequence of a test, and the steps behind it.
    pub(super) fn sequence(&mut self, test: &str, sequence: &Sequence, steps: &str) -> Result<(), Report> {
        self.put(test, "sequence", "svg", || sequence.svg())?;
        self.put(test, "sequence", "txt", || format!("{}\n{}", sequence.title, sequence.text()))?;
        self.put(test, "steps", "txt", || steps.to_owned())
    }

    fn put(&mut self, test: &str, what: &str, end: &str, content: impl FnOnce() -> String) -> Result<(), Report> {
        let Some(folder) = &self.args.out else { return Ok(()) };
        litmpi_scratch::own(folder)
            .map_err(|e| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", folder.display()))))?;
        let named = |test: &str| folder.join(format!("{test}-{what}.{end}"));
        let path = beside(test, named, |path| self.written.contains(path));
        self.write(path, &content())
    }

    fn write(&mut self, path: PathBuf, content: &str) -> Result<(), Report> {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
        let done = parent.map_or(Ok(()), std::fs::create_dir_all).and_then(|()| crate::whole::write(&path, content));
        done.map_err(|e| Report::from(Diagnostic::general(format!("cannot write {}: {e}", path.display()))))?;
        self.written.push(path);
        Ok(())
    }
}

/// The file of a test that `named` names, or of the same name with a number behind it if that one is taken: tests of one name stand beside each other.
pub(crate) fn beside(test: &str, named: impl Fn(&str) -> PathBuf, is_taken: impl Fn(&PathBuf) -> bool) -> PathBuf {
    let test = test.replace(['/', '\\'], "-");
    let mut names = (2..).map(|n| named(&format!("{test}-{n}")));
    let first = named(&test);
    if is_taken(&first) { names.find(|path| !is_taken(path)).expect("there is always another name") } else { first }
}

fn form(path: &Path) -> Result<Form, Report> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => Ok(Form::Svg),
        Some("dot" | "gv") => Ok(Form::Dot),
        Some("txt") => Ok(Form::Text),
        _ => {
            let d = Diagnostic::general(format!("`{}` does not say what form the graph is to have", path.display()));
            Err(d.help("end its name in .svg, .dot or .txt").into())
        }
    }
}
