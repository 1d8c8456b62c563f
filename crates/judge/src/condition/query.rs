//! What a condition asks of an action.

use referee_model::plan::Action;
use referee_model::report::Ran;

use super::Evaluator;

/// An action that ran, whose fields are asked for.
#[derive(Clone, Copy)]
pub(super) struct Query<'e> {
    pub(super) evaluator: &'e Evaluator<'e>,
    pub(super) action: &'e Action,
    pub(super) ran: &'e Ran,
}
