//! Targets of makefiles, with their prerequisites and variables.

use std::collections::BTreeSet;

use crate::project_file::makefile::{self, Makefile, used};
use referee_model::run_context::protection::Mode;
use referee_syntax::pointer::step;

use super::{NAMES, Origin, Reach, Step, parent_directory};
use crate::protect::imports::joined;

/// Maximum number of files that one makefile includes.
const INCLUDED: usize = 100;

impl Reach<'_, '_> {
    /// Follows a command of make.
    pub(super) fn make(&mut self, origin: &Origin<'_>, arguments: &[&str]) {
        let mut directory = origin.directory.to_owned();
        let (mut file, mut names) = (None, Vec::new());
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ if word.len() > 2
                    && word.starts_with(['-'])
                    && !word.starts_with("--")
                    && word.is_char_boundary(2) =>
                {
                    (&word[..2], Some(&word[2..]))
                }
                _ => (word, None),
            };
            match option {
                "-C" | "--directory" => {
                    let inner = value.or_else(|| words.next()).unwrap_or_default();
                    directory = joined(&directory, inner).unwrap_or(directory);
                }
                "-f" | "--file" | "--makefile" => file = value.or_else(|| words.next()),
                _ if option.starts_with('-')
                    || word.contains('=')
                    || word.bytes().all(|byte| byte.is_ascii_digit()) => {}
                name => names.push(name.to_owned()),
            }
        }
        let at = |name: &str| joined(&directory, name).filter(|path| self.files.contains(path.as_str()));
        let found = match file {
            Some(file) => at(file),
            None => makefile::FILES.iter().copied().find_map(at),
        };
        let Some(found) = found else { return };
        let names: Vec<Option<String>> =
            if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
        for name in names {
            self.reach(Step::Target { directory: directory.clone(), file: found.clone(), name }, origin.by);
        }
    }

    /// Protects a target, and follows its prerequisites and recipe.
    pub(super) fn target(&mut self, directory: &str, file: &str, name: Option<&str>, by: &str) {
        let all = self.makefiles(directory, file);
        let mut parts = NAMES.words("makefile.everywhere").map(str::to_owned).collect::<BTreeSet<_>>();
        let default = all.iter().find_map(|(_, made)| made.default.clone());
        if name.is_none() {
            parts.insert("/default".to_owned());
        }
        let Some(name) = name.map(str::to_owned).or(default) else { return };
        let whole = merged(&all);
        let mut texts: Vec<String> = Vec::new();
        let target = format!("/targets{}", step(&name));
        parts.extend(["recipe", "variables", "phony"].map(|part| format!("{target}/{part}")));
        for made in all.iter().filter_map(|(_, made)| made.targets.get(&name)) {
            parts.extend(made.prerequisites.keys().map(|word| format!("{target}/prerequisites{}", step(word))));
            texts.extend(made.recipe.iter().chain(&made.variables).chain(made.prerequisites.keys()).cloned());
            for word in made.prerequisites.keys() {
                for need in whole.filled_in(word).split_whitespace() {
                    self.need(directory, file, &whole, need, by);
                }
            }
            for line in &made.recipe {
                let text = whole.filled_in(line.trim_start_matches(['@', '-', '+', ' ']));
                self.reach(Step::Lines { directory: directory.to_owned(), text, script: None }, file);
            }
        }
        let variables = variables(&whole, &texts);
        for variable in &variables {
            let at = format!("/variables{}", step(variable));
            parts.insert(format!("{at}/assignments"));
            let sources = whole.variables.get(variable).into_iter().flat_map(|variable| variable.sources.keys());
            parts.extend(sources.map(|word| format!("{at}/sources{}", step(word))));
        }
        self.hold(&parts, &all, by);
    }

    /// Protects parts in all makefiles: a definition in one of them could be overridden in another. Words of a
    /// list are protected where they are.
    fn hold(&mut self, parts: &BTreeSet<String>, all: &[(String, Makefile)], by: &str) {
        for (path, made) in all {
            let document = serde_json::to_value(made).unwrap_or_default();
            for pointer in parts {
                let is_part = pointer.contains("/sources/") || pointer.contains("/prerequisites/");
                if !is_part || document.pointer(pointer).is_some() {
                    self.protect(path, Some(pointer.clone()), Mode::Frozen, by);
                }
            }
        }
    }

    /// Follows the target that makes a prerequisite: its own, or one with a pattern.
    fn need(&mut self, directory: &str, file: &str, whole: &Makefile, need: &str, by: &str) {
        let fits = |pattern: &&String| {
            pattern.split_once('%').is_some_and(|(start, end)| {
                need.len() >= start.len() + end.len() && need.starts_with(start) && need.ends_with(end)
            })
        };
        let names: Vec<String> = if whole.targets.get(need).is_some_and(|target| !target.recipe.is_empty()) {
            vec![need.to_owned()]
        } else {
            let own = whole.targets.contains_key(need).then(|| need.to_owned());
            whole.targets.keys().filter(fits).cloned().chain(own).collect()
        };
        for name in names {
            let (directory, file) = (directory.to_owned(), file.to_owned());
            self.reach(Step::Target { directory, file, name: Some(name) }, by);
        }
    }

    /// Returns a makefile and those that it includes.
    fn makefiles(&mut self, directory: &str, file: &str) -> Vec<(String, Makefile)> {
        let mut all: Vec<(String, Makefile)> = Vec::new();
        let mut waiting = vec![file.to_owned()];
        while let Some(path) = waiting.pop() {
            if all.len() > INCLUDED || all.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let Some(text) = self.read(&path) else { continue };
            let made = Makefile::read(&text);
            let written = made
                .includes
                .iter()
                .flat_map(|written| made.filled_in(written).split_whitespace().map(str::to_owned).collect::<Vec<_>>());
            let written: Vec<String> = written.filter_map(|written| joined(directory, &written)).collect();
            for path in written {
                let (start, end) = path.split_once('*').unwrap_or((&path, ""));
                let meant = |file: &&&str| {
                    **file == path
                        || path.contains('*')
                            && file.starts_with(start)
                            && file.ends_with(end)
                            && parent_directory(file) == parent_directory(&path)
                };
                waiting.extend(self.files.iter().filter(meant).map(|file| (*file).to_owned()));
            }
            all.push((path, made));
        }
        all
    }
}

/// Merges makefiles into one.
fn merged(all: &[(String, Makefile)]) -> Makefile {
    let mut whole = Makefile::default();
    for (_, made) in all {
        for (name, target) in &made.targets {
            let known = whole.targets.entry(name.clone()).or_default();
            known.recipe.extend(target.recipe.iter().cloned());
        }
        for (name, variable) in &made.variables {
            whole.variables.entry(name.clone()).or_default().extend(variable);
        }
    }
    whole
}

/// Returns the variables that some texts use, directly or through other variables.
fn variables(whole: &Makefile, texts: &[String]) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut waiting: Vec<String> = texts.iter().flat_map(|text| used(text)).map(str::to_owned).collect();
    while let Some(name) = waiting.pop() {
        if let Some(variable) = whole.variables.get(&name) {
            waiting.extend(used(variable.text()).into_iter().filter(|name| !found.contains(*name)).map(str::to_owned));
        }
        found.insert(name);
    }
    found
}
