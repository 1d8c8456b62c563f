//! make: targets that build, test and check, and further ones that CI runs.

use std::collections::BTreeSet;

use crate::project_file::makefile;
use referee_model::plan::Role;
use referee_model::selection::Level;

use super::super::ci::Line;
use super::super::command::{Command, commands};
use super::super::form::{Form, form};
use super::super::project::{Draft, Ecosystem};
use super::super::{ProjectDirectory, TOOLS};
use super::without_comments;

/// Maximum number of make commands that are proposed because CI runs them.
const MADE: usize = 4;

/// Detects a makefile as a project if it builds or tests something; beside another project its targets belong
/// to that project.
pub(super) fn detect(place: &ProjectDirectory<'_>, file: &str) -> Option<Draft> {
    let text = place.text(file)?;
    let read = makefile::Makefile::read(text);
    let has = |name: &&str| read.has_rule(name);
    let other =
        ["package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "composer.json", "Gemfile"];
    let beside = other.into_iter().find(|name| place.text(name).is_some());
    let mut draft = Draft::new(Ecosystem::Native, place.directory, file);
    missing(place, text, file, &read, &mut draft);
    let test = ["test", "check", "tests"].into_iter().find(has);
    if let Some(beside) = beside {
        if let Some(test) = test {
            draft.leave(
                "make-test",
                format!("make {test}"),
                Level::Fast,
                format!("Target `{test}` of {file}; {beside} says how the tests run"),
            );
        }
        return Some(draft);
    }
    let makefile = Makefile { read: &read, file };
    let demanded = demanded(place, &makefile);
    let default = ["all", "build"].into_iter().find(has);
    match demanded.iter().find(|made| made.target.is_none()) {
        Some(made) => drop(draft.check("build", &made.line, Level::Smoke, &made.because)),
        None if default.is_some() => makefile.check("build", default, Level::Smoke, &mut draft),
        None => {}
    }
    makefile.check("test", test, Level::Fast, &mut draft);
    if let Some(check) = draft.checks.last_mut().filter(|check| check.line == "make check") {
        // By convention `check` runs the tests, which its name alone does not say.
        check.role = Some(Role::Test);
    }
    makefile.check("lint", ["lint"].into_iter().find(has), Level::Fast, &mut draft);
    besides(demanded, &mut draft);
    if without_comments(text).lines().any(|line| line.contains("FLAGS") && line.contains("-Werror")) {
        draft.block_on_warnings("compilation", format!("{file} compiles with `-Werror`"));
    }
    (!draft.checks.is_empty() || !draft.left_to_people.is_empty()).then_some(draft)
}

struct Makefile<'a> {
    read: &'a makefile::Makefile,
    file: &'a str,
}

impl Makefile<'_> {
    /// Proposes a target, if it only checks and terminates.
    fn check(&self, name: &str, target: Option<&str>, level: Level, draft: &mut Draft) {
        let Some(target) = target else { return };
        let because = format!("Target `{target}` of {}", self.file);
        if self.commands_of(target).any(|command| form(&command) != Form::Same) {
            draft.leave(name, format!("make {target}"), level, format!("{because}, which edits files or never ends"));
        } else {
            draft.check(name, format!("make {target}"), level, because);
        }
    }

    fn commands_of(&self, target: &str) -> impl Iterator<Item = Command> + use<> {
        self.read.recipe(Some(target)).into_iter().flat_map(|line| commands(&line.command))
    }

    /// Returns whether a target and all its prerequisites only build, run and check.
    fn is_harmless(&self, target: &str) -> bool {
        let mut waiting = vec![target];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            let changes = |command: Command| {
                form(&command) != Form::Same
                    || TOOLS.holds("programs.changing", command.program())
                    || command.program() == "cd"
            };
            if !seen.insert(name) {
                continue;
            }
            if TOOLS.words("targets.harmful").any(|part| name.contains(part)) || self.commands_of(name).any(changes) {
                return false;
            }
            let needs = self.read.targets.get(name).into_iter().flat_map(|target| target.prerequisites.keys());
            waiting.extend(needs.map(String::as_str));
        }
        true
    }
}

/// A command of make that CI runs.
struct Made {
    /// Target. None: the first one of the makefile.
    target: Option<String>,
    /// The command without the variables that are set for it.
    own: String,
    line: String,
    because: String,
}

/// Returns the make commands of CI in this directory, except those that install, publish or edit.
fn demanded(place: &ProjectDirectory<'_>, makefile: &Makefile<'_>) -> Vec<Made> {
    let mut found: Vec<Made> = Vec::new();
    let lines: Vec<&Line> = place.ci_lines().filter(|line| !line.is_conditional).collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_make(line) && line.command.is_fixed()) {
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        let made =
            made(line, before.copied(), makefile).filter(|made| found.iter().all(|other| other.line != made.line));
        found.extend(made);
    }
    found
}

fn made(line: &Line, before: Option<&Line>, makefile: &Makefile<'_>) -> Option<Made> {
    let goals: Vec<&str> = goals(line).collect();
    let target = match goals.as_slice() {
        [] => makefile.read.default.as_deref()?,
        [target] if makefile.read.has_rule(target) => target,
        _ => return None,
    };
    if !makefile.is_harmless(target) {
        return None;
    }
    // A rebuild after cleaning is another kind of build.
    let cleans = |before: &Line| {
        before.file == line.file && is_make(before) && self::goals(before).eq(["clean"]) && !goals.is_empty()
    };
    let own = line.command.own_text();
    let own = if before.is_some_and(cleans) { own.replacen("make ", "make clean ", 1) } else { own };
    Some(Made {
        target: (!goals.is_empty()).then(|| target.to_owned()),
        line: line.command.with_assignments(&own),
        own,
        because: format!("{} makes target `{target}`", line.file),
    })
}

fn is_make(line: &Line) -> bool {
    let looks_elsewhere = |word: &str| word.starts_with("-f") || matches!(word, "-n" | "-q" | "-t");
    line.command.program() == "make" && !line.command.arguments().any(looks_elsewhere)
}

fn goals(line: &Line) -> impl Iterator<Item = &str> {
    line.command.arguments().filter(|word| !word.starts_with('-') && !word.contains('='))
}

/// Proposes the further commands of CI. They share the build directory, so each waits for the one before.
fn besides(demanded: Vec<Made>, draft: &mut Draft) {
    let mut last = draft.checks.last().map(|check| check.name.clone());
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut besides = 0;
    for made in demanded {
        let same = draft.checks.iter_mut().find(|check| check.line == made.own || check.line == made.line);
        if let Some(check) = same.filter(|check| known.insert(check.name.clone())) {
            check.line = made.line;
        } else if draft.checks.iter().all(|check| check.line != made.line) && besides < MADE {
            besides += 1;
            let check = draft.check(made.target.as_deref().unwrap_or("build"), made.line, Level::Fast, made.because);
            check.needs = last.into_iter().collect();
            known.insert(check.name.clone());
            last = Some(check.name.clone());
        }
    }
}

/// Returns targets that CI makes but that cannot exist: no rule names them, and nothing is included that might.
fn missing(place: &ProjectDirectory<'_>, text: &str, file: &str, read: &makefile::Makefile, draft: &mut Draft) {
    let may_hold_others = without_comments(text)
        .lines()
        .any(|line| line.trim_start_matches('-').starts_with("include") || line.contains('%'));
    let made = place.ci_lines().filter(|line| line.command.program() == "make" && line.command.is_fixed());
    for line in made.filter(|line| !may_hold_others && line.command.arguments().all(|word| !word.starts_with('-'))) {
        for name in line.command.arguments().filter(|word| !word.contains('=') && !read.has_rule(word)) {
            let because =
                format!("{} makes it, and {file} has no target `{name}`: add it, then move this up", line.file);
            draft.leave(&format!("make-{name}"), format!("make {name}"), Level::Fast, because);
        }
    }
}
