//! What both forms come to before there is a plan: checks, and what is said of the task as a whole.

use referee_model::id::ActionId;
use referee_model::plan::{Action, Criteria, DebtPolicy, Evaluator, Guard, Phase, Role, StepOrder};
use referee_model::selection::Profile;
use referee_syntax::span::Span;
use referee_syntax::tree::Entry;

use crate::complaint::{Code, Finding};

/// A check, understood as far as it goes.
pub(crate) struct Check {
    pub(crate) id: ActionId,
    pub(crate) name: String,
    pub(crate) phase: Phase,
    pub(crate) place: Span,
    pub(crate) work_place: Span,
    pub(crate) needs: Vec<Need>,
    /// The deadline that it asks for, in milliseconds.
    pub(crate) timeout_ms: Option<u64>,
    /// The action, without its needs. None: it has errors.
    pub(crate) action: Option<Action>,
}

/// A check that must have passed before.
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) place: Span,
}

/// What makes a value known while the run goes on.
#[derive(Debug, Clone)]
pub(crate) struct Maker {
    pub(crate) id: ActionId,
    /// Its name, as the document has it.
    pub(crate) name: String,
    pub(crate) phase: Phase,
}

/// What is said of a task beside its checks, and mostly is not.
pub(crate) struct Extras {
    pub(crate) criteria: Criteria,
    pub(crate) red_phase: bool,
    pub(crate) flaky_fails: bool,
    pub(crate) debt: DebtPolicy,
    pub(crate) evaluator: Option<Evaluator>,
    pub(crate) step_order: StepOrder,
    pub(crate) parallel: bool,
    pub(crate) profile: Profile,
    pub(crate) guard: Guard,
}

impl Default for Extras {
    fn default() -> Self {
        Self {
            criteria: Criteria::default(),
            red_phase: false,
            flaky_fails: false,
            debt: DebtPolicy::default(),
            evaluator: None,
            step_order: StepOrder::Listed,
            parallel: false,
            profile: Profile::default(),
            guard: Guard::default(),
        }
    }
}

/// Complains about expected exit codes that a role has no use for: findings decide about a tool that checks, not its exit
/// code.
pub(crate) fn idle_exit_codes(role: Option<Role>, codes: Option<&Entry>) -> Option<Finding> {
    let role = role.filter(|role| matches!(role, Role::Lint | Role::Typecheck | Role::Format | Role::Compile))?;
    let message = format!(
        "`expectedExitCodes` does not count for the role `{}`: it says what success is for `other`, and which failures \
         of a `test` are expected",
        role.as_str()
    );
    let finding = Finding::warning(Code::IdleExitCodes, codes?.key_span, message);
    Some(finding.help("leave it out, or say by `policy` what of the findings blocks"))
}

/// Warns of `exitCodeOnly` where the declared role is not `test`: nothing else needs a summary of tests.
pub(crate) fn idle_exit_code_only(role: Option<Role>, key: Option<&Entry>) -> Option<Finding> {
    let role = role.filter(|role| *role != Role::Test)?;
    let message = format!(
        "`exitCodeOnly` does not count for the role `{}`: it says that a test run needs no summary",
        role.as_str()
    );
    Some(Finding::warning(Code::IdleExitCodeOnly, key?.key_span, message).help("leave it out"))
}
