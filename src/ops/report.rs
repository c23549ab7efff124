//! The report: what happened in a project and how it stands, from one reading of the ledger.

use std::collections::{HashMap, HashSet};
use std::fs::{File, Permissions};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::domain::attention::{attention, standing};
use crate::domain::goal::row::Row;
use crate::domain::id::{EventId, GoalId};
use crate::domain::objections::{CameBack, most_frequent_first};
use crate::domain::report::fold::Past;
use crate::domain::report::window::{Ahead, Selection, Since, Window};
use crate::domain::report::{Commit, Figures, GoalReport, LeftOut, MadeOf, Report, SCHEMA};
use crate::domain::time::{millis, rfc3339};
use crate::ledger::open::{self, OpenError};
use crate::ops::about::Version;
use crate::ops::attention::{counted, facts, unsynced};
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::render::report::GENERATOR;
use crate::render::text::one_line;
use crate::snapshot::Snapshot;
use crate::workspace::commits;
use crate::workspace::looked::LastLook;

/// The most commits that a report tells of.
const COMMITS: usize = 500;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportRequest {
    pub since: Since,
    /// Every goal, whatever the window, and however many there are.
    pub all: bool,
    /// Without words of people and agents.
    pub redact: bool,
}

/// Where the page was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReportWritten")]
pub struct Written {
    pub path: String,
    pub bytes: u64,
}

/// Makes the report, as of now; of one goal where the call names one.
///
/// # Errors
/// The project cannot be read, or no goal is meant.
pub fn report(call: &Call, asked: ReportRequest) -> Result<Report, Failure> {
    let environment = &call.workspace.environment;
    let now = environment.now_millis();
    let window = Window::of(asked.since, looked(call), now).map_err(ahead)?;
    let snapshot = call.read()?;
    let only = call.named(&snapshot)?.map(|goal| goal.id.clone());
    let mut rows = snapshot.rows(|_| true)?;
    let workers = Workers::of_all(call);
    let mut facts = facts(call, &snapshot, &rows, &workers)?;
    facts.unsynced = unsynced(call, &snapshot);
    let mut needs = attention(&rows, &snapshot.state, &facts);
    if let Some(only) = &only {
        rows.retain(|row| row.id == *only);
        needs.retain(|need| need.goal_id.as_ref() == Some(only));
    }
    let waiting: HashSet<&GoalId> = needs.iter().filter_map(|it| it.goal_id.as_ref()).collect();
    let all = asked.all || only.is_some();
    let selection = Selection::of(&rows, &window, all, |id| waiting.contains(id));
    let mut past = Past::new(&window, &selection.ids);
    snapshot.each_event(|raw, event| {
        if only.is_none() || event.goal_id == only {
            past.event(raw, &event);
        }
    })?;
    let by_id: HashMap<&GoalId, &Row> = rows.iter().map(|it| (&it.id, it)).collect();
    let stands = |id: &GoalId| by_id.get(id).map(|it| (it.status, it.audited));
    let owner = |id: &GoalId| by_id.get(id).and_then(|row| row.owner.clone());
    let (figures, owners) = past.read(stands, owner);
    let attester = ApprovalChecker::of(&call.workspace, &snapshot)?;
    let mut goals: Vec<GoalReport> = Vec::new();
    let mut objections: Vec<CameBack> = Vec::new();
    for id in &selection.ids {
        if let (Some(goal), Some(row)) = (snapshot.state.goals.get(id), by_id.get(id)) {
            let lease = workers.lease(id);
            let live = lease.map(|it| it.session.unwrap_or_default());
            let attested = attester.prove_completion(&snapshot, id, row.audited)?;
            let stands = (standing(row, &facts), row.audited, attested);
            let (report, came_back) = past.goal(goal, stands, live, workers.of_run(goal));
            goals.push(report);
            objections.extend(came_back);
        }
    }
    attester.keep();
    let open = rows.iter().filter(|it| it.status.is_open());
    let standings = counted(open.map(|row| standing(row, &facts)));
    let (commits, commit_count) = commits_of(call, &window, now);
    most_frequent_first(&mut objections);
    let mut report = Report {
        schema: SCHEMA,
        made_of: made_of(call, &snapshot, now)?,
        figures: Figures {
            goals: counted(rows.iter().map(|it| it.status)),
            commits: commit_count,
            ..figures
        },
        needs,
        standings,
        goals,
        objections,
        owners,
        left_out: LeftOut {
            commits: commit_count.saturating_sub(commits.len() as u64),
            ..selection.left_out
        },
        commits,
        window,
    };
    if asked.redact {
        report.redact();
    }
    Ok(report)
}

/// Nothing can have happened since a time that is still to come.
pub fn ahead(error: Ahead) -> Failure {
    Failure::usage(
        error.to_string(),
        "give a time that has passed, such as `8h`",
    )
}

/// When the user looked the last time.
pub fn looked(call: &Call) -> Option<i64> {
    let dirs = call.workspace.environment.dirs.as_ref()?;
    let looked = LastLook::read(&dirs.state, call.workspace.paths.known_as())?;
    millis(&looked.at)
}

/// Remembers that the user looked at this report.
///
/// # Errors
/// Somebody else than the user asks for it, or it cannot be written.
pub fn mark(call: &Call, report: &Report) -> Result<(), Failure> {
    let say = "only my own look counts as one; leave out --mark";
    call.refuse_all_but_the_user("report --mark", say)?;
    let Some(dirs) = &call.workspace.environment.dirs else {
        return Ok(());
    };
    let looked = LastLook {
        root: call.workspace.paths.known_as().to_owned(),
        at: report.made_of.at.clone(),
    };
    Ok(looked.write(&dirs.state)?)
}

fn made_of(call: &Call, snapshot: &Snapshot, now: i64) -> Result<MadeOf, Failure> {
    let state = &snapshot.state;
    let (unsettled, _) = snapshot.unsettled(snapshot.diagnostics.clone(), &state.settled)?;
    let root = &call.workspace.root.path;
    let mut tips: Vec<EventId> = state.heads.iter().map(|(_, id)| *id).collect();
    tips.sort();
    Ok(MadeOf {
        project: root.file_name().unwrap_or("project").to_owned(),
        at: rfc3339(now),
        program: Version::of_program().version.to_owned(),
        lines: snapshot.extent.lines,
        tips,
        head: call
            .workspace
            .git()
            .and_then(|git| commits::head(&git, root)),
        findings: unsettled.all(),
        redacted: false,
    })
}

fn commits_of(call: &Call, window: &Window, now: i64) -> (Vec<Commit>, u64) {
    let Some(git) = call.workspace.git() else {
        return (Vec::new(), 0);
    };
    let from = window.from.as_deref().and_then(millis);
    commits::between(&git, &call.workspace.root.path, (from, now), COMMITS)
}

/// Writes the page to a file, by rename, so that nobody reads half of it. Of a file that is no page
/// of ours it asks `may_replace`, with the refusal for whoever may not.
///
/// # Errors
/// Whoever asks may write nothing, the place belongs to the ledger, something else than a file stands
/// there, or the system refuses.
pub fn write(
    call: &Call,
    file: &str,
    page: &str,
    may_replace: impl FnOnce(Failure) -> Result<(), Failure>,
) -> Result<Written, Failure> {
    call.refuse_auditor()?;
    let path = call.workspace.environment.cwd.join(file);
    let refused = |problem: &str| {
        let message = format!("`{}` {problem}", one_line(file));
        Failure::usage(message, "name another file, or `-` for stdout")
    };
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refused("is no file"));
    };
    if path.is_dir() {
        return Err(refused("is a directory"));
    }
    let unwritable = |error: io::Error| refused(&format!("cannot be written: {error}"));
    let directory = directory.canonicalize_utf8().map_err(unwritable)?;
    let homes = [call.workspace.paths.home(), call.workspace.paths.own()];
    let is_inside = |home: &&Utf8Path| {
        let home = home.canonicalize_utf8();
        home.is_ok_and(|home| directory.starts_with(home))
    };
    if homes.iter().any(is_inside) {
        return Err(refused("is among the files of the ledger"));
    }
    let path = directory.join(name);
    match open::read(&path) {
        Ok(None) => {}
        Ok(Some(there)) if is_page(&there).map_err(unwritable)? => {}
        Ok(Some(_)) => may_replace(Failure::usage(
            format!(
                "`{}` is there and is no page of `goal report`",
                one_line(file)
            ),
            "name another file, or replace it with `--force`",
        ))?,
        Err(OpenError::WrongKind { found, .. }) => return Err(refused(&format!("is {found}"))),
        Err(OpenError::Io { source, .. }) => return Err(unwritable(source)),
    }
    let mut written = NamedTempFile::new_in(&directory).map_err(unwritable)?;
    written.write_all(page.as_bytes())?;
    written
        .as_file()
        .set_permissions(Permissions::from_mode(0o644))?;
    written.persist(&path).map_err(|error| error.error)?;
    Ok(Written {
        path: path.into_string(),
        bytes: page.len() as u64,
    })
}

/// Whether a file begins as a page of ours does.
fn is_page(file: &File) -> io::Result<bool> {
    /// So far from its beginning a page says who made it.
    const NEAR: u64 = 1024;
    let mut begin = Vec::new();
    file.take(NEAR).read_to_end(&mut begin)?;
    Ok(String::from_utf8_lossy(&begin).contains(&format!("content=\"{GENERATOR}\"")))
}
