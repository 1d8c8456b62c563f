//! Commands of nox and hooks of pre-commit.

use referee_syntax::quotation::quoted;
use referee_syntax::tree::Node;

use super::super::ProjectDirectory;
use super::super::ci::{Line, lines_of};
use super::super::manifest_document;

/// Options of pre-commit that take the next word as value.
const VALUED: &[&str] =
    &["--hook-stage", "--color", "-c", "--config", "-s", "--from-ref", "-o", "--to-ref", "--source"];

#[derive(Debug)]
pub(super) struct Hook {
    pub(super) id: String,
    /// Whether it has its own files, environment or stage.
    pub(super) is_narrowed: bool,
    pub(super) arguments: Vec<String>,
    /// Workflow that runs it over all files.
    pub(super) by_ci: Option<String>,
}

/// Returns the commands of `session.run(…)` in a file of nox.
pub(super) fn of_nox(place: &ProjectDirectory<'_>) -> Vec<Line> {
    let text = place.text("noxfile.py").unwrap_or_default();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let code = code.join("\n");
    let calls = code.split("session.run(").skip(1).filter_map(|rest| rest.split_once(')')).map(|(inner, _)| inner);
    let words = |inner| quoted(inner).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let lines = calls.map(|inner| crate::expand::join(&words(inner)));
    lines.flat_map(|line| lines_of("noxfile.py", &line, place.directory)).collect()
}

/// Returns the hooks of pre-commit; `lines` are the known commands.
pub(super) fn hooks(place: &ProjectDirectory<'_>, lines: &[Line]) -> Vec<Hook> {
    let Some(root) = place.text(".pre-commit-config.yaml").and_then(manifest_document::tree) else { return Vec::new() };
    let narrows = |node: &Node| ["files", "exclude", "entry", "stages"].iter().any(|key| node.get(key).is_some());
    let all = root.get("repos").map(Node::elements).unwrap_or_default().iter();
    let hooks = all.flat_map(|repo| repo.get("hooks").map(Node::elements).unwrap_or_default());
    let hook = |hook: &Node| {
        let id = hook.get("id")?.text()?.to_owned();
        let arguments = hook.get("args").map(Node::one_or_more).unwrap_or_default().iter();
        Some(Hook {
            by_ci: run_by_ci(&id, place, lines),
            is_narrowed: narrows(hook) || narrows(&root),
            arguments: arguments.filter_map(Node::scalar).map(str::to_owned).collect(),
            id,
        })
    };
    hooks.filter_map(hook).collect()
}

/// Returns the workflow in which pre-commit runs a hook over all files.
fn run_by_ci(id: &str, place: &ProjectDirectory<'_>, lines: &[Line]) -> Option<String> {
    let by_action = || place.ci.uses("pre-commit/action").filter(|_| place.directory.is_empty()).map(str::to_owned);
    let line = lines.iter().find(|line| line.is_of_ci && runs_hook(line, id));
    line.map(|line| line.file.clone()).or_else(by_action)
}

fn runs_hook(line: &Line, id: &str) -> bool {
    let mut words: Vec<&str> = Vec::new();
    let mut arguments = line.command.arguments();
    while let Some(word) = arguments.next() {
        if VALUED.contains(&word) {
            arguments.next();
        } else {
            words.push(word);
        }
    }
    let skipped = line.command.prefix.iter().filter_map(|word| word.text.strip_prefix("SKIP="));
    let is_skipped = skipped.flat_map(|list| list.split(',')).any(|skipped| skipped.trim() == id);
    let mut plain = words.iter().filter(|word| !word.starts_with('-'));
    matches!(line.command.program(), "pre-commit" | "prek")
        && plain.next() == Some(&"run")
        && words.iter().any(|word| matches!(*word, "--all-files" | "-a"))
        && plain.next().is_none_or(|hook| *hook == id)
        && !is_skipped
}
