//! `litmpi serve`: the page of a run that goes on, asked for over a socket, and by headless Chromium where that is here.

use crate::command::{binary, root};
use crate::page::{browse, data, result};
use crate::support::{folder, litmpi_in};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(dir: &TempDir) -> Server {
        let mut child = Command::new(binary())
            .args(["serve", "r.jsonl"])
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("litmpi starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("an address");
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Server { child, address }
    }

    /// The first line of the answer, and what is behind its head.
    fn asked(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut all = String::new();
        stream.read_to_string(&mut all).expect("it answers");
        let (head, body) = all.split_once("\r\n\r\n").expect("a head");
        (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }

    fn get(&self, path: &str) -> (String, String) {
        self.asked(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Results of a test that shows what it must not.
fn results() -> (TempDir, String) {
    let file = root().join("litmus/mpi/order-same-tag.litmus").display().to_string();
    let mut bad = result("order-same-tag", &file, "a=2; b=1;", true);
    bad["observed"][0]["observed"] = serde_json::json!({ "values": [2, 1] });
    (folder(&[("r.jsonl", &format!("{bad}\n"))]), file)
}

#[test]
fn a_run_is_shown_while_it_goes_on_and_a_test_is_explained_when_somebody_looks() {
    let (dir, file) = results();
    let server = Server::start(&dir);
    let (status, page) = server.get("/");
    assert_eq!(status, "HTTP/1.1 200 OK");
    let shown = data(&page);
    assert_eq!(shown["parts"][0]["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["tests"][&file]["why"].as_array().map(Vec::len), Some(0), "nothing is explained beforehand");
    let (_, state) = server.get("/state");
    assert_eq!(shown["served"], state.as_str());
    let key = file.replace('/', "%2F");
    let test: Value = serde_json::from_str(&server.get(&format!("/test?{key}")).1).expect("JSON");
    let from = &test["why"][0]["by"]["ways"][0]["without"][0]["from"];
    assert_eq!(*from, "any s' in Γ1 : matches(s', q, r) and not overtakes(s'.promised)", "{test:#}");
    assert!(test["shown"]["ways"].as_array().is_some_and(|w| !w.is_empty()));
    // A second result comes.
    let more = result(
        "order-causal",
        &root().join("litmus/mpi/order-causal.litmus").display().to_string(),
        "s.source=1;",
        false,
    );
    let mut log = std::fs::OpenOptions::new().append(true).open(dir.path().join("r.jsonl")).expect("a file");
    writeln!(log, "{more}").expect("it is written");
    assert_ne!(server.get("/state").1, state);
    assert_eq!(data(&server.get("/").1)["parts"][0]["rows"].as_array().map(Vec::len), Some(2));
}

#[test]
fn nothing_but_the_page_is_given_and_to_this_machine_alone() {
    let (dir, _) = results();
    let server = Server::start(&dir);
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    for path in ["/r.jsonl", "/../r.jsonl", "/test?%2Fetc%2Fpasswd", "/test?%zz", "/test?%é"] {
        assert_eq!(server.get(path).0, "HTTP/1.1 404 Not Found", "{path}");
    }
    assert_eq!(server.asked("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n").0, "HTTP/1.1 403 Forbidden");
    let post = format!("POST / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    assert_eq!(server.asked(&post).0, "HTTP/1.1 405 Method Not Allowed");
    assert_eq!(server.asked("\r\n\r\n").0, "HTTP/1.1 403 Forbidden");
    assert_eq!(server.get("/").0, "HTTP/1.1 200 OK", "it goes on");
    litmpi_in(dir.path(), ["serve", "nothing.jsonl"]).exits(2).says("nothing.jsonl");
    litmpi_in(dir.path(), ["serve", "-"]).exits(2).says("standard input is read once");
    let port = server.address.rsplit(':').next().expect("a port");
    litmpi_in(dir.path(), ["serve", "r.jsonl", "--port", port]).exits(2).says("cannot listen on port");
}

#[test]
fn a_browser_gets_the_explanation_by_itself() {
    let (dir, _) = results();
    let server = Server::start(&dir);
    if let Some(dom) = browse(&format!("http://{}/", server.address)) {
        for word in ["Why not", "step 0 of", "hidden=\"\""] {
            assert!(dom.contains(word), "{word}: {dom}");
        }
    }
}
