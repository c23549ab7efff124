//! The helper that this process keeps from one request to the next: a run and a session of a host make
//! many, and a new helper has to start, to connect and to log in for each. There is one, of the whole
//! process; whoever takes it has it alone, and a second one at the same time starts its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::StoreError;
use super::helper::{Access, Helper};

/// A helper without a turn.
#[derive(Debug)]
struct KeptHelper {
    access: Access,
    helper: Helper,
    /// It has answered `hello`.
    greeted: bool,
}

/// Its process ends with this one, whose end closes its stdin.
static KEPT: Mutex<Option<KeptHelper>> = Mutex::new(None);

fn kept() -> MutexGuard<'static, Option<KeptHelper>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Access {
    /// Starts a helper for the request that comes soon, if none is kept, and does not wait for it.
    pub fn prepare(&self) {
        let mut kept = kept();
        if kept.is_none()
            && let Ok(helper) = Helper::spawn(self)
        {
            *kept = Some(KeptHelper {
                access: self.clone(),
                helper,
                greeted: false,
            });
        }
    }

    /// Makes a request that may be made twice: of the helper that is kept, or where that has died or
    /// lost the store since, of a new one. Gives the helper too; whoever is done with it and has no turn
    /// any more [keeps](Access::keep) it.
    pub fn ask<T>(
        &self,
        mut request: impl FnMut(&mut Helper) -> Result<T, StoreError>,
    ) -> Result<(Helper, T), StoreError> {
        let of_this = kept().take().filter(|it| it.access == *self);
        if let Some(mut kept) = of_this {
            let greeted = match kept.greeted {
                true => Ok(()),
                false => kept.helper.greet(),
            };
            match greeted.and_then(|()| request(&mut kept.helper)) {
                Ok(answer) => return Ok((kept.helper, answer)),
                // What is new fails for the same reason, if it is one.
                Err(StoreError::Unreachable { .. } | StoreError::Failed { .. }) if kept.greeted => {
                }
                Err(error) => return Err(self.after(kept.helper, error)),
            }
        }
        let mut helper = Helper::start(self)?;
        match request(&mut helper) {
            Ok(answer) => Ok((helper, answer)),
            Err(error) => Err(self.after(helper, error)),
        }
    }

    /// Keeps a helper that has no turn for the next request.
    pub fn keep(&self, helper: Helper) {
        let access = self.clone();
        let kept_now = KeptHelper {
            access,
            helper,
            greeted: true,
        };
        // One that was kept meanwhile ends here.
        let _ended = kept().replace(kept_now);
    }

    /// After these refusals a helper goes on, and has no turn.
    fn after(&self, helper: Helper, error: StoreError) -> StoreError {
        if matches!(
            error,
            StoreError::Busy { .. } | StoreError::Held { .. } | StoreError::Fenced { .. }
        ) {
            self.keep(helper);
        }
        error
    }
}
