//! Tests that a change leaves with fewer assertions, or empty, detected by syntax (design, "Suppressions that a
//! change adds").

use referee_exec::Host;
use referee_judge::suppressions::{Before, Compared, SuppressionReport, readable};
use referee_model::mutant::{Hollow, HollowedTest, Language};
use referee_model::plan::guard::Answer;
use referee_model::run_context::protection::Suppression;
use referee_model::run_context::suppression::SuppressionKind;
use referee_model::test_file::is_of_tests;
use referee_syntax::count::count;

use crate::mutator::Mutator;

/// Maximum number of files compared: each is parsed twice, in a process of its own.
const FILES_MAX: usize = 200;

/// The note if the comparison was not possible.
const UNSEARCHED: &str = "tests that assert less than before were not looked for";

/// A test file before and after the change.
struct Edited<'a> {
    path: &'a str,
    language: Language,
    before: String,
    now: String,
}

/// Finds the tests that assert less than at the baseline. Files that cannot be parsed are noted.
pub(super) fn find(compared: &Compared<'_>, host: &Host) -> SuppressionReport {
    let mut report = SuppressionReport::default();
    if compared.answer == Answer::Ignore {
        return report;
    }
    let mut edited = compared.paths.iter().filter_map(|path| edited(compared, path));
    let asked: Vec<Edited<'_>> = edited.by_ref().take(FILES_MAX).collect();
    if asked.is_empty() {
        return report;
    }
    let mutator = match Mutator::beside(host) {
        Ok(mutator) => mutator,
        Err(reason) => {
            report.notes.push(format!("{UNSEARCHED}: {reason}"));
            return report;
        }
    };
    for file in asked {
        match mutator.hollowed(file.language, &file.before, &file.now) {
            Ok(tests) => report.suppressions.extend(tests.iter().map(|test| suppression(compared, file.path, test))),
            Err(reason) => {
                let path = (compared.redact)(file.path);
                report.notes.push(format!("{UNSEARCHED} in {path}: {reason}"));
            }
        }
    }
    let left = edited.count();
    if left > 0 {
        report.notes.push(format!("{UNSEARCHED} in {} more", count(left as u64, "file")));
    }
    report
}

fn edited<'a>(compared: &Compared<'_>, path: &'a str) -> Option<Edited<'a>> {
    let language = Language::of(path)?;
    let Before::Text(before) = (compared.baseline)(path)? else { return None };
    let (before, now) = (readable(before)?, readable((compared.candidate)(path)?)?);
    // Rust has tests in its sources.
    let holds_tests = is_of_tests(path) || language == Language::Rust && before.contains("test]");
    holds_tests.then_some(Edited { path, language, before, now })
}

fn suppression(compared: &Compared<'_>, path: &str, test: &HollowedTest) -> Suppression {
    let name = &test.name;
    let (kind, text) = match test.how {
        Hollow::Emptied => (SuppressionKind::EmptiedTest, format!("`{name}` has nothing in it any more")),
        Hollow::FewerAssertions { before, after } => {
            let kind = SuppressionKind::FewerAssertions;
            (kind, format!("`{name}` has {}, {before} before", count(after as u64, "assertion")))
        }
    };
    compared.suppression(path, u32::try_from(test.line).unwrap_or(u32::MAX), kind, &text)
}
