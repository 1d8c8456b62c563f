//! Collects the weakenings of a comparison.

use referee_model::limit;
use referee_model::run_context::protection::Weakening;
use referee_model::run_context::weakening::WeakeningKind;
use referee_syntax::cut::characters;

/// Weakenings so far.
#[derive(Debug, Default)]
pub(super) struct Weaker(Vec<Weakening>);

impl Weaker {
    pub(super) fn add(
        &mut self,
        kind: WeakeningKind,
        subject: impl AsRef<str>,
        before: impl AsRef<str>,
        after: impl AsRef<str>,
    ) {
        let weakening = Weakening {
            kind,
            subject: characters(subject.as_ref(), limit::PROTECTION_TEXT_CHARACTERS),
            before: characters(before.as_ref(), limit::PROTECTION_TEXT_CHARACTERS),
            after: characters(after.as_ref(), limit::PROTECTION_TEXT_CHARACTERS),
            blocks: kind.blocks(),
        };
        if !self.0.contains(&weakening) {
            self.0.push(weakening);
        }
    }

    /// Adds a weakening for each of these values that is no longer there.
    pub(super) fn gone<T: PartialEq>(
        &mut self,
        kind: WeakeningKind,
        subject: &str,
        (before, after): (&[T], &[T]),
        shown: impl Fn(&T) -> String,
    ) {
        for old in before.iter().filter(|old| !after.contains(old)) {
            self.add(kind, subject, shown(old), "not there");
        }
    }

    /// Adds a weakening for each of these values that was not there before.
    pub(super) fn added<T: PartialEq>(
        &mut self,
        kind: WeakeningKind,
        subject: &str,
        (before, after): (&[T], &[T]),
        shown: impl Fn(&T) -> String,
    ) {
        for new in after.iter().filter(|new| !before.contains(new)) {
            self.add(kind, subject, "not there", shown(new));
        }
    }

    /// Returns all weakenings, in the order in which they were found.
    pub(super) fn done(self) -> Vec<Weakening> {
        self.0
    }
}
