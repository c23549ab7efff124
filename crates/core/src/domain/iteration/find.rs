//! Which iteration a caller means.

use crate::domain::iteration::outcome::IterationOutcome;
use crate::domain::iteration::state::{Iterations, Open};
use crate::domain::rejection::Rejection;

impl Iterations {
    /// The open iteration with this id; without one, the only one that is open.
    ///
    /// # Errors
    /// There is none, it is over, or there are several.
    pub fn find(&self, id: Option<&str>) -> Result<&Open, Rejection> {
        let Some(id) = id else {
            return match &self.open[..] {
                [only] => Ok(only),
                [] => Err(Rejection::NoIteration { iteration: None }),
                several => Err(Rejection::AmbiguousIteration {
                    iterations: several.iter().map(|it| it.id.clone()).collect(),
                }),
            };
        };
        if let Some(open) = self.open.iter().find(|it| it.id == id) {
            return Ok(open);
        }
        match self.over(id) {
            Some(ended) => Err(Rejection::IterationState {
                iteration: id.to_owned(),
                how: match ended.outcome {
                    IterationOutcome::Success => "over, with success",
                    IterationOutcome::Blocked => "over, as blocked",
                    IterationOutcome::MaxIterations => "over, at its maximum",
                },
                hint: "start another with `goal iterate start`",
            }),
            None => Err(Rejection::NoIteration {
                iteration: Some(id.to_owned()),
            }),
        }
    }
}
