//! Commands in script files of any kind of project: make, just, task.

use std::collections::BTreeSet;

use crate::project_file::makefile::{self, Makefile};
use referee_syntax::tree::Node;

use super::ci::{Ci, Line, lines_of};
use super::manifest_document;
use super::tree::Tree;
use super::under;
use crate::expand::is_variable;

/// Maximum number of variables of a makefile that are expanded.
const VARIABLES: usize = 50;

/// Returns the commands of a directory's scripts. Those of make targets that CI runs count as CI's.
pub(super) fn read(tree: &Tree, directory: &str, ci: &Ci) -> Vec<Line> {
    let text = |name: &str| tree.text(&under(directory, name));
    let mut lines = Vec::new();
    if let Some((file, text)) = makefile::FILES.iter().find_map(|name| Some((*name, text(name)?))) {
        lines.extend(of_make(file, text, directory, ci));
    }
    for file in ["justfile", "Justfile"] {
        let recipes = text(file).into_iter().flat_map(str::lines).filter(|line| line.starts_with([' ', '\t']));
        lines.extend(recipes.flat_map(|line| lines_of(file, line, directory)));
    }
    if let Some(root) = text("Taskfile.yml").and_then(manifest_document::tree) {
        for task in root.get("tasks").map(Node::entries).unwrap_or_default() {
            for command in task.value.get("cmds").map(Node::elements).unwrap_or_default() {
                let command = command.text().or_else(|| command.get("cmd")?.text()).unwrap_or_default();
                lines.extend(lines_of("Taskfile.yml", command, directory));
            }
        }
    }
    lines
}

fn of_make(file: &str, text: &str, directory: &str, ci: &Ci) -> Vec<Line> {
    let makefile = read_filled_in(text);
    let made = ci.lines().filter(|line| line.directory == directory && line.command.program() == "make");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<Line> = made.flat_map(|line| reached(&makefile, line, &mut seen)).collect();
    let others = makefile.targets.keys().filter(|name| !name.starts_with('.') && !seen.contains(*name));
    found.extend(others.flat_map(|name| of_target(&makefile, name, file, directory)));
    found
}

/// Returns the commands of the targets that a make command reaches, except those seen before.
fn reached(makefile: &Makefile, line: &Line, seen: &mut BTreeSet<String>) -> Vec<Line> {
    let named = line.command.arguments().find(|word| !word.starts_with('-') && !word.contains('='));
    let mut waiting: Vec<String> = named.or(makefile.default.as_deref()).into_iter().map(str::to_owned).collect();
    let mut found = Vec::new();
    while let Some(name) = waiting.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let of_ci = of_target(makefile, &name, &line.file, &line.directory).map(|line| Line { is_of_ci: true, ..line });
        found.extend(of_ci);
        let needs = makefile.targets.get(&name).into_iter().flat_map(|target| target.prerequisites.keys());
        waiting.extend(needs.cloned());
    }
    found
}

/// Returns the commands that a make command runs.
pub(super) fn made_by(tree: &Tree, line: &Line) -> Vec<Line> {
    let text = makefile::FILES.iter().find_map(|name| tree.text(&under(&line.directory, name)));
    text.map(|text| reached(&read_filled_in(text), line, &mut BTreeSet::new())).unwrap_or_default()
}

/// Parses a makefile with its plain variables expanded, as make would; of several values the first one is used.
fn read_filled_in(text: &str) -> Makefile {
    let plain = |value: &str| !value.is_empty() && !value.contains(['$', '#', '`']);
    let assigned = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_end_matches(['?', ':', ' ', '\t']);
        (is_variable(name) && plain(value.trim())).then(|| (name.to_owned(), value.trim().to_owned()))
    };
    let variables: Vec<_> =
        text.lines().filter(|line| !line.starts_with('\t')).filter_map(assigned).take(VARIABLES).collect();
    let filled = variables.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value)
    });
    Makefile::read(&filled)
}

fn of_target<'a>(
    makefile: &Makefile,
    target: &str,
    who: &'a str,
    directory: &'a str,
) -> impl Iterator<Item = Line> + use<'a> {
    let recipe = makefile.recipe(Some(target)).into_iter().filter(|line| !line.failure_ignored);
    recipe.flat_map(move |line| lines_of(who, &line.command, directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_commands_and_comments_are_none() {
        let makefile = "GO ?= go\n# run golangci-lint\nall: fmt\nfmt: needed\n\t@test -z \"$(shell gofmt -l $(SRC))\"\nneeded:\n\t$(GO) vet ./...\nlint:\n\t-mypy\n\t# ruff check\n\t@echo run pytest\n\tflake8 src\n";
        let tree = Tree::of([
            ("Makefile", makefile),
            ("justfile", "# mypy\ntest:\n    pytest -x\n"),
            ("Taskfile.yml", "tasks: {a: {cmds: [black --check ., {cmd: isort -c .}]}}"),
            (".gitlab-ci.yml", "a: {script: [make fmt]}"),
        ]);
        let ci = Ci::read(&tree);
        let shown: Vec<String> = read(&tree, "", &ci)
            .iter()
            .filter(|line| !matches!(line.command.program(), "echo" | "test" | "SRC"))
            .map(|line| format!("{}{}: {}", line.file, if line.is_of_ci { "!" } else { "" }, line.command.own_text()))
            .collect();
        assert_eq!(
            shown,
            [
                ".gitlab-ci.yml!: gofmt -l $(SRC)",
                ".gitlab-ci.yml!: go vet ./...",
                "Makefile: flake8 src",
                "justfile: pytest -x",
                "Taskfile.yml: black --check .",
                "Taskfile.yml: isort -c ."
            ]
        );
    }
}
