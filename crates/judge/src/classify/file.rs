//! A look at a file: ruling 9, last row.

use referee_model::outcome::Rule;
use referee_model::plan::{FileCheck, FileContent, FileExpectation};
use referee_model::record::{FileFacts, FileObservation, Found};
use referee_model::severity::Severity;

use super::draft::Draft;
use crate::wording::{count, first_line};

/// Judges a file check.
///
/// | found             | expected absent    | expected present                                        |
/// |-------------------|--------------------|---------------------------------------------------------|
/// | nothing           | SUCCESS            | VALIDATION_FAILURE                                      |
/// | a file            | VALIDATION_FAILURE | by its content, see [`compare`]                         |
/// | a folder          | VALIDATION_FAILURE | SUCCESS if nothing of a content is expected, else VALIDATION_FAILURE |
/// | a device or so    | VALIDATION_FAILURE | VALIDATION_FAILURE                                      |
/// | a way outside     | VALIDATION_FAILURE | VALIDATION_FAILURE                                      |
/// | cannot be told    | EXECUTION_ERROR    | EXECUTION_ERROR                                         |
pub(super) fn judge(check: &FileCheck, facts: &FileFacts) -> Draft {
    let path = &check.path;
    match (&facts.found, &check.expectation) {
        (Found::Unreadable { message }, _) => unreadable(format!("{path} could not be looked at: {message}")),
        (Found::Missing, FileExpectation::Absent) => as_expected(format!("{path} is absent")),
        (Found::Missing, FileExpectation::Present(_)) => differs(format!("{path} is missing")),
        (_, FileExpectation::Absent) => differs(format!("{path} is there, and must not be")),
        (Found::File(found), FileExpectation::Present(content)) => compare(check, content, found),
        (Found::Folder, FileExpectation::Present(content)) if *content == FileContent::default() => {
            as_expected(format!("{path} is there"))
        }
        (Found::Folder, FileExpectation::Present(_)) => differs(format!("{path} is a folder, and a file is expected")),
        (Found::Other, FileExpectation::Present(_)) => differs(format!("{path} is neither a file nor a folder")),
        (Found::Outside { target }, FileExpectation::Present(_)) => {
            differs(format!("{path} leads outside the workspace, to {target}, and was not opened"))
        }
    }
}

/// Holds a file against all that is expected of its content. A difference that is certain goes before an observation
/// that is missing, and that before success.
fn compare(check: &FileCheck, expected: &FileContent, found: &FileObservation) -> Draft {
    let mut differences = Vec::new();
    let mut unknown = Vec::new();
    if let Some(least) = expected.min_size.filter(|least| found.bytes < *least) {
        differences.push(format!("it has {}, and at least {least} are expected", count(found.bytes, "byte")));
    }
    if let Some(most) = expected.max_size.filter(|most| found.bytes > *most) {
        differences.push(format!("it has {}, and at most {most} are expected", count(found.bytes, "byte")));
    }
    if let Some(digest) = expected.sha256 {
        match found.sha256 {
            Some(found) if found == digest => {}
            Some(found) => differences.push(format!("its SHA-256 is {found}, and {digest} is expected")),
            None => unknown.push("its SHA-256 was not taken"),
        }
    }
    let texts = ("contain", &expected.contains, found.contains.as_deref());
    let patterns = ("match", &expected.matches, found.matches.as_deref());
    for (verb, wanted, observed) in [texts, patterns] {
        match observed {
            _ if wanted.is_empty() => {}
            Some(observed) if observed.len() == wanted.len() => {
                let absent = wanted.iter().zip(observed).filter(|(_, there)| !**there);
                differences.extend(absent.map(|(text, _)| format!("it does not {verb} `{}`", first_line(text, 120))));
            }
            _ => unknown.push("its content was not searched, as where a file is too large"),
        }
    }
    match (differences.is_empty(), unknown.is_empty()) {
        (false, _) => differs(format!("{} differs: {}", check.path, differences.join("; "))),
        (true, false) => unreadable(format!("{} could not be compared: {}", check.path, unknown.join("; "))),
        (true, true) => as_expected(format!("{} is as expected", check.path)),
    }
}

fn as_expected(reason: String) -> Draft {
    Draft::success(Rule::FileAsExpected, reason)
}

fn differs(reason: String) -> Draft {
    Draft::validation_failure(Rule::FileDiffers, reason, true, Severity::High)
        .because_of(["what makes the file did not run, or made something else", "the specification names another path"])
        .advise("Make the file as it is expected")
}

fn unreadable(reason: String) -> Draft {
    Draft::execution_error(Rule::FileUnreadable, reason)
        .because_of(["a permission is missing", "the file is too large to be searched"])
        .advise("Make the file readable for whoever runs the checks")
}
