//! Failed tests, separated into known and new ones.

use std::collections::BTreeMap;

use referee_model::baseline::KnownTests;
use referee_model::reading::TestResults;

/// A test whether the file of a known test can be that of a failed one.
type Fits = fn(Option<&str>, Option<&str>) -> bool;

/// Failed tests, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SortedTests {
    /// Number of listed tests that are in the baseline.
    pub known: u64,
    /// Indexes of listed tests that are not, in order.
    pub new: Vec<usize>,
}

/// Separates failed tests that are in the baseline from new ones. The message may have changed, so tests are
/// matched by name.
///
/// | a failure                                                        | is    |
/// |------------------------------------------------------------------|-------|
/// | a test of this name and file failed then, and is not matched yet | known |
/// | a test of this name failed then, and one of the files is unknown | known |
/// | a test of this name failed then, in another file                 | new   |
/// | one more of this name than failed then                           | new   |
/// | a suite that never ran                                           | new   |
pub fn sort_tests(known: &KnownTests, results: &TestResults) -> SortedTests {
    let mut left: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for test in &known.failed {
        left.entry(&test.name).or_default().push(test.file.as_deref());
    }
    let mut is_known = vec![false; results.failures.len()];
    // A match by file has priority over one with an unknown file, so that no test takes the match of another.
    let fits: [Fits; 2] = [|then, now| then == now, |then, now| then.is_none() || now.is_none()];
    for fits in fits {
        for (failure, is_known) in results.failures.iter().zip(&mut is_known) {
            if *is_known || failure.suite {
                continue;
            }
            let Some(files) = left.get_mut(failure.name.as_str()) else { continue };
            if let Some(at) = files.iter().position(|file| fits(*file, failure.file.as_deref())) {
                files.remove(at);
                *is_known = true;
            }
        }
    }
    let number = is_known.iter().filter(|is_known| **is_known).count() as u64;
    let new = is_known.iter().enumerate().filter(|(_, is_known)| !**is_known).map(|(at, _)| at).collect();
    SortedTests { known: number, new }
}
