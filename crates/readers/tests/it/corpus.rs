//! Checks the shared corpus of tool output with known content, if it is available. The rules are those of its
//! scorer.

use std::path::{Path, PathBuf};

use referee_model::reading::Reading;
use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};
use serde_json::Value;

/// Minimum fraction of cases that must be read without any flaw.
const EXACT_RATE: f64 = 0.9;

#[test]
fn nine_of_ten_cases_are_read_exactly() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/public");
    if !root.exists() {
        println!("skipped: no ../shared");
        return;
    }
    for is_hinted in [true, false] {
        let (mut cases, mut exact) = (0, 0);
        for tool in std::fs::read_dir(&root).unwrap() {
            for entry in std::fs::read_dir(tool.unwrap().path()).unwrap() {
                let flaws = flaws(&entry.unwrap().path(), is_hinted);
                cases += 1;
                exact += u32::from(flaws.is_empty());
                for flaw in flaws {
                    println!("{flaw}");
                }
            }
        }
        println!("{exact} of {cases} exact, hinted: {is_hinted}");
        assert!(EXACT_RATE <= f64::from(exact) / f64::from(cases));
    }
}

/// Reads one case and returns the flaws of the reading.
fn flaws(case: &Path, is_hinted: bool) -> Vec<String> {
    let json = |name| serde_json::from_slice::<Value>(&std::fs::read(case.join(name)).unwrap()).unwrap();
    let (meta, expected) = (json("meta.json"), json("expected.json"));
    let tool = meta["tool_hint"].as_str().filter(|_| is_hinted).map(str::to_owned);
    let source = MemorySource::stdout(std::fs::read(case.join("input.txt")).unwrap());
    let reading = read(&source, &Hint { tool, role: None }).unwrap();
    let mut flaws = Vec::new();
    if let Some(diagnostics) = expected["diagnostics"].as_array() {
        diagnostic_flaws(diagnostics, &reading, &mut flaws);
    }
    if expected["tests"].is_object() {
        test_flaws(&expected["tests"], &reading, &mut flaws);
    }
    flaws.into_iter().map(|flaw| format!("{}: {flaw}", case.display())).collect()
}

/// Each expected finding must be found once with all its fields, and nothing else.
fn diagnostic_flaws(expected: &[Value], reading: &Reading, flaws: &mut Vec<String>) {
    let mut found: Vec<_> = reading.diagnostics.iter().collect();
    for expected in expected {
        let position = found.iter().position(|found| {
            let level = found.level.as_str();
            is_path(&expected["file"], found.file.as_deref())
                && is_number(expected, "line", found.line)
                && is_number(expected, "column", found.column)
                && expected["code"].as_str().is_none_or(|code| found.code.as_deref() == Some(code))
                && expected["severity"].as_str().is_none_or(|severity| severity == level)
                && expected["message"].as_str().is_none_or(|message| begins(&found.message, message))
        });
        match position {
            Some(position) => drop(found.remove(position)),
            None if expected["optional"] == true => {}
            None => flaws.push(format!("missing {expected}")),
        }
    }
    flaws.extend(found.into_iter().map(|found| format!("invented {found:?}")));
}

fn test_flaws(expected: &Value, reading: &Reading, flaws: &mut Vec<String>) {
    let counts = reading.tests.as_ref().map(|tests| tests.counts).unwrap_or_default();
    let empty = Vec::new();
    let alternatives = expected["counts_alt"].as_array().unwrap_or(&empty);
    let is_count = |variant: &Value| {
        [("passed", counts.passed), ("failed", counts.failed), ("skipped", counts.skipped), ("total", counts.total)]
            .iter()
            .all(|(name, number)| variant[name].as_u64().is_none_or(|expected| expected == *number))
    };
    if expected["counts_soft"] != true && ![expected].into_iter().chain(alternatives).any(is_count) {
        flaws.push(format!("counts {counts:?}"));
    }
    let mut found: Vec<_> = reading.tests.iter().flat_map(|tests| &tests.failures).collect();
    for expected in expected["failures"].as_array().unwrap_or(&empty) {
        let name = words(expected["name"].as_str().unwrap_or_default());
        let position = found.iter().position(|found| {
            words(&found.name).ends_with(&name)
                && is_path(&expected["file"], found.file.as_deref())
                && is_number(expected, "line", found.line)
        });
        match position {
            Some(position) => drop(found.remove(position)),
            None if expected["optional"] == true => {}
            None => flaws.push(format!("missing {expected}")),
        }
    }
    flaws.extend(found.into_iter().map(|found| format!("invented {found:?}")));
}

fn is_path(expected: &Value, found: Option<&str>) -> bool {
    let Some(expected) = expected.as_str() else {
        return true;
    };
    let parts = |path: &str| {
        path.rsplit('/').filter(|part| !matches!(*part, "" | "." | "..")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (expected, found) = (parts(expected), parts(found.unwrap_or_default()));
    let shared = expected.len().min(found.len());
    0 < shared && expected[..shared] == found[..shared]
}

fn is_number(expected: &Value, name: &str, found: Option<u32>) -> bool {
    let found = found.map(u64::from);
    let is_other = expected[format!("{name}_alt")]
        .as_array()
        .is_some_and(|numbers| numbers.iter().any(|number| number.as_u64() == found));
    expected[name].is_null() || expected[name].as_u64() == found || is_other
}

/// Compares messages by their first 40 characters, in lowercase and with normalized spaces.
fn begins(found: &str, expected: &str) -> bool {
    let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let expected = normal(expected).chars().take(40).collect::<String>();
    let expected = expected.trim_end_matches('.');
    normal(found).starts_with(expected)
}

fn words(name: &str) -> String {
    let split = |letter: char| !letter.is_ascii_alphanumeric();
    name.to_lowercase().split(split).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
