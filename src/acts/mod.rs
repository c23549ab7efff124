//! What can be done: the one table of commands. Each has a row that says who may call it, where help
//! shows it, and which tool and which slash command stand for it on other surfaces.
//!
//! Help, completion, the pages of the reference and the names in texts for models read this table. A
//! test compares the marks of help with what each actor is refused. Arguments and handlers stand in `cli::command`, those of tools in
//! `api::tools`; tests hold them to the rows here.

mod table;

pub use table::{GROUPS, SECOND_NAMES};

/// Commands that belong together.
pub struct Group {
    pub title: &'static str,
    /// People type them; the others are for programs.
    pub by_people: bool,
    pub acts: &'static [Act],
}

/// One command.
#[derive(Debug)]
pub struct Act {
    /// How it is typed, without `goal`: `task skip`.
    pub path: &'static str,
    pub who: Who,
    /// Which form of it only the user may call, where other forms are open to others; else empty. It
    /// stands behind "only you" and "for the user only".
    pub yours: &'static str,
    pub place: Place,
    /// The tool that stands for it where a model has no shell.
    pub tool: Option<&'static str>,
    /// The slash command of the pi extension for the user.
    pub slash: Option<&'static str>,
}

/// Who may call a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody: it changes nothing that is the user's.
    Anybody,
    /// The user and agents. An auditor only reads.
    Worker,
    /// The user.
    User,
}

/// Where help shows a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the first screen.
    First,
    /// In the list of all commands.
    All,
    /// In the list of all commands, as another spelling of this one, which the manual uses.
    As(&'static str),
    /// In the help of the command above it.
    Below,
}

impl Act {
    const fn new(path: &'static str, who: Who) -> Act {
        let bytes = path.as_bytes();
        let mut place = Place::All;
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b' ' {
                place = Place::Below;
            }
            at += 1;
        }
        Act {
            path,
            who,
            yours: "",
            place,
            tool: None,
            slash: None,
        }
    }

    const fn first(self) -> Act {
        Act {
            place: Place::First,
            ..self
        }
    }

    const fn spelled(self, spelling: &'static str) -> Act {
        Act {
            place: Place::As(spelling),
            ..self
        }
    }

    const fn yours(self, yours: &'static str) -> Act {
        Act { yours, ..self }
    }

    const fn tool(self, tool: &'static str) -> Act {
        Act {
            tool: Some(tool),
            ..self
        }
    }

    const fn slash(self, slash: &'static str) -> Act {
        Act {
            slash: Some(slash),
            ..self
        }
    }

    /// The spelling that the manual uses, where it is another.
    pub fn spelling(&self) -> Option<&'static str> {
        match self.place {
            Place::As(spelling) => Some(spelling),
            _ => None,
        }
    }

    /// How much of it is the user's alone. A command with others below it is as they are.
    pub fn share(&self) -> Share {
        let below = format!("{} ", self.path);
        let mut shares = all()
            .filter(|act| act.path == self.path || act.path.starts_with(&below))
            .map(|act| match (act.who, act.yours) {
                (Who::User, _) => Share::Whole,
                (_, "") => Share::Nothing,
                (_, _) => Share::Part,
            });
        let first = shares.next().unwrap_or(Share::Nothing);
        match shares.all(|share| share == first) {
            true => first,
            false => Share::Part,
        }
    }
}

/// How much of a command only the user may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    Nothing,
    Part,
    Whole,
}

impl Share {
    /// The mark behind the name in a list of commands.
    pub fn mark(self) -> &'static str {
        match self {
            Share::Nothing => " ",
            Share::Part => "+",
            Share::Whole => "*",
        }
    }
}

/// Every command, in the order of help.
pub fn all() -> impl Iterator<Item = &'static Act> {
    GROUPS.iter().flat_map(|group| group.acts)
}

/// The command that is typed so, in this spelling or in that of the manual.
pub fn named(path: &str) -> Option<&'static Act> {
    // A spelling with an option names its own row: `draft --list` shows, `draft` opens.
    let is_spelled = |act: &&Act| act.spelling() == Some(path) && path.contains(" --");
    if let Some(act) = all().find(|act| act.path == path || is_spelled(act)) {
        return Some(act);
    }
    let (first, rest) = path.split_once(' ')?;
    let spelling = named(first)?.spelling()?;
    named(&format!("{spelling} {rest}"))
}

/// The command with which the words begin, and what follows it. The longest one counts.
pub fn at_start(words: &str) -> Option<(&'static Act, &str)> {
    let ends = words.match_indices(' ').map(|(at, _)| at);
    let mut ends: Vec<usize> = ends.chain([words.len()]).collect();
    ends.reverse();
    ends.into_iter()
        .find_map(|end| Some((named(&words[..end])?, &words[end..])))
}

/// What this tool is called in hosts that have a tool of its name.
pub fn second_name(tool: &str) -> Option<&'static str> {
    let found = SECOND_NAMES.iter().find(|(first, _)| *first == tool);
    found.map(|(_, second)| *second)
}

/// The tool's own name, by whichever of its names it is called.
pub fn first_name(name: &str) -> &str {
    let found = SECOND_NAMES.iter().find(|(_, second)| *second == name);
    found.map_or(name, |(first, _)| *first)
}

#[cfg(test)]
mod tests;
