//! Arguments of pytest that select tests and set thresholds.

use super::super::TOOLS;
use super::super::ci::Line;
use super::super::command::{Word, spelled};
use super::super::text::has_extension;
use super::Manifests;

/// Arguments that are kept, and words that are not, because their meaning is unknown.
pub(super) struct Arguments {
    pub(super) kept: String,
    pub(super) dropped: Vec<String>,
}

/// Returns which arguments of a command are kept.
pub(super) fn arguments(manifests: &Manifests<'_>, line: &Line) -> Arguments {
    let mut kept: Vec<Word> = Vec::new();
    let mut dropped = Vec::new();
    // An option is kept or dropped with its value.
    let is_option = |option: &mut Word| {
        option.text.starts_with('-') && !option.text.contains('=') && !TOOLS.holds("pytest.flags", &option.text)
    };
    for word in choosing(manifests, line) {
        if let Some(word) = known(manifests, word) {
            kept.push(word);
        } else {
            dropped.extend(kept.pop_if(is_option).map(|option| option.spelled));
            dropped.push(shown(word));
        }
    }
    Arguments { kept: spelled(&kept), dropped }
}

/// Returns the arguments without those that only affect reports.
fn choosing<'line>(manifests: &Manifests<'_>, line: &'line Line) -> Vec<&'line Word> {
    let has_bar = line.command.arguments().any(|word| word.starts_with("--cov-fail-under"));
    let keeps_coverage = has_bar && manifests.is_dependency("pytest-cov");
    let mut kept: Vec<&Word> = Vec::new();
    let mut words = line.command.words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let option = word.text.split('=').next().unwrap_or_default();
        let is_coverage =
            option.starts_with("--cov") || option.starts_with("--no-cov") || option.starts_with("--benchmark");
        let known = TOOLS.takes_value("pytest.silent", option);
        let is_short = option.starts_with("-n") && !option.starts_with("--") || option.starts_with("-r");
        let takes_next =
            known == Some(true) || matches!(option, "--cov-report" | "--cov-config" | "--cov" | "--cov-fail-under");
        if !(known.is_some() || is_short || is_coverage && !keeps_coverage) {
            kept.push(word);
        } else if takes_next && !word.text.contains('=') {
            words.next_if(|next| !next.text.starts_with('-'));
        }
    }
    kept
}

/// Returns a word with known meaning as it is written for this directory, to which its paths are relative.
fn known(manifests: &Manifests<'_>, word: &Word) -> Option<Word> {
    let place = manifests.place;
    let there = |path: &str| path == "." || place.has(path) || place.has_directory(path);
    if let Some(path) = word.text.strip_prefix("$packages/") {
        // Installed code of the project may be here, too.
        let sources = format!("src/{path}");
        return [path, &sources].into_iter().find(|path| there(path)).map(Word::plain);
    }
    if word.spelled.contains(['$', '`']) || word.text.contains("{{") {
        return None;
    }
    let text = word.text.strip_prefix("./").filter(|rest| !rest.is_empty());
    let word = text.filter(|_| word.text == word.spelled).map_or_else(|| word.clone(), Word::plain);
    let is_path = !word.text.starts_with('-') && (word.text.contains('/') || has_extension(&word.text, "py"));
    let path = word.text.split("::").next().unwrap_or_default().trim_matches('/');
    (!is_path || there(path)).then_some(word)
}

/// Returns a dropped word, without the names that represent tox substitutions.
fn shown(word: &Word) -> String {
    word.spelled.replace("$packages", "{env_site_packages_dir}").replace("$tox", "{…}")
}
