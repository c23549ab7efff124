//! Progress: evaluations, escalations, agendas; the rules that judge scores, each a table with its
//! tests. What progress comes to is advice: nothing here ends or completes a goal.

pub mod advice;
pub mod command;
pub mod escalation;
pub mod given;
pub mod history;
pub mod question;
pub mod state;
#[cfg(test)]
mod testing;
pub mod tick;
