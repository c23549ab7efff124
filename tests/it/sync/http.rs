//! Over HTTP: `git http-backend` on loopback, with a server of a few lines in front of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use camino::Utf8Path;

use super::{Clones, lines};

/// Whether the answer to a request is dropped after git did what was asked: by the number of the request.
type Drops = fn(u64) -> bool;

/// Serves the bare repositories in `dir` as long as the test runs. Says where.
fn serve(dir: &Utf8Path, drops: Drops) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let dir = dir.to_owned();
    thread::spawn(move || {
        for (number, stream) in (0..).zip(listener.incoming().flatten()) {
            let dir = dir.clone();
            thread::spawn(move || answered(stream, &dir, drops(number)));
        }
    });
    format!("http://{address}")
}

/// One request, passed on to git and back, unless the answer is dropped: CGI without anything that git
/// does not ask for.
fn answered(mut stream: TcpStream, dir: &Utf8Path, is_dropped: bool) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut headers) = (String::new(), Vec::new());
    reader.read_line(&mut line).unwrap();
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        match header.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => break,
        }
    }
    let header = |name: &str| {
        let found = headers.iter().find(|(it, _)| it == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    if header("expect") == "100-continue" {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
    }
    let body = match header("transfer-encoding") {
        "chunked" => chunks(&mut reader),
        _ => {
            let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
            reader.read_exact(&mut body).unwrap();
            body
        }
    };
    let (path, query) = words[1].split_once('?').unwrap_or((&words[1], ""));
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", dir)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("REMOTE_USER", "somebody")
        .env("REQUEST_METHOD", &words[0])
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || stdin.write_all(&body));
    let answer = child.wait_with_output().unwrap().stdout;
    let _unread = writer.join().unwrap();
    if is_dropped {
        return;
    }
    let answer = match answer.strip_prefix(b"Status: ") {
        Some(rest) => [b"HTTP/1.1 ", rest].concat(),
        None => [b"HTTP/1.1 200 OK\r\n", answer.as_slice()].concat(),
    };
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
    stream.write_all(&answer[..end]).unwrap();
    stream.write_all(b"\r\nConnection: close\r\n\r\n").unwrap();
    stream.write_all(&answer[end + 4..]).unwrap();
}

fn chunks(reader: &mut impl BufRead) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).unwrap();
        body.extend(&chunk[..size]);
        if size == 0 {
            return body;
        }
    }
}

/// Clones whose remote is reached over HTTP, and its address; nothing where this git cannot do that.
fn over_http(count: usize, drops: Drops) -> Option<(Clones, String)> {
    let helper = Command::new("git").arg("--exec-path").output().unwrap();
    let helper = String::from_utf8(helper.stdout).unwrap();
    let there = |name| Utf8Path::new(helper.trim()).join(name).exists();
    if !there("git-http-backend") || !there("git-remote-http") {
        eprintln!("SKIPPED: sync over HTTP: this git has no git-http-backend or git-remote-http");
        return None;
    }
    let clones = Clones::new(count);
    clones.project.git(&[
        "-C",
        clones.remote.as_str(),
        "config",
        "http.receivepack",
        "true",
    ]);
    let url = format!("{}/remote.git", serve(&clones.project.aside, drops));
    for clone in &clones.clones {
        let args = ["-C", clone.as_str(), "remote", "set-url", "origin", &url];
        clones.project.git(&args);
    }
    Some((clones, url))
}

#[test]
fn two_syncs_at_once_stay_right_while_answers_are_dropped() {
    // Two in five, in an order without a pattern.
    let drops = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xff < 102;
    let Some((clones, _)) = over_http(2, drops) else {
        return;
    };
    let rounds = 8;
    // A sync that is to be tried again is, as often as it takes.
    let sync = |clone| {
        let ends = std::iter::repeat_with(|| clones.at(clone, &["sync", "--json"]));
        let done = ends.take(200).any(|ran| match ran.code {
            Some(0) => true,
            Some(75) => false,
            _ => panic!("{ran}"),
        });
        assert!(done, "200 syncs came to nothing");
    };
    thread::scope(|scope| {
        for clone in 0..2 {
            let (clones, sync) = (&clones, &sync);
            scope.spawn(move || {
                for round in 0..rounds {
                    let note = format!("{clone} {round}");
                    clones
                        .at(clone, &["note", &note, "--goal", &clones.id])
                        .ok();
                    sync(clone);
                }
            });
        }
    });
    for clone in [0, 1, 0] {
        sync(clone);
    }
    clones.are_equal();
    let notes = lines(&clones.clones[0]);
    let notes = notes.iter().filter(|it| it.contains("goal_noted"));
    assert_eq!(notes.count(), 2 * rounds);
}

#[test]
fn clones_sync_over_http() {
    let Some((clones, url)) = over_http(3, |_| false) else {
        return;
    };
    clones.note_and_sync("first");
    // More than what goes in one piece.
    let long = "x".repeat(60_000);
    for _ in 0..30 {
        clones.at(2, &["note", &long, "--goal", &clones.id]).ok();
    }
    clones.note_and_sync("second");
    clones.are_equal();
    // A name of nobody's: the address itself is a remote too.
    clones
        .at(1, &["note", "by address", "--goal", &clones.id])
        .ok();
    clones.at(1, &["sync", &url]).ok();
    clones.at(0, &["sync"]).ok();
    clones.at(2, &["sync"]).ok();
    clones.are_equal();
}
