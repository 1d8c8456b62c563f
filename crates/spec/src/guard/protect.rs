//! Reads `protect`: files that are protected beside the defaults, and how (design, "Lock"; ruling 2).

use crate::form::short::Protect;
use crate::project_file::Syntax;
use referee_model::id::WorkspacePath;
use referee_model::plan::guard::ProtectRule;
use referee_model::run_context::protection::Mode;
use referee_syntax::span::Span;

use crate::complaint::{Code, Finding, Findings};
use crate::glob::broken_pattern;
use crate::source::quote;

/// Reads all rules, those of the strictest mode first. A rule under two keys is an error.
pub(super) fn rules(written: Protect<'_>, findings: &mut Findings) -> Vec<ProtectRule> {
    let mut rules: Vec<ProtectRule> = Vec::new();
    let Protect { frozen, additive, review } = written;
    for (list, mode) in [(frozen, Mode::Frozen), (additive, Mode::Additive), (review, Mode::Review)] {
        for entry in list.one_or_more() {
            let Some(rule) = entry.text().and_then(|text| rule(text, mode, entry.span, findings)) else { continue };
            let same = |other: &&ProtectRule| other.pattern == rule.pattern && other.pointer == rule.pointer;
            match rules.iter().find(same) {
                Some(other) if other.mode == mode => {}
                Some(_) => {
                    let message = format!("{} is protected in two ways", quote(entry.text().unwrap_or_default()));
                    let help = "name it once: `frozen` is the strictest, then `additive`, then `review`";
                    findings.push(Finding::error(Code::Contradiction, entry.span, message).help(help));
                }
                None => rules.push(rule),
            }
        }
    }
    rules
}

fn rule(text: &str, mode: Mode, span: Span, findings: &mut Findings) -> Option<ProtectRule> {
    let (pattern, pointer) = match text.split_once('#') {
        Some((pattern, pointer)) if pointer.is_empty() || pointer.starts_with('/') => (pattern, Some(pointer)),
        _ => (text, None),
    };
    if let Some(pointer) = pointer {
        pointed(text, pattern, pointer, mode, span, findings)?;
    }
    let Ok(path) = WorkspacePath::parse(pattern) else {
        let message = format!("{} is outside the workspace", quote(text));
        let help = "only files of the workspace can be protected: write a path relative to it";
        findings.push(Finding::error(Code::LeavesWorkspace, span, message).help(help));
        return None;
    };
    if path.as_str().is_empty() {
        let message = format!("{} names no file", quote(text));
        let help = "name files by a path or a pattern, such as `tests/**`";
        findings.push(Finding::error(Code::InvalidGlob, span, message).help(help));
        return None;
    }
    if let Some(reason) = broken_pattern(path.as_str()) {
        let message = format!("the pattern {} cannot be read: {reason}", quote(text));
        findings.push(Finding::error(Code::InvalidGlob, span, message));
        return None;
    }
    Some(ProtectRule { mode, pattern: path.as_str().to_owned(), pointer: pointer.map(str::to_owned) })
}

/// Checks a JSON pointer to one value of a file. None: it cannot be used, which has its complaint.
fn pointed(text: &str, pattern: &str, pointer: &str, mode: Mode, span: Span, findings: &mut Findings) -> Option<()> {
    let (message, help) = if Syntax::of(pattern).is_none() {
        let message = format!("{} points into a file that is not JSON, TOML or makefile", quote(text));
        (
            message,
            "only values of `.json`, `.toml` and makefiles can be protected by themselves: protect the whole file",
        )
    } else if pointer.is_empty() || broken_pointer(pointer) {
        let message = format!("{} does not end in a JSON pointer (RFC 6901)", quote(text));
        (message, "write it as `package.json#/scripts/test`, with `~1` for `/` and `~0` for `~` in a key")
    } else if mode == Mode::Additive {
        let message = format!("{} is one value, and only files can be additive", quote(text));
        (message, "a value is `frozen`, or under `review`")
    } else {
        return Some(());
    };
    findings.push(Finding::error(Code::InvalidPointer, span, message).help(help));
    None
}

/// Returns whether a text that begins with `/` has an invalid `~` escape.
fn broken_pointer(pointer: &str) -> bool {
    pointer.split('~').skip(1).any(|after| !after.starts_with(['0', '1']))
}
