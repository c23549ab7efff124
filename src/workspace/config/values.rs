//! What keys of the configuration hold: how a value is checked while its file is read, and how
//! `goal config` shows it.

use std::borrow::Cow;
use std::convert::identity;
use std::fmt::{self, Display, Formatter};
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::time::Duration;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Source;
use crate::domain::attention::NewsKind;
use crate::domain::goal::contract::names_check;
use crate::domain::words::words;

/// The longest time limit in seconds, a week. Far from overflowing any clock.
pub(super) const LONGEST: u64 = 7 * 24 * 60 * 60;

/// A value in force, and where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sourced<T> {
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

impl<T> Sourced<T> {
    /// The value that is built in.
    pub(super) fn built_in(value: T) -> Sourced<T> {
        let source = Source::Default;
        Sourced { value, source }
    }

    /// What a file said, else what is built in.
    pub(super) fn said_or(said: Option<T>, source: Source, default: T) -> Sourced<T> {
        match said {
            Some(value) => Sourced { value, source },
            None => Sourced::built_in(default),
        }
    }
}

/// A table of another program in our file, of which nothing is read here, nor shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotOurs;

impl<'de> Deserialize<'de> for NotOurs {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<NotOurs, D::Error> {
        de::IgnoredAny::deserialize(input).map(|_| NotOurs)
    }
}

/// A value as `goal config` shows it. In JSON it is an object of the value and its source.
pub trait Shown {
    /// What JSON calls the value in that object.
    const FIELD: &'static str;
    /// Name and description of that object's schema.
    const SCHEMA: (&'static str, &'static str);
    /// The value as it is written.
    type Plain: Serialize + JsonSchema + Display;

    fn plain(&self) -> Self::Plain;
}

macro_rules! shown {
    ($($type:ty: $field:literal is $plain:ty = $write:expr, $name:literal $about:literal;)*) => {
        $(impl Shown for $type {
            const FIELD: &'static str = $field;
            const SCHEMA: (&'static str, &'static str) = ($name, $about);
            type Plain = $plain;

            fn plain(&self) -> $plain {
                $write(self)
            }
        })*
    };
}

shown! {
    bool: "value" is bool = bool::clone, "Flag" "A yes or no.";
    u32: "value" is u32 = u32::clone, "Number" "A limit.";
    usize: "most" is usize = usize::clone, "Most" "The most of something.";
    Duration: "seconds" is u64 = Duration::as_secs, "Seconds" "A time limit.";
    Abandon: "value" is &'static str = |it: &Abandon| it.name(), "Word" "A word of the configuration.";
    Patterns: "patterns" is Listed = |it: &Patterns| Listed(it.0.clone()), "Patterns" "Regular expressions.";
    Names: "names" is Listed = |it: &Names| Listed(it.0.clone()), "Checks" "Names of checks.";
    Argv: "command" is Argv = Argv::clone, "CommandLine" "A command line.";
    NewsKinds: "kinds" is Listed = |it: &NewsKinds| Listed(it.0.clone()), "NewsKinds" "What a person is told of.";
    HostNames: "hosts" is Listed = |it: &HostNames| Listed(it.0.clone()), "HostNames" "Hosts of agents.";
    Paths: "texts" is Listed = |it: &Paths| Listed(it.0.clone()), "Texts" "Texts.";
    Texts: "texts" is Listed = |it: &Texts| Listed(it.0.clone()), "Texts" "Texts.";
    String: "check" is String = String::clone, "BaselineInForce" "Where baselines come from.";
}

impl<T: Shown> Serialize for Sourced<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct(T::SCHEMA.0, 2)?;
        object.serialize_field(T::FIELD, &self.value.plain())?;
        object.serialize_field("source", &self.source)?;
        object.end()
    }
}

impl<T: Shown> JsonSchema for Sourced<T> {
    fn schema_name() -> Cow<'static, str> {
        T::SCHEMA.0.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                (T::FIELD): generator.subschema_for::<T::Plain>(),
                "source": generator.subschema_for::<Source>(),
            },
            "required": [T::FIELD, "source"],
            "description": T::SCHEMA.1,
        })
    }
}

/// What a file can say for a key of one of the tables in `keys`.
pub trait KeyType {
    /// What is in force then.
    type Value: Shown;

    fn value(&self) -> Self::Value;

    /// Which values it takes, where the words about the key leave that open.
    fn range() -> Option<String> {
        None
    }
}

/// A value that is in force as it was written.
impl<T: Shown + Clone> KeyType for T {
    type Value = T;

    fn value(&self) -> T {
        self.clone()
    }
}

impl KeyType for NonZeroUsize {
    type Value = usize;

    fn value(&self) -> usize {
        self.get()
    }
}

words! {
    /// Who gives up a goal whose escalations brought nothing.
    #[derive(Default)]
    pub enum Abandon {
        /// The user, to whom it is suggested.
        #[default]
        Suggest = "suggest",
        /// The program, with the first evaluation after that which grants nothing.
        Auto = "auto",
    }
}

/// What a whole number counts.
pub trait Unit {
    /// The type as which it is read.
    type Raw: for<'de> Deserialize<'de> + TryInto<u64> + Copy;
    type Value: Shown;
    /// How a message calls it.
    const NAME: &'static str;
    /// How the page about the configuration calls it.
    const WORDS: &'static str = "";

    fn value(raw: Self::Raw) -> Self::Value;
}

macro_rules! units {
    ($($unit:ident: $raw:ty => $value:ty = $of:expr, $name:literal $words:literal;)*) => {
        $(#[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $unit;

        impl Unit for $unit {
            type Raw = $raw;
            type Value = $value;
            const NAME: &'static str = $name;
            const WORDS: &'static str = $words;

            fn value(raw: $raw) -> $value {
                $of(raw)
            }
        })*
    };
}

units! {
    Times: u32 => u32 = identity, "a number" "";
    Pause: u64 => Duration = Duration::from_secs, "a number of seconds" "whole seconds, ";
    Goals: usize => usize = identity, "a number of goals" "";
    Bytes: usize => usize = identity, "a number of bytes" "";
}

/// A whole number between two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole<U: Unit, const FROM: u64, const TO: u64>(U::Raw, PhantomData<U>);

impl<'de, U: Unit, const FROM: u64, const TO: u64> Deserialize<'de> for Whole<U, FROM, TO> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let raw = U::Raw::deserialize(input)?;
        match raw.try_into() {
            Ok(number) if (FROM..=TO).contains(&number) => Ok(Whole(raw, PhantomData)),
            _ => Err(de::Error::custom(format!(
                "{} from {FROM} to {TO}",
                U::NAME
            ))),
        }
    }
}

impl<U: Unit, const FROM: u64, const TO: u64> KeyType for Whole<U, FROM, TO> {
    type Value = U::Value;

    fn value(&self) -> U::Value {
        U::value(self.0)
    }

    fn range() -> Option<String> {
        let (words, to) = (U::WORDS, thousands(&TO.to_string()));
        Some(format!("{words}{FROM} to {to}"))
    }
}

/// A number as pages write it: `1,800`.
pub(super) fn thousands(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A command line that can be spawned.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Argv(pub Vec<String>);

impl Display for Argv {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl TryFrom<Vec<String>> for Argv {
    type Error = &'static str;

    fn try_from(argv: Vec<String>) -> Result<Argv, &'static str> {
        if argv.first().is_none_or(String::is_empty) {
            return Err("a command begins with the program to run");
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err("an argument cannot hold NUL");
        }
        Ok(Argv(argv))
    }
}

/// A list, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed(Vec<String>);

impl Display for Listed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

macro_rules! lists {
    ($($(#[$doc:meta])* $list:ident: $is_odd:expr, $problem:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(try_from = "Vec<String>")]
        pub struct $list(pub Vec<String>);

        impl TryFrom<Vec<String>> for $list {
            type Error = String;

            fn try_from(items: Vec<String>) -> Result<$list, String> {
                match items.iter().find(|item| $is_odd(item)) {
                    Some(odd) => Err(format!("holds {odd:?}, which {}", $problem)),
                    None => Ok($list(items)),
                }
            }
        }

        impl Display for $list {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0.join(", "))
            }
        }
    )*};
}

lists! {
    /// Names of checks.
    Names: |name: &str| !names_check(name), "names no check";
    /// What a person is told of.
    NewsKinds: |kind: &str| NewsKind::named(kind).is_none(), format!("is none of {}", NewsKinds::all());
    /// Hosts of agents.
    HostNames: |host: &str| !HOSTS.contains(&host), format!("is none of {}", HostNames::all());
    /// Paths inside the project.
    Paths: |path: &str| Inside::try_from(path.to_owned()).is_err(), "is no path inside the project, without `..`";
    /// Exact texts.
    Texts: |text: &str| text.trim().is_empty(), "is empty";
    /// Regular expressions.
    Patterns: |pattern: &str| Regex::new(pattern).is_err(), "is no regular expression";
}

/// The hosts whose hooks and extension are known, as `goal hook --host` names them.
const HOSTS: [&str; 7] = [
    "claude", "codex", "gemini", "cursor", "pi", "copilot", "opencode",
];

impl HostNames {
    /// All of them.
    pub(super) fn all() -> HostNames {
        HostNames(HOSTS.map(str::to_owned).to_vec())
    }

    /// Whether this one is among them.
    pub fn has(&self, host: &str) -> bool {
        self.0.iter().any(|name| name == host)
    }
}

impl NewsKinds {
    /// Everything that a person can be told of.
    pub(super) fn all() -> NewsKinds {
        NewsKinds(NewsKind::ALL.iter().map(ToString::to_string).collect())
    }

    /// Whether the person is told of this.
    pub fn has(&self, kind: NewsKind) -> bool {
        self.0.iter().any(|word| word == kind.name())
    }
}

impl Patterns {
    /// The patterns, ready to be matched.
    pub fn compiled(&self) -> Vec<Regex> {
        let patterns = self.0.iter().filter_map(|pattern| Regex::new(pattern).ok());
        patterns.collect()
    }
}

/// Text that is passed on as one argument, or names something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Text(pub String);

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Text, &'static str> {
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err("is empty or holds control characters: remove the key, or name something");
        }
        Ok(Text(text))
    }
}

impl KeyType for Text {
    type Value = String;

    fn value(&self) -> String {
        self.0.clone()
    }
}

/// A time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
pub struct Seconds(pub Duration);

impl TryFrom<u64> for Seconds {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Seconds, String> {
        match seconds {
            1..=LONGEST => Ok(Seconds(Duration::from_secs(seconds))),
            _ => Err(format!("a timeout is 1 to {LONGEST} seconds")),
        }
    }
}

/// A directory inside the root, by its name alone: a link may still lead out of it, which trust
/// in the configuration covers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Inside(pub Utf8PathBuf);

impl Default for Inside {
    fn default() -> Inside {
        Inside(Utf8PathBuf::from("."))
    }
}

impl TryFrom<String> for Inside {
    type Error = &'static str;

    fn try_from(path: String) -> Result<Inside, &'static str> {
        let harmless = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir);
        let inside = Utf8Path::new(&path).components().all(harmless);
        if path.is_empty() || path.contains('\0') || !inside {
            return Err("a path relative to the project's root and inside it, without `..`");
        }
        Ok(Inside(Utf8PathBuf::from(path)))
    }
}

/// A regular expression that compiles, in an engine whose time is linear in what it reads.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(pub String);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> Result<Pattern, String> {
        match Regex::new(&pattern) {
            Ok(_) => Ok(Pattern(pattern)),
            Err(error) => Err(format!("no regular expression: {error}")),
        }
    }
}
