//! `litmpi explore`: a program is stepped through by hand under a model of rules.
//!
//! Which rules are enabled, what they do and at which premise the others stop is asked of the engine, as `enumerate` and `explain` ask
//! it; nothing here knows a rule.

mod args;
mod keys;
mod screen;
mod view;
mod walk;

use crate::load::{limits, tests_under_any_model};
use crate::{Verdict, say};
pub(crate) use args::ExploreArgs;
use keys::Key;
use litmpi_models::Operational;
use litmpi_spec::diag::{Diagnostic, Report};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use view::View;
use walk::Walk;

pub(crate) fn explore(args: &ExploreArgs) -> Result<Verdict, Report> {
    let (mut loaded, left_out) = tests_under_any_model(&args.model)?;
    left_out.into_result()?;
    if loaded.len() > 1 {
        let d = Diagnostic::general(format!("one program is stepped through, and here are {}", loaded.len()));
        return Err(d.help("name one litmus file").into());
    }
    let Some(l) = loaded.pop() else { return Ok(Verdict::Nothing) };
    let script = args.keys.as_deref().map(keys::script).transpose()?;
    let Some((test, setup)) = l.model.rules(&l.test, &args.variant, limits(&args.model))? else {
        let d = Diagnostic::at(&l.test.span, format!("{} is a declarative model: it has no steps", l.model.name()));
        return Err(d.help("step under a model of rules; `litmpi explain` shows executions of this one").into());
    };
    let model = Operational::new(&test, &setup)?;
    let mut walk = Walk::new(&model, &l.test)?;
    if let Some(outcome) = &args.outcome {
        let prop = crate::explain::wanted(&l.test, Some(outcome))?;
        if !walk.toward(&prop)? {
            let d =
                Diagnostic::general(format!("{} has no such outcome under {}: {outcome}", l.test.name, l.spec.name));
            return Err(d
                .help("`litmpi enumerate` lists the outcomes, `litmpi explain --outcome` says what forbids one")
                .into());
        }
    }
    let about = match args.variant.as_str() {
        "default" => l.spec.name.clone(),
        variant => format!("{}:{variant}", l.spec.name),
    };
    let mut view = View::new(walk, about);
    match script {
        Some(keys) => {
            let backend = TestBackend::new(args.screen.0, args.screen.1);
            let mut terminal = Terminal::new(backend).map_err(broken)?;
            terminal.draw(|frame| screen::draw(&mut view, frame)).map_err(broken)?;
            for key in keys {
                if !view.press(key)? {
                    break;
                }
                terminal.draw(|frame| screen::draw(&mut view, frame)).map_err(broken)?;
            }
            say(&screen::text(terminal.backend().buffer()));
        }
        None if !say::is_terminal() => {
            let d = Diagnostic::general("`litmpi explore` draws on a terminal, and standard output is none");
            return Err(d.help("without one, `--keys down,enter` presses keys and prints the screen").into());
        }
        None => on_terminal(&mut view)?,
    }
    Ok(Verdict::Good)
}

/// Draws and listens until the user has enough. The terminal is put back as it was, however that ends.
fn on_terminal(view: &mut View<'_>) -> Result<(), Report> {
    let mut terminal = ratatui::try_init().map_err(broken)?;
    let mut listen = || -> Result<(), Report> {
        loop {
            terminal.draw(|frame| screen::draw(view, frame)).map_err(broken)?;
            if let Event::Key(pressed) = event::read().map_err(broken)?
                && pressed.kind == KeyEventKind::Press
                && let Some(key) = Key::of(&pressed)
                && !view.press(key)?
            {
                return Ok(());
            }
        }
    };
    let done = listen();
    let _ = ratatui::try_restore();
    done
}

fn broken(e: std::io::Error) -> Report {
    Diagnostic::general(format!("the terminal cannot be drawn on: {e}")).into()
}
