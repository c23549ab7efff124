//! The contract: what the user confirmed about a goal, whole and as a set of changes.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::domain::progress::tick::PRIORITY;
use crate::domain::wire::lenient;
use crate::domain::words::words;

/// The longest name of a check, in bytes.
const LONGEST_CHECK: usize = 200;

/// Whether this can name a check: printable text that says something. Contracts take fewer names.
pub fn names_check(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= LONGEST_CHECK && !name.chars().any(char::is_control)
}

words! {
    /// How hard a goal is taken to be; it sets how many escalations it gets.
    #[non_exhaustive]
    pub enum Difficulty {
        Trivial = "trivial",
        Simple = "simple",
        Moderate = "moderate",
        Complex = "complex",
    }
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    List,
    Flag,
    Number,
    Tier,
}

/// One field of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name in the ledger and in JSON.
    pub name: &'static str,
    /// Its name in sentences.
    pub label: &'static str,
    pub kind: FieldKind,
    /// The option that sets it on the command line, the name of its value, and its help.
    pub option: Option<(&'static str, &'static str, &'static str)>,
}

/// A value that a field can be set to.
pub trait FieldValue: Clone + PartialEq + DeserializeOwned {
    const KIND: FieldKind;
    /// Whether the field is emptied by it.
    fn is_empty(&self) -> bool {
        false
    }
    /// Whether a line of the ledger may set it.
    fn fits(&self) -> bool {
        true
    }
}

impl FieldValue for String {
    const KIND: FieldKind = FieldKind::Text;
    fn is_empty(&self) -> bool {
        String::is_empty(self)
    }
}

impl FieldValue for Vec<String> {
    const KIND: FieldKind = FieldKind::List;
    fn is_empty(&self) -> bool {
        Vec::is_empty(self)
    }
}

impl FieldValue for bool {
    const KIND: FieldKind = FieldKind::Flag;
}

/// A share, from 0 to 1.
impl FieldValue for f64 {
    const KIND: FieldKind = FieldKind::Number;
    fn fits(&self) -> bool {
        (0.0..=1.0).contains(self)
    }
}

impl FieldValue for Difficulty {
    const KIND: FieldKind = FieldKind::Tier;
}

/// How a contract has a field.
pub trait ContractField {
    type Value: FieldValue;
    fn set(&mut self, change: &Option<Self::Value>);
    /// The change that would set it so.
    fn change(&self) -> Option<Self::Value>;
}

/// One that is always there.
impl<T: FieldValue> ContractField for T {
    type Value = T;
    fn set(&mut self, change: &Option<T>) {
        if let Some(value) = change {
            self.clone_from(value);
        }
    }
    fn change(&self) -> Option<T> {
        let is_empty_list = T::KIND == FieldKind::List && self.is_empty();
        (!is_empty_list).then(|| self.clone())
    }
}

/// One that may be missing.
impl<T: FieldValue> ContractField for Option<T> {
    type Value = T;
    fn set(&mut self, change: &Option<T>) {
        if let Some(value) = change {
            *self = Some(value.clone()).filter(|it| !it.is_empty());
        }
    }
    fn change(&self) -> Option<T> {
        self.clone()
    }
}

/// Reads what a change sets: an unusable value counts as absent.
fn read<'de, D: Deserializer<'de>, T: FieldValue>(line: D) -> Result<Option<T>, D::Error> {
    Ok(lenient::optional(line)?.filter(T::fits))
}

/// Makes all that has to know every field from the rows below.
macro_rules! fields {
    ($(
        $(#[$attr:meta])*
        $field:ident: $held:ty, $(unless $none:literal,)? $(whole $doc:literal,)?
            $name:literal, $label:literal $(, $option:literal $value:literal $help:literal)?;
    )*) => {
        /// Fields of a contract that an event or a proposal sets; an absent one is left as it is, an
        /// empty text or list empties it.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default, remote = "Self")]
        #[schemars(!remote)]
        pub struct ContractChange {
            $(
                $(#[$attr])*
                #[serde(deserialize_with = "read", skip_serializing_if = "Option::is_none")]
                pub $field: Option<<$held as ContractField>::Value>,
            )*
        }

        /// A goal's contract as it stands.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Contract {
            $(
                $(#[doc = $doc])?
                $(#[serde(skip_serializing_if = $none)])?
                pub $field: $held,
            )*
        }

        /// Every field, in the order of [`ContractChange`].
        pub const FIELDS: [Field; [$($name),*].len()] = [$(
            Field {
                name: $name,
                label: $label,
                kind: <<$held as ContractField>::Value as FieldValue>::KIND,
                option: [$(Some(($option, $value, $help)),)? None][0],
            },
        )*];

        impl Contract {
            /// The contract with the changes in it.
            pub fn apply(&mut self, change: &ContractChange) {
                $(self.$field.set(&change.$field);)*
            }
        }

        impl ContractChange {
            /// Everything that `contract` holds, as changes: what an adoption or a proposal carries.
            #[doc(hidden)] // for the program alone
            pub fn of(contract: &Contract) -> ContractChange {
                ContractChange { $($field: contract.$field.change()),* }
            }

            /// Sets the field of this name, where the value is of its kind.
            pub fn set(&mut self, name: &str, value: Value) {
                match name {
                    $($name => self.$field = serde_json::from_value(value).ok().or(self.$field.take()),)*
                    _ => {}
                }
            }

            /// The changes that make a difference to `contract`.
            #[doc(hidden)] // for the program alone
            pub fn differing(&self, contract: &Contract) -> ContractChange {
                let mut changed = contract.clone();
                changed.apply(self);
                let mut rest = self.clone();
                $(if changed.$field == contract.$field {
                    rest.$field = None;
                })*
                rest
            }

            /// The changes that `other` does not make, too.
            pub fn without(mut self, other: &ContractChange) -> ContractChange {
                $(if self.$field == other.$field {
                    self.$field = None;
                })*
                self
            }
        }
    };
}

// A field: what a change says of it; its type in a contract, by what its absence is known, and what a
// contract says of it; its name in the ledger, in sentences, and its option.
fields! {
    /// What is to be achieved.
    objective: String,
        whole "Empty only for a goal whose creation nobody recorded.",
        "objective", "objective";
    /// Ordered, patient work: one step after the other.
    sisyphus: bool,
        whole "Ordered, patient work: style and criteria, no step counter.",
        "sisyphus", "sisyphus";
    /// Whether hosts go on with it by themselves.
    auto_continue: bool,
        whole "Whether hosts go on with it by themselves.",
        "autoContinue", "auto-continue";
    /// A short name.
    title: Option<String>, unless "Option::is_none",
        "title", "title",
        "title" "TITLE" "A short name";
    /// What must hold in the end, each checkable by others.
    success_criteria: Vec<String>,
        "successCriteria", "success criteria",
        "criteria" "TEXT" "What must be true in the end; may be repeated";
    /// What is not to be touched.
    boundaries: Vec<String>,
        "boundaries", "boundaries",
        "boundary" "TEXT" "What must not be touched; may be repeated";
    /// How it is to be done.
    constraints: Vec<String>,
        "constraints", "constraints",
        "constraint" "TEXT" "How to do the work; may be repeated";
    /// What to do when stuck.
    if_blocked: Option<String>, unless "Option::is_none",
        "ifBlocked", "if blocked",
        "if-blocked" "TEXT" "What to do when stuck";
    /// What proves completion; evidence is then required.
    verification_contract: Option<String>, unless "Option::is_none",
        "verificationContract", "verification contract",
        "verification" "TEXT" "What proves completion; `complete` then requires evidence";
    /// Names of checks of the configuration.
    checks: Vec<String>,
        "checks", "checks",
        "check" "NAME" "Name of a configured check that must pass; may be repeated";
    /// What kind of goal it is, in a word.
    category: Option<String>, unless "Option::is_none",
        "category", "category",
        "category" "WORD" "A word of your own for this kind of goal";
    /// Observable signs of progress.
    progress_signal: Option<String>, unless "Option::is_none",
        "progressSignal", "progress signal",
        "progress-signal" "TEXT" "Observable signs of progress";
    /// Observable signs of failure.
    failure_signal: Option<String>, unless "Option::is_none",
        "failureSignal", "failure signal",
        "failure-signal" "TEXT" "Observable signs of failure";
    /// The finish line, as a machine could check it.
    completion_condition: Option<String>, unless "Option::is_none",
        "completionCondition", "completion condition",
        "completion-condition" "TEXT" "When the goal is reached, as a machine could check it";
    /// From 0 to 1; 0.5 where none is given.
    priority: Option<f64>, unless "Option::is_none",
        "priority", "priority",
        "priority" "NUMBER" "Priority, from 0 to 1";
    /// The owner of the goal.
    owner: Option<String>, unless "Option::is_none",
        "owner", "owner",
        "owner" "NAME" "Owner of the goal";
    /// How hard it is taken to be.
    difficulty: Option<Difficulty>, unless "Option::is_none",
        "difficulty", "difficulty",
        "difficulty" "TIER" "trivial, simple, moderate or complex";
}

lenient::objects_only!(ContractChange);

/// Every field of a contract or of a change, with its value; null where it has none.
fn values(fields: &impl Serialize) -> impl Iterator<Item = (Field, Value)> {
    let mut values = serde_json::to_value(fields).unwrap_or_default();
    FIELDS
        .map(|field| (field, values[field.name].take()))
        .into_iter()
}

/// A value of a field in words: a text as it was written, an item of a list as a text.
pub fn worded(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) if name == "sisyphus" => "sisyphus (ordered, patient work)".to_owned(),
        Value::Bool(false) if name == "sisyphus" => "regular".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.as_f64().unwrap_or_default().to_string(),
        Value::Null | Value::Object(_) | Value::Array(_) => String::new(),
    }
}

/// The weight among goals, from 0 to 1, of one with this priority.
pub fn rank(priority: Option<f64>) -> f64 {
    priority.unwrap_or(PRIORITY).clamp(0.0, 1.0)
}

impl Contract {
    /// Every field with its value; null where it has none.
    pub fn values(&self) -> impl Iterator<Item = (Field, Value)> {
        values(self)
    }

    /// Its weight among goals, from 0 to 1. Another program may have written any number.
    pub fn rank(&self) -> f64 {
        rank(self.priority)
    }

    /// The goal's title, or the first line of its objective.
    pub fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}

/// The title, or the first line of the objective; one that is a heading in Markdown without its
/// marks.
pub fn heading<'a>(title: Option<&'a str>, objective: &'a str) -> &'a str {
    let title = title.filter(|title| !title.trim().is_empty());
    title
        .or_else(|| first_line(objective).map(without_marks))
        .unwrap_or("(objective unknown)")
}

/// The first line that says something: neither a rule nor the bare name of a section, as in
/// `=== Goal ===`. Where no line does, the first that is not empty.
pub fn first_line(objective: &str) -> Option<&str> {
    let mut named = None;
    for line in objective.lines() {
        if says_something(line) {
            return Some(line);
        }
        if named.is_none() && !without_marks(line).is_empty() {
            named = Some(line);
        }
    }
    named
}

/// What a text calls the section in which its objective stands.
const SECTIONS: [&str; 5] = ["goal", "goals", "objective", "task", "title"];

fn says_something(line: &str) -> bool {
    let line = line.trim();
    let sign = |c: char| matches!(c, '#' | '=' | '-' | '*' | '_' | '~' | ':') || c.is_whitespace();
    let bare = line.trim_matches(sign);
    if !bare.contains(char::is_alphanumeric) {
        return false;
    }
    // Asked for each goal of a list: most lines have no marks, and need no look at their words.
    if bare.len() == line.len() {
        return true;
    }
    let mut words = bare.split_whitespace();
    let is_section = words.next_back().is_some_and(|last| {
        let mut names = SECTIONS.iter();
        names.any(|name| name.eq_ignore_ascii_case(last))
    });
    !is_section || words.nth(1).is_some()
}

/// A line without the marks of a heading in Markdown.
pub fn without_marks(line: &str) -> &str {
    line.trim().trim_start_matches('#').trim_start()
}

impl ContractChange {
    /// Every field with what it is set to; null where it is left as it is.
    #[doc(hidden)] // for the program alone
    pub fn values(&self) -> impl Iterator<Item = (Field, Value)> {
        values(self)
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == ContractChange::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        for (objective, title) in [
            (
                "=== Goal ===\nShip the first version\n",
                "Ship the first version",
            ),
            ("=== Sisyphus Goal ===\n\n## Ship it\n", "Ship it"),
            ("---\n# Goal\n**Objective:**\nShip it", "Ship it"),
            ("# Set a new goal\nWhy.", "Set a new goal"),
            ("Fix the goal\nWhy.", "Fix the goal"),
            ("Our goal\nWhy.", "Our goal"),
            ("\n# Goal\n", "Goal"),
        ] {
            assert_eq!(heading(None, objective), title, "{objective:?}");
        }
    }

    #[test]
    fn a_change_touches_only_what_it_names() {
        let mut contract = Contract {
            objective: "a".into(),
            ..Contract::default()
        };
        contract.apply(&ContractChange {
            title: Some("T".into()),
            checks: Some(vec!["tests_pass".into()]),
            ..ContractChange::default()
        });
        assert_eq!(contract.objective, "a");
        assert_eq!(contract.heading(), "T");
        contract.apply(&ContractChange {
            title: Some(String::new()),
            ..ContractChange::default()
        });
        assert_eq!(contract.heading(), "a");
        assert_eq!(contract.checks, ["tests_pass"]);
    }

    #[test]
    fn what_does_not_differ_is_no_change() {
        let contract = Contract {
            objective: "a".into(),
            title: Some("T".into()),
            priority: Some(0.5),
            ..Contract::default()
        };
        assert!(
            ContractChange::of(&contract)
                .differing(&contract)
                .is_empty()
        );
        let other = ContractChange {
            priority: Some(0.6),
            ..ContractChange::of(&contract)
        };
        let expected = ContractChange {
            priority: Some(0.6),
            ..ContractChange::default()
        };
        assert_eq!(other.differing(&contract), expected);
    }
}
