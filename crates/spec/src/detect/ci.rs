//! Which commands CI runs: what it demands, the project holds itself to.

use super::command::{Command, commands};
use super::document;
use super::tree::Tree;
use crate::tree::Node;

/// Most commands that are kept.
const LINES: usize = 2_000;
/// Most values of a matrix that are looked at.
const VALUES: usize = 20;
/// Events on which GitHub asks whether a change is good. Others publish, tidy up or watch from time to time.
const ASKING: &[&str] = &["push", "pull_request", "pull_request_target", "merge_group", "workflow_call"];

/// What CI runs.
#[derive(Debug, Default)]
pub(super) struct Ci {
    lines: Vec<Line>,
    /// Actions of others that are used, with the workflow.
    actions: Vec<(String, String)>,
}

/// One command of CI, or of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Who runs it: a workflow's file, or a file of scripts.
    pub(super) file: String,
    /// The command.
    pub(super) command: Command,
    /// The folder that it runs in, relative to the root; empty for the root.
    pub(super) folder: String,
    /// Whether CI runs it, itself or through a script.
    pub(super) is_of_ci: bool,
    /// Whether CI runs it in some of its environments only.
    pub(super) is_conditional: bool,
}

impl Ci {
    /// Reads the workflows of GitHub and GitLab.
    pub(super) fn read(tree: &Tree) -> Self {
        let mut ci = Self::default();
        for (file, text) in tree.texts() {
            let Some(root) = document::tree(text).filter(|_| is_workflow(file)) else { continue };
            if file == ".gitlab-ci.yml" {
                ci.gitlab(file, &root);
            } else if asks(&root) {
                ci.github(file, &root);
            }
        }
        ci.lines.truncate(LINES);
        ci
    }

    /// The files that commands were found in.
    pub(super) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = self.lines.iter().map(|line| line.file.clone()).collect();
        files.dedup();
        files
    }

    /// The commands, in the order of the files.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// The workflow that uses an action whose name holds this.
    pub(super) fn uses(&self, action: &str) -> Option<&str> {
        self.actions.iter().find(|(name, _)| name.contains(action)).map(|(_, file)| file.as_str())
    }

    /// Whether a workflow names this folder.
    pub(super) fn names_folder(&self, folder: &str) -> bool {
        let is_in = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.lines.iter().any(|line| {
            let mut words = line.command.prefix.iter().chain(&line.command.words).map(|word| word.text.as_str());
            is_in(&line.folder)
                || words.any(|word| is_in(word.rsplit('=').next().unwrap_or(word).trim_start_matches("./")))
        })
    }

    fn github(&mut self, file: &str, root: &Node) {
        for job in root.get("jobs").map(Node::entries).unwrap_or_default() {
            let job = &job.value;
            let system = job.get("runs-on").and_then(Node::text).unwrap_or_default();
            if is_forgiven(job) || system.starts_with("windows") {
                continue;
            }
            for step in job.get("steps").map(Node::elements).unwrap_or_default() {
                if let Some(action) = step.get("uses").and_then(Node::text) {
                    self.actions.push((action.to_owned(), file.to_owned()));
                }
                let defaults = [Some(step), defaults(job), defaults(root)];
                let said = |key: &str| defaults.iter().flatten().find_map(|node| node.get(key)?.text());
                let shell = said("shell").unwrap_or("bash");
                let Some(run) = step.get("run").and_then(Node::text) else { continue };
                if is_forgiven(step) || !["bash", "sh"].iter().any(|known| shell.starts_with(known)) {
                    continue;
                }
                let condition = [step, job].iter().filter_map(|node| node.get("if")?.text()).any(|condition| {
                    ["matrix.", "inputs.", "env.", "vars."].iter().any(|value| condition.contains(value))
                });
                let folder = folder_of(said("working-directory").unwrap_or_default());
                for run in of_matrix(run, job) {
                    let lines = lines_of(file, &run, &folder).into_iter();
                    self.lines.extend(lines.map(|line| Line { is_of_ci: true, is_conditional: condition, ..line }));
                }
            }
        }
    }

    fn gitlab(&mut self, file: &str, root: &Node) {
        for job in root.entries().iter().map(|job| &job.value) {
            let manual = job.get("when").and_then(Node::text) == Some("manual");
            if manual || job.get("allow_failure").and_then(Node::boolean) == Some(true) {
                continue;
            }
            for script in ["before_script", "script"].iter().filter_map(|key| job.get(key)) {
                for line in script.one_or_more().iter().filter_map(Node::text) {
                    let lines = lines_of(file, line, "").into_iter();
                    self.lines.extend(lines.map(|line| Line { is_of_ci: true, ..line }));
                }
            }
        }
    }
}

/// The commands of a text of shell, in the folders that it enters. What is let pass demands nothing.
pub(super) fn lines_of(file: &str, text: &str, folder: &str) -> Vec<Line> {
    let mut folder = folder.to_owned();
    let mut lines = Vec::new();
    for command in commands(text) {
        if matches!(command.program(), "cd" | "pushd") {
            let entered = folder_of(command.arguments().next().unwrap_or_default());
            folder = if folder.is_empty() { entered } else { format!("{folder}/{entered}") };
        } else if !command.is_lenient {
            lines.push(Line {
                file: file.to_owned(),
                command,
                folder: folder.clone(),
                is_of_ci: false,
                is_conditional: false,
            });
        }
    }
    lines
}

fn is_workflow(file: &str) -> bool {
    file.starts_with(".github/workflows/") || file == ".gitlab-ci.yml"
}

/// Whether a workflow runs for changes. One that says no event runs for all of them.
fn asks(root: &Node) -> bool {
    let Some(on) = root.get("on") else { return true };
    let names =
        on.one_or_more().iter().filter_map(Node::text).chain(on.entries().iter().map(|event| event.key.as_str()));
    let of_tags_only =
        |name: &str| on.get(name).is_some_and(|event| event.get("tags").is_some() && event.get("branches").is_none());
    names.into_iter().any(|name| ASKING.contains(&name) && !of_tags_only(name))
}

fn is_forgiven(node: &Node) -> bool {
    node.get("continue-on-error").and_then(Node::boolean) == Some(true)
}

fn defaults(node: &Node) -> Option<&Node> {
    node.get("defaults")?.get("run")
}

/// The command for each value of the matrix, where it names one and the values stand in the workflow.
fn of_matrix(run: &str, job: &Node) -> Vec<String> {
    let written = || {
        let (_, rest) = run.split_once("${{")?;
        let (inner, _) = rest.split_once("}}")?;
        let name = inner.trim().strip_prefix("matrix.")?;
        let values = job.get("strategy")?.get("matrix")?.get(name)?.elements();
        let values: Vec<&str> = values.iter().filter_map(Node::scalar).take(VALUES).collect();
        (!values.is_empty())
            .then(|| values.iter().map(|value| run.replace(&format!("${{{{{inner}}}}}"), value)).collect())
    };
    written().unwrap_or_else(|| vec![run.to_owned()])
}

/// A folder relative to the root. What only CI knows is taken for the root.
fn folder_of(folder: &str) -> String {
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    if folder == "."
        || folder.contains('$')
        || folder.starts_with(['/', '-', '~'])
        || folder.split('/').any(|part| part == "..")
    {
        String::new()
    } else {
        folder.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let ci = Ci::read(&Tree::of(files.iter().copied()));
        ci.lines().map(|line| format!("{}:{}", line.folder, line.command.text())).collect()
    }

    #[test]
    fn lines_of_both_systems_are_found_with_their_folders() {
        let files = [
            (
                ".github/workflows/ci.yml",
                "on: push\ndefaults: {run: {working-directory: ./web/}}\njobs:\n  a:\n    steps:\n      - uses: x\n      - run: |\n          # why\n          npm ci\n          npm run lint -- \\\n            --max-warnings 0\n      - run: cargo test\n        working-directory: core\n      - run: cd b && make\n        working-directory: core\n",
            ),
            (".gitlab-ci.yml", "test:\n  script: [make test]\n"),
            (".github/workflows/junk.yml", "{: ["),
        ];
        assert_eq!(
            shown(&files),
            ["web:npm ci", "web:npm run lint -- --max-warnings 0", "core:cargo test", "core/b:make", ":make test"]
        );
        let ci = Ci::read(&Tree::of(files));
        assert!(ci.names_folder("web") && ci.names_folder("core") && !ci.names_folder("api"));
        assert_eq!(ci.uses("x"), Some(".github/workflows/ci.yml"));
    }

    #[test]
    fn what_ci_lets_pass_or_never_asks_of_a_change_demands_nothing() {
        let of = |text: &str| shown(&[(".github/workflows/a.yml", text)]).join("; ");
        let job = "jobs: {a: {steps: [{run: ruff check}]}}";
        assert_eq!(of(job), ":ruff check");
        for (on, counts) in [
            ("on: [push]", true),
            ("on: {push: {tags: ['v*'], branches: [main]}}", true),
            ("on:\n  pull_request:", true),
            ("on: {push: {tags: ['v*']}}", false),
            ("on: {schedule: [{cron: x}]}", false),
            ("on: release", false),
            ("on: workflow_dispatch", false),
        ] {
            assert_eq!(!of(&format!("{on}\n{job}\n")).is_empty(), counts, "{on}");
        }
        for job in [
            "{runs-on: windows-latest, steps: [{run: a}]}",
            "{continue-on-error: true, steps: [{run: a}]}",
            "{steps: [{run: a, continue-on-error: true}]}",
            "{steps: [{run: import a, shell: python}]}",
            "{steps: [{run: a || true}]}",
            "{steps: [{name: ruff check}]}",
            "{steps: [{run: '# ruff check'}]}",
        ] {
            assert_eq!(of(&format!("jobs: {{a: {job}}}")), "", "{job}");
        }
        let matrix =
            "jobs: {a: {strategy: {matrix: {task: [lint, test]}}, steps: [{run: 'npm run ${{ matrix.task }}'}]}}";
        assert_eq!(of(matrix), ":npm run lint; :npm run test");
        assert_eq!(
            shown(&[(".gitlab-ci.yml", "a: {allow_failure: true, script: x}\nb: {when: manual, script: y}\n")]),
            Vec::<String>::new()
        );
    }
}
