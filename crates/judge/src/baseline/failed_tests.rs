//! Failed tests that stood in a baseline, and failed tests that are new.

use std::collections::BTreeMap;

use referee_model::baseline::KnownTests;
use referee_model::reading::TestResults;

/// Whether the file of a test that is known can be that of one that failed now.
type Fits = fn(Option<&str>, Option<&str>) -> bool;

/// Failed tests, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SortedTests {
    /// How many of those that are listed stood in the baseline.
    pub known: u64,
    /// Which of those that are listed did not, by their place, in order.
    pub new: Vec<usize>,
}

/// Tells failed tests that stood in the baseline from those that did not. What a test says may have changed meanwhile: it
/// goes by its name.
///
/// | a failure                                                        | is    |
/// |------------------------------------------------------------------|-------|
/// | a test of this name and file failed then, and is not used up     | known |
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
    // The same file goes before a file that is not known, so that none takes the place of another.
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
