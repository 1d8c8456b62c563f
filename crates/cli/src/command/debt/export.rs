//! `referee debt export`: writes the register as pages for people, or checks whether existing pages are up to date.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::real_path;
use referee_model::debt::RegisteredDebt;
use referee_model::exit_code;
use referee_report::debt::{self, View, Violation};
use referee_report::style;
use serde_json::json;

use super::Whereabouts;
use crate::args::PlainFormat;
use crate::args::debt::Export;
use crate::output;

/// Maximum size of a page that is read, in bytes.
const PAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Writes the pages, or reports how they differ from the register.
pub(super) fn execute(context: &Context, arguments: &Export) -> Result<u8, EngineError> {
    let whereabouts = Whereabouts::find(context, &arguments.root)?;
    let items = whereabouts.read(context)?;
    let directory = context.directory.join(&arguments.pages);
    let evidence = way(&real_path(&directory), &real_path(&whereabouts.root));
    if arguments.check {
        check(context, arguments, &directory, &items, &evidence)
    } else {
        write(context, &directory, &items, &evidence)
    }
}

fn write(context: &Context, directory: &Path, items: &[RegisteredDebt], evidence: &str) -> Result<u8, EngineError> {
    // All pages are rendered before the first is written, so that an error leaves all of them unchanged.
    let mut pages = Vec::new();
    for view in View::ALL {
        let path = directory.join(view.file_name());
        let before = page(context, &path)?;
        let block = debt::block(view, items, evidence);
        let page = debt::into_page(view, before.as_deref(), &block).map_err(|broken| {
            let shown = context.shown(&path).display();
            EngineError::usage(format!("{shown}:{}: {}; nothing was written", broken.line, broken.problem))
        })?;
        pages.push((view, page));
    }
    let mut text = String::new();
    for (view, page) in pages {
        let path = referee_ledger::export::write(directory, view.file_name(), page.as_bytes())?;
        let shown = context.shown(&path).display().to_string();
        text.extend([&shown, "\n"]);
    }
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

fn check(
    context: &Context,
    arguments: &Export,
    directory: &Path,
    items: &[RegisteredDebt],
    evidence: &str,
) -> Result<u8, EngineError> {
    let mut found: Vec<(PathBuf, Violation)> = Vec::new();
    for view in View::ALL {
        let path = directory.join(view.file_name());
        let page = page(context, &path)?;
        let violations = debt::check(view, items, evidence, page.as_deref());
        found.extend(violations.into_iter().map(|violation| (path.clone(), violation)));
    }
    let text = match arguments.format {
        PlainFormat::Json => referee_model::document::to_bytes(&document(context, &found))?,
        PlainFormat::Human => in_words(context, &found, items.len()).into_bytes(),
    };
    output::answer(&text)?;
    Ok(if found.is_empty() { exit_code::PASSED } else { exit_code::FAILED })
}

fn in_words(context: &Context, found: &[(PathBuf, Violation)], items: usize) -> String {
    if found.is_empty() {
        return format!("the pages say what the register says ({items} items)\n");
    }
    let line = |(path, violation): &(PathBuf, Violation)| {
        let (shown, message) = (context.shown(path).display(), style::plain(&violation.message));
        format!("{shown}:{}: {}: {message}\n", violation.line, violation.kind.as_str())
    };
    let advice = "`referee debt export` without --check renews the pages";
    let sum = match found.len() {
        1 => format!("1 difference: {advice}\n"),
        several => format!("{several} differences: {advice}\n"),
    };
    found.iter().map(line).chain([sum]).collect()
}

fn document(context: &Context, found: &[(PathBuf, Violation)]) -> serde_json::Value {
    let violations: Vec<_> = found
        .iter()
        .map(|(path, violation)| {
            json!({
                "type": violation.kind.as_str(),
                "debtId": violation.debt,
                "file": context.shown(path),
                "line": violation.line,
                "message": violation.message,
            })
        })
        .collect();
    json!({ "debtCheckVersion": "1.0.0", "agrees": found.is_empty(), "violations": violations })
}

/// Reads a page. None: it does not exist.
fn page(context: &Context, path: &Path) -> Result<Option<String>, EngineError> {
    let shown = context.shown(path).display();
    let Ok(about) = std::fs::symlink_metadata(path) else { return Ok(None) };
    if !about.is_file() {
        return Err(EngineError::usage(format!(
            "{shown} is not a regular file: move it away, or choose another directory"
        )));
    }
    if about.len() > PAGE_BYTES {
        return Err(EngineError::usage(format!(
            "{shown} is larger than the {PAGE_BYTES} bytes that are read of a page"
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| EngineError::usage(format!("{shown} cannot be read: {error}")))?;
    String::from_utf8(bytes).map(Some).map_err(|_| EngineError::usage(format!("{shown} is not text in UTF-8")))
}

/// Returns the relative path from one directory to another, as a link on a page.
fn way(from: &Path, to: &Path) -> String {
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_goes_up_and_down_again() {
        for (from, to, expected) in [
            ("/w/docs/debt", "/w/evidence", "../../evidence"),
            ("/w", "/w/evidence", "evidence"),
            ("/w/evidence", "/w/evidence", ""),
            ("/a", "/b/c", "../b/c"),
        ] {
            assert_eq!(way(Path::new(from), Path::new(to)), expected, "{from} to {to}");
        }
    }
}
