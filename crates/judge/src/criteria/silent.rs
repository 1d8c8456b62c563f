//! Test files that passed as a whole: Node's runner counts a file that exits with 0 as a test, even if it is
//! empty or exits before its tests.

use std::collections::BTreeMap;

use referee_model::plan::Role;
use referee_model::record::RunRecord;
use referee_model::report::ActionReport;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

/// Maximum number of files that are listed by name.
const NAMED: usize = 5;

/// Maximum length of a quoted file name, in characters.
const NAME_CHARACTERS: usize = 200;

/// Returns which files do not count as passed tests, one sentence each.
///
/// | the file that passed as a whole           | result                                  |
/// |-------------------------------------------|-----------------------------------------|
/// | is known to declare tests                 | it does not pass: none of them ran      |
/// | has the name of a test file, cannot fail  | it does not pass: it checks nothing     |
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
