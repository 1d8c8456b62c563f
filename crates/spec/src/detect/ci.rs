//! Which commands CI runs: what it demands, the project holds itself to.

use super::document;
use super::text::mentions;
use super::tree::Tree;
use crate::tree::Node;

/// Most command lines that are kept.
const LINES: usize = 2_000;

/// What CI runs.
#[derive(Debug, Default)]
pub(super) struct Ci {
    lines: Vec<Line>,
}

/// One command line of CI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The workflow's file.
    pub(super) file: String,
    /// The command line, lines that go on (`\`) joined.
    pub(super) text: String,
    /// The folder that it runs in, where the step says one.
    folder: Option<String>,
}

impl Ci {
    /// Reads the workflows of GitHub and GitLab.
    pub(super) fn read(tree: &Tree) -> Self {
        let mut ci = Self::default();
        for (file, text) in tree.texts() {
            if file.starts_with(".github/workflows/") {
                ci.github(file, text);
            } else if file == ".gitlab-ci.yml" {
                ci.gitlab(file, text);
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

    /// The lines, in the order of the files.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// Returns the first line that holds one of these words.
    pub(super) fn line_with(&self, words: &[&str]) -> Option<&Line> {
        self.lines.iter().find(|line| words.iter().any(|word| mentions(&line.text, word)))
    }

    /// Whether a workflow names this folder.
    pub(super) fn names_folder(&self, folder: &str) -> bool {
        self.lines.iter().any(|line| line.folder.as_deref() == Some(folder) || mentions(&line.text, folder))
    }

    fn github(&mut self, file: &str, text: &str) {
        let Some(root) = document::tree(text) else { return };
        let default = |node: &Node| folder_of(node.get("defaults").and_then(|defaults| defaults.get("run")));
        for job in root.get("jobs").map(Node::entries).unwrap_or_default() {
            for step in job.value.get("steps").map(Node::elements).unwrap_or_default() {
                let Some(run) = step.get("run").and_then(Node::text) else { continue };
                let folder = folder_of(Some(step)).or_else(|| default(&job.value)).or_else(|| default(&root));
                self.add(file, run, folder.as_deref());
            }
        }
    }

    fn gitlab(&mut self, file: &str, text: &str) {
        let Some(root) = document::tree(text) else { return };
        for job in root.entries() {
            for script in ["before_script", "script"].iter().filter_map(|key| job.value.get(key)) {
                for line in script.one_or_more().iter().filter_map(Node::text) {
                    self.add(file, line, None);
                }
            }
        }
    }

    fn add(&mut self, file: &str, run: &str, folder: Option<&str>) {
        let joined = run.replace("\\\n", " ");
        for text in joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.lines.push(Line { file: file.to_owned(), text: text.to_owned(), folder: folder.map(str::to_owned) });
        }
    }
}

fn folder_of(node: Option<&Node>) -> Option<String> {
    let folder = node?.get("working-directory")?.text()?;
    Some(folder.trim_start_matches("./").trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_systems_are_found_with_their_folders() {
        let tree = Tree::of([
            (
                ".github/workflows/ci.yml",
                "on: push\ndefaults: {run: {working-directory: ./web/}}\njobs:\n  a:\n    steps:\n      - uses: x\n      - run: |\n          # why\n          npm ci\n          npm run lint -- \\\n            --max-warnings 0\n      - run: cargo test\n        working-directory: core\n",
            ),
            (".gitlab-ci.yml", "test:\n  script: [make test]\n"),
            (".github/workflows/junk.yml", "{: ["),
        ]);
        let ci = Ci::read(&tree);
        let lines: Vec<&str> = ci.lines().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["npm ci", "npm run lint --    --max-warnings 0", "cargo test", "make test"]);
        assert!(ci.names_folder("web") && ci.names_folder("core") && !ci.names_folder("api"));
        assert_eq!(ci.line_with(&["cargo test"]).unwrap().file, ".github/workflows/ci.yml");
    }
}
