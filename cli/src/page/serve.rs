//! `litmpi serve`: the page of `litmpi report` for a browser on this machine, made anew when there is more to show.
//!
//! | asked for | answer |
//! |---|---|
//! | `/` | the page, without explanations |
//! | `/test?KEY` | a test with what explains it, as JSON: made when somebody looks at it |
//! | `/state` | a word that changes when a file does |
//!
//! Nothing is written and no file is given out but by the page. Only programs of this machine reach it, and a page of another place that
//! has its name lead here (DNS rebinding) is refused by the name.

use super::args::{Explained, ServeArgs};
use super::{html, made};
use crate::{Verdict, remark, say};
use litmpi_spec::diag::{Diagnostic, Report};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

/// Most bytes of a request, and how long one may take to come.
const LARGEST: u64 = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(10);

/// A page, and the state of the files that it is made of.
#[derive(Default)]
struct Made {
    state: String,
    text: String,
}

pub(crate) fn serve(args: &ServeArgs) -> Result<Verdict, Report> {
    if args.from.iter().any(|p| p == Path::new("-")) {
        let d = Diagnostic::general("standard input is read once, and a page that is served is made again and again");
        return Err(d.help("name files or folders").into());
    }
    // What cannot be read is told here, and not to the first who looks.
    let first = text(args)?;
    let wrong = |e: std::io::Error| {
        let d = Diagnostic::general(format!("cannot listen on port {} of this machine: {e}", args.port));
        Report::from(d.help("name another one with --port, or none, for one that is free"))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(wrong)?;
    let port = listener.local_addr().map_err(wrong)?.port();
    say(&format!("http://127.0.0.1:{port}/\n"));
    remark("a browser on this machine shows the page there; Ctrl-C ends it");
    let last = Mutex::new(first);
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => _ = scope.spawn(|| answer(stream, port, args, &last)),
                Err(e) => remark(&format!("a connection failed: {e}")),
            }
        }
    });
    Ok(Verdict::Good)
}

fn text(args: &ServeArgs) -> Result<Made, Report> {
    let state = state(&args.from);
    let mut made = made(&args.from, &args.page, (Explained::None, None))?;
    made.served = Some(state.clone());
    Ok(Made { state, text: html::text(&made) })
}

/// A word that is another one when one of these files is: their lengths and times.
fn state(from: &[PathBuf]) -> String {
    let files = from.iter().flat_map(|p| [p.clone(), p.join("results.jsonl"), p.join("campaign.jsonl")]);
    let one = |p: PathBuf| {
        let about = std::fs::metadata(p).ok()?;
        let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}-{}", about.len(), since.as_nanos()))
    };
    files.filter_map(one).collect::<Vec<_>>().join(" ")
}

/// Answers one request. That its sender went away is nobody's mistake.
fn answer(mut stream: TcpStream, port: u16, args: &ServeArgs, last: &Mutex<Made>) {
    let (status, kind, body) = match request(&stream, port) {
        Err(why) => (why, "text/plain", format!("{why}\n")),
        Ok(path) => match made_for(&path, args, last) {
            Ok(Some((kind, body))) => ("200 OK", kind, body),
            Ok(None) => ("404 Not Found", "text/plain", "there is no such page\n".to_owned()),
            Err(report) => ("500 Internal Server Error", "text/plain", format!("{report}\n")),
        },
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

/// What is asked for, or the status of the refusal.
fn request(stream: &TcpStream, port: u16) -> Result<String, &'static str> {
    let bad = "400 Bad Request";
    stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE))).map_err(|_| bad)?;
    let mut lines = BufReader::new(stream.take(LARGEST)).lines();
    let first = lines.next().and_then(Result::ok).ok_or(bad)?;
    let mut host = None;
    for line in lines {
        let line = line.map_err(|_| bad)?;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("host") => host = Some(value.trim().to_owned()),
            None if line.is_empty() => break,
            _ => {}
        }
    }
    let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !host.is_some_and(|h| names.contains(&h)) {
        return Err("403 Forbidden");
    }
    match first.split(' ').collect::<Vec<_>>()[..] {
        ["GET", path, _] => Ok(path.to_owned()),
        [_, _, _] => Err("405 Method Not Allowed"),
        _ => Err(bad),
    }
}

/// The form and the text of what is asked for; nothing if there is no such thing.
fn made_for(path: &str, args: &ServeArgs, last: &Mutex<Made>) -> Result<Option<(&'static str, String)>, Report> {
    if path == "/" {
        let mut last = last.lock().unwrap_or_else(|e| e.into_inner());
        if last.state != state(&args.from) {
            *last = text(args)?;
        }
        return Ok(Some(("text/html", last.text.clone())));
    }
    if path == "/state" {
        return Ok(Some(("text/plain", state(&args.from))));
    }
    let Some(key) = path.strip_prefix("/test?").and_then(decoded) else { return Ok(None) };
    let mut made = made(&args.from, &args.page, (Explained::None, Some(&key)))?;
    let test = made.tests.remove(&key);
    Ok(test.map(|t| ("application/json", serde_json::to_string(&t).expect("a test is plain data"))))
}

/// A part of an address without its escapes.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        out.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(out).ok()
}
