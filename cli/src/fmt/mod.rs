//! `litmpi fmt`: tests and specifications in one layout, in the manner of rustfmt.
//!
//! Only blanks, and empty lines, are changed: the words, their comments and how lines are divided stay. A file that the
//! parser refuses is left as it is, and so is one of herd's, which has a layout of its own.

mod args;
mod layout;
mod tokens;

use crate::say::{pass_on, say};
use crate::{Verdict, stream, whole};
pub(crate) use args::{FmtArgs, Input};
use layout::layout;
use litmpi_litmus::library;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use similar::TextDiff;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use tokens::{Language, lines};

pub(crate) fn fmt(args: &FmtArgs) -> Result<Verdict, Report> {
    let mut errors = Report::default();
    let mut files = vec![];
    for path in &args.files {
        match path {
            p if p == Path::new("-") => files.push(p.clone()),
            p if p.is_dir() => {
                let found = library::below(p, &["litmus", "spec"]);
                files.extend(found.files);
                errors.0.extend(found.missing.into_iter().map(|(_, why)| why));
            }
            p if language(p).is_some() && p.exists() => files.push(p.clone()),
            p => errors.0.push(unfit(p)),
        }
    }
    let (mut changed, mut herds) = (0, 0);
    for path in &files {
        match one(path, args) {
            Ok(Done::Changed) => changed += 1,
            Ok(Done::Herd) => herds += 1,
            Ok(Done::Same) => {}
            Err(report) => errors.0.extend(report.0),
        }
    }
    let is_stream = files.iter().any(|p| p == Path::new("-"));
    if !is_stream {
        let word = if args.check { "would change" } else { "changed" };
        let herds = if herds > 0 { format!("; {herds} of herd's format stay as they are") } else { String::new() };
        say(&format!("{changed} of {} files {word}{herds}\n", files.len()));
    }
    errors.into_result()?;
    Ok(if args.check && changed > 0 { Verdict::Bad } else { Verdict::Good })
}

/// What became of a file.
enum Done {
    Changed,
    Same,
    /// It is of herd's format.
    Herd,
}

fn one(path: &Path, args: &FmtArgs) -> Result<Done, Report> {
    let is_stream = path == Path::new("-");
    let stream = match args.language {
        Input::Litmus => Language::Litmus,
        Input::Spec => Language::Spec,
    };
    let language = if is_stream { stream } else { language(path).unwrap_or(stream) };
    let name = if is_stream { "standard input".to_owned() } else { path.display().to_string() };
    let cannot = |what: &str, e: std::io::Error| {
        let d = Diagnostic::general(format!("cannot {what} `{name}`: {e}"));
        Report::from(d.help("name a file that can be read and written, and is text in UTF-8"))
    };
    // What stands in standard input may be several tests, one after the other.
    let parts = match (is_stream, language) {
        (true, Language::Litmus) => {
            stream::tests()?.iter().map(|test| stream::read(test, "")).collect::<Result<_, _>>()?
        }
        (true, Language::Spec) => {
            let text = std::io::read_to_string(std::io::stdin().lock().take(1 << 26)).map_err(|e| cannot("read", e))?;
            vec![Source::new(name.as_str(), text)]
        }
        (false, _) => {
            let text = std::fs::read_to_string(path).map_err(|e| cannot("read", e))?;
            let source = Source::new(name.as_str(), text);
            vec![if language == Language::Litmus { stream::only(source)? } else { source }]
        }
    };
    let (mut text, mut new, mut is_herds) = (String::new(), String::new(), true);
    let mut errors = Report::default();
    for part in &parts {
        text.push_str(&part.text);
        match of_part(part, language) {
            Ok(None) => new.push_str(&part.text),
            Ok(Some(laid_out)) => {
                is_herds = false;
                new.push_str(&laid_out);
                // What stands between two tests stays.
                if part.text.ends_with("\n\n") && !std::ptr::eq(part, &parts[parts.len() - 1]) {
                    new.push('\n');
                }
            }
            Err(report) => errors.0.extend(report.0),
        }
    }
    errors.into_result()?;
    if is_stream && !args.check {
        pass_on(new.as_bytes());
    }
    if is_herds {
        return Ok(Done::Herd);
    }
    if new == text {
        return Ok(Done::Same);
    }
    if args.check {
        say(&TextDiff::from_lines(&text, &new).unified_diff().context_radius(1).header(&name, &name).to_string());
    } else if !is_stream {
        whole::write(path, &new).map_err(|e| cannot("write", e))?;
        say(&format!("{name}\n"));
    }
    Ok(Done::Changed)
}

/// A text in its layout; nothing if it is of herd's format.
fn of_part(part: &Arc<Source>, language: Language) -> Result<Option<String>, Report> {
    if !is_own(part, language)? {
        return Ok(None);
    }
    let new = layout(&part.text, language);
    let is_same = words(&part.text, language) == words(&new, language);
    if !is_same || !is_own(&Source::new(part.name.as_str(), new.as_str()), language)? {
        let d =
            Diagnostic::at(&Span::new(part, 0, 0), "the layout of this would change what it says; it is left as it is");
        return Err(d.help("this is a mistake of litmpi's; please report it with the file").into());
    }
    Ok(Some(new))
}

/// A file's text in its layout; nothing of what has none, or cannot be read.
pub(crate) fn laid_out(path: &Path, text: &str) -> Option<String> {
    let (language, name) = (language(path)?, path.display().to_string());
    is_own(&Source::new(name, text), language).ok().filter(|own| *own)?;
    let new = layout(text, language);
    (words(text, language) == words(&new, language)).then_some(new)
}

/// What of a text its layout must not change.
fn words(text: &str, language: Language) -> Vec<String> {
    lines(text, language).iter().flat_map(|l| l.tokens.iter().map(|t| t.text.to_owned())).collect()
}

/// Whether a text is in one of the two languages.
fn is_own(source: &Arc<Source>, language: Language) -> Result<bool, Report> {
    match language {
        Language::Litmus => litmpi_litmus::is_own(source),
        Language::Spec => litmpi_spec::parse::parse(source).map(|_| true),
    }
}

fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "litmus" => Some(Language::Litmus),
        "spec" => Some(Language::Spec),
        _ => None,
    }
}

fn unfit(path: &Path) -> Diagnostic {
    if !path.exists() {
        return Diagnostic::general(format!("no such file or folder: `{}`", path.display())).help("check its spelling");
    }
    let d = Diagnostic::general(format!("`{}` is neither a test nor a specification", path.display()));
    d.help("tests end in `.litmus`, specifications in `.spec`; other files have no layout here")
}
