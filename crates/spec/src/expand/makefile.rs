//! The recipe of one target, as far as it can be read without running make.

pub(crate) use referee_wire::project_file::makefile::FILES;
use referee_wire::project_file::makefile::join_continued;

use super::is_variable;

/// Most variables that are filled in.
const VARIABLES: usize = 50;

/// One line of a recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The command, without make's own prefixes.
    pub(crate) command: String,
    /// Whether make is told to go on when it fails (`-`).
    pub(crate) failure_ignored: bool,
}

/// Returns the recipe of a target, or of the first one. Empty: there is none that can be read.
pub(crate) fn recipe(text: &str, target: Option<&str>) -> Vec<Line> {
    let joined = join_continued(text);
    let target = target.or_else(|| first_target(&joined));
    let mut recipe = Vec::new();
    let mut inside = false;
    for line in joined.lines() {
        if let Some(command) = line.strip_prefix('\t') {
            if inside {
                recipe.extend(parse(command));
            }
            continue;
        }
        let Some((targets, rest)) = rule(line) else { continue };
        if inside && !recipe.is_empty() {
            break;
        }
        inside = targets.split_whitespace().any(|name| Some(name) == target);
        if inside && let Some((_, command)) = rest.split_once(';') {
            recipe.extend(parse(command));
        }
    }
    recipe
}

/// Returns all targets with plain names, each with the targets that it needs, in the order of the text.
pub(crate) fn targets(text: &str) -> Vec<(String, Vec<String>)> {
    let joined = join_continued(text);
    let plain =
        |name: &&str| name.chars().all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character));
    let mut targets: Vec<(String, Vec<String>)> = Vec::new();
    for (names, rest) in joined.lines().filter(|line| !line.starts_with('\t')).filter_map(rule) {
        let needs = rest.trim_start_matches(':').split([';', '#', '|']).next().unwrap_or_default();
        let needs = needs.split_whitespace().filter(plain).map(str::to_owned);
        // `target: NAME = value` sets a variable, and needs nothing.
        let needs: Vec<String> = if rest.contains('=') { Vec::new() } else { needs.collect() };
        for name in names.split_whitespace().filter(plain).filter(|name| !name.starts_with('.')) {
            match targets.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.extend(needs.iter().cloned()),
                None => targets.push((name.to_owned(), needs.clone())),
            }
        }
    }
    targets
}

/// Returns the text with its plain variables filled in, as make would.
pub(crate) fn filled_in(text: &str) -> String {
    let plain = |value: &str| !value.is_empty() && !value.contains(['$', '#', '`']);
    let assigned = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_end_matches(['?', ':', ' ', '\t']);
        (is_variable(name) && plain(value.trim())).then(|| (name.to_owned(), value.trim().to_owned()))
    };
    let variables: Vec<_> =
        text.lines().filter(|line| !line.starts_with('\t')).filter_map(assigned).take(VARIABLES).collect();
    variables.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value)
    })
}

/// Returns the target that make takes when none is named.
fn first_target(text: &str) -> Option<&str> {
    let rules = text.lines().filter(|line| !line.starts_with('\t')).filter_map(rule);
    let mut names = rules.filter_map(|(targets, _)| targets.split_whitespace().next());
    names.find(|name| !name.starts_with('.') && !name.contains('%'))
}

/// Splits a line at the colon of a rule. None: it is an assignment, a comment or nothing.
fn rule(line: &str) -> Option<(&str, &str)> {
    let (targets, rest) = line.split_once(':')?;
    let assignment = rest.starts_with('=') || rest.starts_with(":=") || targets.contains('=');
    let comment = line.trim_start().starts_with('#');
    (!assignment && !comment && !targets.trim().is_empty()).then_some((targets.trim(), rest))
}

fn parse(command: &str) -> Option<Line> {
    let bare = command.trim().trim_start_matches(['@', '-', '+', ' ', '\t']);
    let prefix = &command.trim()[..command.trim().len() - bare.len()];
    (!bare.is_empty() && !bare.starts_with('#'))
        .then(|| Line { command: bare.to_owned(), failure_ignored: prefix.contains('-') })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKEFILE: &str = "\
.PHONY: test lint
JEST := npx jest
# test: not this
all: test lint

test: build
\t@npx jest \\
\t  --ci

lint: ; npx eslint .
both one: dep
\t-npx a

\tnpx b
";

    #[test]
    fn recipes_are_read_as_far_as_they_are_plain() {
        let shown = |target| {
            let lines = recipe(MAKEFILE, target);
            lines
                .iter()
                .map(|line| format!("{}{}", if line.failure_ignored { "-" } else { "" }, line.command))
                .collect()
        };
        let table: [(Option<&str>, Vec<&str>); 5] = [
            (Some("test"), vec!["npx jest --ci"]),
            (Some("lint"), vec!["npx eslint ."]),
            (Some("one"), vec!["-npx a", "npx b"]),
            (Some("all"), vec![]),
            (Some("none"), vec![]),
        ];
        for (target, lines) in table {
            let found: Vec<String> = shown(target);
            assert_eq!(found, lines, "{target:?}");
        }
        assert_eq!(shown(None), Vec::<String>::new());
    }
}
