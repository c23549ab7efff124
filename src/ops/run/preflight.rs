//! Before the first turn is paid for: what can be known of what a run needs, with what to type. All that is
//! missing is named at once.

use super::RunRequest;
use super::git::Git;
use super::terms::Terms;
use super::tree;
use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::run::state::{Choices, RunUntil};
use crate::ops::asking::{ready, usable};
use crate::ops::call::Call;
use crate::ops::check;
use crate::ops::failure::Failure;
use crate::process::shell;
use crate::render::text::one_line;
use crate::roles::agent;
use crate::roles::command::{CommandOptions, Configured, may_run};
use crate::workspace::actor::Because;
use crate::workspace::config::{
    CommandInForce, CommandSource, Config, Role, Runner as Settings, Source, resolve,
};
use crate::workspace::presets::Preset;

/// Roles that a run asks where they are configured.
const ASKED_IF_THERE: [Role; 2] = [Role::Evaluator, Role::Summarizer];

/// Who works, and how.
pub(super) struct Ready {
    pub agent: CommandInForce,
    /// Who works while the agent's host is at a limit.
    pub fallback: Option<CommandInForce>,
    pub settings: Settings,
    pub terms: Terms,
}

/// What a run of the goal begins with; without a goal, a run of any.
///
/// # Errors
/// `human_owned`, where the caller is not the user. What is missing: one failure, or `not_ready` with all of
/// them.
pub(super) fn preflight(
    call: &Call,
    asked: &RunRequest,
    goal: Option<&Goal>,
) -> Result<Ready, Failure> {
    only_the_user(call)?;
    let config = resolve(&call.workspace.config_files()?);
    if !config.keys.runner.enabled.value {
        return Err(Failure::new(
            "runner_disabled",
            "the configuration says that nothing is run here (`runner.enabled`)",
            "set `enabled = true` in `[runner]` (user only); `goal config` shows where it was said",
        ));
    }
    let mut missing = Vec::new();
    let mut agent = None;
    match chosen_agent(call, asked) {
        Ok(chosen) => agent = Some(chosen),
        Err(why) => missing.push(why),
    }
    let mut fallback = None;
    match chosen_fallback(call, &config.keys.runner, agent.as_ref()) {
        Ok(chosen) => fallback = chosen,
        Err(why) => missing.push(why),
    }
    let mut terms = None;
    match Terms::of(call, asked, &config.keys.runner) {
        Ok(read) => terms = Some(read),
        Err(why) => missing.push(why),
    }
    missing.extend(of_any(call, asked, &config));
    if let Some(goal) = goal {
        let choices = asked.choices(goal);
        missing.extend(untrusted(call, &config.keys.runner, choices.worktree));
        // What another tree of the goal's own has is looked at there.
        if !choices.worktree || tree::is_on_goal_branch(call, &goal.id) {
            missing.extend(of_goal(call, goal, choices, terms.as_ref())?);
        }
    }
    match (agent, terms, missing.is_empty()) {
        (Some(agent), Some(terms), true) => Ok(Ready {
            agent,
            fallback,
            settings: config.keys.runner,
            terms,
        }),
        _ => Err(together(missing)),
    }
}

/// Why what the configuration wants done around a run may not be done; nothing where it may, or nothing is to
/// be done. Only a work tree of the goal's own is set up.
pub(super) fn untrusted(call: &Call, settings: &Settings, in_own_tree: bool) -> Option<Failure> {
    let setup = settings
        .setup
        .as_ref()
        .map(|it| (CommandSource::Setup, it.source));
    let copies = !settings.copy.value.0.is_empty();
    let copy = copies.then_some((CommandSource::Copy, settings.copy.source));
    let for_tree = setup.into_iter().chain(copy).filter(|_| in_own_tree);
    let after = settings
        .after
        .as_ref()
        .map(|it| (CommandSource::After, it.source));
    for_tree.chain(after).find_map(|(table, source)| {
        let configured = Configured {
            table: table.to_string(),
            source,
        };
        // What is built in is nobody's to trust.
        if source == Source::Default {
            return None;
        }
        let loaded = call.workspace.config_files();
        let allowed = loaded.map_err(Failure::from).and_then(|loaded| {
            may_run(&call.workspace, call.caller.actor, &loaded, &configured)
                .map_err(|why| Failure::untrusted(format!("`{table}` may not be used: {why}")))
        });
        allowed.err()
    })
}

/// Takes the call for the user's where only the lack of a terminal speaks against it, and a person typed the
/// command into a shell of theirs: `nohup goal run &`.
pub fn believe_shell(call: &mut Call) {
    let because = call.workspace.environment.agent_because();
    if because == Some(Because::NoScreen) && shell::is_typed() {
        call.caller.actor = Actor::User;
    }
}

/// Refuses everybody but the user.
pub(super) fn only_the_user(call: &Call) -> Result<(), Failure> {
    call.refuse_auditor()?;
    let say = "run `goal run` if I am to work on it without you";
    Ok(call.refuse_all_but_the_user(Command::RUN, say)?)
}

/// What a run here would lack, whatever its goal; nothing where no agent is configured, since nothing is run
/// then.
///
/// # Errors
/// The configuration cannot be read.
pub fn would_lack(call: &Call) -> Result<Vec<Failure>, Failure> {
    let config = resolve(&call.workspace.config_files()?);
    if !config.has(Role::Agent) || !config.keys.runner.enabled.value {
        return Ok(Vec::new());
    }
    let asked = RunRequest::default();
    let agent = chosen_agent(call, &asked).err();
    let missing = agent.into_iter().chain(of_any(call, &asked, &config));
    Ok(missing.collect())
}

/// The agent that would work.
fn chosen_agent(call: &Call, asked: &RunRequest) -> Result<CommandInForce, Failure> {
    let chosen = ready(call.choose(Role::Agent, &asked.agent)?, || {
        Failure::new(
            "no_agent",
            "no agent is configured",
            "run `goal config set runner.agent.preset NAME` (pi, claude, codex or gemini), or \
             pass `--agent` or `--agent-command`",
        )
    })?;
    agent::is_there(&chosen, &call.workspace.root.path).map_err(|error| {
        let hint = "name another with `--agent` or `--agent-command`, or correct `[runner.agent]` \
                    in the configuration";
        Failure::new("no_agent", error.to_string(), hint)
    })?;
    Ok(chosen)
}

/// Who would work while the agent's host is at a limit, where somebody would.
fn chosen_fallback(
    call: &Call,
    settings: &Settings,
    agent: Option<&CommandInForce>,
) -> Result<Option<CommandInForce>, Failure> {
    let Some(named) = &settings.fallback else {
        return Ok(None);
    };
    let hint = "name a preset that is installed in `fallback` of `[runner]`, or take it out";
    if Preset::named(&named.value).is_none() {
        let message = format!("`fallback` names no preset: {}", one_line(&named.value));
        return Err(Failure::new("no_agent", message, hint));
    }
    if agent.and_then(|agent| agent.preset) == Preset::named(&named.value) {
        let message = format!("the fallback is the agent itself: {}", named.value);
        return Err(Failure::new("no_agent", message, hint));
    }
    let options = CommandOptions {
        command: Some(named.value.clone()),
        timeout: None,
    };
    let none = || Failure::new("no_agent", "no fallback is configured", hint);
    let chosen = ready(call.choose(Role::Agent, &options)?, none)?;
    agent::is_there(&chosen, &call.workspace.root.path)
        .map_err(|error| Failure::new("no_agent", format!("the fallback: {error}"), hint))?;
    Ok(Some(chosen))
}

/// What a run of any goal would lack beside its agent.
fn of_any(call: &Call, asked: &RunRequest, config: &Config) -> Vec<Failure> {
    let mut missing = Vec::new();
    if asked.until != Some(RunUntil::Checkpoint) {
        missing.extend(auditor(call).err());
    }
    let roles = ASKED_IF_THERE.into_iter().filter(|role| config.has(*role));
    missing.extend(roles.filter_map(|role| unusable(call, role)));
    missing
}

fn auditor(call: &Call) -> Result<(), Failure> {
    let chosen = call.choose(Role::Auditor, &CommandOptions::default())?;
    let auditor = ready(chosen, || Rejection::NoAuditor.into())?;
    agent::is_there(&auditor, &call.workspace.root.path).map_err(|error| {
        let hint = "correct `[auditor]` in the configuration; `goal auditor test` tries it";
        Failure::new("no_auditor", format!("the auditor: {error}"), hint)
    })
}

/// Why a role that is configured cannot be asked, if it cannot.
fn unusable(call: &Call, role: Role) -> Option<Failure> {
    match call.choose(role, &CommandOptions::default()) {
        Ok(chosen) => chosen.map(usable)?.err(),
        Err(refused) => Some(refused.into()),
    }
}

/// What a run of this goal would lack.
fn of_goal(
    call: &Call,
    goal: &Goal,
    choices: Choices,
    terms: Option<&Terms>,
) -> Result<Vec<Failure>, Failure> {
    let mut missing = Vec::new();
    if choices.plan && !goal.tasks.are_defined() && goal.runs.open.is_none() {
        missing.extend(planner(call)?);
    }
    let checks = &goal.contract.checks;
    let another = "or name another with `goal tweak --check`";
    missing.extend(check::unfit(call, checks, another)?);
    let mut rules = terms
        .map(|terms| terms.rules(goal, None))
        .unwrap_or_default();
    rules.retain(|rule| !checks.contains(rule));
    let another =
        "or name another with `--rule`; `rules` in `[runner]` and an agent's file name some, too";
    missing.extend(check::unfit(call, &rules, another)?);
    if choices.commit {
        missing.extend(nameless(call));
    }
    Ok(missing)
}

/// Whether there is a planner to be asked.
pub(super) fn has_planner(call: &Call) -> Result<bool, Failure> {
    Ok(resolve(&call.workspace.config_files()?).has(Role::Planner))
}

fn planner(call: &Call) -> Result<Option<Failure>, Failure> {
    if !has_planner(call)? {
        let hint = "set `[planner]` in the configuration, or pass --no-plan";
        let none = Failure::new("no_planner", "no planner is configured", hint);
        return Ok(Some(none));
    }
    Ok(unusable(call, Role::Planner))
}

/// That git does not know who commits. Where git cannot be asked, others say so.
fn nameless(call: &Call) -> Option<Failure> {
    let git = Git::of(call, &|| false)?;
    let asked = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].map(|it| git.run(&["var", it]));
    let why = asked.into_iter().find_map(Result::err)?;
    Some(Failure::new(
        "no_identity",
        format!("turns cannot be committed: git does not know who commits ({why})"),
        "set `git config user.name` and `git config user.email`, or pass --no-commit",
    ))
}

/// One failure of all that is missing.
fn together(mut missing: Vec<Failure>) -> Failure {
    if missing.len() == 1 {
        return missing.swap_remove(0);
    }
    let each = missing.iter().zip(1..);
    let listed = each.map(|(it, number)| format!("\n{number}. {}\n   {}", it.message, it.hint));
    let message = format!("the run lacks:{}", listed.collect::<String>());
    Failure::new(
        "not_ready",
        message,
        "then type the command again; nothing was begun",
    )
}
