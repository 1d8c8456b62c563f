//! What both forms come to before there is a plan: checks, and what is said of the task as a whole.

use referee_model::id::ActionId;
use referee_model::plan::{Action, Criteria, DebtPolicy, Phase, StepOrder};
use referee_model::selection::Profile;

use crate::source::Span;

/// A check, understood as far as it goes.
pub(crate) struct Check {
    pub(crate) id: ActionId,
    pub(crate) name: String,
    pub(crate) phase: Phase,
    /// Where its name stands.
    pub(crate) place: Span,
    /// Where its command stands.
    pub(crate) work_place: Span,
    pub(crate) needs: Vec<Need>,
    /// The deadline that it asks for, in milliseconds.
    pub(crate) deadline_ms: Option<u64>,
    /// The action, without its needs. None: it has errors.
    pub(crate) action: Option<Action>,
}

/// A check that must have passed before.
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) place: Span,
}

/// What is said of a task beside its checks, and mostly is not.
pub(crate) struct Extras {
    pub(crate) criteria: Criteria,
    pub(crate) red_phase: bool,
    pub(crate) flaky_fails: bool,
    pub(crate) debt: DebtPolicy,
    pub(crate) step_order: StepOrder,
    pub(crate) parallel: bool,
    pub(crate) profile: Profile,
}

impl Default for Extras {
    fn default() -> Self {
        Self {
            criteria: Criteria::default(),
            red_phase: false,
            flaky_fails: false,
            debt: DebtPolicy::default(),
            step_order: StepOrder::Listed,
            parallel: false,
            profile: Profile::default(),
        }
    }
}
