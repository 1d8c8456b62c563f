//! Lenient parsing of manifests: invalid content yields nothing, never an error.

use referee_syntax::tree::Node;
use serde_json::Value;

use crate::complaint::Findings;
use crate::read;

/// Parses JSON as strictly as npm does.
pub(super) fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Parses JSON with comments, or YAML; also if the closing bracket of a list or map is not indented deeper than
/// its key, which YAML 1.2 forbids and GitHub accepts.
pub(super) fn tree(text: &str) -> Option<Node> {
    strict_tree(text).or_else(|| strict_tree(&with_deeper_ends(text)))
}

/// Returns the text with lines indented that have only a closing bracket of a list or map.
fn with_deeper_ends(text: &str) -> String {
    let is_end = |line: &str| matches!(line.trim().trim_end_matches(','), "]" | "}");
    let deeper = |line: &str| if is_end(line) { format!("{DEEPER}{line}\n") } else { format!("{line}\n") };
    text.lines().map(deeper).collect()
}

const DEEPER: &str = "                                        ";

fn strict_tree(text: &str) -> Option<Node> {
    let mut findings = Findings::default();
    let source = read::source("", text.as_bytes(), &mut findings);
    read::tree(&source, &mut findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_list_may_stand_as_deep_as_its_key() {
        let workflow = "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        python: [\n          \"3.8\",\n        ]\n    steps: []\n";
        assert!(strict_tree(workflow).is_none(), "it is not YAML 1.2");
        assert!(tree(workflow).is_some_and(|tree| tree.get("jobs").is_some()));
        assert!(tree("a: [\n").is_none() && tree("a: ]\n").is_none());
    }

    #[test]
    fn junk_holds_nothing() {
        assert_eq!(json("{"), None);
        assert_eq!(tree("{a: [").map(drop), None);
    }
}
