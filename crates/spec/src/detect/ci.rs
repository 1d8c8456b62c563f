//! Commands that CI runs: the requirements that the project has for itself.

mod variables;

use referee_syntax::tree::Node;

use super::command::{Command, Word, commands};
use super::manifest_document;
use super::tree::Tree;

/// Maximum number of commands.
const LINES: usize = 2_000;
/// Maximum number of values of a matrix.
const VALUES: usize = 20;
/// GitHub events that check a change. Others publish, clean up or run periodically.
const ASKING: &[&str] = &["push", "pull_request", "pull_request_target", "merge_group", "workflow_call"];

#[derive(Debug, Default)]
pub(super) struct Ci {
    lines: Vec<Line>,
    /// Third-party actions that are used, with the workflow.
    actions: Vec<(String, String)>,
}

/// One command of CI, or of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// File that runs the command: a workflow, or a file of scripts.
    pub(super) file: String,
    pub(super) command: Command,
    /// Working directory, relative to the root; empty for the root.
    pub(super) directory: String,
    /// Whether CI runs it, directly or through a script.
    pub(super) is_of_ci: bool,
    /// Whether CI runs it in some of its environments only.
    pub(super) is_conditional: bool,
}

impl Ci {
    /// Reads the workflows of GitHub and GitLab.
    pub(super) fn read(tree: &Tree) -> Self {
        let mut ci = Self::default();
        for (file, text) in tree.texts() {
            let Some(root) = Some(text).filter(|_| is_workflow(file)).and_then(manifest_document::tree) else {
                continue;
            };
            if file == ".gitlab-ci.yml" {
                ci.gitlab(file, &root);
            } else if asks(&root) {
                ci.github(file, &root);
            }
        }
        ci.lines.truncate(LINES);
        ci
    }

    /// Returns the files with commands.
    pub(super) fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = self.lines.iter().map(|line| line.file.clone()).collect();
        files.dedup();
        files
    }

    /// Returns the commands, in order of the files.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// Returns the workflow that uses an action whose name contains this.
    pub(super) fn uses(&self, action: &str) -> Option<&str> {
        self.actions.iter().find(|(name, _)| name.contains(action)).map(|(_, file)| file.as_str())
    }

    /// Returns whether a workflow names this directory.
    pub(super) fn names_directory(&self, directory: &str) -> bool {
        let is_in =
            |path: &str| path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.lines.iter().any(|line| {
            let mut words = line.command.prefix.iter().chain(&line.command.words).map(|word| word.text.as_str());
            is_in(&line.directory)
                || words.any(|word| is_in(word.rsplit('=').next().unwrap_or(word).trim_start_matches("./")))
        })
    }

    /// Returns whether CI enters this directory to run something.
    pub(super) fn runs_in(&self, directory: &str) -> bool {
        self.lines.iter().any(|line| line.directory == directory)
    }

    fn github(&mut self, file: &str, root: &Node) {
        for job in root.get("jobs").map(Node::entries).unwrap_or_default() {
            let job = &job.value;
            let system = job.get("runs-on").and_then(Node::text).unwrap_or_default();
            if is_forgiven(job) || is_off(job) || system.starts_with("windows") {
                continue;
            }
            let mut by_nightly = false;
            for step in job.get("steps").map(Node::elements).unwrap_or_default() {
                if is_off(step) {
                    continue;
                }
                if let Some(action) = step.get("uses").and_then(Node::text) {
                    by_nightly |= brings_nightly(action, step);
                    self.actions.push((action.to_owned(), file.to_owned()));
                }
                self.step(file, [step, job, root], by_nightly);
            }
        }
    }

    /// Adds the commands of a step; the nodes are the step, its job and its workflow.
    fn step(&mut self, file: &str, [step, job, root]: [&Node; 3], by_nightly: bool) {
        let defaults = [Some(step), defaults(job), defaults(root)];
        let said = |key: &str| defaults.iter().flatten().find_map(|node| node.get(key)?.text());
        let shell = said("shell").unwrap_or("bash");
        let Some(run) = step.get("run").and_then(Node::text) else { return };
        if is_forgiven(step) || !["bash", "sh"].iter().any(|known| shell.starts_with(known)) {
            return;
        }
        let condition = [step, job]
            .iter()
            .filter_map(|node| node.get("if")?.text())
            .any(|condition| ["matrix.", "inputs.", "env.", "vars."].iter().any(|value| condition.contains(value)));
        let directory = directory_of(said("working-directory").unwrap_or_default());
        let variables = variables::assignments([step, job, root].into_iter().filter_map(|node| node.get("env")));
        for run in of_matrix(run, job) {
            self.take(lines_of(file, &run, &directory), &variables, condition || by_nightly);
        }
    }

    fn gitlab(&mut self, file: &str, root: &Node) {
        for job in root.entries().iter().map(|job| &job.value) {
            let manual = job.get("when").and_then(Node::text) == Some("manual");
            if manual || job.get("allow_failure").and_then(Node::boolean) == Some(true) {
                continue;
            }
            let variables = variables::assignments([job, root].into_iter().filter_map(|node| node.get("variables")));
            for script in ["before_script", "script"].iter().filter_map(|key| job.get(key)) {
                for line in script.one_or_more().iter().filter_map(Node::text) {
                    self.take(lines_of(file, line, ""), &variables, false);
                }
            }
        }
    }

    /// Adds commands, with the variables that CI sets for them.
    fn take(&mut self, lines: Vec<Line>, variables: &[Word], is_conditional: bool) {
        for line in lines {
            let mut line = Line { is_of_ci: true, is_conditional, ..made_in_its_directory(line) };
            line.command.set(variables);
            self.lines.push(line);
        }
    }
}

/// Returns the commands of a shell text, with the directories that it enters. Commands that are allowed to fail
/// are left out.
pub(super) fn lines_of(file: &str, text: &str, directory: &str) -> Vec<Line> {
    let mut directory = directory.to_owned();
    let mut lines = Vec::new();
    for command in commands(text) {
        if matches!(command.program(), "cd" | "pushd") {
            directory = joined(&directory, command.arguments().next().unwrap_or_default());
        } else if !command.is_lenient {
            lines.push(Line {
                file: file.to_owned(),
                command,
                directory: directory.clone(),
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

/// Returns whether a workflow runs for changes. One without events runs for all of them.
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

/// Returns whether a job or a step never runs.
fn is_off(node: &Node) -> bool {
    let Some(condition) = node.get("if") else { return false };
    let text = condition.text().unwrap_or_default().trim();
    let text = text.strip_prefix("${{").and_then(|text| text.strip_suffix("}}")).unwrap_or(text);
    condition.boolean() == Some(false) || text.trim() == "false"
}

/// Returns whether an action installs a Rust other than the stable one, which later commands may need.
fn brings_nightly(action: &str, step: &Node) -> bool {
    let toolchain = step.get("with").and_then(|with| with.get("toolchain")?.text()).unwrap_or_default();
    let (name, version) = action.split_once('@').unwrap_or((action, ""));
    let is_nightly = |version: &str| ["nightly", "miri"].iter().any(|start| version.starts_with(start));
    name.contains("toolchain") && (is_nightly(version) || is_nightly(toolchain))
}

/// Converts `make -C DIR` to the same command in that directory.
fn made_in_its_directory(mut line: Line) -> Line {
    let words = &mut line.command.words;
    let at = words.iter().position(|word| word.text.starts_with("-C") || word.text.starts_with("--directory="));
    let Some(at) = at.filter(|_| words.first().is_some_and(|word| word.text == "make")) else { return line };
    let option = words.remove(at).text;
    let directory = match option.strip_prefix("--directory=").or(option.strip_prefix("-C")).unwrap_or_default() {
        "" if at < words.len() => words.remove(at).text,
        directory => directory.to_owned(),
    };
    line.directory = joined(&line.directory, &directory);
    line
}

fn defaults(node: &Node) -> Option<&Node> {
    node.get("defaults")?.get("run")
}

/// Returns the command for each value of the matrix, if it refers to one and the values are in the workflow.
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

/// Returns a directory relative to the root. Directories that only CI knows count as the root.
fn directory_of(directory: &str) -> String {
    joined("", directory)
}

/// Returns a directory that is entered from another one.
fn joined(directory: &str, entered: &str) -> String {
    if entered.contains('$') || entered.starts_with(['/', '-', '~']) {
        return String::new();
    }
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in entered.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part != ".." {
            parts.push(part);
        } else if parts.pop().is_none() {
            return String::new();
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(files: &[(&str, &str)]) -> Vec<String> {
        let ci = Ci::read(&Tree::of(files.iter().copied()));
        ci.lines().map(|line| format!("{}:{}", line.directory, line.command.text())).collect()
    }

    #[test]
    fn lines_of_both_systems_are_found_with_their_directories() {
        let files = [
            (
                ".github/workflows/ci.yml",
                "on: push\ndefaults: {run: {working-directory: ./web/}}\njobs:\n  a:\n    steps:\n      - uses: x\n      - run: |\n          # why\n          npm ci\n          npm run lint -- \\\n            --max-warnings 0\n      - run: cargo test\n        working-directory: core\n      - run: cd b && make\n        working-directory: core\n      - run: cd b; ./a; cd ../../c && make -C d x Y=1\n        working-directory: core\n",
            ),
            (".gitlab-ci.yml", "test:\n  script: [make test]\n"),
            (".github/workflows/junk.yml", "{: ["),
        ];
        assert_eq!(
            shown(&files),
            [
                "web:npm ci",
                "web:npm run lint -- --max-warnings 0",
                "core:cargo test",
                "core/b:make",
                "core/b:./a",
                "c/d:make x Y=1",
                ":make test"
            ]
        );
        let ci = Ci::read(&Tree::of(files));
        assert!(ci.names_directory("web") && ci.names_directory("core") && !ci.names_directory("api"));
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
            "{if: false, steps: [{run: a}]}",
            "{steps: [{run: a, if: '${{ false }}'}]}",
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

    #[test]
    fn variables_of_ci_are_a_part_of_its_commands_where_they_are_no_plumbing() {
        let workflow = "on: push\nenv: {RUSTFLAGS: -Dwarnings, MODE: far, CARGO_TERM_COLOR: always, X: '${{ secrets.X }}'}\njobs:\n  a:\n    env: {MODE: near, A_TOKEN: b, N: 1}\n    steps:\n      - run: cargo test\n      - run: N=2 make -C a\n        env: {MODE: 'two words', RUSTFLAGS: '${{ matrix.flags }}'}\n";
        assert_eq!(
            shown(&[
                (".github/workflows/a.yml", workflow),
                (".gitlab-ci.yml", "variables: {A: b, GIT_DEPTH: 1}\na: {variables: {C: d, E: $F}, script: x}\n")
            ]),
            [":MODE=near N=1 RUSTFLAGS=-Dwarnings cargo test", "a:MODE='two words' N=2 make", ":C=d A=b x"]
        );
    }
}
