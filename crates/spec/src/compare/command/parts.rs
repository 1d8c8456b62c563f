//! Compares the commands of two lines.

use std::collections::BTreeMap;

use referee_syntax::shell::{self, Command, Operator, is_name};

use super::arguments::{Arguments, shares_process};
use super::effect::{Effect, counted, effect, is_program, lead};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    Narrowed,
    Replaced,
    Masked,
    /// Failed tests are retried more often.
    Retried,
    Waits,
    /// More warnings are allowed.
    Warns,
    /// An unknown change.
    Unknown,
    /// Variables that are set for the command alone: before and now.
    Variables(BTreeMap<String, String>, BTreeMap<String, String>),
}

struct Run {
    before: Option<Operator>,
    variables: BTreeMap<String, String>,
    /// The program with its subcommand.
    program: String,
    arguments: Arguments,
}

/// Returns the differences between two versions of a line.
pub(super) fn differences(before: &str, after: &str) -> Vec<Difference> {
    if before == after {
        return Vec::new();
    }
    let (old, new) = (runs(before), runs(after));
    let mut free: Vec<usize> = (0..new.len()).collect();
    let mut differences = Vec::new();
    let mut gone = Vec::new();
    for run in &old {
        // Among several candidates, the one with the same arguments matches.
        let same = |at: &&usize| new[**at].program == run.program && new[**at].arguments == run.arguments;
        let alike = |at: &&usize| new[**at].program == run.program;
        match free.iter().find(same).or_else(|| free.iter().find(alike)).copied() {
            Some(at) => {
                free.retain(|other| *other != at);
                compare(run, &new[at], &mut differences);
            }
            None => gone.push(run),
        }
    }
    let came: Vec<&Run> = free.into_iter().map(|at| &new[at]).collect();
    differences.extend(came.iter().filter_map(|run| arrived(run)));
    let gone = gone.into_iter().filter(|run| !is_idle(run)).count();
    differences
        .extend((0..gone).map(|place| if place < came.len() { Difference::Replaced } else { Difference::Narrowed }));
    differences
}

fn is_idle(run: &Run) -> bool {
    is_program("idle", &run.program)
}

/// Returns the effect of an added command on the others.
fn arrived(run: &Run) -> Option<Difference> {
    if run.before == Some(Operator::Or) {
        return Some(Difference::Masked);
    }
    match run.program.split(' ').next().unwrap_or_default() {
        "exit" | "return" => Some(Difference::Masked),
        word => is_program("conditional", word).then_some(Difference::Narrowed),
    }
}

fn runs(line: &str) -> Vec<Run> {
    shell::lex(line).all_commands().into_iter().filter_map(|command| understand(&command)).collect()
}

/// Parses a command without its launchers. None: nothing is left of it.
fn understand(command: &Command) -> Option<Run> {
    let mut words = command.texts();
    let mut variables = BTreeMap::new();
    loop {
        if let Some((name, value)) = words.first().and_then(|word| word.split_once('='))
            && is_name(name)
        {
            variables.insert(name.to_owned(), value.to_owned());
            words.remove(0);
            continue;
        }
        match lead(&words) {
            0 => break,
            length => drop(words.drain(..length)),
        }
    }
    let first = words.first()?;
    let mut program = first.clone();
    for directory in ["node_modules/.bin/", "vendor/bin/", ".venv/bin/", "venv/bin/"] {
        program = program.trim_start_matches("./").strip_prefix(directory).map_or(program.clone(), str::to_owned);
    }
    let name = program.rsplit('/').next().unwrap_or_default().to_owned();
    let mut rest = words.get(1..).unwrap_or_default().to_vec();
    let takes = if !is_program("with-subcommand", &name) {
        0
    } else if rest.first().is_some_and(|word| matches!(word.as_str(), "run" | "run-script" | "x")) {
        2
    } else {
        1
    };
    for _ in 0..takes {
        if let Some(at) = rest.iter().position(|word| !word.starts_with('-')) {
            program = format!("{program} {}", rest.remove(at));
        }
    }
    Some(Run { before: command.before, variables, program, arguments: Arguments::read(&rest) })
}

fn compare(old: &Run, new: &Run, differences: &mut Vec<Difference>) {
    if new.before == Some(Operator::Or) && old.before != Some(Operator::Or) {
        // It runs only if something else fails.
        differences.push(Difference::Narrowed);
    }
    if old.variables != new.variables {
        differences.push(Difference::Variables(old.variables.clone(), new.variables.clone()));
    }
    if is_idle(old) {
        return;
    }
    operands(old, new, differences);
    options(old, new, differences);
    numbers(&old.arguments, &new.arguments, differences);
}

/// Compares files, directories and patterns.
///
/// | before | now                                  | is                                        |
/// |--------|--------------------------------------|-------------------------------------------|
/// | none   | some                                 | narrower: it checked everything           |
/// | some   | all of them and more                 | wider                                     |
/// | some   | not all of them, or others           | narrower                                  |
/// | some   | none                                 | wider, as a rule: everything is checked   |
///
/// For a program whose arguments are targets, more are wider and fewer are narrower.
fn operands(old: &Run, new: &Run, differences: &mut Vec<Difference>) {
    let name = old.program.rsplit('/').next().unwrap_or_default();
    let (before, now) = (&old.arguments.operands, &new.arguments.operands);
    let keeps_all = before.iter().all(|operand| now.contains(operand));
    if is_program("with-targets", name) {
        if !keeps_all || (before.is_empty() && !now.is_empty()) {
            differences.push(if now.is_empty() { Difference::Unknown } else { Difference::Narrowed });
        }
    } else if (before.is_empty() && !now.is_empty()) || (!keeps_all && !now.is_empty()) {
        differences.push(Difference::Narrowed);
    }
}

fn options(old: &Run, new: &Run, differences: &mut Vec<Difference>) {
    let is_quiet_linter = is_program("quiet-linters", &new.program);
    for option in new.arguments.options.iter().filter(|option| !old.arguments.has(option)) {
        differences.push(match effect(&option.0) {
            Some(Effect::Narrows) => Difference::Narrowed,
            Some(_) => continue,
            None if shares_process(option) => Difference::Narrowed,
            None if option.0 == "--quiet" && is_quiet_linter => Difference::Warns,
            None => Difference::Unknown,
        });
    }
    for (name, _) in old.arguments.options.iter().filter(|option| !new.arguments.has(option)) {
        match effect(name) {
            Some(Effect::Stricter) => differences.push(Difference::Narrowed),
            Some(_) => {}
            None if name == "--quiet" && is_quiet_linter => {}
            None => differences.push(Difference::Unknown),
        }
    }
}

/// Compares numbers of allowances and thresholds.
fn numbers(old: &Arguments, new: &Arguments, differences: &mut Vec<Difference>) {
    for (name, effect) in counted() {
        // A threshold is less if its number is less; an allowance, if it is more.
        let (missing, difference, sign) = match effect {
            Effect::Warnings => (f64::INFINITY, Difference::Warns, 1.0),
            Effect::Retries => (0.0, Difference::Retried, 1.0),
            Effect::Threshold => (f64::NEG_INFINITY, Difference::Narrowed, -1.0),
            _ => (0.0, Difference::Waits, 1.0),
        };
        let value = |arguments: &Arguments| match (arguments.value(name).map(number), effect) {
            (None, _) | (Some(None), Effect::Threshold) => missing,
            // A negative number means any number.
            (Some(Some(number)), Effect::Warnings) if number < 0.0 => f64::INFINITY,
            (Some(Some(number)), _) => number,
            (Some(None), _) => f64::INFINITY,
        };
        if sign * value(new) > sign * value(old) {
            differences.push(difference);
        }
    }
}

/// Parses the number of an option.
fn number(value: &str) -> Option<f64> {
    value.trim_end_matches(['s', 'm', '%']).parse().ok()
}
