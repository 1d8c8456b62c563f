//! Parses problem matchers from JSON, in GitHub's form or in that of VS Code's tasks.

use referee_model::reading::Level;
use serde_json::Value;

use super::{Form, Matcher, Pattern, builtin};
use crate::custom::CustomError;
use crate::custom::javascript;

/// Maximum length of the JSON text, in bytes.
const JSON_BYTES: usize = 1024 * 1024;

/// Maximum number of matchers in one text, and of patterns in one matcher.
const MATCHERS: usize = 200;
const PATTERNS: usize = 20;

/// What a pattern may capture.
const PROPERTIES: [&str; 10] =
    ["file", "fromPath", "location", "line", "column", "endLine", "endColumn", "severity", "code", "message"];

/// Parses all matchers of a text: `{"problemMatcher": …}`, or the value of that key.
pub(in crate::custom) fn parse(json: &str) -> Result<Vec<Matcher>, CustomError> {
    if JSON_BYTES < json.len() {
        return Err(shape("the text", &format!("is longer than {JSON_BYTES} bytes"), "split it"));
    }
    let value: Value = serde_json::from_str(json.trim_start_matches('\u{feff}'))
        .map_err(|error| CustomError::Json { problem: error.to_string() })?;
    let of_tasks = tasks_matchers(&value);
    let (at, inner) = match (value.get("problemMatcher"), &of_tasks) {
        (Some(inner), _) => ("problemMatcher", inner),
        (None, Some(of_tasks)) => ("the problem matchers of the tasks", of_tasks),
        (None, None) => ("the problem matcher", &value),
    };
    let list: Vec<&Value> = match inner {
        Value::Array(list) => list.iter().collect(),
        Value::Object(_) | Value::String(_) => vec![inner],
        _ => return Err(shape(at, "is neither an object nor a list", "give a matcher, or a list of matchers")),
    };
    if list.is_empty() || MATCHERS < list.len() {
        return Err(shape(at, &format!("holds {} matchers", list.len()), "give at least one, and at most 200"));
    }
    let is_github = value.get("problemMatcher").is_some_and(Value::is_array) && list.iter().all(|one| is_github(one));
    let form = if is_github { Form::GitHub } else { Form::VsCode };
    let is_list = inner.is_array();
    list.iter()
        .enumerate()
        .map(|(number, one)| matcher(&if is_list { format!("{at}[{number}]") } else { at.to_owned() }, one, form))
        .collect()
}

/// Collects the matchers of a VS Code tasks file, `{"tasks": [{"problemMatcher": …}]}`.
fn tasks_matchers(value: &Value) -> Option<Value> {
    let of_task = |task: &Value| match task.get("problemMatcher") {
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    Some(Value::Array(value.get("tasks")?.as_array()?.iter().flat_map(of_task).collect()))
}

/// Returns whether a matcher is in GitHub's form: it has an owner and a list of patterns, and none of the keys
/// that VS Code adds.
fn is_github(matcher: &Value) -> bool {
    let of_vs_code = ["fileLocation", "applyTo", "base", "background", "source", "label", "name"];
    matcher.get("owner").is_some()
        && matcher.get("pattern").is_some_and(Value::is_array)
        && of_vs_code.iter().all(|key| matcher.get(key).is_none())
}

fn matcher(at: &str, value: &Value, form: Form) -> Result<Matcher, CustomError> {
    if let Some(named) = value.as_str() {
        let patterns = named_patterns(at, named)?;
        let owner = named.trim_start_matches('$').to_owned();
        return Ok(Matcher { owner, form, patterns, severity: Level::Error, directory: None, is_of_files: false });
    }
    let owner = match value.get("owner").or(value.get("name")).or(value.get("base")).and_then(Value::as_str) {
        Some(owner) if !owner.trim().is_empty() => crate::candidate::name(owner.trim_start_matches('$')),
        _ if form == Form::VsCode => "problem-matcher".to_owned(),
        _ => return Err(shape(&format!("{at}.owner"), "is missing", "name the tool whose output it matches")),
    };
    let written = value.get("pattern").or(value.get("base"));
    let at_pattern = format!("{at}.pattern");
    let patterns = match written {
        Some(Value::String(named)) => named_patterns(&at_pattern, named)?,
        Some(Value::Object(_)) => vec![pattern(&at_pattern, written.unwrap_or(&Value::Null), form, true)?],
        Some(Value::Array(list)) => patterns(&at_pattern, list, form)?,
        _ => {
            return Err(shape(
                &at_pattern,
                "is missing",
                "give a pattern with a `regexp`, a list of them, or a name like `$tsc`",
            ));
        }
    };
    let is_of_files = match written {
        Some(Value::Array(list)) => list.first().and_then(|first| first["kind"].as_str()) == Some("file"),
        Some(one) => one["kind"].as_str() == Some("file"),
        None => false,
    };
    check(&at_pattern, &patterns, form, is_of_files)?;
    let severity = match value.get("severity").and_then(Value::as_str) {
        None => Level::Error,
        Some(word) => severity(&format!("{at}.severity"), word)?,
    };
    Ok(Matcher { owner, form, patterns, severity, directory: directory(&value["fileLocation"]), is_of_files })
}

fn severity(at: &str, word: &str) -> Result<Level, CustomError> {
    match word.to_ascii_lowercase().as_str() {
        "error" => Ok(Level::Error),
        "warning" | "warn" => Ok(Level::Warning),
        "info" | "notice" | "hint" => Ok(Level::Info),
        _ => Err(shape(at, &format!("is `{word}`"), "write `error`, `warning` or `info`")),
    }
}

fn named_patterns(at: &str, named: &str) -> Result<Vec<Pattern>, CustomError> {
    let Some(definition) = builtin::pattern(named) else {
        let problem = format!("`{}` is no known name, of {}", crate::candidate::name(named), builtin::names());
        return Err(shape(at, &problem, "use one of them, or write the pattern out"));
    };
    // The definitions belong to this crate; the tests parse all of them.
    let value: Value = serde_json::from_str(definition).unwrap_or_default();
    match &value {
        Value::Array(list) => patterns(at, list, Form::VsCode),
        one => Ok(vec![pattern(at, one, Form::VsCode, true)?]),
    }
}

fn patterns(at: &str, list: &[Value], form: Form) -> Result<Vec<Pattern>, CustomError> {
    if list.is_empty() || PATTERNS < list.len() {
        return Err(shape(at, &format!("holds {} patterns", list.len()), "give at least one, and at most 20"));
    }
    let numbered = list.iter().enumerate();
    numbered.map(|(number, one)| pattern(&format!("{at}[{number}]"), one, form, false)).collect()
}

/// Parses one pattern. A single pattern in VS Code's form has default groups.
fn pattern(at: &str, value: &Value, form: Form, has_defaults: bool) -> Result<Pattern, CustomError> {
    let Some(written) = value.get("regexp").and_then(Value::as_str).filter(|written| !written.is_empty()) else {
        return Err(shape(&format!("{at}.regexp"), "is missing", "give the regular expression that a line must match"));
    };
    let regexp = javascript::compile(written).map_err(|(problem, remedy)| CustomError::Regexp {
        at: format!("{at}.regexp"),
        regexp: crate::candidate::name(written),
        problem,
        remedy,
    })?;
    let mut groups = Vec::new();
    for property in PROPERTIES {
        let Some(number) = value.get(property) else { continue };
        let at = format!("{at}.{property}");
        let Some(group) = number.as_u64().and_then(|number| usize::try_from(number).ok()) else {
            return Err(shape(&at, "is no number", "give the number of a group of the regular expression"));
        };
        if regexp.groups() <= group {
            let problem = format!("is {group}, and the regular expression has {} groups", regexp.groups() - 1);
            return Err(shape(&at, &problem, "give the number of a group that it has"));
        }
        groups.push((property, group));
    }
    let mut pattern = Pattern { regexp, groups, is_loop: value.get("loop").and_then(Value::as_bool).unwrap_or(false) };
    if has_defaults && form == Form::VsCode {
        let knows_place = pattern.has("location") || value["kind"].as_str() == Some("file");
        for (property, group) in [("file", 1), ("line", 2), ("column", 3), ("message", 0)] {
            let is_of_place = matches!(property, "line" | "column");
            if group < pattern.regexp.groups() && !pattern.has(property) && !(is_of_place && knows_place) {
                pattern.groups.push((property, group));
            }
        }
    }
    Ok(pattern)
}

/// Checks the constraints between the patterns of a matcher.
fn check(at: &str, patterns: &[Pattern], form: Form, is_of_files: bool) -> Result<(), CustomError> {
    let captures = |property: &str| patterns.iter().filter(|one| one.has(property)).count();
    let last = patterns.len() - 1;
    for (number, pattern) in patterns.iter().enumerate().filter(|(_, pattern)| pattern.is_loop) {
        if number != last || last == 0 {
            let at = format!("{at}[{number}].loop");
            return Err(shape(&at, "is set", "only the last of several patterns may match again and again"));
        }
        if !pattern.has("message") {
            let at = format!("{at}[{number}].message");
            return Err(shape(&at, "is missing", "a pattern that matches again and again must capture a message"));
        }
    }
    if captures("message") == 0 {
        return Err(shape(at, "captures no message", "set `message` to the number of a group"));
    }
    if form == Form::GitHub {
        if let Some(property) = PROPERTIES.iter().find(|property| 1 < captures(property)) {
            return Err(shape(at, &format!("captures `{property}` in two patterns"), "set it in one of them"));
        }
        return Ok(());
    }
    if captures("file") == 0 {
        return Err(shape(at, "captures no file", "set `file` to the number of a group"));
    }
    if !is_of_files && captures("line") + captures("location") == 0 {
        return Err(shape(at, "captures no line", "set `line` or `location`, or `\"kind\": \"file\"`"));
    }
    Ok(())
}

/// Returns the directory of relative files: `["relative", "${workspaceFolder}/web"]`.
fn directory(location: &Value) -> Option<String> {
    let list = location.as_array()?;
    let kind = list.first()?.as_str()?;
    if !matches!(kind, "relative" | "autoDetect") {
        return None;
    }
    let directory = crate::text::path(list.get(1)?.as_str()?);
    let within =
        ["${workspaceFolder}", "${workspaceRoot}", "${cwd}"].iter().find_map(|root| directory.strip_prefix(root));
    let directory = within.unwrap_or(&directory).trim_start_matches('/').trim_end_matches('/');
    (!directory.is_empty() && !directory.contains("${")).then(|| crate::candidate::name(directory))
}

fn shape(at: &str, problem: &str, remedy: &'static str) -> CustomError {
    CustomError::Shape { at: at.to_owned(), problem: problem.to_owned(), remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_pattern_can_be_used() {
        for name in [
            "$tsc",
            "$tsc-watch",
            "$eslint-compact",
            "$eslint-stylish",
            "$jshint",
            "$jshint-stylish",
            "$msCompile",
            "$gcc",
            "$go",
            "$lessc",
        ] {
            let patterns = named_patterns("here", name).unwrap_or_else(|error| panic!("{name}: {error}"));
            check("here", &patterns, Form::VsCode, false).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn the_matchers_of_all_tasks_are_gathered() {
        let tasks = r#"{"version": "2.0.0", "tasks": [{"label": "a", "problemMatcher": ["$tsc", "$go"]}, {"problemMatcher": "$gcc"}, {}]}"#;
        let owners: Vec<String> = parse(tasks).unwrap().into_iter().map(|matcher| matcher.owner).collect();
        assert_eq!(owners, ["tsc", "go", "gcc"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_a_remedy() {
        for (json, said) in [
            ("{", "not valid JSON"),
            ("{\"problemMatcher\": 3}", "problemMatcher: is neither"),
            ("{\"problemMatcher\": []}", "holds 0 matchers"),
            (
                r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "a(?=b)", "message": 0}]}]}"#,
                "problemMatcher[0].pattern[0].regexp",
            ),
            (
                r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "(a)", "message": 2}]}]}"#,
                "pattern[0].message: is 2, and the regular expression has 1 groups",
            ),
            (
                r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "(a)", "file": 1}]}]}"#,
                "captures no message",
            ),
            (
                r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "a", "message": 0, "loop": true}]}]}"#,
                "only the last of several",
            ),
            (
                r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "(a)", "message": 1}, {"regexp": "(b)", "message": 1}]}]}"#,
                "captures `message` in two patterns",
            ),
            (r#"{"owner": "x", "pattern": {"regexp": "a"}}"#, "captures no file"),
            (r#"{"owner": "x", "pattern": {"regexp": "(a)"}}"#, "captures no line"),
            (r#"{"owner": "x", "pattern": "$nobody"}"#, "no known name"),
            (r#"{"owner": "x", "severity": "bad", "pattern": "$tsc"}"#, "is `bad`"),
            (r#"{"owner": "x"}"#, "pattern: is missing"),
        ] {
            let error = parse(json).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains(';'), "{json}: {error}");
        }
    }
}
