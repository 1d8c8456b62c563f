//! Weakenings of a specification since the baseline, as evidence.

use referee_model::run_context::protection::Weakening;

/// Redacts weakenings for the evidence: commands and variables may contain secrets. Subjects pass through the
/// same redactor as the names of checks, so that a waiver still matches them.
pub fn redacted(weakenings: Vec<Weakening>, redact: &dyn Fn(&str) -> String) -> Vec<Weakening> {
    let redacted = |weakening: Weakening| Weakening {
        subject: redact(&weakening.subject),
        before: redact(&weakening.before),
        after: redact(&weakening.after),
        ..weakening
    };
    weakenings.into_iter().map(redacted).collect()
}
