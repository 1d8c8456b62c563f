//! Test results as CTest prints them, around the output of tests by other runners.

use crate::candidate::Confidence;
use crate::pattern::Pattern;
use crate::shapes::runs::Runs;

pub(crate) static TEST: Pattern = Pattern::new(
    r"^ *\d+/\d+ (?:Test|MemCheck) +#(?<number>\d+): (?<name>.*?) \.*(?:(?: +(?<passed>Passed))|[^*.]*\*\*\*(?<message>.*?)) +\d+\.\d+ sec",
);

/// Lowers the confidence of a runner if a line is a test result of CTest: the text around it is then the output
/// of a test.
pub(crate) fn give_way(text: &str, runs: &mut Runs) {
    if text.contains("***") && TEST.is_match(text) {
        runs.confidence = Confidence::Likely;
    }
}
