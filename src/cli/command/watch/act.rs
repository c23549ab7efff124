//! What Enter does: away from the screen, the dialog of the inbox about the chosen row.

use dialoguer::console::Term;

use crate::cli::command::inbox::picker::{choose, settle};
use crate::cli::globals::Globals;
use crate::cli::print;
use crate::domain::actor::Actor;
use crate::domain::attention::{Choice, Standing, safe};
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::watch::Reading;
use crate::render::columns::fit;
use crate::render::watch::{RowId, Screen};

/// The dialog about the row that is chosen on the screen.
///
/// # Errors
/// The terminal cannot be read.
pub fn about_chosen(
    call: &Call,
    globals: &Globals,
    reading: &Reading,
    screen: &Screen,
) -> Result<(), Failure> {
    let Some(row) = screen.chosen() else {
        return Ok(());
    };
    if call.caller.actor != Actor::User {
        print::complain(
            "Only you, the user, answer and settle, and GOAL_ACTOR says somebody else.",
        );
        return wait();
    }
    let needs = reading.scene.needs.iter();
    let need = needs.clone().find(|need| RowId::of_need(need) == row.id);
    let chose = match (need, &row.goal) {
        (Some(need), _) => settle(need, reading.scene.now, globals)?,
        (None, Some(goal)) => {
            let stands = reading.scene.goals.iter().find(|it| it.goal_id == *goal);
            let stands = stands.map_or(Standing::Ended, |it| it.standing);
            print::complain(&format!("\n{}  {stands}", fit(&row.title, 60)));
            choose(&choices(goal, stands), globals)?
        }
        (None, None) => return Ok(()),
    };
    if chose { wait() } else { Ok(()) }
}

/// What can be done about a goal that waits for nothing.
fn choices(goal: &GoalId, stands: Standing) -> Vec<Choice> {
    let Some(id) = safe(goal.as_str()) else {
        return Vec::new();
    };
    let of = |label: &str, command: String| Choice {
        label: label.to_owned(),
        command,
    };
    let mut choices = vec![of("show everything", format!("goal show {id}"))];
    choices.push(match stands {
        Standing::Resting => of("resume", format!("goal resume --goal {id}")),
        _ => of("pause", format!("goal pause --goal {id} --reason TEXT")),
    });
    choices.push(of("its audits", format!("goal audits --goal {id}")));
    choices.push(of(
        "its latest events",
        format!("goal log --goal {id} --limit 20"),
    ));
    choices
}

/// Lets what was printed be read.
fn wait() -> Result<(), Failure> {
    print::complain("\nEnter goes back to the screen.");
    match Term::stderr().read_line() {
        Ok(_) => Ok(()),
        // Ctrl-C goes back too.
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(error.into()),
    }
}
