//! What tox, nox and pre-commit run.

use super::super::Place;
use super::super::ci::{Line, lines_of};
use super::super::document::{self, Tables};
use crate::tree::Node;

/// The environments of tox, from whichever file holds them.
#[derive(Debug, Default)]
pub(super) struct Tox {
    /// The file.
    pub(super) file: &'static str,
    /// The commands of each environment; `testenv` is what all have in common.
    environments: Vec<(String, Vec<String>)>,
}

impl Tox {
    /// Reads `tox.ini`, else `setup.cfg`, else `pyproject.toml`, as tox does.
    pub(super) fn read(place: &Place<'_>, pyproject: &Tables) -> Option<Self> {
        let text = |name: &str| place.text(name).unwrap_or_default();
        let legacy = text("pyproject.toml")
            .split_once("legacy_tox_ini")
            .and_then(|(_, rest)| rest.split_once("\"\"\"").or_else(|| rest.split_once("'''")))
            .and_then(|(_, rest)| rest.split_once("\"\"\"").or_else(|| rest.split_once("'''")))
            .map_or("", |(ini, _)| ini);
        let ini = [
            ("tox.ini", text("tox.ini"), "tox"),
            ("setup.cfg", text("setup.cfg"), "tox:tox"),
            ("pyproject.toml", legacy, "tox"),
        ];
        let of_ini = ini.into_iter().find_map(|(file, text, section)| {
            let tables = Tables::read(text);
            (tables.has("testenv") || tables.has(section))
                .then(|| Self { file, environments: common_first(of_ini(&tables)) })
        });
        of_ini.or_else(|| {
            let environments = || common_first(of_toml(pyproject));
            pyproject.has("tool.tox").then(|| Self { file: "pyproject.toml", environments: environments() })
        })
    }

    /// The commands of the environments. Those that CI runs by name, or as all of them, are CI's.
    pub(super) fn lines(&self, place: &Place<'_>) -> Vec<Line> {
        let mut asked: Vec<(String, String)> = Vec::new();
        for line in place.ci_lines().filter(|line| line.command.program() == "tox") {
            let words: Vec<&str> = line.command.arguments().collect();
            let named = words.windows(2).filter(|pair| matches!(pair[0], "-e" | "--env")).map(|pair| pair[1]);
            asked.extend(named.flat_map(|names| names.split(',')).map(|name| (name.to_owned(), line.file.clone())));
        }
        let mut lines = Vec::new();
        for (name, commands) in &self.environments {
            let asking = asked.iter().find(|(asked, _)| asked == name);
            let who = match name.as_str() {
                "testenv" => format!("tox ({})", self.file),
                name => format!("tox -e {name} ({})", self.file),
            };
            for command in commands {
                let read = lines_of(&who, &without_substitutions(command), place.folder).into_iter();
                lines.extend(read.map(|line| match asking {
                    Some((_, workflow)) => Line { file: format!("{workflow} (tox -e {name})"), is_of_ci: true, ..line },
                    None => line,
                }));
            }
        }
        lines
    }

    /// The commands that all environments have in common.
    pub(super) fn common(&self) -> impl Iterator<Item = &str> {
        self.environments
            .iter()
            .filter(|(name, _)| name == "testenv")
            .flat_map(|(_, commands)| commands)
            .map(String::as_str)
    }
}

fn common_first(mut environments: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    environments.sort_by_key(|(name, _)| name != "testenv");
    environments
}

fn of_ini(tables: &Tables) -> Vec<(String, Vec<String>)> {
    let named = tables.names().filter_map(|table| {
        let name = if table == "testenv" { "testenv" } else { table.strip_prefix("testenv:")? };
        let commands = tables.value(table, "commands")?.replace("\\\n", " ");
        Some((name.to_owned(), commands.lines().map(|line| without_factor(line.trim()).to_owned()).collect()))
    });
    named.collect()
}

/// The commands of pyproject's own form: lists of texts.
fn of_toml(pyproject: &Tables) -> Vec<(String, Vec<String>)> {
    let named = pyproject.names().filter_map(|table| {
        let name = if table == "tool.tox.env_run_base" { "testenv" } else { table.strip_prefix("tool.tox.env.")? };
        Some((name.trim_matches('"').to_owned(), lists(pyproject.value(table, "commands")?)))
    });
    named.collect()
}

/// The inner lists of a list of lists of texts, each as a line of shell.
fn lists(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                if depth == 1 && !words.is_empty() {
                    found.push(std::mem::take(&mut words).join(" "));
                }
            }
            // What tox puts in its place is added by whoever runs it.
            '{' => drop(characters.by_ref().take_while(|inner| *inner != '}').count()),
            '"' | '\'' => {
                let word: String = characters.by_ref().take_while(|inner| *inner != character).collect();
                words.push(crate::expand::join(&[word]));
            }
            _ => {}
        }
    }
    found
}

/// Takes the condition of a line of commands away (`tests: pytest`).
fn without_factor(line: &str) -> &str {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_.,!-{}".contains(character);
    match line.split_once(": ") {
        Some((factor, rest)) if !factor.is_empty() && factor.chars().all(plain) => rest.trim(),
        _ => line,
    }
}

/// Fills in what is known of tox's substitutions; others become variables, whose value nobody knows here.
fn without_substitutions(command: &str) -> String {
    let mut rest = command.trim_start_matches(['-', '!', ' ']);
    let mut filled = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (inner, after) = after.split_once('}').unwrap_or((after, ""));
        match inner.split_once(':') {
            Some(("posargs", default)) => filled.push_str(default),
            None if inner == "posargs" => {}
            None if matches!(inner, "toxinidir" | "tox_root") => filled.push('.'),
            None if matches!(inner, "envpython" | "env_python") => filled.push_str("python"),
            _ => filled.push_str("$tox"),
        }
        rest = after;
    }
    filled + rest
}

/// The commands of `session.run(…)` in a file of nox.
pub(super) fn of_nox(place: &Place<'_>) -> Vec<Line> {
    let text = place.text("noxfile.py").unwrap_or_default();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let code = code.join("\n");
    let calls = code.split("session.run(").skip(1).filter_map(|rest| rest.split_once(')')).map(|(inner, _)| inner);
    let lines = calls.map(|inner| lists(&format!("[[{inner}]]")).join(" "));
    lines.flat_map(|line| lines_of("noxfile.py", &line, place.folder)).collect()
}

/// The hooks of pre-commit: each with whether it is run as the tool alone would be.
pub(super) fn hooks(place: &Place<'_>) -> Vec<(String, bool)> {
    let Some(root) = place.text(".pre-commit-config.yaml").and_then(document::tree) else { return Vec::new() };
    let narrows =
        |node: &Node| ["files", "exclude", "args", "entry", "stages"].iter().any(|key| node.get(key).is_some());
    let all = root.get("repos").map(Node::elements).unwrap_or_default().iter();
    let hooks = all.flat_map(|repo| repo.get("hooks").map(Node::elements).unwrap_or_default());
    hooks.filter_map(|hook| Some((hook.get("id")?.text()?.to_owned(), !narrows(hook) && !narrows(&root)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_tox_are_found_in_all_its_files_without_its_substitutions() {
        assert_eq!(
            without_substitutions("-pytest {posargs:tests} --basetemp={envtmpdir}"),
            "pytest tests --basetemp=$tox"
        );
        assert_eq!(without_factor("py3,tests: pytest -x"), "pytest -x");
        assert_eq!(without_factor("sphinx-build -b html: x"), "sphinx-build -b html: x");
        assert_eq!(lists("[[\"a\", \"b c\", {replace = \"x\", default = [], y = 1}], ['d']]"), ["a 'b c'", "d"]);
        let tables =
            Tables::read("[testenv]\ncommands =\n  a {posargs} \\\n    b\n  c\n[testenv:lint]\ncommands = d\n");
        let shown: Vec<String> =
            of_ini(&tables).iter().map(|(name, commands)| format!("{name}: {}", commands.join("; "))).collect();
        assert_eq!(shown, ["testenv: a {posargs}  b; c", "lint: d"]);
    }
}
