//! The cases of seed 4 against what the program makes of the same output, where they are at hand.

use std::fs;

use serde_json::Value;

use crate::support::{Workspace, repository, skipped};

#[test]
fn the_log_says_what_the_cases_say_but_for_the_differences_that_are_documented() {
    let path = repository().join("../shared/reference/cases/diagnostics.observed.json");
    let Ok(bytes) = fs::read(path) else {
        skipped("no ../shared");
        return;
    };
    let cases: Value = serde_json::from_slice(&bytes).unwrap();
    let documented = fs::read_to_string(repository().join("docs/design/findings.md")).unwrap();
    for case in cases["parse"].as_array().unwrap() {
        let (input, source) = (case["input"].as_str().unwrap(), case["source"].as_str().unwrap());
        let role = if source == "build" { "compile" } else { source };
        let workspace =
            Workspace::with(&format!("checks: {{ one: {{ run: 'cat log.txt && exit 1', role: {role} }} }}\n"))
                .file("log.txt", format!("{input}\n"));
        workspace.referee(&["run", "-q"]);
        let log = workspace.report("T001")["diagnosticsLog"].clone();
        // What the action says of itself has no tool, or no place: the cases know only what was read.
        let read = log.as_array().unwrap().iter().filter(|entry| !is_own(entry)).map(told).collect::<Vec<_>>();
        let expected: Vec<String> = case["observed"].as_array().unwrap().iter().map(told).collect();
        if read != expected {
            let row = format!("| `{}` | {source} |", input.replace('\n', "⏎"));
            println!("{row} {} | {} |", read.join("; "), expected.join("; "));
            assert!(documented.contains(&row), "{row}: {read:?}, the cases say {expected:?}");
        }
    }
}

/// Whether an entry is that of the action itself: its code is a rule of the judge.
fn is_own(entry: &Value) -> bool {
    let rules = ["test/", "validation/", "execution/", "command/"];
    entry["code"].as_str().is_some_and(|code| rules.iter().any(|rule| code.starts_with(rule)))
}

fn told(entry: &Value) -> String {
    let position = if entry["position"].is_object() { &entry["position"] } else { &entry["location"] };
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let number = |value: &Value| value.as_u64().map_or("-".to_owned(), |number| number.to_string());
    format!(
        "{} {}:{}:{} {}",
        text(&entry["source"]),
        text(&entry["file"]),
        number(&position["line"]),
        number(&position["column"]),
        text(&entry["message"])
    )
}
