//! What tells changes that no litmus test does: programs that run, and laws of which call completes first.
//!
//! Some rules are asked by programs that run alone: how many bytes a datatype has, which communicators a process has not freed. So
//! programs are compiled once, and followed as `litmpi verify` follows them; a change is told if what is found of one of them is another,
//! or the ways in which it ends. Others are asked by laws alone, whether a message has been received for example: a change is told
//! if a law is refuted that was not, or the other way round.

use super::MutateArgs;
use super::list::Change;
use super::record::Record;
use super::run::{Fate, How, most_states};
use super::subject::{BYTES, Subject, is_of_relations};
use crate::left_out::LeftOut;
use crate::nic::cache;
use crate::{parallel, verify};
use litmpi_engine::reach::Reach;
use litmpi_engine::search::Bounds;
use litmpi_models::Search;
use litmpi_mpi_model::laws::{self, Done, Item, Laws, Program, Setting};
use litmpi_scratch::{Folder, temporary};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::mutate::{Mutant, Spot};
use litmpi_spec::source::Source;
use litmpi_verify::{Bad, Run, Source as Language, Stopped, Verdict, compiled, explore};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The model whose changes are asked about here.
const MODEL: &str = "mpi";

/// A process that says nothing for so long is silent. Programs that are so under the right rules are not used.
const PATIENCE: Duration = Duration::from_secs(5);

/// Programs that a law is held against: all with one piece beside its own, so many at most, and so many random ones.
const MADE: usize = 40;
const RANDOM: usize = 10;

/// All of it, each with what it says under the right rules.
#[derive(Default)]
pub(super) struct Others {
    all: Vec<Other>,
    /// Programs that come to a limit of time or states under the right rules.
    pub(super) limited: usize,
    /// With the programs that were compiled.
    _folder: Option<Folder>,
}

struct Other {
    /// How records name it.
    label: String,
    asked: Asked,
    right: Said,
    /// How far the search of a program comes.
    reach: Option<Arc<Reach>>,
}

enum Asked {
    Program { program: PathBuf, ranks: usize },
    Order { laws: Arc<Laws>, name: String, made: Vec<Program> },
}

/// What is said under some rules.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    /// What is found, and how it ends.
    text: String,
    /// States, transitions, and calls.
    effort: [usize; 3],
    /// It was followed to its end, and nothing in it is a matter of time.
    sure: bool,
}

/// What came of asking.
enum Heard {
    Said(Said),
    /// A rule cannot be evaluated.
    Fault,
    /// It cannot be run.
    Nothing(String),
}

/// Whether a label of a record is one of a program or of a law.
pub(super) fn is_other(label: &str) -> bool {
    label.split(' ').next().is_some_and(|file| Path::new(file).extension().is_none_or(|e| e != "litmus"))
}

impl Others {
    /// Compiles and asks what the changes may need: who holds a record needs what it names.
    pub(super) fn new(
        args: &MutateArgs,
        (subjects, tried): (&[Subject], &[&Change]),
        before: &Record,
        left_out: &mut LeftOut,
    ) -> Result<Others, Report> {
        let Some(at) = subjects.iter().position(|s| s.name == MODEL) else { return Ok(Others::default()) };
        let subject = &subjects[at];
        let named: BTreeSet<&str> = tried.iter().filter_map(|c| before.get(&c.key)?.by()).collect();
        let holds = args.record.is_some() && !args.accept;
        let is_wanted = |label: &str| !holds || named.contains(label);
        let mut found: Vec<(String, Asked)> = orders(subject, at, tried)?;
        found.retain(|(label, _)| is_wanted(label));
        let mut folder = None;
        let files: Vec<PathBuf> =
            programs(&args.programs, left_out).into_iter().filter(|f| is_wanted(&of_file(f))).collect();
        if !files.is_empty() {
            let place = Folder::make(&temporary(), &["mutate"])
                .map_err(|e| Report::from(Diagnostic::general(format!("no folder for programs: {e}"))))?;
            let numbered: Vec<(usize, &PathBuf)> = files.iter().enumerate().collect();
            let made = parallel::map(&numbered, args.jobs, "compiling", |(n, f)| compile(f, place.path(), *n));
            let made = files.iter().zip(made).filter_map(|(f, m)| Some((of_file(f), left_out.keep(f, m)?)));
            found.extend(made);
            folder = Some(place);
        }
        let spec = Arc::clone(&subject.spec);
        let asked = parallel::map(&found, args.jobs, "asking programs and laws", |(_, asked)| {
            let reach = matches!(asked, Asked::Program { .. }).then(|| Arc::new(Reach::new(&spec)));
            (asked.ask(&spec, reach.clone(), args.max_states), reach)
        });
        let mut out = Others { all: vec![], limited: 0, _folder: folder };
        for ((label, asked), (heard, reach)) in found.into_iter().zip(asked) {
            let why = match heard {
                Heard::Said(right) if right.sure => {
                    out.all.push(Other { label, asked, right, reach });
                    continue;
                }
                Heard::Said(_) => {
                    out.limited += 1;
                    continue;
                }
                Heard::Fault => "a rule cannot be evaluated".to_owned(),
                Heard::Nothing(why) => why,
            };
            left_out.add(Path::new(label.split(' ').next().unwrap_or_default()), Diagnostic::general(why).into());
        }
        out.all.sort_by(|a, b| (a.right.effort, &a.label).cmp(&(b.right.effort, &b.label)));
        Ok(out)
    }

    /// Those that come to a change, each with the change of their model.
    fn comers<'o>(&'o self, change: &'o Change, subjects: &'o [Subject]) -> Vec<(&'o Other, &'o Subject, &'o Mutant)> {
        let of_mpi = |(s, m): &'o (usize, Mutant)| {
            (subjects[*s].name == MODEL && !is_of_relations(m)).then_some((&subjects[*s], m))
        };
        let Some((subject, mutant)) = change.of.iter().find_map(of_mpi) else { return vec![] };
        let spot = subject.rules.spot(mutant, &subject.spec);
        let comes = |o: &&Other| match &o.reach {
            Some(reach) => reach.comes_to(&spot, "default"),
            None => asks_of_requests(&spot, &subject.spec),
        };
        self.all.iter().filter(comes).map(|o| (o, subject, mutant)).collect()
    }

    /// How many come to a change.
    pub(super) fn number(&self, change: &Change, subjects: &[Subject]) -> usize {
        if self.all.is_empty() { 0 } else { self.comers(change, subjects).len() }
    }

    /// Whether the one of this label tells the change.
    pub(super) fn tells(&self, label: &str, change: &Change, subjects: &[Subject]) -> Option<How> {
        let (other, subject, mutant) =
            self.comers(change, subjects).into_iter().find(|(other, ..)| other.label == label)?;
        other.tells(&Arc::new(subject.rules.with(std::slice::from_ref(mutant)).ok()?)).0
    }

    /// What comes of a change that no test tells: the first of so many that tells it, those of `first` before others; if none does,
    /// what was known of it, unless there are other states in one of these.
    pub(super) fn after(
        &self,
        fate: Fate,
        change: &Change,
        subjects: &[Subject],
        (first, most): (&[&BTreeSet<&str>], usize),
    ) -> Fate {
        if self.all.is_empty() || !fate.is_open() {
            return fate;
        }
        let mut comers = self.comers(change, subjects);
        let group = |o: &Other| first.iter().position(|g| g.contains(o.label.as_str())).unwrap_or(first.len());
        comers.sort_by_key(|(o, ..)| group(o));
        comers.truncate(most);
        let Some((_, subject, mutant)) = comers.first() else { return fate };
        let Ok(spec) = subject.rules.with(std::slice::from_ref(mutant)) else { return fate };
        let (spec, mut evaluated, mut differs) = (Arc::new(spec), 0, false);
        for (other, ..) in &comers {
            match other.tells(&spec) {
                (Some(how), _) => return Fate::Killed { by: other.label.clone(), how },
                (None, same) => {
                    differs |= !same;
                    evaluated += other.right.effort[0];
                }
            }
        }
        match fate {
            Fate::Unreached if !differs => Fate::Same { evaluated, tests: comers.len() },
            Fate::Unreached | Fate::Same { .. } if differs => Fate::Survives { tests: comers.len(), compared: true },
            fate => fate,
        }
    }
}

impl Other {
    /// Whether other rules are told; if they are not, whether there were as many states, transitions and calls.
    fn tells(&self, spec: &Arc<Spec>) -> (Option<How>, bool) {
        let ask = |spec: &Arc<Spec>| {
            let asked = || self.asked.ask(spec, None, most_states(self.right.effort[0]));
            catch_unwind(AssertUnwindSafe(asked)).unwrap_or(Heard::Fault)
        };
        match ask(spec) {
            Heard::Fault => (Some(How::Fault), false),
            Heard::Nothing(_) => (None, true),
            Heard::Said(said) if said.effort[0] >= most_states(self.right.effort[0]) => (Some(How::Explodes), false),
            Heard::Said(said) if said.text == self.right.text => (None, said.effort == self.right.effort),
            // A process may be silent because the machine is busy: then it is so another time, or not.
            Heard::Said(said) if !said.sure && !matches!(ask(spec), Heard::Said(again) if again == said) => {
                (None, true)
            }
            Heard::Said(_) => (Some(How::Outcomes), false),
        }
    }
}

impl Asked {
    fn ask(&self, spec: &Arc<Spec>, reach: Option<Arc<Reach>>, states: usize) -> Heard {
        match self {
            Asked::Program { program, ranks } => {
                let run = Run {
                    command: vec![program.display().to_string()],
                    ranks: *ranks,
                    environment: vec![],
                    spec: Arc::clone(spec),
                    variant: "default".into(),
                    bounds: Bounds { states, bytes: BYTES, ..Bounds::default() },
                    // What rules say of themselves may be wrong of changed ones.
                    search: Search::Full,
                    threads: 1,
                    races: false,
                    typed: true,
                    merges: true,
                    runs: true,
                    returns: false,
                    patience: PATIENCE,
                    sample: None,
                    beside: None,
                    again: None,
                    observe: vec![],
                    cache: cache(),
                    reach,
                };
                match explore(&run) {
                    Ok(found) => Heard::Said(said(&found)),
                    Err(Stopped::Rules(_)) => Heard::Fault,
                    Err(Stopped::Input(why)) => Heard::Nothing(why),
                }
            }
            Asked::Order { laws, name, made } => {
                let setting = Setting { spec: Arc::clone(spec), states, search: Search::Full };
                let Some(item) = laws.items().into_iter().find(|i| i.name() == name) else {
                    return Heard::Nothing("there is no such law".into());
                };
                held(item, made, &setting)
            }
        }
    }
}

/// What `litmpi verify` finds, without the ways there.
fn said(found: &Verdict) -> Said {
    let mut text = format!("{} {:?} {:?}", verify::word(found), found.unsupported, found.ends);
    for f in &found.findings {
        text += &format!("\n{:?} {:?} {:?} {}", f.bad, f.rank, f.at, f.what);
    }
    let timed = found.findings.iter().any(|f| matches!(f.bad, Bad::Silent | Bad::Differs));
    let effort = [found.states, found.transitions, found.calls];
    Said { text, effort, sure: found.bounds.is_empty() && !timed }
}

/// Whether a law holds of some programs, or is refuted, or none of them has what it speaks of.
fn held(item: Item<'_>, made: &[Program], setting: &Setting) -> Heard {
    let mut holds = false;
    for program in made {
        match item.hold(program, setting) {
            Err(_) => return Heard::Fault,
            Ok(Done::Refuted(_)) => return Heard::Said(Said { text: "refuted".into(), effort: [0; 3], sure: true }),
            Ok(Done::Holds(_)) => holds = true,
            Ok(Done::Apart | Done::Undecided) => {}
        }
    }
    Heard::Said(Said { text: if holds { "holds" } else { "never tried" }.into(), effort: [0; 3], sure: true })
}

/// The laws of which call completes first, if a change is one of what they ask of a request.
fn orders(subject: &Subject, at: usize, tried: &[&Change]) -> Result<Vec<(String, Asked)>, Report> {
    let is_asked = |c: &&Change| {
        let mut own = c.of.iter().filter(|(s, m)| *s == at && !is_of_relations(m));
        own.any(|(_, m)| asks_of_requests(&subject.rules.spot(m, &subject.spec), &subject.spec))
    };
    let mut out = vec![];
    if !tried.iter().any(is_asked) {
        return Ok(out);
    }
    let decls = &subject.spec.instructions;
    for (file, text) in laws::SHIPPED {
        let laws = Arc::new(laws::parse(&Source::new(file, text))?);
        for item in laws.items() {
            if matches!(item, Item::Order(_)) {
                let (mut made, _) = laws::exhaustive(item, &laws, decls, 1, MADE);
                made.extend(laws::random(item, &laws, decls, 1, RANDOM));
                let name = item.name().to_owned();
                out.push((format!("{file}:{name} {MODEL}"), Asked::Order { laws: Arc::clone(&laws), name, made }));
            }
        }
    }
    Ok(out)
}

/// Whether a change is one of a function that is asked of a process and a request.
fn asks_of_requests(spot: &Spot, spec: &Spec) -> bool {
    matches!(spot, Spot::Functions(all) if spec.of_requests().any(|(f, _)| all.contains(&f)))
}

/// How records name a program.
fn of_file(file: &Path) -> String {
    format!("{} {MODEL}", file.display())
}

/// The language of a program, by the ending of its file.
fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" => Some(Language::C),
        "cpp" => Some(Language::Cpp),
        "f90" => Some(Language::Fortran),
        _ => None,
    }
}

/// The programs in files and folders, in order. In folders, what is in another language is none.
fn programs(paths: &[PathBuf], left_out: &mut LeftOut) -> Vec<PathBuf> {
    let mut out = vec![];
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let cannot =
            |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot read {}: {e}", path.display())));
        let Some(found) = left_out.keep(path, std::fs::read_dir(path).map_err(cannot)) else { continue };
        let mut found: Vec<PathBuf> = found.flatten().map(|e| e.path()).filter(|p| language(p).is_some()).collect();
        found.sort();
        out.extend(found);
    }
    out
}

/// Compiles a program so that its loads and stores are seen. On how many ranks it runs, its head says.
fn compile(file: &Path, folder: &Path, number: usize) -> Result<Asked, Report> {
    let source = Source::read_as(file, "the program ")?;
    // Of Fortran each line is a comment of its own.
    let mut lines = source.text.lines();
    let ranks = lines.find_map(|l| l.trim_start_matches('!').strip_prefix(" * ranks: ")?.trim().parse().ok());
    let wrong =
        |what: String, help: &str| Report::from(Diagnostic::general(format!("{}: {what}", file.display())).help(help));
    let Some(ranks @ 1..) = ranks else {
        return Err(wrong(
            "the program does not say on how many ranks it runs".into(),
            "a line ` * ranks: 2` in its head says so",
        ));
    };
    let Some(language) = language(file) else {
        return Err(wrong("no compiler is known for it".into(), "programs end in .c, .cpp or .f90"));
    };
    let program = folder.join(format!("program-{number}"));
    let args: [&OsStr; 5] = ["-O1".as_ref(), "-w".as_ref(), "-o".as_ref(), program.as_ref(), file.as_ref()];
    let mut args: Vec<OsString> = args.map(OsString::from).into();
    if language == Language::Fortran {
        // Its modules, which would else be written where the command runs, and over those of another program.
        let modules = folder.join(format!("modules-{number}"));
        std::fs::create_dir(&modules)
            .map_err(|e| wrong(format!("a folder for its modules: {e}"), "make room for temporary files"))?;
        args.extend(["-J".into(), modules.into()]);
    }
    let own = source.text.lines().find_map(|l| l.strip_prefix(" * options: "));
    args.extend(own.into_iter().flat_map(str::split_whitespace).map(OsString::from));
    compiled(language, &args, &cache())
        .map_err(|why| wrong(why, "it must compile with MPICH's compiler, as with `litmpi cc`"))?;
    Ok(Asked::Program { program, ranks })
}
