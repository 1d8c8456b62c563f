//! Compares the commands of two lines.

use std::collections::BTreeMap;

use referee_syntax::shell::{self, Command, Operator, is_name};

use super::arguments::{Arguments, is_counted, is_harmless, is_strict, narrows, shares_process};
use super::flags::{
    Allows, CONDITIONAL, IDLE, LESS_IS_LESS, MORE_IS_LESS, QUIET_LINTERS, RUNNERS, WITH_SUBCOMMAND, WITH_TARGETS,
};

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
    IDLE.contains(&run.program.as_str())
}

/// Returns the effect of an added command on the others.
fn arrived(run: &Run) -> Option<Difference> {
    if run.before == Some(Operator::Or) {
        return Some(Difference::Masked);
    }
    match run.program.split(' ').next().unwrap_or_default() {
        "exit" | "return" => Some(Difference::Masked),
        word => CONDITIONAL.contains(&word).then_some(Difference::Narrowed),
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
        let starts =
            |lead: &&(&[&str], usize)| lead.0.len() < words.len() && lead.0.iter().zip(&words).all(|(a, b)| a == b);
        let Some((lead, more)) = RUNNERS.iter().find(starts) else { break };
        words.drain(..(lead.len() + more).min(words.len()));
    }
    let first = words.first()?;
    let mut program = first.clone();
    for directory in ["node_modules/.bin/", "vendor/bin/", ".venv/bin/", "venv/bin/"] {
        program = program.trim_start_matches("./").strip_prefix(directory).map_or(program.clone(), str::to_owned);
    }
    let name = program.rsplit('/').next().unwrap_or_default().to_owned();
    let mut rest = words.get(1..).unwrap_or_default().to_vec();
    let takes = if !WITH_SUBCOMMAND.contains(&name.as_str()) {
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
    if WITH_TARGETS.contains(&name) {
        if !keeps_all || (before.is_empty() && !now.is_empty()) {
            differences.push(if now.is_empty() { Difference::Unknown } else { Difference::Narrowed });
        }
    } else if (before.is_empty() && !now.is_empty()) || (!keeps_all && !now.is_empty()) {
        differences.push(Difference::Narrowed);
    }
}

fn options(old: &Run, new: &Run, differences: &mut Vec<Difference>) {
    let is_quiet_linter = QUIET_LINTERS.contains(&new.program.as_str());
    for option in new.arguments.options.iter().filter(|option| !old.arguments.has(option)) {
        let name = option.0.as_str();
        if is_counted(name) || (is_harmless(name) && !is_strict(name)) {
            continue;
        }
        if narrows(name) || shares_process(option) {
            differences.push(Difference::Narrowed);
        } else if name == "--quiet" {
            differences.push(if is_quiet_linter { Difference::Warns } else { Difference::Unknown });
        } else if !is_strict(name) {
            differences.push(Difference::Unknown);
        }
    }
    for option in old.arguments.options.iter().filter(|option| !new.arguments.has(option)) {
        let name = option.0.as_str();
        if is_strict(name) {
            differences.push(Difference::Narrowed);
            continue;
        }
        let is_stricter_now = narrows(name) || (name == "--quiet" && is_quiet_linter);
        if !(is_stricter_now || is_counted(name) || is_harmless(name)) {
            differences.push(Difference::Unknown);
        }
    }
}

/// Compares numbers of allowances and thresholds.
fn numbers(old: &Arguments, new: &Arguments, differences: &mut Vec<Difference>) {
    for (name, allows) in MORE_IS_LESS {
        let (missing, difference) = match allows {
            Allows::Warnings => (f64::INFINITY, Difference::Warns),
            Allows::Retries => (0.0, Difference::Retried),
            Allows::Time => (0.0, Difference::Waits),
        };
        let value = |arguments: &Arguments| match (arguments.value(name).map(number), allows) {
            (None, _) => missing,
            // A negative number means any number.
            (Some(Some(number)), Allows::Warnings) if number < 0.0 => f64::INFINITY,
            (Some(Some(number)), _) => number,
            (Some(None), _) => f64::INFINITY,
        };
        if value(new) > value(old) {
            differences.push(difference);
        }
    }
    for name in LESS_IS_LESS {
        let value = |arguments: &Arguments| arguments.value(name).and_then(number).unwrap_or(f64::NEG_INFINITY);
        if value(new) < value(old) {
            differences.push(Difference::Narrowed);
        }
    }
}

/// Parses the number of an option.
fn number(value: &str) -> Option<f64> {
    value.trim_end_matches(['s', 'm', '%']).parse().ok()
}
