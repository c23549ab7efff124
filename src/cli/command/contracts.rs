//! Contracts that are made, changed and handed on at once.

use camino::Utf8PathBuf;
use serde_json::Value;

use super::{Call, Done, Failure, Globals, Reply, say, text_or_stdin};
use crate::cli::columns::ColumnsArg;
use crate::cli::command::contract::{ContractArgs, JsonArgs, written};
use crate::cli::command::cost::LimitArgs;
use crate::cli::editor::edited;
use crate::cli::input::lines;
use crate::cli::person::{another_auditor, can_be_asked};
use crate::cli::screen::tabled;
use crate::domain::goal::contract::{ContractChange, FIELDS, Field};
use crate::domain::goal::fields::{FieldError, emptied, set_in};
use crate::ops;
use crate::ops::draft::open_tweak;
use crate::ops::rehearse::rehearse;
use crate::ops::set::{all_of, set_all};
use crate::ops::tweak::from_document;
use crate::ops::uncounted::WHERE;
use crate::render::text::count;
use crate::render::view::Commitment;

/// The options of a contract for a new goal.
#[derive(Debug, clap::Args)]
struct NewContract {
    /// Ordered, patient work: one step after the other
    #[arg(long)]
    sisyphus: bool,
    /// Hosts must not continue it by themselves
    #[arg(long)]
    no_auto_continue: bool,
    #[command(flatten)]
    contract: ContractArgs,
}

impl NewContract {
    /// The contract with this objective, which is read from stdin where it is `-`.
    fn of(&self, objective: &str) -> Result<ContractChange, Failure> {
        Ok(ContractChange {
            sisyphus: Some(self.sisyphus),
            auto_continue: Some(!self.no_auto_continue),
            ..self.contract.change(Some(text_or_stdin(objective)?))
        })
    }

    /// What differs from the contract that is taken over: only what was said.
    fn like(&self) -> ContractChange {
        ContractChange {
            sisyphus: self.sisyphus.then_some(true),
            auto_continue: self.no_auto_continue.then_some(false),
            ..self.contract.change(None)
        }
    }

    /// The contract that the person writes in their editor, beside what the options say.
    fn written(&self, call: &Call, globals: &Globals) -> Result<ContractChange, Failure> {
        let mut contract = written(call, globals, "goal set OBJECTIVE")?;
        for (field, value) in self.like().values() {
            if !value.is_null() {
                contract.set(field.name, value);
            }
        }
        Ok(contract)
    }
}

/// Create a goal at once and focus it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal set 'Make the tests pass on Windows' --criteria 'CI is green on Windows'
  goal set --like mr5cf6ch
  git log -1 --format=%B | goal set - --json")]
pub struct Set {
    /// What to achieve; `-` reads it from stdin
    #[arg(value_name = "OBJECTIVE")]
    objective: Option<String>,
    /// Copy the contract of this ended goal; other options replace its fields
    #[arg(long, value_name = "GOAL", conflicts_with = "batch")]
    like: Option<String>,
    /// Create many at once: a file with one contract per line, in the JSON of `goal log`; `-` reads
    /// stdin. If no goal is focused, the first one is
    #[arg(long, value_name = "FILE", conflicts_with_all = ["objective", "sisyphus", "no_auto_continue", "LimitArgs"])]
    batch: Option<Utf8PathBuf>,
    /// With --batch: only show what would be recorded
    #[arg(long, requires = "batch")]
    pub dry_run: bool,
    #[command(flatten)]
    contract: NewContract,
    #[command(flatten, next_help_heading = "What it may cost, as for `goal budget`")]
    limits: LimitArgs,
}

pub fn set(args: &Set, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let Some(path) = &args.batch {
        let contracts: Vec<Value> = lines(path)?;
        if args.dry_run {
            let command = all_of(&call, &contracts)?;
            return say::rehearsed(rehearse(&call, command)?);
        }
        let outcome = set_all(&call, &contracts)?;
        let goals = count(contracts.len() as u64, "goal");
        return say::did(&format!("Created {goals}, the first of them"), outcome);
    }
    // Beside an argument that excludes `--batch` clap does not ask for it.
    if args.dry_run {
        return Err(Failure::usage(
            "`--dry-run` works only with `--batch`; nothing was created",
            "leave it out to create the goal",
        ));
    }
    let like = args.like.as_deref();
    let contract = match (&args.objective, like) {
        (Some(objective), _) => args.contract.of(objective)?,
        (None, Some(_)) => args.contract.like(),
        (None, None) => args.contract.written(&call, globals)?,
    };
    let limits = args.limits.limits()?;
    another_auditor(&call, globals)?;
    let is_limited = !limits.0.is_empty();
    let outcome = ops::set::set(&call, contract, like, limits)?;
    let mut text = say::done("Created and focused", &outcome);
    if is_limited {
        text.push_str(&format!("{WHERE}\n"));
    }
    Reply::transacted(text, outcome)
}

/// Change the contract; an agent's change waits for `confirm`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With a topic it opens a tweak: you discuss the change with the agent, and its \
proposal waits for your `goal confirm`. Without arguments it opens the contract in your editor \
(VISUAL, EDITOR) at a terminal; elsewhere it opens a tweak. An option for a list replaces the \
whole list.

Examples:
  goal tweak --objective 'Make the tests pass on Windows and macOS'
  goal tweak --add-criterion 'CI is green' --drop-criterion 'the page loads'
  goal tweak --criteria 'CI is green' --clear if-blocked --summary 'as agreed'
  goal tweak 'the second criterion is too strict'
  goal tweak --from-document"
)]
pub struct Tweak {
    /// What is to be achieved; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    objective: Option<String>,
    /// Ordered, patient work
    #[arg(long, overrides_with = "no_sisyphus")]
    sisyphus: bool,
    /// Work in any order
    #[arg(long, overrides_with = "sisyphus")]
    no_sisyphus: bool,
    /// Hosts may continue it by themselves
    #[arg(long, overrides_with = "no_auto_continue")]
    auto_continue: bool,
    /// Hosts must not go on with it by themselves
    #[arg(long, overrides_with = "auto_continue")]
    no_auto_continue: bool,
    /// Add a success criterion and keep the others; may be repeated
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["criteria", "data", "data_file", "from_document"])]
    add_criterion: Vec<String>,
    /// Drop the success criterion with this text; may be repeated
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["criteria", "data", "data_file", "from_document"])]
    drop_criterion: Vec<String>,
    /// Empty this field: title, criteria, boundary, constraint, check, if-blocked, verification,
    /// category, progress-signal, failure-signal, completion-condition or owner; may be repeated
    #[arg(long, value_name = "FIELD")]
    clear: Vec<String>,
    /// What changed, in a few words [default: the names of the fields]
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// The draft for a proposed change [default: your session's own, else a new one]
    #[arg(long, value_name = "DRAFT")]
    draft: Option<String>,
    /// Take over what you edited in the goal's document, or in this copy of it (user only)
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    from_document: Option<Option<Utf8PathBuf>>,
    /// Open a discussion of a change about this topic
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// The topic to discuss; the same as `--topic`
    #[arg(value_name = "TOPIC", conflicts_with = "topic")]
    about: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    contract: ContractArgs,
}

/// The topic of a tweak for which none is given.
const TOPIC: &str = "a change of the contract";

pub fn tweak(args: &Tweak, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    let mut change = change(args)?;
    if !(args.add_criterion.is_empty() && args.drop_criterion.is_empty()) {
        let (add, drop) = (&args.add_criterion, &args.drop_criterion);
        let (revision, criteria) = ops::tweak::criteria(&call, add, drop)?;
        change.success_criteria = Some(criteria);
        call.expect = call.expect.or(revision);
    }
    let has_fields = !set_in(&change).is_empty();
    if topic(args).is_some() && (has_fields || args.from_document.is_some()) {
        let message = "a topic opens a discussion of a change, and the change itself was given too";
        return Err(Failure::usage(message, "leave out one of the two"));
    }
    if args.from_document.is_some() && has_fields {
        let message = "--from-document takes the fields from the document, and others were given";
        return Err(Failure::usage(message, "leave out one of the two"));
    }
    let summary = args.summary.as_deref();
    let outcome = match (&args.from_document, has_fields) {
        (Some(file), _) => from_document(call, file.as_deref(), summary)?,
        (None, true) => ops::tweak::tweak(&call, change, summary, args.draft.as_deref())?,
        (None, false) if args.draft.is_some() || summary.is_some() => {
            let message = match args.draft {
                Some(_) => "--draft says what a change is proposed for, and no field was given",
                None => "--summary says what changed, and no field was given",
            };
            let hint = "name the fields that change, such as `--objective TEXT`";
            return Err(Failure::usage(message, hint));
        }
        (None, false) if topic(args).is_none() && can_be_asked(&call, globals) => {
            let shown = ops::written::shown(&call)?;
            let text = edited(&shown.text, ".md")?;
            ops::written::taken_over(call, &shown, &text)?
        }
        (None, false) => return open_tweak_of(args, &call),
    };
    Reply::transacted(say::proposed(&outcome), outcome)
}

fn topic(args: &Tweak) -> Option<&str> {
    args.topic.as_deref().or(args.about.as_deref())
}

fn open_tweak_of(args: &Tweak, call: &Call) -> Result<Done, Failure> {
    let outcome = open_tweak(call, topic(args).unwrap_or(TOPIC))?;
    let id = say::draft(outcome.data.draft_id.as_deref());
    let goal = say::id(&outcome);
    let text = format!(
        "Opened the discussion of a change of goal {goal} (draft {id}).\nNext: tell the agent \
         what to change; its proposal waits for your `goal confirm`. `goal draft --cancel {id}` ends the discussion.\n"
    );
    Reply::transacted(text, outcome)
}

/// The fields that the options and the JSON object set.
fn change(args: &Tweak) -> Result<ContractChange, Failure> {
    let flag = |yes: bool, no: bool| (yes || no).then_some(yes);
    let objective = args.objective.as_deref().map(text_or_stdin).transpose()?;
    let mut change = args.contract.change(objective);
    change.sisyphus = flag(args.sisyphus, args.no_sisyphus);
    change.auto_continue = flag(args.auto_continue, args.no_auto_continue);
    if let Some(json) = args.json.contract()? {
        if !set_in(&change).is_empty() {
            let message = "fields are given both as options and as JSON";
            return Err(Failure::usage(message, "use one of the two"));
        }
        change = json;
    }
    if change.priority.is_some_and(f64::is_nan) {
        // JSON has no word for it, so it would be taken for a field that nobody gave.
        let message = "`priority` is not from 0 to 1";
        return Err(Failure::usage(
            message,
            "correct `priority` and run the command again",
        ));
    }
    let given = set_in(&change);
    for word in &args.clear {
        let name = field_name(word);
        if given.iter().any(|field| field.name == name) {
            let message = format!("`{word}` is both given and cleared");
            return Err(Failure::usage(message, "leave out one of the two"));
        }
        change = emptied(change, name).map_err(|error| match error {
            FieldError::Unknown(_) => {
                let message = format!("--clear: there is no field `{word}`");
                Failure::usage(message, "`goal tweak --help` lists what can be emptied")
            }
            error => Failure::usage(format!("--clear: {error}"), error.hint()),
        })?;
    }
    Ok(change)
}

/// The ledger's name of a field that is called as its option is; other words stay as they are.
fn field_name(word: &str) -> &str {
    let is_option = |field: &&Field| field.option.is_some_and(|(option, ..)| option == word);
    match FIELDS.iter().find(is_option) {
        Some(field) => field.name,
        None if word == "auto-continue" => "autoContinue",
        None => word,
    }
}

/// Delegate a part of the goal to an owner
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Creates a separate goal for that owner, and does not change the focus. When its auditor has \
approved it, this goal gets evidence under the key completed.ID; a task can wait for that key. \
`goal commitments` lists all delegated goals.

Example:
  goal delegate --to ben 'Write the migration guide' --boundary 'no code'")]
#[command(mut_arg("owner", |owner| owner.hide(true)))]
pub struct Delegate {
    /// The objective; `-` reads it from stdin
    #[arg(value_name = "OBJECTIVE")]
    objective: String,
    /// The owner of the new goal
    #[arg(long, value_name = "OWNER")]
    to: String,
    #[command(flatten)]
    contract: NewContract,
}

pub fn delegate(args: &Delegate, call: Call, _: &Globals) -> Result<Done, Failure> {
    let contract = args.contract.of(&args.objective)?;
    if contract.owner.is_some() {
        let message = "--to already names the owner, so --owner cannot be given too";
        return Err(Failure::usage(message, "leave --owner out"));
    }
    let outcome = ops::delegate::delegate(&call, &args.to, contract)?;
    let text = match outcome.data.applied {
        true => say::contracted("Delegated as", &outcome),
        false => say::proposed(&outcome),
    };
    Reply::transacted(text, outcome)
}

/// List the delegated goals: who owes what to whom
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  goal commitments --all")]
pub struct Commitments {
    /// Include ended goals
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    columns: ColumnsArg<Commitment>,
}

fn none_delegated(all: bool) -> &'static str {
    match all {
        true => "No goal was delegated. `goal delegate …` delegates a part of a goal.\n",
        false => "No delegated goals are open. `goal delegate …` delegates a part of a goal.\n",
    }
}

pub fn commitments(args: &Commitments, call: Call, _: &Globals) -> Result<Done, Failure> {
    let shown = args.columns.of()?;
    let owed = ops::delegate::commitments(&call, args.all)?;
    let text = match owed.commitments.is_empty() {
        true => none_delegated(args.all).to_owned(),
        false => tabled(&call, &shown, &owed.commitments),
    };
    Reply::read(text, owed)
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches};

    use super::*;

    fn parsed(line: &[&str]) -> Result<ContractChange, Failure> {
        let command = Tweak::augment_args(clap::Command::new("tweak").no_binary_name(true));
        let matches = command.try_get_matches_from(line).unwrap();
        change(&Tweak::from_arg_matches(&matches).unwrap())
    }

    #[test]
    fn options_say_what_changes_and_nothing_else() {
        assert_eq!(parsed(&[]).unwrap(), ContractChange::default());
        let change = parsed(&["--no-sisyphus", "--clear", "if-blocked", "--check", "a"]).unwrap();
        let expected = ContractChange {
            sisyphus: Some(false),
            if_blocked: Some(String::new()),
            checks: Some(vec!["a".into()]),
            ..ContractChange::default()
        };
        assert_eq!(change, expected);
        let last = parsed(&["--auto-continue", "--no-auto-continue"]).unwrap();
        assert_eq!(last.auto_continue, Some(false));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (line, message) in [
            (
                &["--title", "t", "--clear", "title"][..],
                "`title` is both given and cleared",
            ),
            (
                &["--clear", "objective"],
                "--clear: `objective` cannot be emptied",
            ),
            (
                &["--clear", "priority"],
                "--clear: `priority` cannot be emptied",
            ),
            (&["--priority", "nan"], "`priority` is not from 0 to 1"),
            (
                &["--clear", "colour"],
                "--clear: there is no field `colour`",
            ),
            (
                &["--objective", "a", "--data", "{}"],
                "fields are given both",
            ),
        ] {
            let failure = parsed(line).err();
            let failure = failure.filter(|failure| failure.message.starts_with(message));
            assert!(failure.is_some(), "{line:?}");
        }
    }

    #[test]
    fn every_field_that_can_be_emptied_has_its_options_name() {
        use crate::domain::goal::contract::FieldKind;
        let command = Tweak::augment_args(clap::Command::new("tweak"));
        let options = command
            .get_arguments()
            .filter_map(|option| option.get_long());
        let options: Vec<&str> = options.map(field_name).collect();
        for field in FIELDS {
            let text_or_list = matches!(field.kind, FieldKind::Text | FieldKind::List);
            assert!(
                !text_or_list || options.contains(&field.name),
                "{}",
                field.name
            );
        }
    }
}
