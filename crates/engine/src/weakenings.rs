//! How a specification asks for less than at the baseline, as evidence.

use referee_model::run_context::protection::Weakening;

/// Takes secrets out of what was found: it goes into the evidence, and commands and variables may hold some. What it is
/// about is taken through the same redactor as names of checks are, so that a waiver still names it.
pub fn redacted(weakenings: Vec<Weakening>, redact: &dyn Fn(&str) -> String) -> Vec<Weakening> {
    let redacted = |weakening: Weakening| Weakening {
        subject: redact(&weakening.subject),
        before: redact(&weakening.before),
        after: redact(&weakening.after),
        ..weakening
    };
    weakenings.into_iter().map(redacted).collect()
}
