//! The language server, by sessions as editors have them: messages over its standard input and output.

use crate::command::{binary, root};
use crate::support::folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Session {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Session {
    fn new(folder: &Path, args: &[&str]) -> Session {
        let mut child = Command::new(binary())
            .arg("lsp")
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("litmpi starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Session { child, to, from: BufReader::new(from), asked: 0 }
    }

    /// The same, initialised.
    fn up(folder: &Path, args: &[&str]) -> Session {
        let mut session = Session::new(folder, args);
        let up = session.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(up["result"]["capabilities"]["hoverProvider"], true, "{up:#}");
        session.tell("initialized", json!({}));
        session
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        let answer = self.next();
        assert_eq!(answer["id"], self.asked, "{answer:#}");
        answer
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("it answers") > 0, "it has gone");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().expect("a length"),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("the whole message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// Opens a text under an address; what is wrong with it.
    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "languageId": "litmus", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.published(uri)
    }

    fn change(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
        self.published(uri)
    }

    fn published(&mut self, uri: &str) -> Vec<Value> {
        let said = self.next();
        assert_eq!((&said["method"], &said["params"]["uri"]), (&json!("textDocument/publishDiagnostics"), &json!(uri)));
        said["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn hover(&mut self, uri: &str, line: usize, character: usize) -> String {
        let at = json!({ "line": line, "character": character });
        let said = self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": at }));
        said["result"]["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    fn ends(mut self, code: i32) {
        drop(self.to);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(code));
    }
}

fn uri(folder: &Path, name: &str) -> String {
    format!("file://{}", folder.join(name).display())
}

#[test]
fn a_test_is_looked_at_while_it_is_written() {
    let dir = folder(&[]);
    let mut session = Session::up(dir.path(), &["--stdio"]);
    let (uri, text) = (uri(dir.path(), "a%20test.litmus"), include_str!("../../../litmus/mpi/order-causal.litmus"));
    assert_eq!(session.open(&uri, text), Vec::<Value>::new());
    let wrong = session.change(&uri, &text.replacen("MPI_Recv", "MPI_Rcv", 1));
    let line = text.lines().position(|l| l.contains("MPI_Recv")).expect("it receives");
    assert_eq!(wrong[0]["range"]["start"]["line"], line, "{wrong:#?}");
    assert!(wrong[0]["message"].as_str().is_some_and(|m| m.contains("did you mean `MPI_Recv`?")), "{wrong:#?}");
    // What a word stands for is known though the test cannot be read; elsewhere there is nothing to say.
    let column = text.lines().nth(line).and_then(|l| l.find("MPI_")).expect("a call");
    assert_eq!(session.hover(&uri, 0, 1), "");
    assert_eq!(session.change(&uri, text), Vec::<Value>::new());
    let said = session.hover(&uri, line, column + 5);
    assert!(said.contains("instruction MPI_Recv") && said.contains("spec/mpi/"), "{said}");
    // Layout: blanks alone.
    session.change(&uri, &text.replacen("rank 0 {", "  rank 0{", 1));
    let edits = session.ask("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": {} }));
    assert_eq!(edits["result"][0]["newText"], text, "{edits:#}");
    let unknown = session.ask("textDocument/rename", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown:#}");
    assert_eq!(session.ask("shutdown", Value::Null)["result"], Value::Null);
    session.tell("exit", Value::Null);
    session.ends(0);
}

#[test]
fn a_specification_of_ones_own_is_looked_at_and_known_to_its_tests() {
    let dir = folder(&[
        ("my.spec", include_str!("../../examples/my-mpi.spec")),
        ("testall.litmus", include_str!("../../examples/testall.litmus")),
    ]);
    let mut session = Session::up(dir.path(), &["--spec", "my.spec"]);
    let (spec, test) = (uri(dir.path(), "my.spec"), uri(dir.path(), "testall.litmus"));
    let text = include_str!("../../examples/my-mpi.spec");
    assert_eq!(session.open(&spec, text), Vec::<Value>::new());
    let line = text.lines().position(|l| l.starts_with("rule all_done/true")).expect("a rule");
    let said = session.hover(&spec, line, 12);
    assert!(said.contains("on t: all_done(rs, flag)") && said.contains("then flag := 1"), "{said}");
    assert_eq!(session.open(&test, include_str!("../../examples/testall.litmus")), Vec::<Value>::new());
    // A mistake in the specification, with a place that is counted as the protocol does, and nothing of it once it is mended.
    let wrong =
        session.change(&spec, &text.replacen("is_active(t.node, !r)", "\"𝄞\" = \"\" or is_activ(t.node, !r)", 1));
    assert!(!wrong.is_empty(), "{wrong:#?}");
    let wrong = session.change(&spec, &text.replacen("is_active", "is_activ", 1));
    assert!(wrong[0]["message"].as_str().is_some_and(|m| m.contains("did you mean `is_active`?")), "{wrong:#?}");
    assert_eq!(session.change(&spec, text), Vec::<Value>::new());
    // What is saved is what tests may say.
    std::fs::write(dir.path().join("my.spec"), text.replace("all_done", "every_one_done"))
        .expect("files can be written");
    session.tell("textDocument/didSave", json!({ "textDocument": { "uri": spec } }));
    let of = session.next();
    assert_eq!(of["params"]["uri"], spec, "{of:#}");
    let wrong = session.published(&test);
    assert!(wrong.iter().any(|w| w["message"].as_str().is_some_and(|m| m.contains("all_done"))), "{wrong:#?}");
    session.ask("shutdown", Value::Null);
    session.ends(0);
}

#[test]
fn modules_and_herd_s_tests_are_looked_at_as_far_as_they_can_be() {
    let mut session = Session::up(&root(), &[]);
    // What a module uses is another file's: it is looked at within a model that imports it.
    let module = uri(&root(), "spec/cpu/store-buffer.spec");
    let text = include_str!("../../../spec/cpu/store-buffer.spec");
    assert_eq!(session.open(&module, text), Vec::<Value>::new());
    assert_eq!(session.change(&module, &text.replacen("\nrule write", "\nrul write", 1)).len(), 1);
    let wrong = session.change(&module, &text.replacen("r := newest(", "r := newst(", 1));
    assert_eq!(wrong.len(), 1, "{wrong:#?}");
    assert!(wrong[0]["message"].as_str().is_some_and(|m| m.contains("newst")), "{wrong:#?}");
    // One that nobody imports is looked at by itself, as far as that goes.
    let dir = folder(&[("alone.spec", "module alone \"\"\n  cite x86-TSO \"\"\nfun f(x: Loc): Int = M[x]\n")]);
    let alone = uri(dir.path(), "alone.spec");
    assert_eq!(
        session.open(&alone, &std::fs::read_to_string(dir.path().join("alone.spec")).expect("a file")),
        Vec::<Value>::new()
    );
    let herd = uri(&root(), "x.litmus");
    let text = "X86 x\n{ }\n P0 ;\n MOV EAX,[x] ;\n RDTSC [x] ;\nexists 0:EAX=1\n";
    let wrong = session.open(&herd, text);
    assert_eq!(wrong[0]["range"]["start"], json!({ "line": 4, "character": 1 }), "{wrong:#?}");
    // One that goes without saying so is not well.
    session.ends(1);
}

#[test]
fn what_is_no_message_ends_the_server_with_its_reason() {
    let mut session = Session::new(&root(), &[]);
    let early = session.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early:#}");
    write!(session.to, "hello\r\n\r\n").expect("it listens");
    session.ends(2);
}

#[test]
fn models_in_cat_are_looked_at_with_what_they_include() {
    let mut session = Session::up(&root(), &[]);
    let dir = folder(&[
        (
            "whole.cat",
            "\"whole\"\ninclude \"cos.cat\"\nlet mine = po\ninclude \"part.cat\"\nacyclic seen | rf | fr as sc\n",
        ),
        ("part.cat", "\"part\"\nlet seen = mine | co\n"),
    ]);
    let model = uri(dir.path(), "whole.cat");
    let text = std::fs::read_to_string(dir.path().join("whole.cat")).expect("a file");
    assert_eq!(session.open(&model, &text), Vec::<Value>::new());
    // What is typed counts, and not what is saved.
    let wrong = session.change(&model, &text.replace("rf | fr", "rff | fr"));
    assert_eq!(wrong[0]["range"]["start"], json!({ "line": 4, "character": 15 }), "{wrong:#?}");
    assert!(wrong[0]["message"].as_str().is_some_and(|m| m.starts_with("`rff` is not defined")), "{wrong:#?}");
    // A part may name what those define that include it; a slip of the grammar is one there, too.
    let part = uri(dir.path(), "part.cat");
    assert_eq!(session.open(&part, "\"part\"\nlet seen = mine | co\n"), Vec::<Value>::new());
    assert_eq!(session.change(&part, "\"part\"\nlet seen = mine |\n").len(), 1);
    for shipped in ["spec/loco/loco.cat", "spec/rdma/weak.cat", "spec/rdma/rdma-tso-checks.cat"] {
        let text = std::fs::read_to_string(root().join(shipped)).expect("a file");
        assert_eq!(session.open(&uri(&root(), shipped), &text), Vec::<Value>::new(), "{shipped}");
    }
    session.ends(1);
}
