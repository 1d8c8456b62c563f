//! What the judge calls a tool is what its reader is called: else the tool's own reader would never be asked.

use std::collections::BTreeSet;

/// Tools that print nothing of their own that could be read: what they start does, or the exit code says all.
const WITHOUT_READER: &[&str] = &["clang-format", "dart-format", "next"];

#[test]
fn every_tool_of_the_judge_has_a_reader() {
    let read: BTreeSet<&str> = referee_readers::tools().collect();
    let missing: BTreeSet<&str> = referee_judge::role::tools().filter(|tool| !read.contains(tool)).collect();
    assert_eq!(missing, WITHOUT_READER.iter().copied().collect());
}
