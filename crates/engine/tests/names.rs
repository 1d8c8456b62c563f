//! Checks that every tool name of the judge is also the name of a reader. Otherwise the tool's reader would
//! never be asked.

use std::collections::BTreeSet;

/// Tools without readable output of their own: a tool that they start prints it, or the exit code says everything.
const WITHOUT_READER: &[&str] = &["clang-format", "dart-format", "next"];

#[test]
fn every_tool_of_the_judge_has_a_reader() {
    let read: BTreeSet<&str> = referee_readers::tools().collect();
    let missing: BTreeSet<&str> = referee_judge::role::tools().filter(|tool| !read.contains(tool)).collect();
    assert_eq!(missing, WITHOUT_READER.iter().copied().collect());
}
