//! Over HTTP: `git http-backend` on loopback, with a server of a few lines in front of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use camino::Utf8Path;

use super::Clones;

/// Serves the bare repositories in `dir` as long as the test runs. Says where.
fn serve(dir: &Utf8Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let dir = dir.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let dir = dir.clone();
            thread::spawn(move || answered(stream, &dir));
        }
    });
    format!("http://{address}")
}

/// One request, passed on to git and back: CGI without anything that git does not ask for.
fn answered(mut stream: TcpStream, dir: &Utf8Path) {
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

#[test]
fn clones_sync_over_http() {
    let helper = Command::new("git").arg("--exec-path").output().unwrap();
    let helper = String::from_utf8(helper.stdout).unwrap();
    let there = |name| Utf8Path::new(helper.trim()).join(name).exists();
    if !there("git-http-backend") || !there("git-remote-http") {
        eprintln!("SKIPPED: sync over HTTP: this git has no git-http-backend or git-remote-http");
        return;
    }
    let clones = Clones::new(3);
    clones.project.git(&[
        "-C",
        clones.remote.as_str(),
        "config",
        "http.receivepack",
        "true",
    ]);
    let url = format!("{}/remote.git", serve(&clones.project.aside));
    for clone in &clones.clones {
        let args = ["-C", clone.as_str(), "remote", "set-url", "origin", &url];
        clones.project.git(&args);
    }
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
