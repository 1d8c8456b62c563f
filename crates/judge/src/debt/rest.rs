//! The one case for what an action shows beyond what is listed.

use referee_model::debt::DebtCase;
use referee_model::fingerprint::Fingerprint;
use referee_model::plan::Action;
use referee_syntax::count::count;

use super::cases::{Subject, Words};
use super::guidance;
use crate::fingerprint::{self, Identity};

/// Stands where a case of one finding has its code.
const TYPE: &str = "further-failures";

/// Makes the case of what lies beyond: cases that are too many, and failures that were counted and not kept. None: there
/// is nothing.
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
    // An estimate for hundreds of unlike failures would be a guess.
    "more than 16 hours".clone_into(&mut case.estimated_effort);
    Some(case)
}

/// Whether a case is the one for what lies beyond.
pub(super) fn is_rest(case: &DebtCase) -> bool {
    case.details.original_error.error_type == TYPE
}

/// The same however many there are.
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
