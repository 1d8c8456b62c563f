//! Recovers parts of a text that is not a document, such as half of a file.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use referee_model::id::{TaskId, WorkspacePath};
use regex::{Captures, Regex};

use crate::full;

/// Ids of tasks: values of `task`, `taskId` or `task_id`, and keys that are ids.
static IDS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?m)(?:\b(?:task|taskId|task_id)["']?\s*:\s*["']?|(?:^|[\s{,])["']?)\b(T[0-9]{3,31})\b["']?\s*(?:[:,}\r\n]|$)"#,
    )
});

static TITLE: LazyLock<Regex> = LazyLock::new(|| value_of("title"));
static EVIDENCE: LazyLock<Regex> = LazyLock::new(|| value_of("evidence|evidenceDirectory"));
static WORKSPACE: LazyLock<Regex> = LazyLock::new(|| value_of("workspace|workspaceRoot"));

/// The workspace in a text, before a path in it.
const WORKSPACE_ROOT: &str = "${WORKSPACE_ROOT}/";

fn regex(form: &str) -> Regex {
    Regex::new(form).expect("the form is a regular expression")
}

/// Returns an expression for keys and their values, which end on the same line. An unquoted YAML key must begin
/// its line to be at the top level; a value that is cut off does not match.
fn value_of(keys: &str) -> Regex {
    let key = format!(r#"(?:^[ \t]*"(?:{keys})"|^(?:{keys})|^'(?:{keys})'|[{{,]\s*["']?(?:{keys})["']?)"#);
    let text = r#"(?:("(?:[^"\\\r\n]|\\.)*")|'([^'\r\n]*)'|([^\s"'{}\[\]&*!|>#,%@`][^\r\n#,{}]*))"#;
    regex(&format!(r"(?m){key}[ \t]*:[ \t]*{text}[ \t]*[,}}#\r\n]"))
}

/// Returns the ids of tasks, each with the title between it and the next task.
pub(super) fn tasks(text: &str) -> Vec<(TaskId, String)> {
    let mut tasks: Vec<(TaskId, String)> = Vec::new();
    let mut places = IDS.captures_iter(text).filter_map(|found| {
        let id = found.get(1)?;
        Some((TaskId::parse(id.as_str()).ok()?, id.end()))
    });
    let mut next = places.next();
    while let Some((id, start)) = next {
        next = places.find(|(other, _)| *other != id);
        let end = next.as_ref().map_or(text.len(), |(_, end)| *end);
        if tasks.len() < full::TASKS && !tasks.iter().any(|(known, _)| *known == id) {
            let title = title(&text[start..end]).unwrap_or_else(|| id.to_string());
            tasks.push((id, title));
        }
    }
    tasks
}

pub(super) fn title(text: &str) -> Option<String> {
    values(&TITLE, text).find(|title| !title.trim().is_empty())
}

/// Returns the workspace in a text, if it is a directory inside this one; else this one.
pub(super) fn workspace(text: &str, directory: &Path) -> PathBuf {
    let inside = |named: String| {
        let workspace = directory.join(named).canonicalize().ok()?;
        (workspace.is_dir() && workspace.starts_with(directory)).then_some(workspace)
    };
    values(&WORKSPACE, text).find_map(inside).unwrap_or_else(|| directory.to_owned())
}

/// Returns the evidence directory in a text, if it is in the workspace.
pub(super) fn evidence(text: &str, workspace: &Path) -> Option<String> {
    values(&EVIDENCE, text).find_map(|named| {
        let named = named.strip_prefix(WORKSPACE_ROOT).unwrap_or(&named);
        let relative = Path::new(named).strip_prefix(workspace).ok().and_then(Path::to_str).unwrap_or(named);
        let path = WorkspacePath::parse(relative).ok()?;
        stays_in(workspace, path.as_str()).then(|| path.as_str().to_owned())
    })
}

/// Returns whether no link leads a path out of the workspace, as far as it exists.
fn stays_in(workspace: &Path, path: &str) -> bool {
    let whole = workspace.join(path);
    let there = whole.ancestors().find_map(|directory| directory.canonicalize().ok());
    there.is_some_and(|there| workspace.canonicalize().is_ok_and(|workspace| there.starts_with(workspace)))
}

fn values<'a>(form: &'static Regex, text: &'a str) -> impl Iterator<Item = String> + 'a {
    form.captures_iter(text).filter_map(|found| value(&found))
}

fn value(found: &Captures<'_>) -> Option<String> {
    let [quoted, single, plain] = [1, 2, 3].map(|group| found.get(group).map(|group| group.as_str()));
    match quoted {
        Some(quoted) => serde_json::from_str(quoted).ok(),
        None => single.or_else(|| plain.map(str::trim_end)).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_text_is_read_and_what_is_cut_off_is_not() {
        for (text, title, evidence) in [
            ("title: My task\nevidence: out/proof # so\nchecks: {", Some("My task"), Some("out/proof")),
            ("{\"title\": \"a \\\"b\\\"\", \"evidence\": \"ev\", \"checks\": {", Some("a \"b\""), Some("ev")),
            ("{\n  \"evidence\": \"ev\",\n  \"title\": \"cut o", None, Some("ev")),
            ("'evidence': 'e v'\r\ntitle: cut o", None, Some("e v")),
            ("schemaVersion: 2\nx: { evidenceDirectory: \"${WORKSPACE_ROOT}/ev\" }", None, Some("ev")),
            ("checks:\n  a:\n    evidence: {stdout: false}\n    run: 'evidence: x'\n", None, None),
            ("evidence: ../out\n", None, None),
            ("evidence: /etc\n", None, None),
            ("evidence: a/../../b\nevidence: ev\n", None, Some("ev")),
        ] {
            let here = std::env::temp_dir();
            assert_eq!(super::title(text).as_deref(), title, "{text}");
            assert_eq!(super::evidence(text, &here).as_deref(), evidence, "{text}");
        }
    }

    #[test]
    fn each_task_has_the_title_that_comes_after_its_id() {
        let text = r#"{"schemaVersion": "2.0.0", "tasks": {
            "T030": { "taskId": "T030", "title": "One" },
            "T031": { "testExecution": {} },
            "T032": { "title": "Three", "steps": [{ "title"#;
        let found = tasks(text);
        let found: Vec<_> = found.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect();
        assert_eq!(found, [("T030", "One"), ("T031", "T031"), ("T032", "Three")]);
    }

    #[test]
    fn a_workspace_is_a_directory_below() {
        let directory = std::env::temp_dir().canonicalize().unwrap();
        for named in ["..", "/", "no-such-folder-here"] {
            assert_eq!(workspace(&format!("workspace: {named}\n"), &directory), directory, "{named}");
        }
    }
}
