//! The answers of `referee probe` for people.

use std::io::{self, Write};

use referee_model::probe_set::{CheckProbes, ProbeSet};
use referee_syntax::count::count;

use crate::page::{Line, Page};
use crate::probe_report::{UnwatchedCode, refused_listed, unwatched};
use crate::style::{Style, Tone};

/// Maximum number of lines of one sentence.
const LINES_MAX: usize = 4;

/// Maximum number of unwatched functions that are listed for one check.
const LISTED: usize = 40;

/// Writes the probe results of tasks.
pub fn report(sets: &[ProbeSet], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for set in sets {
        let at = set
            .commit
            .as_ref()
            .map_or_else(String::new, |commit| format!(" at {}", commit.get(..12).unwrap_or(commit)));
        page.paragraph(Line::new(), 0, Tone::Strong, &format!("{}: learned {}{at}", set.task, set.learned), LINES_MAX)?;
        for check in &set.checks {
            of_check(check, &mut page)?;
        }
        for (path, reason) in refused_listed(set) {
            page.paragraph(
                Line::indented(2),
                4,
                Tone::Faint,
                &format!("no defect was planted in {path}: {reason}"),
                LINES_MAX,
            )?;
        }
    }
    Ok(())
}

fn of_check(check: &CheckProbes, page: &mut Page<'_>) -> io::Result<()> {
    let (tried, noticed) = (check.tried(), check.noticed());
    let (tone, text) = match (tried, check.is_hollow()) {
        (0, _) => (Tone::Warning, format!("{}: no defect could be planted for it", check.name)),
        (_, true) => {
            (Tone::Bad, format!("{}: hollow: it reported none of {}", check.name, count(tried, "planted defect")))
        }
        _ if check.reported_none() => (
            Tone::Warning,
            format!(
                "{}: it reported none of {}, and {} more were not planted: give it a larger `--budget`",
                check.name,
                count(tried, "planted defect"),
                check.untried
            ),
        ),
        _ => (
            Tone::Plain,
            format!(
                "{}: reported {noticed} of {}; {} kept",
                check.name,
                count(tried, "planted defect"),
                count(check.kept(), "probe")
            ),
        ),
    };
    page.paragraph(Line::indented(2), 4, tone, &text, LINES_MAX)?;
    let unwatched = unwatched(check);
    for code in unwatched.iter().take(LISTED) {
        let UnwatchedCode { path, function, lines, .. } = code;
        let lines = lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let place = match function {
            Some(function) => format!("{path}: {function} (line {lines})"),
            None => format!("{path} (line {lines})"),
        };
        page.paragraph(Line::indented(4), 6, Tone::Warning, &format!("not watched: {place}"), LINES_MAX)?;
    }
    if unwatched.len() > LISTED {
        let more = unwatched.len() - LISTED;
        page.paragraph(
            Line::indented(4),
            6,
            Tone::Faint,
            &format!("and {more} more: `--format json` lists all"),
            LINES_MAX,
        )?;
    }
    Ok(())
}
