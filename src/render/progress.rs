//! How a goal's progress reads: for people, in its document and in prompts.

use crate::domain::progress::advice::Advice;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::AgendaStep;
use crate::render::text::{one_line, short};
use crate::render::view::ProgressView;

/// A line for each step, numbered from 1 as `goal progress agenda done` takes them.
pub fn agenda(steps: &[AgendaStep]) -> Vec<String> {
    let lines = steps.iter().zip(1..).map(|(step, number)| {
        let mark = if step.done { "[x]" } else { "[ ]" };
        let target = step.target.as_deref();
        let target = target.map_or_else(String::new, |it| format!(" {}", one_line(it)));
        let (skill, purpose) = (one_line(&step.skill), one_line(&step.purpose));
        format!("{number}. {mark} {skill}{target}: {purpose}")
    });
    lines.collect()
}

/// Scores in their order.
pub fn scores(scores: &[Score]) -> String {
    let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
    scores.join(", ")
}

/// Scores from 0 to 1 as bars.
pub(super) fn bars(scores: &[Score]) -> String {
    let bar = |score: &Score| match f64::from(*score) {
        ..0.125 => '▁',
        0.125..0.25 => '▂',
        0.25..0.375 => '▃',
        0.375..0.5 => '▄',
        0.5..0.625 => '▅',
        0.625..0.75 => '▆',
        0.75..0.875 => '▇',
        _ => '█',
    };
    scores.iter().map(bar).collect()
}

/// What the advice means, in a sentence; nothing where there is none.
pub fn advised(advice: Advice) -> Option<&'static str> {
    match advice {
        Advice::Nothing => None,
        Advice::SuggestCompletion => Some(
            "It looks complete: look once more, then request completion with `goal complete`; \
             only the auditor's approval completes it.",
        ),
        Advice::SuggestEscalation => Some(
            "It makes no progress this way: ask for a new plan with `goal progress escalate \
             --reason …`.",
        ),
        Advice::Upgrade => Some(
            "Its escalations are spent, and it gets on: the next evaluation or escalation makes \
             it one tier harder.",
        ),
        Advice::Runway => Some(
            "Its escalations are spent, and it is nearly there: the next evaluation or escalation \
             grants one more.",
        ),
        Advice::SuggestAbandonment => Some(
            "Its escalations brought nothing: the user decides whether to give it up with `goal \
             abort --as abandoned --reason …`.",
        ),
    }
}

/// The facts about progress, a line each.
pub fn facts(progress: &ProgressView) -> Vec<String> {
    let mut lines = Vec::new();
    if !progress.scores.is_empty() {
        lines.push(format!("Scores: {}", scores(&progress.scores)));
    }
    let tried = &progress.escalations;
    if tried.productive + tried.unproductive + tried.waiting > 0 {
        let mut line = format!(
            "Escalations: {} productive, {} of {} unproductive",
            tried.productive, tried.unproductive, tried.allowed
        );
        if tried.waiting > 0 {
            line.push_str(&format!(", {} not evaluated yet", tried.waiting));
        }
        lines.push(line);
    }
    if let Some(escalation) = &progress.latest_escalation {
        lines.push(format!(
            "Latest escalation: {}",
            short(&escalation.reason, 200)
        ));
    }
    if let Some(advice) = advised(progress.advice) {
        lines.push(advice.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_numbered_and_marked_and_stay_on_their_lines() {
        let step = |skill: &str, target: Option<&str>, done| AgendaStep {
            skill: skill.into(),
            target: target.map(str::to_owned),
            purpose: "see\n2. [x] forged".into(),
            done,
        };
        let lines = agenda(&[
            step("read", Some("src/a.rs"), true),
            step("test", None, false),
        ]);
        assert_eq!(
            lines,
            [
                "1. [x] read src/a.rs: see 2. [x] forged",
                "2. [ ] test: see 2. [x] forged"
            ]
        );
    }
}
