//! `litmpi verify --save` and `--replay`: the behaviour of a finding in a file, and the program in that behaviour again, under the rules with all its processes
//! at once, under a debugger, or on a real MPI library that is made to do the same.

mod args;

use crate::args::VerifyArgs;
use crate::targets::{known, named, runtime};
use crate::verify::{as_json, as_text, follow_with, run_of, shown};
use crate::{Verdict, remark, say, whole};
pub(crate) use args::{ReplayArgs, VerifyCommand};
use litmpi_runner::{Alone, AloneEnded, Availability, Target, alone, here};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_verify::{Bad, Behaviour, FORCING, Forced, Held, Run, Verdict as Found, Watcher};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

/// Where a debugger is asked for, how long a process may run without a call: it may stand still for as long as somebody thinks.
const THINKING: Duration = Duration::from_secs(7 * 24 * 3600);

/// Writes the behaviour of the first finding to which a way is known.
pub(crate) fn save(run: &Run, model: &str, found: &Found, path: &Path) -> Result<(), Report> {
    let Some((behaviour, finding)) = Behaviour::of(run, model, &found.findings) else {
        let why = match found.findings.first() {
            Some(f) => format!("what was found ({}) is of a rank alone, whatever it is told", f.bad.name()),
            None => "nothing was found".into(),
        };
        remark(&format!("litmpi: no behaviour is written to {}: {why}", path.display()));
        return Ok(());
    };
    let failed = |e: std::io::Error| Diagnostic::general(format!("{}: {e}", path.display()));
    whole::write(path, behaviour.text()).map_err(failed)?;
    let what = format!("{}: {}", finding.bad.name(), finding.what);
    remark(&format!(
        "litmpi: a behaviour is in {} ({what}): `litmpi verify --replay {}` follows it again",
        path.display(),
        path.display()
    ));
    Ok(())
}

/// Follows the behaviour of a file again.
pub(crate) fn replay(command: &VerifyCommand, path: &Path) -> Result<Verdict, Report> {
    let failed = |e: String| Diagnostic::general(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    let behaviour = Behaviour::read(&text)
        .map_err(|e| failed(e).help("a file that `litmpi verify --save FILE -- ./program` has written"))?;
    if let Some(rank) = command.replay.debug.filter(|r| *r >= behaviour.ranks) {
        let d = Diagnostic::general(format!("there is no rank {rank}"));
        return Err(d.help(format!("the behaviour has {} ranks, from 0 on", behaviour.ranks)).into());
    }
    let mut args = VerifyArgs {
        ranks: behaviour.ranks,
        model: behaviour.model.clone(),
        variant: behaviour.variant.clone(),
        allow_races: behaviour.allow_races,
        allow_type_mismatch: behaviour.allow_type_mismatch,
        return_unsupported: behaviour.return_unsupported,
        ..command.verify.clone()
    };
    // Under the rules runs the file's program, where the other one may be compiled for another library.
    if args.command.is_empty() || command.replay.on.is_some() {
        args.command.clone_from(&behaviour.command);
    }
    let mut run = run_of(&args, vec![])?;
    let behaviour = Arc::new(behaviour);
    run.again = Some(Arc::clone(&behaviour));
    if let Some(target) = &command.replay.on {
        let mut forced = Forced::default();
        follow_with(&run, &mut forced)?;
        let given = &command.verify.command;
        let program = if given.is_empty() { &behaviour.command } else { given };
        return on(target, program, &behaviour, &forced.script(), command);
    }
    if command.replay.debug.is_some() {
        run.patience = THINKING;
    }
    let found = follow_with(&run, &mut Debugging { args: &command.replay, child: None })?;
    say(&if command.verify.json { format!("{:#}\n", as_json(&found, &args)) } else { as_text(&found, &args) });
    Ok(shown(&found))
}

/// Who looks at the processes.
struct Debugging<'a> {
    args: &'a ReplayArgs,
    child: Option<Child>,
}

impl Watcher for Debugging<'_> {
    fn watches(&self) -> bool {
        self.args.hold || self.args.debug.is_some()
    }

    fn begins(&mut self, first: &Held) {
        if self.args.debug != Some(first.rank) {
            return;
        }
        let line = self.args.debugger.replace("{pid}", &first.pid.to_string());
        remark(&format!("litmpi: rank {} is process {}, in {}: {line}", first.rank, first.pid, first.call));
        match Command::new("sh").args(["-c", &line]).spawn() {
            Ok(child) => self.child = Some(child),
            Err(e) => remark(&format!("litmpi: sh: {e}")),
        }
    }

    fn ends(&mut self, all: &[Held]) {
        if self.args.hold {
            for held in all {
                remark(&format!("litmpi: rank {} is process {} and waits in {}", held.rank, held.pid, held.call));
            }
            remark("litmpi: Enter ends them");
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        if let Some(child) = &mut self.child {
            // Who debugs says when that is over.
            let _ = child.wait();
        }
    }
}

/// Whether a target's compiler is Open MPI's: no other one answers this.
fn is_open_mpi(target: &Target) -> bool {
    let Some((compiler, words)) = target.compiler.split_first() else { return false };
    let asked = Command::new(compiler).args(words).arg("--showme:version").output();
    asked.is_ok_and(|said| said.status.success())
}

/// Runs a program on a target that is made to do what a behaviour does.
fn on(
    name: &str,
    program: &[String],
    behaviour: &Behaviour,
    script: &str,
    command: &VerifyCommand,
) -> Result<Verdict, Report> {
    let target = named(&known(&command.replay.targets)?, name)?;
    if command.verify.command.is_empty() && is_open_mpi(&target) {
        let d = Diagnostic::general(format!("{} is compiled for MPICH, and {name} is Open MPI", program.join(" ")));
        let help = format!("compile it for {name}, too, and name that program: `--on {name} -- ./program-for-{name}`");
        return Err(d.help(help).into());
    }
    let launch = Alone {
        ranks: behaviour.ranks,
        command: program,
        before: FORCING,
        files: &[("LITMPI_FORCED", script)],
        patience: Duration::from_secs(command.verify.patience),
    };
    let ended = runtime().block_on(async {
        if let Availability::Missing { reason, how } = here(&target).await {
            return Err(Report::from(Diagnostic::general(format!("{name}: {reason}")).help(how)));
        }
        alone(&target, &launch).await.map_err(|e| Diagnostic::general(format!("{name}: {e}")).into())
    })?;
    let came = came(behaviour.bad, &ended, &target);
    if command.verify.json {
        let forced: Vec<&str> = script.lines().collect();
        say(&format!(
            "{:#}\n",
            json!({ "target": name, "finding": behaviour.bad.name(), "what": behaviour.what, "came": came.0,
                    "code": ended.code, "wrote": ended.wrote, "forced": forced })
        ));
    } else {
        let mut out: String =
            ended.wrote.lines().map(|l| format!("  {}\n", litmpi_spec::visible::visible(l))).collect();
        out += &format!("under the rules: {}: {}\non {name}: {}\n", behaviour.bad.name(), behaviour.what, came.1);
        say(&out);
    }
    Ok(match came.0 {
        Some(true) => Verdict::Bad,
        Some(false) => Verdict::Good,
        None => Verdict::Undecided,
    })
}

/// Whether the bad end came on a real library, if that can be seen, and in words.
fn came(bad: Bad, ended: &AloneEnded, target: &Target) -> (Option<bool>, String) {
    let how = match ended.code {
        None => "it does not end in the time that it has (--patience)".to_owned(),
        Some(0) => "it ends well".to_owned(),
        Some(code) => format!("it ends with exit code {code}"),
    };
    match (bad, ended.code) {
        (Bad::Deadlock, None) | (Bad::Crash | Bad::Abort | Bad::Exit, Some(1..)) => {
            (Some(true), format!("{how}, as the rules allow"))
        }
        (Bad::Deadlock | Bad::Crash | Bad::Abort | Bad::Exit, _) => {
            let why = "the library cannot be made to do the same in all that matters";
            (Some(false), format!("{how}: {why} ({})", target.description))
        }
        _ => (None, format!("{how}; what a library does there, the standard leaves open")),
    }
}
