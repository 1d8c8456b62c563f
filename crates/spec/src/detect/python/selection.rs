//! Environments of tox that CI selects.

use referee_syntax::tree::Node;

use super::super::ProjectDirectory;
use super::super::ci::Line;
use super::super::manifest_document;

/// Maximum number of names that one pattern expands to.
const NAMES: usize = 200;
/// Options with which nothing is run.
const RUNS_NOTHING: &[&str] =
    &["--notest", "-n", "-l", "--listenvs", "-a", "--listenvs-all", "--showconfig", "--version", "--help", "-h"];
/// Options that take the next word as value.
const VALUED: &[&str] = &["-c", "--conf", "--workdir", "--root", "-x", "--override", "--result-json", "--installpkg"];
/// Subcommands that run environments.
const RUNS: &[&str] = &["run", "r", "run-parallel", "p", "legacy", "le"];

/// Selected environments, each with the workflow that runs it.
#[derive(Debug, Default)]
pub(super) struct Selection {
    pub(super) names: Vec<(String, String)>,
    /// Whether CI runs environments whose names are unknown here.
    has_unknown: bool,
}

impl Selection {
    /// Returns the selection of CI; `listed` are the default environments.
    pub(super) fn of(place: &ProjectDirectory<'_>, listed: &[String]) -> Self {
        let mut asked = Self::default();
        for line in place.lines().filter(|line| line.is_of_ci && line.command.program() == "tox") {
            asked.add(place, line, listed);
        }
        asked
    }

    /// Returns whether the selection is known and not empty.
    pub(super) fn is_known(&self) -> bool {
        !self.names.is_empty() && !self.has_unknown
    }

    fn add(&mut self, place: &ProjectDirectory<'_>, line: &Line, listed: &[String]) {
        let Some(Given { chosen, by_others }) = given(line) else { return };
        self.has_unknown |= by_others;
        let chosen = if chosen.is_empty() && !by_others { self.by_variable(place, line) } else { chosen };
        let add = |name: String| (name, line.file.clone());
        if chosen.is_empty() && !by_others && !self.has_unknown {
            let default = if listed.is_empty() { vec!["py".to_owned()] } else { listed.to_vec() };
            self.names.extend(default.into_iter().map(add));
        }
        for list in chosen {
            let lists = filled_in(place, &line.file, &list);
            self.has_unknown |= lists.is_empty();
            for name in lists.iter().flat_map(|list| names(list)) {
                match name.as_str() {
                    "ALL" => self.names.extend(listed.iter().cloned().map(add)),
                    _ => self.names.push(add(name)),
                }
            }
        }
    }

    /// Returns the environments that `TOXENV` selects for a line.
    fn by_variable(&mut self, place: &ProjectDirectory<'_>, line: &Line) -> Vec<String> {
        let variable = line.command.prefix.iter().find_map(|word| word.text.strip_prefix("TOXENV="));
        if let Some(value) = variable {
            return vec![value.to_owned()];
        }
        let text = place.tree.text(&line.file).filter(|text| text.contains("TOXENV"));
        let found = text.and_then(manifest_document::tree).map(|root| values(&root, "TOXENV")).unwrap_or_default();
        self.has_unknown |= text.is_some() && found.is_empty();
        found
    }
}

/// Returns all values that a workflow gives a variable.
fn values(root: &Node, variable: &str) -> Vec<String> {
    let jobs = || root.get("jobs").map(Node::entries).unwrap_or_default().iter().map(|job| &job.value);
    let steps = jobs().flat_map(|job| job.get("steps").map(Node::elements).unwrap_or_default());
    let places = std::iter::once(root).chain(jobs()).chain(steps);
    places.filter_map(|node| node.get("env")?.get(variable)?.scalar()).map(str::to_owned).collect()
}

/// Selection of a command line of tox.
struct Given {
    chosen: Vec<String>,
    /// Whether it selects by labels or factors.
    by_others: bool,
}

/// Parses the arguments. None: they run nothing.
fn given(line: &Line) -> Option<Given> {
    let mut given = Given { chosen: Vec::new(), by_others: false };
    let mut is_first = true;
    let mut words = line.command.arguments().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if RUNS_NOTHING.contains(&word) {
            return None;
        }
        let value = word.strip_prefix("--env=").or_else(|| word.strip_prefix("-e").filter(|rest| !rest.is_empty()));
        match word {
            "-e" | "--env" => given.chosen.extend(words.next().map(str::to_owned)),
            "-m" | "-f" => given.by_others = true,
            _ if VALUED.contains(&word) => drop(words.next()),
            _ if value.is_some() => given.chosen.extend(value.map(|value| value.trim_start_matches('=').to_owned())),
            option if option.starts_with('-') => {}
            plain if is_first && !given.by_others => {
                if !RUNS.contains(&plain) && !is_value(plain) {
                    return None;
                }
                is_first = false;
            }
            _ => {}
        }
    }
    Some(given)
}

/// Returns whether a word is the value of an option with an optional value (`-p auto`).
fn is_value(word: &str) -> bool {
    matches!(word, "auto" | "all" | "true" | "false") || word.chars().all(|next| next.is_ascii_digit())
}

/// Returns a text with the matrix value that it names, one text per value. Empty: only CI knows the values.
fn filled_in(place: &ProjectDirectory<'_>, file: &str, text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once("${{") else {
        return if text.contains('$') { Vec::new() } else { vec![text.to_owned()] };
    };
    let Some((inner, after)) = rest.split_once("}}") else { return Vec::new() };
    let (Some(key), Some(root)) =
        (inner.trim().strip_prefix("matrix."), place.tree.text(file).and_then(manifest_document::tree))
    else {
        return Vec::new();
    };
    let values = |matrix: &Node| -> Vec<String> {
        let one = matrix.get(key).map(Node::one_or_more).unwrap_or_default().iter();
        let more = matrix.get("include").map(Node::elements).unwrap_or_default();
        let included = more.iter().filter_map(|entry| entry.get(key));
        one.chain(included).filter_map(Node::scalar).map(str::to_owned).collect()
    };
    let jobs = root.get("jobs").map(Node::entries).unwrap_or_default().iter();
    let matrices = jobs.filter_map(|job| job.value.get("strategy")?.get("matrix"));
    let filled = matrices.flat_map(values).map(|value| format!("{before}{value}{after}"));
    filled.flat_map(|text| if text.contains('$') { Vec::new() } else { vec![text] }).collect()
}

/// Expands a list of patterns into names: `py{38,39}-a, lint`.
pub(super) fn names(list: &str) -> Vec<String> {
    let mut patterns = vec![String::new()];
    let mut depth = 0_usize;
    for character in list.chars() {
        depth = match character {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        match patterns.last_mut() {
            Some(last) if depth > 0 || !(character == ',' || character.is_whitespace()) => last.push(character),
            _ => patterns.push(String::new()),
        }
    }
    let mut found: Vec<String> = Vec::new();
    while let Some(pattern) = patterns.pop().filter(|_| found.len() + patterns.len() < NAMES) {
        match pattern.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
            Some((before, (inner, after))) => {
                patterns.extend(inner.split(',').map(|one| format!("{before}{}{after}", one.trim())));
            }
            None if pattern.is_empty() => {}
            None => found.insert(0, pattern),
        }
    }
    found
}
