//! Whether the gate can really block, as shown at a terminal.

use std::io::{self, Write};

use referee_model::doctor::{Check, Finding, Grade};

use crate::page::{Line, Page, width};
use crate::style::{Signs, Style, Tone, Verbosity};

/// Maximum number of lines of one text.
const LINES_MAX: usize = 8;

/// Writes the findings: a passed check in one line, any other with its consequence and fix. With `--quiet`, passed
/// checks are left out.
pub fn write(findings: &[Finding], armed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let names = findings.iter().map(|finding| width(&name(finding))).max().unwrap_or(0).min(page.columns() / 3);
    let is_quiet = style.verbosity == Verbosity::Quiet;
    for finding in findings.iter().filter(|finding| !is_quiet || finding.grade != Grade::Ok) {
        let (sign, tone) = shown(finding.grade, page.signs());
        let indent = width(sign) + 1 + names + 2;
        let lead = Line::new().then(tone, sign).word(Tone::Strong, &name(finding)).padded_to(indent);
        page.paragraph(lead, indent, Tone::Plain, &finding.what, LINES_MAX)?;
        if finding.grade == Grade::Ok {
            continue;
        }
        page.paragraph(Line::indented(indent), indent, Tone::Faint, finding.check.means(), LINES_MAX)?;
        if let Some(fix) = &finding.fix {
            let lead = Line::indented(indent).then(Tone::Strong, "fix: ");
            page.paragraph(lead, indent + 6, Tone::Plain, fix, LINES_MAX)?;
        }
    }
    let count = |grade: Grade| findings.iter().filter(|finding| finding.grade == grade).count();
    let parts = [(Grade::Problem, "problem"), (Grade::Warning, "warning"), (Grade::Unknown, "unknown")]
        .map(|(grade, word)| (count(grade), word))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(
            |(count, word)| {
                if count == 1 || word == "unknown" { format!("{count} {word}") } else { format!("{count} {word}s") }
            },
        );
    let mut parts: Vec<String> = parts.collect();
    parts.push(format!("{} in order", count(Grade::Ok)));
    let (tone, word) = if armed { (Tone::Good, "the gate is armed") } else { (Tone::Bad, "the gate is NOT armed") };
    page.blank()?;
    page.paragraph(Line::new().then(tone, word).then(Tone::Plain, ": "), 2, Tone::Plain, &parts.join(", "), LINES_MAX)
}

/// Writes the description of a check.
pub fn explain(check: Check, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    page.line(Line::new().then(Tone::Strong, check.as_str()))?;
    page.paragraph(Line::indented(2), 2, Tone::Plain, check.means(), usize::MAX)?;
    page.paragraph(Line::indented(2).then(Tone::Strong, "fix: "), 8, Tone::Plain, check.fix(), usize::MAX)
}

fn name(finding: &Finding) -> String {
    match &finding.subject {
        Some(subject) => format!("{} {subject}", finding.check.as_str()),
        None => finding.check.as_str().to_owned(),
    }
}

fn shown(grade: Grade, signs: &'static Signs) -> (&'static str, Tone) {
    match grade {
        Grade::Ok => (signs.good, Tone::Good),
        Grade::Unknown => (signs.unknown, Tone::Warning),
        Grade::Warning => (signs.warning, Tone::Warning),
        Grade::Problem => (signs.bad, Tone::Bad),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{ascii, plain};

    fn findings() -> Vec<Finding> {
        vec![
            Finding::ok(Check::Specification, "referee.yaml loads: 1 task"),
            Finding::bad(
                Check::Hook,
                Grade::Problem,
                "Claude Code has its directory in the project, and has no hook of Referee",
            )
            .about("claude")
            .fixed_by("`referee hook config claude --write`, then `referee lock`."),
            Finding::bad(Check::SigningKey, Grade::Warning, "runs are not signed\u{1b}[31m"),
            Finding::bad(Check::HookTrust, Grade::Unknown, "Codex alone can tell").about("codex"),
        ]
    }

    #[test]
    fn what_does_not_hold_is_told_with_its_meaning_and_what_mends_it() {
        insta::assert_snapshot!(plain(100, |style, out| write(&findings(), false, &style, out)));
        insta::assert_snapshot!(ascii(60, |style, out| {
            write(&findings(), true, &Style { verbosity: Verbosity::Quiet, ..style }, out)
        }));
        insta::assert_snapshot!(plain(80, |style, out| explain(Check::Chain, &style, out)));
    }
}
