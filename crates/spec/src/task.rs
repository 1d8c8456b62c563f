//! Common intermediate representation of both forms: checks, and settings of the whole task.

use referee_model::id::ActionId;
use referee_model::plan::{Action, Criteria, DebtPolicy, Evaluator, Guard, Phase, Role, StepOrder};
use referee_model::selection::Profile;
use referee_syntax::span::Span;
use referee_syntax::tree::Entry;

use crate::complaint::{Code, Finding};

/// A check, as far as it could be read.
pub(crate) struct Check {
    pub(crate) id: ActionId,
    pub(crate) name: String,
    pub(crate) phase: Phase,
    pub(crate) place: Span,
    pub(crate) work_place: Span,
    pub(crate) needs: Vec<Need>,
    /// Deadline in milliseconds. None: the default applies.
    pub(crate) timeout_ms: Option<u64>,
    /// The action, without its needs. None: it has errors.
    pub(crate) action: Option<Action>,
}

/// Another check that must pass first.
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) place: Span,
}

/// Source of a value that is known only during the run.
#[derive(Debug, Clone)]
pub(crate) struct Maker {
    pub(crate) id: ActionId,
    /// Name as in the document.
    pub(crate) name: String,
    pub(crate) phase: Phase,
}

/// Rarely used settings of a task beside its checks.
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

/// Complains about expected exit codes that have no effect for a role: for checking tools, findings decide, not
/// the exit code.
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

/// Warns about `exitCodeOnly` if the declared role is not `test`: only tests need a summary.
pub(crate) fn idle_exit_code_only(role: Option<Role>, key: Option<&Entry>) -> Option<Finding> {
    let role = role.filter(|role| *role != Role::Test)?;
    let message = format!(
        "`exitCodeOnly` does not count for the role `{}`: it says that a test run needs no summary",
        role.as_str()
    );
    Some(Finding::warning(Code::IdleExitCodeOnly, key?.key_span, message).help("leave it out"))
}
