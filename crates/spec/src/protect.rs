//! Protected files of a project: defaults by ecosystem, and rules of the specification (design, "Lock").
//!
//! Pure function of the plans, the names of the project's files, and the few configurations that name further files.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use referee_model::lock::{LockRule, Newcomers, RuleSource};
use referee_model::plan::Plan;
use referee_model::run_context::protection::Mode;

use self::named::Named;
use self::table::defaults;
use referee_syntax::table::Table;

mod company;
mod entries;
mod imports;
mod named;
mod precedence;
mod reach;
mod table;
mod values;

/// Names by which files are recognized, and the programs and configurations that load them.
static NAMES: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("protect/names.toml")));

/// Returns the rules for a project, in order of evaluation: those that protect themselves, those of the
/// specification, defaults for the kind of project.
///
/// `files` are all files of the project, relative to the workspace; `text` returns the content of one of them.
pub fn rules<'a>(
    plans: &[Plan],
    files: impl IntoIterator<Item = &'a str>,
    text: &dyn Fn(&str) -> Option<String>,
) -> Vec<LockRule> {
    let files: BTreeSet<&str> = files.into_iter().collect();
    let mut rules = fixed(plans);
    for plan in plans {
        for rule in &plan.guard.protect {
            let newcomers = if rule.mode == Mode::Frozen { Newcomers::Refused } else { Newcomers::Free };
            add(
                &mut rules,
                LockRule {
                    mode: rule.mode,
                    pattern: rule.pattern.clone(),
                    pointer: rule.pointer.clone(),
                    newcomers,
                    source: RuleSource::Declared,
                    reason: format!("{} names it under `protect`", plan.specification.file),
                },
            );
        }
    }
    let project = table::kinds(&files);
    for Named { path, pointer, mode, reason } in named::by_plans(plans, &files)
        .into_iter()
        .chain(reach::of_checks(plans, &files, text))
        .chain(company::of_tests(&files, text))
    {
        add(&mut rules, LockRule { pointer, ..whole(path, mode, Newcomers::Free, reason) });
    }
    let of_project = values::of_project(defaults(&project), &files, text).into_iter();
    for rule in of_project.chain(precedence::rules(&files, &project)).chain(entries::rules(&files, text)) {
        add(&mut rules, rule);
    }
    for default in defaults(&project).filter(|default| default.name.is_none()) {
        for pattern in &default.subjects {
            add(&mut rules, whole(pattern.clone(), default.mode, default.newcomers, default.reason.clone()));
        }
    }
    rules
}

/// Returns a default rule for whole files.
fn whole(pattern: String, mode: Mode, newcomers: Newcomers, reason: String) -> LockRule {
    LockRule { mode, pattern, pointer: None, newcomers, source: RuleSource::Default, reason }
}

/// Adds a rule. Of two rules of one source for the same subject the stricter one wins.
fn add(rules: &mut Vec<LockRule>, rule: LockRule) {
    let same = |other: &&mut LockRule| {
        (other.source, &other.pattern, &other.pointer) == (rule.source, &rule.pattern, &rule.pointer)
    };
    match rules.iter_mut().find(same) {
        Some(other) if rule.source == RuleSource::Default && rule.mode < other.mode => *other = rule,
        Some(_) => {}
        None => rules.push(rule),
    }
}

/// Returns the rules by which specifications protect themselves; no other rule overrides them.
fn fixed(plans: &[Plan]) -> Vec<LockRule> {
    let mut rules = Vec::new();
    let named = plans.iter().map(|plan| plan.specification.file.as_str());
    for file in named {
        add(
            &mut rules,
            LockRule {
                source: RuleSource::Fixed,
                ..whole(
                    escaped(file),
                    Mode::Frozen,
                    Newcomers::Never,
                    "the specification says what is checked".to_owned(),
                )
            },
        );
    }
    for name in crate::discover::FILE_NAMES {
        // A file that is found earlier would replace the intended one.
        add(
            &mut rules,
            LockRule {
                source: RuleSource::Fixed,
                ..whole(
                    name.to_owned(),
                    Mode::Frozen,
                    Newcomers::Never,
                    "a specification is found by this name".to_owned(),
                )
            },
        );
    }
    rules
}

/// Returns the directory of a path; empty for the workspace.
fn parent_directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns whether the file of a path has this name.
fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// Escapes a path as a pattern that matches only this path.
fn escaped(path: &str) -> String {
    path.chars().fold(String::with_capacity(path.len()), |mut pattern, character| {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
        pattern
    })
}

#[cfg(test)]
mod tests;
