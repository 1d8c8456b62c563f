//! The single case for everything that an action shows beyond the listed cases.

use referee_model::debt::DebtCase;
use referee_model::fingerprint::Fingerprint;
use referee_model::plan::Action;
use referee_syntax::count::count;

use super::cases::{Subject, Words};
use super::guidance;
use crate::fingerprint::{self, Identity};

/// Replaces the code that a case of one finding has.
const TYPE: &str = "further-failures";

/// Creates the case for the rest: cases over the limit, and failures that were counted but not kept. None:
/// there is no rest.
pub(super) fn case(subject: &Subject<'_>, beyond: &[DebtCase], unlisted: u64) -> Option<DebtCase> {
    let cut = beyond.iter().fold(0_u64, |sum, case| sum.saturating_add(case.occurrences));
    let number = cut.saturating_add(unlisted);
    if number == 0 {
        return None;
    }
    let listed = beyond.iter().map(|case| case.severity).max();
    let unknown = (unlisted > 0).then_some(subject.item.severity);
    let files: Vec<String> = guidance::distinct(beyond.iter().flat_map(|case| case.guidance.files.iter().cloned()));
    let said = format!(
        "{} of `{}` beyond those that are listed one by one",
        count(number, "further failure"),
        subject.action.name
    );
    let words = Words {
        title: format!("{}: {}", subject.action.name, count(number, "further failure")),
        description: format!("There {} {said}. Its log holds them all.", if number == 1 { "is" } else { "are" }),
        error_type: TYPE.to_owned(),
        message: said,
        files,
        steps: vec!["Read the log for what is not listed one by one".to_owned()],
        acceptance: vec![guidance::no_more(subject)],
        ..Words::default()
    };
    let mut case = subject.case(fingerprint(subject.action, subject), number, words);
    case.severity = listed.max(unknown).unwrap_or(subject.item.severity);
    // An estimate for hundreds of different failures would be a guess.
    "more than 16 hours".clone_into(&mut case.estimated_effort);
    Some(case)
}

/// Returns whether a case is the one for the rest.
pub(super) fn is_rest(case: &DebtCase) -> bool {
    case.details.original_error.error_type == TYPE
}

/// Returns the fingerprint, which does not depend on the number of failures.
fn fingerprint(action: &Action, subject: &Subject<'_>) -> Fingerprint {
    fingerprint::of(&Identity {
        outcome: subject.ran.judgement.outcome,
        action: &action.name,
        tool: subject.ran.judgement.tool.as_deref(),
        code: Some(TYPE),
        message: "",
        file: None,
    })
}
