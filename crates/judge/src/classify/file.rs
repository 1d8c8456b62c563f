//! Checks of files: rulings 5 and 9, last row.

use referee_model::outcome::Rule;
use referee_model::plan::{FileCheck, FileContent, FileExpectation};
use referee_model::record::{FileFacts, FileState, GlobFacts, Overrun};
use referee_model::severity::Severity;
use referee_syntax::count::{clauses, count};
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

use super::draft::{Deadline, Draft, Item};

mod content;

/// Judges the check of one file.
pub(super) fn judge(check: &FileCheck, facts: &FileFacts) -> Draft {
    let path = check.path.to_string();
    let draft = match look(&path, &check.expectation, &facts.found) {
        Looked::Fits(reason) => Draft::success(Rule::FileAsExpected, reason),
        Looked::Differs(reason) => differs(reason, path),
        Looked::SchemaUnusable(reason) => schema_unusable(reason),
        Looked::CannotTell(reason) => unreadable(reason),
        Looked::Overran(overrun) => given_up(&path, overrun),
    };
    draft.note(unspecified(check))
}

/// Judges the check of all files that match a pattern. A search that was aborted is inconclusive (ruling 9);
/// otherwise a definite difference takes precedence.
///
/// | found                                | expected absent      | expected present           |
/// |--------------------------------------|----------------------|----------------------------|
/// | not all before the deadline          | TIMEOUT              | TIMEOUT                    |
/// | the pattern could not be followed    | EXECUTION_ERROR      | EXECUTION_ERROR            |
/// | a file that is not as expected       | VALIDATION_FAILURE   | VALIDATION_FAILURE         |
/// | none                                 | SUCCESS              | SPECIFICATION_ERROR        |
/// | more than the limit                  | VALIDATION_FAILURE   | EXECUTION_ERROR            |
/// | all as expected                      | –                    | SUCCESS                    |
pub(super) fn judge_all(check: &FileCheck, facts: &GlobFacts) -> Draft {
    let pattern = &check.path;
    if let Some(overrun) = facts.overrun {
        return given_up(&pattern.to_string(), overrun).note(unspecified(check));
    }
    if let Some(failure) = &facts.failure {
        return unreadable(format!("what {pattern} names could not be found out: {}", first_line(failure, 300)));
    }
    let looked: Vec<(&str, Looked)> = facts
        .files
        .iter()
        .map(|file| (file.path.as_str(), look(&file.path, &check.expectation, &file.found)))
        .collect();
    let draft = match worst(&looked) {
        Some((path, Looked::Differs(_))) => all_differ(&looked, path.to_owned()),
        _ if facts.truncated => {
            unreadable(format!("{pattern} names more files than are looked at ({})", referee_model::limit::GLOB_FILES))
        }
        Some((_, Looked::SchemaUnusable(reason))) => schema_unusable(reason.clone()),
        Some((_, Looked::CannotTell(reason))) => unreadable(reason.clone()),
        Some((path, Looked::Overran(overrun))) => given_up(path, *overrun),
        Some((_, Looked::Fits(_))) => {
            let number = count(looked.len(), "file");
            Draft::success(Rule::FileAsExpected, format!("{number} named by {pattern}, all as expected"))
        }
        None if check.expectation == FileExpectation::Absent => {
            Draft::success(Rule::FileAsExpected, format!("{pattern} names no file"))
        }
        None => Draft::specification_error(Rule::GlobEmpty, format!("{pattern} names no file, so nothing was checked"))
            .because_of(["the pattern is misspelt", "what makes the files did not run"])
            .advise("Correct the pattern, or make sure that its files are there when they are looked at"),
    };
    draft.note(unspecified(check))
}

/// Result of the check of one file.
enum Looked {
    Fits(String),
    Differs(String),
    /// The expected schema is not a valid schema.
    SchemaUnusable(String),
    /// The result cannot be determined.
    CannotTell(String),
    /// A deadline was hit before the result could be determined.
    Overran(Overrun),
}

impl Looked {
    /// Returns the precedence among several files: a definite difference, then a wrong specification, then an
    /// undetermined result.
    fn rank(&self) -> u8 {
        match self {
            Self::Differs(_) => 0,
            Self::SchemaUnusable(_) => 1,
            Self::Overran(_) => 2,
            Self::CannotTell(_) => 3,
            Self::Fits(_) => 4,
        }
    }
}

fn worst<'a>(looked: &'a [(&'a str, Looked)]) -> Option<(&'a str, &'a Looked)> {
    looked.iter().min_by_key(|(_, looked)| looked.rank()).map(|(path, looked)| (*path, looked))
}

/// Checks one file.
///
/// | state             | expected absent    | expected present                                        |
/// |-------------------|--------------------|---------------------------------------------------------|
/// | nothing           | SUCCESS            | VALIDATION_FAILURE                                      |
/// | a file            | VALIDATION_FAILURE | by its content, see `content`                           |
/// | a directory          | VALIDATION_FAILURE | SUCCESS if nothing of a content is expected, else VALIDATION_FAILURE |
/// | a device or so    | VALIDATION_FAILURE | VALIDATION_FAILURE                                      |
/// | a path outside    | VALIDATION_FAILURE | VALIDATION_FAILURE                                      |
/// | undetermined      | EXECUTION_ERROR    | EXECUTION_ERROR                                         |
/// | given up          | TIMEOUT            | TIMEOUT                                                 |
fn look(path: &str, expectation: &FileExpectation, found: &FileState) -> Looked {
    match (found, expectation) {
        (FileState::Unreadable { message }, _) => {
            Looked::CannotTell(format!("{path} could not be looked at: {message}"))
        }
        (FileState::DeadlineExceeded(overrun), _) => Looked::Overran(*overrun),
        (FileState::Missing, FileExpectation::Absent) => Looked::Fits(format!("{path} is absent")),
        (FileState::Missing, FileExpectation::Present(_)) => Looked::Differs(format!("{path} is missing")),
        (_, FileExpectation::Absent) => Looked::Differs(format!("{path} is there, and must not be")),
        (FileState::File(found), FileExpectation::Present(content)) => content::compare(path, content, found),
        (FileState::Directory, FileExpectation::Present(content)) if *content == FileContent::default() => {
            Looked::Fits(format!("{path} is there"))
        }
        (FileState::Directory, FileExpectation::Present(_)) => {
            Looked::Differs(format!("{path} is a directory, and a file is expected"))
        }
        (FileState::Other, FileExpectation::Present(_)) => {
            Looked::Differs(format!("{path} is neither a file nor a directory"))
        }
        (FileState::Outside { target }, FileExpectation::Present(_)) => {
            Looked::Differs(format!("{path} leads outside the workspace, to {target}, and was not opened"))
        }
    }
}

/// Names the first files that differ.
fn all_differ(looked: &[(&str, Looked)], path: String) -> Draft {
    const NAMED: usize = 3;
    let reasons: Vec<&str> = looked
        .iter()
        .filter_map(|(_, looked)| match looked {
            Looked::Differs(reason) => Some(reason.as_str()),
            _ => None,
        })
        .collect();
    let named = clauses(&reasons, NAMED);
    let all = count(looked.len(), "file");
    let verb = if reasons.len() == 1 { "is" } else { "are" };
    differs(format!("{} of {all} {verb} not as expected: {named}", reasons.len()), path)
}

fn differs(reason: String, path: String) -> Draft {
    Draft::validation_failure(Rule::FileDiffers, reason, true, Severity::High)
        .because_of(["what makes the file did not run, or made something else", "the specification names another path"])
        .advise("Make the file as it is expected")
        .leaving(Item { file: Some(path), ..Item::default() })
}

fn schema_unusable(reason: String) -> Draft {
    Draft::specification_error(Rule::SchemaUnusable, reason).advise("Correct the schema that the specification names")
}

fn given_up(path: &str, overrun: Overrun) -> Draft {
    let deadline = Deadline::told(overrun.of_task);
    let reason = format!("the look at {path} was given up at {} of {}", deadline.whose(), exact(overrun.timeout_ms));
    Draft::timeout(deadline, reason)
        .because_of(["the file is large, or is on a slow disk", "the pattern names many files"])
        .advise("Look at less, or raise its timeout")
}

fn unreadable(reason: String) -> Draft {
    Draft::execution_error(Rule::FileUnreadable, reason)
        .because_of(["a permission is missing", "the file is too large to be searched"])
        .advise("Make the file readable for whoever runs the checks")
}

/// Returns the note of ruling 5: a content match without content checks existence only.
fn unspecified(check: &FileCheck) -> Option<String> {
    let FileExpectation::Present(content) = &check.expectation else { return None };
    content.unspecified.then(|| {
        "the specification asks for a match of content and gives none: that the file exists is all that was checked"
            .to_owned()
    })
}
