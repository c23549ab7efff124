//! Writes the manual pages of the program and its commands into a directory, for packages:
//! `cargo run --example man -- DIR DATE`. DATE is that of the release, as 2026-11-26.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, date] = arguments.as_slice() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "name the directory for the pages and the date of the release",
        ));
    };
    let directory = PathBuf::from(directory);
    std::fs::create_dir_all(&directory)?;
    let mut manual = goal_ledger::manual();
    manual.build();
    pages(&manual, &directory, date)
}

/// Writes the pages of a command and of those below it.
fn pages(command: &Command, directory: &Path, date: &str) -> io::Result<()> {
    let name = page_name(command);
    let file = File::create(directory.join(format!("{name}.1")))?;
    page(command, &name, date, &mut BufWriter::new(file))?;
    for below in command.get_subcommands().filter(|it| shown(it)) {
        pages(below, directory, date)?;
    }
    Ok(())
}

/// A hidden command has no page; nor has `help`, nor a subject of it, which is no command.
fn shown(command: &Command) -> bool {
    let is_subject = command.get_about().is_none();
    !(command.is_hide_set() || is_subject || command.get_name() == "help")
}

/// What its page is called: `goal-task-add`.
fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or("goal").to_owned()
}

fn page(command: &Command, name: &str, date: &str, out: &mut dyn Write) -> io::Result<()> {
    let version = format!("goal {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .section("1")
        .source(version)
        .manual("goal")
        .date(date.to_owned());
    man.render_title(out)?;
    man.render_name_section(out)?;
    writeln!(out, ".SH SYNOPSIS\n{}", line(&usage(command)))?;
    man.render_description_section(out)?;
    options(command, name, out)?;
    if command.get_subcommands().any(shown) {
        writeln!(out, ".SH COMMANDS")?;
        for below in command.get_subcommands().filter(|it| shown(it)) {
            let about = below.get_about().map(ToString::to_string);
            let named = page_name(below);
            writeln!(out, ".TP\n.BR {} (1)", word(&named))?;
            writeln!(out, "{}", line(&about.unwrap_or_default()))?;
        }
    }
    if let Some(more) = command.get_after_help() {
        notes_and_examples(&more.to_string(), out)?;
    }
    if name == "goal" {
        subject("EXIT STATUS", "exit-codes", out)?;
        subject("ENVIRONMENT", "environment", out)?;
        subject("FILES", "files", out)?;
    } else {
        writeln!(out, ".SH EXIT STATUS")?;
        writeln!(out, "0 where it is done;\n.BR goal (1)\nlists the others.")?;
    }
    see_also(name, out)
}

/// Its options; the page of the program has those of every command.
fn options(command: &Command, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let command = match name {
        "goal" => command.clone().mut_args(|it| it.hide(false)),
        _ => command.clone(),
    };
    if command.get_arguments().all(|it| it.is_hide_set()) {
        return Ok(());
    }
    let mut section = Vec::new();
    Man::new(command).render_options_section(&mut section)?;
    // The empty line between two breaks is a paragraph of its own to roff.
    let section = String::from_utf8_lossy(&section);
    out.write_all(section.replace("\n.br\n\n.br\n", "\n.sp\n").as_bytes())
}

/// How it is typed, with the values of its options.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:");
    usage.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text below a command's help: what stands before its examples, and the examples.
fn notes_and_examples(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let is_heading = |it: &str| it.starts_with("Example");
    let lines: Vec<&str> = text.trim().lines().collect();
    let (examples, notes): (Vec<&str>, Vec<&str>) = {
        let at = lines.iter().position(|it| is_heading(it));
        let at = at.unwrap_or(lines.len());
        let end = lines[at..].iter().position(|it| it.is_empty());
        let end = end.map_or(lines.len(), |it| at + it);
        let examples = lines[at..end].iter().skip(1).copied();
        let notes = lines[..at].iter().chain(&lines[end..]).copied();
        (examples.collect(), notes.collect())
    };
    if notes.iter().any(|it| !it.is_empty()) {
        writeln!(out, ".SH NOTES")?;
        set(&notes, out)?;
    }
    if !examples.is_empty() {
        writeln!(out, ".SH EXAMPLES")?;
        set(&examples, out)?;
    }
    Ok(())
}

/// A subject of `goal help`, whose first line is its heading.
fn subject(heading: &str, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let text = goal_ledger::subject(name)
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no subject {name}")))?;
    writeln!(out, ".SH {heading}")?;
    set(&text.lines().skip(1).collect::<Vec<_>>(), out)
}

/// Sets lines: those that are indented as they are, the others as paragraphs.
fn set(lines: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let mut as_they_are = false;
    let mut parted = false;
    let mut is_first = true;
    for text in lines {
        if text.is_empty() {
            parted = !is_first;
            continue;
        }
        let indented = text.starts_with(' ');
        if as_they_are && !indented {
            writeln!(out, ".fi")?;
        }
        if parted || (indented && !as_they_are && !is_first) {
            writeln!(out, "{}", if as_they_are && indented { "" } else { ".PP" })?;
        }
        if indented && !as_they_are {
            writeln!(out, ".nf")?;
        }
        writeln!(out, "{}", line(text))?;
        (as_they_are, parted, is_first) = (indented, false, false);
    }
    if as_they_are {
        writeln!(out, ".fi")?;
    }
    Ok(())
}

fn see_also(name: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, ".SH SEE ALSO")?;
    match name.rsplit_once('-') {
        None => writeln!(
            out,
            ".BR goal\\-status (1),\n.BR goal\\-set (1),\n.BR goal\\-complete (1)"
        ),
        Some(("goal", _)) => writeln!(out, ".BR goal (1)"),
        Some((above, _)) => writeln!(out, ".BR goal (1),\n.BR {} (1)", word(above)),
    }
}

/// A line of text as roff has it.
fn line(text: &str) -> String {
    let text = word(text);
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}

/// Characters that roff would take for something else.
fn word(text: &str) -> String {
    text.replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq")
}
