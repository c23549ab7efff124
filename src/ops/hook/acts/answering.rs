//! The user's answer to a question of the agent, typed in their host.

use super::told::{Told, asked, done};
use super::words::{first_word, is_like_an_id};
use super::{Typed, User};
use crate::ops::failure::Failure;
use crate::ops::questions::{GivenAnswer, answer, questions, suggested};
use crate::render::text::one_line;

impl User<'_> {
    /// Answers a question of the agent: the one that is named, else the only one that is open.
    pub(super) fn answer(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let open = questions(&self.here)?.questions;
        let (first, behind) = first_word(typed.rest);
        let named = open.iter().find(|it| it.question_id == first);
        let (id, given) = match named {
            Some(_) => (Some(first), behind),
            None => (None, typed.rest),
        };
        let unclear = |message: &str| {
            let listed: String = open.iter().map(|it| asked(it, typed)).collect();
            let mut failure = typed.usage(message, "QUESTION ANSWER");
            failure.hint += &format!("\n{listed}");
            Err(failure)
        };
        if named.is_none() && is_like_an_id(first) {
            return unclear(&format!("no open question has the id {first}"));
        }
        if given.is_empty() {
            return unclear("no answer is given");
        }
        if id.is_none() && open.len() > 1 {
            return unclear("several questions are open, so name the one that you answer");
        }
        let number = given.strip_prefix("--pick ");
        let number = number.and_then(|it| it.trim().parse::<usize>().ok());
        let how = number.map_or(GivenAnswer::Text(given), GivenAnswer::Pick);
        let answered = answer(&self.here, id, how)?;
        let question = named.or(open.first());
        let picked = question.zip(number).and_then(|(it, number)| {
            let suggested = suggested(it.kind, &it.suggestions);
            suggested.get(number - 1).copied()
        });
        let given = picked.unwrap_or(given);
        let question = question.map_or_else(String::new, |it| one_line(&it.question));
        Ok(Told {
            user: format!(
                "{}The question was: {question}\nYour answer: {}\n",
                done("Answered for", &answered),
                one_line(given)
            ),
            model: "Go on with the goal by this answer, where it is active.\n".to_owned(),
        })
    }
}
