//! Files of tests that passed as a whole: Node's runner takes one that exits with 0 for a test, also where it was emptied or
//! left before its tests.

use std::collections::BTreeMap;

use referee_model::plan::Role;
use referee_model::record::RunRecord;
use referee_model::report::ActionReport;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

/// Files that are named one by one.
const NAMED: usize = 5;

/// Characters of a file's name that a sentence quotes.
const NAME_CHARACTERS: usize = 200;

/// Says which files are no tests that passed, a sentence each.
///
/// | the file that passed as a whole           | comes to                                |
/// |-------------------------------------------|-----------------------------------------|
/// | is known to declare tests                 | it does not pass: none of them ran      |
/// | is named as one of tests, cannot fail     | it does not pass: it looks at nothing   |
/// | is any other                              | a test that passed                      |
pub(super) fn evaluate(run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let known = &run.run_context.silent_files;
    actions.iter().flat_map(|report| of_action(report, known)).collect()
}

fn of_action(report: &ActionReport, known: &BTreeMap<String, u64>) -> Vec<String> {
    let ran = report.ran().filter(|ran| ran.judgement.role == Some(Role::Test) && !ran.judgement.expected);
    let cases = ran.and_then(|ran| ran.reading.tests.as_ref()).map_or(&[][..], |tests| &tests.cases);
    let silent = cases.iter().filter_map(|case| case.passed_as_file());
    let mut silent: Vec<(&str, u64)> = silent.filter_map(|title| Some((title, *known.get(title)?))).collect();
    silent.sort_unstable();
    silent.dedup();
    let place = format!("passed-as-file, {} {}", report.action.id, report.action.name);
    let mut told: Vec<String> = silent.iter().take(NAMED).map(|silent| sentence(*silent, &place)).collect();
    if silent.len() > NAMED {
        told.push(format!("and {} more that reported no test ({place})", count(silent.len() - NAMED, "file")));
    }
    told
}

fn sentence((title, declared): (&str, u64), place: &str) -> String {
    let file = first_line(title, NAME_CHARACTERS);
    match declared {
        0 => format!("{file} exited with 0 and reported no test, and nothing in it can fail ({place})"),
        declared => {
            let tests = count(declared, "test");
            format!("{file} exited with 0 and reported no test, although {tests} in it are known ({place})")
        }
    }
}
