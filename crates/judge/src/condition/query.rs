//! A condition's query of an action.

use referee_model::plan::Action;
use referee_model::report::Ran;

use super::Evaluator;

/// An action that ran, whose fields are queried.
#[derive(Clone, Copy)]
pub(super) struct Query<'e> {
    pub(super) evaluator: &'e Evaluator<'e>,
    pub(super) action: &'e Action,
    pub(super) ran: &'e Ran,
}
