//! Parses a makefile as make does, as far as possible without running it: targets, variables and includes.
//!
//! Conditionals are not evaluated: their contents are recorded with the condition.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// Default file names of make, in order of precedence.
pub const FILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Extensions of source files of programs: adding one is ordinary work, and changes no command.
const SOURCES: [&str; 12] = ["c", "cc", "cpp", "cxx", "h", "hpp", "o", "obj", "lo", "a", "s", "d"];

/// Directives of conditionals, which are kept in recipes as written.
const CONDITIONS: [&str; 6] = ["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"];

/// Prefix characters of a recipe's command that make itself interprets.
const PREFIXES: [char; 5] = ['@', '-', '+', ' ', '\t'];

/// Maximum depth of nested variables that are expanded.
const DEPTH: usize = 8;

/// Maximum length of a text after expansion, in bytes.
const FILLED_BYTES: usize = 64 * 1024;

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Makefile {
    /// Default target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub targets: BTreeMap<String, Target>,
    pub variables: BTreeMap<String, Variable>,
    /// Included files, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// Variables exported to recipes.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub exports: BTreeSet<String>,
    /// Lines that cannot be interpreted, such as `$(eval …)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other: Vec<String>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// Prerequisites; the values have no meaning.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prerequisites: BTreeMap<String, bool>,
    /// Lines of the recipe, without comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recipe: Vec<String>,
    /// Target-specific variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Whether the target is phony.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub phony: bool,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// Assignments in order, without lists of sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assignments: Vec<String>,
    /// Source files of programs in its value; the map's values have no meaning.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, bool>,
    /// Values as written.
    #[serde(skip)]
    text: String,
}

impl Variable {
    /// Returns the values as written, one after another.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds the definitions of the same target in another file.
    pub fn extend(&mut self, other: &Self) {
        self.sources.extend(other.sources.clone());
        format!("{} {}", self.text, other.text).trim().clone_into(&mut self.text);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeLine {
    /// Command without make's own prefixes.
    pub command: String,
    /// Whether make ignores a failure (`-`).
    pub failure_ignored: bool,
}

/// Kind of a line outside of recipes.
enum Line<'a> {
    Assignment { name: &'a str, operator: &'a str, value: &'a str },
    Rule { targets: &'a str, rest: &'a str },
    Other,
}

impl Makefile {
    /// Parses a text; this never fails.
    pub fn read(text: &str) -> Self {
        let joined = join_continued(text);
        let mut reader = Reader { prefix: '\t', ..Reader::default() };
        for line in joined.lines() {
            reader.take(line);
        }
        let Reader { mut made, phony, .. } = reader;
        for name in phony {
            made.targets.entry(name).or_default().phony = true;
        }
        made
    }

    /// Returns whether there is a rule for a target.
    pub fn has_rule(&self, name: &str) -> bool {
        self.targets.get(name).is_some_and(|target| !target.prerequisites.is_empty() || !target.recipe.is_empty())
    }

    /// Returns the recipe of a target, or of the default target. Empty: there is none.
    pub fn recipe(&self, target: Option<&str>) -> Vec<RecipeLine> {
        let target = target.or(self.default.as_deref()).and_then(|name| self.targets.get(name));
        let lines = target.map(|target| target.recipe.as_slice()).unwrap_or_default();
        let lines =
            lines.iter().filter(|line| !CONDITIONS.iter().any(|word| line.split_whitespace().next() == Some(word)));
        let parts = lines.map(|line| {
            let command = line.trim_start_matches(PREFIXES);
            let failure_ignored = line[..line.len() - command.len()].contains('-');
            RecipeLine { command: command.to_owned(), failure_ignored }
        });
        parts.filter(|line| !line.command.is_empty()).collect()
    }

    /// Expands variables as make would, if they are set here.
    pub fn filled_in(&self, text: &str) -> String {
        self.filled(text, DEPTH)
    }

    fn filled(&self, text: &str, depth: usize) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix('$') {
                filled.push('$');
                rest = after;
                continue;
            }
            let Some((name, end)) = reference(after) else {
                filled.push('$');
                rest = after;
                continue;
            };
            match self.variables.get(name) {
                _ if name == "MAKE" => filled.push_str("make"),
                Some(variable) if depth > 0 && filled.len() < FILLED_BYTES => {
                    filled.push_str(&self.filled(&variable.text, depth - 1));
                }
                _ => filled.push_str(&rest[at..at + 1 + end]),
            }
            rest = &after[end..];
        }
        filled.push_str(rest);
        filled
    }
}

/// Returns the names of the variables that a text uses.
pub fn used(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('$') {
        rest = after.strip_prefix('$').unwrap_or(after);
        if rest.len() != after.len() {
            continue;
        }
        let Some(inner) = after.strip_prefix(['(', '{']) else {
            names.extend(after.get(..1).filter(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic())));
            continue;
        };
        // `$(call macro,…)` uses a variable as a function.
        let inner = inner.strip_prefix("call ").unwrap_or(inner).trim_start();
        let end = inner.find(|letter: char| !is_of_name(letter)).unwrap_or(inner.len());
        // The name of a function is followed by a space.
        names.extend(Some(&inner[..end]).filter(|name| !name.is_empty() && !inner[end..].starts_with(' ')));
    }
    names
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.".contains(letter)
}

/// Returns a plain `(NAME)`, `{NAME}` or one letter after `$`, and where it ends.
fn reference(after: &str) -> Option<(&str, usize)> {
    let closing = match after.chars().next()? {
        '(' => ')',
        '{' => '}',
        letter if letter.is_ascii_alphabetic() => return Some((&after[..1], 1)),
        _ => return None,
    };
    let end = after.find(closing)?;
    let name = &after[1..end];
    (!name.is_empty() && name.chars().all(is_of_name)).then_some((name, end + 1))
}

/// State of the parser.
#[derive(Default)]
struct Reader {
    made: Makefile,
    phony: BTreeSet<String>,
    /// Targets of the current recipe.
    targets: Vec<String>,
    /// Conditionals that contain the line.
    conditions: Vec<String>,
    /// Conditional directives within a recipe, until its next line.
    waiting: Vec<String>,
    /// Variable of a `define`, with its lines.
    defined: Option<(String, Vec<String>)>,
    /// Prefix character of recipe lines.
    prefix: char,
}

impl Reader {
    fn take(&mut self, line: &str) {
        if let Some((name, mut lines)) = self.defined.take() {
            if line.trim() == "endef" {
                self.assign(&name, "define", &lines.join("\n"));
            } else {
                lines.push(line.to_owned());
                self.defined = Some((name, lines));
            }
            return;
        }
        match line.strip_prefix(self.prefix) {
            Some(command) if !self.targets.is_empty() => self.recipe(command.trim()),
            _ => self.directive(without_comment(line).trim()),
        }
    }

    fn recipe(&mut self, command: &str) {
        if command.trim_start_matches(PREFIXES).starts_with('#') || command.is_empty() {
            return;
        }
        let lines: Vec<String> = self.waiting.drain(..).chain([command.to_owned()]).collect();
        for name in &self.targets {
            self.made.targets.entry(name.clone()).or_default().recipe.extend(lines.iter().cloned());
        }
    }

    fn directive(&mut self, line: &str) {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" => {}
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => self.condition(line, false),
            "else" => self.condition(line, true),
            "endif" => {
                self.conditions.pop();
                self.waiting.push(line.to_owned());
            }
            "include" | "-include" | "sinclude" => {
                self.targets.clear();
                self.made.includes.extend(words(rest).into_iter().map(str::to_owned));
            }
            "define" => self.defined = Some((rest.trim_end_matches(['=', ':', '?', '+', ' ']).to_owned(), Vec::new())),
            "override" => self.directive(rest),
            "export" => {
                self.made.exports.insert(rest.to_owned());
                if let Line::Assignment { .. } = kind(rest) {
                    self.directive(rest);
                }
            }
            _ => match kind(line) {
                Line::Assignment { name, operator, value } => {
                    self.targets.clear();
                    self.assign(name, operator, value);
                }
                Line::Rule { targets, rest } => self.rule(targets, rest),
                Line::Other => self.made.other.push(line.to_owned()),
            },
        }
    }

    fn condition(&mut self, line: &str, is_else: bool) {
        let before = if is_else { self.conditions.pop().unwrap_or_default() } else { String::new() };
        self.conditions.push(if is_else { format!("{before} {line}") } else { line.to_owned() });
        self.waiting.push(line.to_owned());
    }

    fn assign(&mut self, name: &str, operator: &str, value: &str) {
        if name == ".RECIPEPREFIX" {
            self.prefix = value.chars().next().unwrap_or('\t');
        }
        if name == ".DEFAULT_GOAL" {
            self.made.default = Some(value.to_owned());
        }
        if value.contains("$(eval") || value.contains("${eval") {
            self.made.other.push(format!("{name} {operator} {value}"));
        }
        let variable = self.made.variables.entry(name.to_owned()).or_default();
        let (sources, others): (Vec<&str>, Vec<&str>) = if operator == "define" {
            (Vec::new(), vec![value])
        } else {
            words(value).into_iter().partition(|word| is_source(word))
        };
        let sets_anew = operator != "+=" && !variable.text.is_empty();
        if sources.is_empty() || !others.is_empty() || sets_anew || !self.conditions.is_empty() {
            let written = [&self.conditions.join(" "), operator, &others.join(" ")].join(" ");
            variable.assignments.push(written.trim().to_owned());
        }
        variable.sources.extend(sources.into_iter().map(|word| (word.to_owned(), true)));
        format!("{} {value}", variable.text).trim().clone_into(&mut variable.text);
    }

    fn rule(&mut self, targets: &str, rest: &str) {
        let names: Vec<String> = words(targets).into_iter().map(str::to_owned).collect();
        self.waiting.clear();
        if names == [".PHONY"] {
            self.phony.extend(words(rest).into_iter().map(str::to_owned));
            self.targets.clear();
            return;
        }
        let (needs, command) = rest.split_once(';').map_or((rest, None), |(needs, command)| (needs, Some(command)));
        let plain = |name: &&String| !name.starts_with('.') && !name.contains('%');
        if self.made.default.is_none() && !self.made.variables.contains_key(".DEFAULT_GOAL") {
            self.made.default = names.iter().find(plain).cloned();
        }
        let sets = matches!(kind(needs), Line::Assignment { .. });
        for name in &names {
            let target = self.made.targets.entry(name.clone()).or_default();
            if sets {
                target.variables.push(rest.trim().to_owned());
                continue;
            }
            let needs = needs.trim_start_matches([':', '&']).replace(['|', ':'], " ");
            target.prerequisites.extend(words(&needs).into_iter().map(|word| (word.to_owned(), true)));
            target.recipe.extend(self.conditions.iter().cloned());
        }
        self.targets = if sets { Vec::new() } else { names };
        if let Some(command) = command.filter(|_| !sets) {
            self.recipe(command.trim());
        }
    }
}

fn is_source(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./+".contains(letter);
    !word.starts_with('-')
        && word.chars().all(is_plain)
        && word.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && SOURCES.contains(&ending))
}

/// Determines the kind of a line by the first operator outside of `$(…)`.
fn kind(line: &str) -> Line<'_> {
    let mut depth = 0_usize;
    for (at, letter) in line.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ':' | '=' | '?' | '+' | '!' if depth == 0 => {
                let after = &line[at..];
                let operators = [":::=", "::=", ":=", "?=", "+=", "!=", "="];
                if let Some(operator) = operators.into_iter().find(|operator| after.starts_with(operator)) {
                    let value = after[operator.len()..].trim();
                    return Line::Assignment { name: line[..at].trim(), operator, value };
                }
                if letter == ':' && at > 0 {
                    return Line::Rule { targets: line[..at].trim_end_matches('&'), rest: &line[at + 1..] };
                }
            }
            _ => {}
        }
    }
    Line::Other
}

/// Splits a text into words; `$(…)` is never split.
fn words(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|letter: char| {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && letter.is_whitespace()
    });
    parts.filter(|word| !word.is_empty()).collect()
}

fn without_comment(line: &str) -> &str {
    let is_escaped = |at: &usize| line[..*at].ends_with('\\');
    let at = line.match_indices('#').map(|(at, _)| at).find(|at| !is_escaped(at));
    &line[..at.unwrap_or(line.len())]
}

/// Joins lines that end in a backslash with the next ones.
fn join_continued(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut parts = text.split("\\\n");
    let mut joined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        joined.truncate(joined.trim_end_matches([' ', '\t']).len());
        joined.push(' ');
        joined.push_str(part.trim_start_matches([' ', '\t']));
    }
    joined
}

#[cfg(test)]
mod tests;
