//! `litmpi lsp`: a language server. Editors hear what is wrong with tests and specifications while they are written, what a word
//! stands for, and how `litmpi fmt` would lay a file out.
//!
//! It speaks the language server protocol over standard input and output, of which it knows texts that are sent whole, diagnostics,
//! hovering and formatting.
//!
//! A `module`, which is part of models, is looked at within a model of the folders around it that imports it (`near.rs`); where there is
//! none, only its grammar is. So are `.cat` files: of one that others include, what it does not define is theirs to say.

mod args;
mod hover;
mod near;
mod place;
mod wire;

use crate::load::{Models, first_of_family, first_spec};
use crate::{Verdict, fmt};
pub(crate) use args::LspArgs;
use litmpi_models::{Limits, Model};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::{Trees, load_source, plain};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Codes of errors: a request before `initialize`, of an unknown method, with parameters that do not fit.
const NOT_INITIALISED: i64 = -32002;
const UNKNOWN: i64 = -32601;
const UNFIT: i64 = -32602;

pub(crate) fn lsp(args: &LspArgs) -> Result<Verdict, Report> {
    let mut server = Server { args, models: Models::default(), open: BTreeMap::new(), stage: Stage::New };
    let mut input = std::io::stdin().lock();
    loop {
        let message = wire::read(&mut input).map_err(|e| {
            let d = Diagnostic::general(format!("cannot read a message: {e}"));
            d.help("this command is for editors, which speak the language server protocol with it")
        })?;
        let Some(message) = message else { break };
        if message["method"] == "exit" {
            break;
        }
        if !server.answer(&message) {
            break;
        }
    }
    // As the protocol has it: 0 only behind `shutdown`.
    Ok(if server.stage == Stage::Down { Verdict::Good } else { Verdict::Bad })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Up,
    Down,
}

/// A file that an editor has open.
struct Open {
    path: PathBuf,
    text: String,
    /// What its words stand for: the last specification that could be read.
    spec: Option<Arc<Spec>>,
}

struct Server<'a> {
    args: &'a LspArgs,
    models: Models,
    /// By address.
    open: BTreeMap<String, Open>,
    stage: Stage,
}

impl Server<'_> {
    /// Does what a message asks for; whether there is somebody to go on for.
    fn answer(&mut self, message: &Value) -> bool {
        let (method, params) = (message["method"].as_str().unwrap_or(""), &message["params"]);
        let Some(id) = message.get("id") else {
            return self.stage != Stage::Up || self.told(method, params);
        };
        // The answer to a request of ours, of which there are none.
        if method.is_empty() {
            return true;
        }
        let result = match (method, self.stage) {
            ("initialize", Stage::New) => {
                self.stage = Stage::Up;
                Ok(capabilities())
            }
            (_, Stage::New) => Err((NOT_INITIALISED, "`initialize` comes first")),
            ("shutdown", _) => {
                self.stage = Stage::Down;
                Ok(Value::Null)
            }
            ("textDocument/hover", _) => self.hover(params).ok_or((UNFIT, "no such file is open")),
            ("textDocument/formatting", _) => self.formatted(params).ok_or((UNFIT, "no such file is open")),
            _ => Err((UNKNOWN, "this server does not know the method")),
        };
        wire::write(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        })
    }

    /// A message that wants no answer.
    fn told(&mut self, method: &str, params: &Value) -> bool {
        let document = &params["textDocument"];
        let Some(uri) = document["uri"].as_str() else { return true };
        let text = match method {
            "textDocument/didOpen" => document["text"].as_str(),
            "textDocument/didChange" => {
                params["contentChanges"].as_array().and_then(|all| all.last()).and_then(|c| c["text"].as_str())
            }
            "textDocument/didClose" => {
                self.open.remove(uri);
                return publish(uri, &[]);
            }
            // What a specification says is what tests of it may say.
            "textDocument/didSave" if self.args.spec.is_some() => {
                let all: Vec<String> = self.open.keys().cloned().collect();
                return all.iter().all(|uri| self.look(uri));
            }
            _ => return true,
        };
        let (Some(text), Some(path)) = (text, place::path(uri).map(|p| plain(&p))) else { return true };
        let spec = self.open.remove(uri).and_then(|o| o.spec);
        self.open.insert(uri.to_owned(), Open { path, text: text.to_owned(), spec });
        self.look(uri)
    }

    /// Says what is wrong with an open file.
    fn look(&mut self, uri: &str) -> bool {
        let Some(open) = self.open.get_mut(uri) else { return true };
        let source = Source::new(open.path.display().to_string(), open.text.clone());
        let found = match open.path.extension().and_then(|e| e.to_str()) {
            Some("litmus") => test(&open.path, &source, &mut self.models, self.args.spec.as_deref()),
            Some("spec") => specification(&open.path, &source),
            Some("cat") => (None, near::relations(&open.path, &source)),
            _ => (None, None),
        };
        let (spec, wrong) = found;
        open.spec = spec.or(open.spec.take());
        let all: Vec<Value> = wrong.into_iter().flat_map(|r| r.0).map(|d| diagnostic(&d, &source)).collect();
        publish(uri, &all)
    }

    fn hover(&self, params: &Value) -> Option<Value> {
        let open = self.open.get(params["textDocument"]["uri"].as_str()?)?;
        let Some(spec) = &open.spec else { return Some(Value::Null) };
        let said = place::offset(&open.text, &params["position"]).and_then(|at| {
            let words = [true, false].map(|of_rule| place::word(&open.text, at, of_rule));
            words.iter().find_map(|word| hover::hover(spec, word))
        });
        Some(said.map_or(Value::Null, |text| json!({ "contents": { "kind": "markdown", "value": text } })))
    }

    fn formatted(&self, params: &Value) -> Option<Value> {
        let open = self.open.get(params["textDocument"]["uri"].as_str()?)?;
        let new = fmt::laid_out(&open.path, &open.text).filter(|new| *new != open.text);
        let edit = |new: String| json!([{ "range": place::range(&open.text, 0, open.text.len()), "newText": new }]);
        Some(new.map_or(json!([]), edit))
    }
}

fn capabilities() -> Value {
    json!({
        "serverInfo": { "name": "litmpi", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": {
            "positionEncoding": "utf-16",
            // Texts are sent whole.
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "documentFormattingProvider": true,
        },
    })
}

/// What a test's words stand for, and what is wrong with it.
fn test(
    path: &Path,
    source: &Arc<Source>,
    models: &mut Models,
    spec: Option<&Path>,
) -> (Option<Arc<Spec>>, Option<Report>) {
    let given = match spec.map(Model::load).transpose() {
        Ok(given) => given.map(Arc::new),
        Err(why) => return (None, Some(why)),
    };
    match first_of_family(path, source, models, given.as_ref(), Limits::default()) {
        Ok(loaded) => (Some(loaded.spec), None),
        Err(why) => (first_spec(source, models, given.as_ref()), Some(why)),
    }
}

/// The same of a specification.
fn specification(path: &Path, source: &Arc<Source>) -> (Option<Arc<Spec>>, Option<Report>) {
    match Trees::of(Arc::clone(source), path) {
        Err(why) => (None, Some(why)),
        // What a module uses may be declared by the model that imports it.
        Ok(trees) if trees.is_module() => match near::importing(path, source) {
            Some(Ok(spec)) => (Some(Arc::new(spec)), None),
            Some(Err(why)) => (None, Some(why)),
            None => (trees.check().ok().map(Arc::new), None),
        },
        Ok(_) => match load_source(source, path) {
            Ok(spec) => (Some(Arc::new(spec)), None),
            Err(why) => (None, Some(why)),
        },
    }
}

/// A message of the protocol. What is wrong in another file, that this one imports, stands at the beginning.
fn diagnostic(d: &Diagnostic, source: &Source) -> Value {
    let own = d.span.as_ref().filter(|s| s.source.name == source.name);
    let elsewhere = match (&d.span, own) {
        (Some(span), None) => format!("{span}: "),
        _ => String::new(),
    };
    let help = d.help.as_ref().map_or_else(String::new, |h| format!("\n{h}"));
    let line = source.text.find('\n').unwrap_or(source.text.len());
    json!({
        "range": own.map_or_else(|| place::range(&source.text, 0, line), place::range_of),
        "severity": 1,
        "source": "litmpi",
        "message": format!("{elsewhere}{}{help}", d.message),
    })
}

fn publish(uri: &str, all: &[Value]) -> bool {
    let params = json!({ "uri": uri, "diagnostics": all });
    wire::write(&json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }))
}
