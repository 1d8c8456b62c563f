//! The input of a refused form, so that it need not be typed again.

use super::form::Form;
use super::harmless;
use super::mutation::Mutation;

/// The refused form. Empty if nothing was refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Option<(Mutation, Form)>);

impl Kept {
    /// Keeps a form. Fields that must not be shown again have been removed before.
    pub(super) fn new(operation: Mutation, form: Form) -> Self {
        Self(Some((operation, form)))
    }

    /// Returns the requested operation.
    pub(super) fn operation(&self) -> Option<Mutation> {
        self.0.as_ref().map(|(operation, _)| *operation)
    }

    fn form(&self) -> Option<&Form> {
        self.0.as_ref().map(|(_, form)| form)
    }

    /// Returns the value of a field that only one form has.
    pub(super) fn one(&self, name: &str) -> String {
        self.form().map(|form| harmless::text(form.one(name))).unwrap_or_default()
    }

    /// Returns the value of a field of this form, for names that several forms share.
    pub(super) fn of(&self, operation: &str, name: &str) -> String {
        if self.is_of(operation) { self.one(name) } else { String::new() }
    }

    /// Returns whether this form was refused.
    pub(super) fn is_of(&self, operation: &str) -> bool {
        self.operation().is_some_and(|kept| kept.name() == operation)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.form().is_some_and(|form| form.has(name))
    }

    /// Returns whether the box at this index was checked.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates hand down references")]
    pub(super) fn holds(&self, name: &str, place: &usize) -> bool {
        self.form().is_some_and(|form| form.all(name).any(|value| value == place.to_string()))
    }

    /// Returns the number that was typed, or the default.
    pub(super) fn number(&self, name: &str, usual: u64) -> String {
        let typed = self.form().and_then(|form| form.given(name)).map(harmless::text);
        typed.unwrap_or_else(|| usual.to_string())
    }
}
