//! Why an action, a task or a rule has its result, and what a word means.

use std::io::{self, Write};

use referee_model::debt::{DebtGeneration, DebtSummary};
use referee_model::explanation::{ActionExplanation, ConditionTold, Stand, TaskExplanation};
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::Action;
use referee_model::reading::Reading;
use referee_model::report::{Ran, Report};
use referee_model::verdict::{Decision, Truth};
use referee_syntax::count::count;
use referee_syntax::duration;

use crate::explanation::{Term, TermKind};
use crate::page::{Line, Page};
use crate::style::{Style, Tone};
use crate::wording;

/// Column at which values start.
const VALUES: usize = 11;

/// Maximum number of lines of one text.
const LINES_MAX: usize = 8;

/// Maximum number of sentences of one kind that are shown; a task may have many conditions.
const SENTENCES: usize = 200;

/// Writes why an action has its outcome.
pub fn write_action(
    report: &Report,
    explained: &ActionExplanation,
    notes: &[String],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let Some(found) = report.actions.iter().find(|found| found.action.id == explained.action) else {
        return Ok(());
    };
    let action = &found.action;
    if let Some(ran) = found.ran() {
        heading(action, ran, &mut page)?;
    } else {
        let line = Line::new().then(Tone::Faint, page.signs().skipped).word(Tone::Faint, action.id.as_str());
        let line = line.word(Tone::Strong, &action.name).word(Tone::Faint, page.signs().dot);
        page.line(line.word(Tone::Faint, "never ran, or does not count"))?;
    }
    let (start, what) = wording::asked::work(&action.work);
    row("did", &format!("{start} {what}"), &mut page)?;
    if let Some(told) = &explained.role {
        row("role", &format!("{}: {}", told.role.as_str(), told.because), &mut page)?;
        optional("", told.contradiction.as_deref(), &mut page)?;
    }
    if let Some(ran) = found.ran() {
        what_came(ran, explained, &mut page)?;
    }
    optional("skipped", explained.skipped.as_deref(), &mut page)?;
    rows("task", &explained.task, &mut page)?;
    conditions(&explained.conditions, &mut page)?;
    if let Some(ran) = found.ran() {
        row("debt", &debt(&ran.judgement.debt), &mut page)?;
        rows("perhaps", &ran.judgement.possible_causes, &mut page)?;
    }
    row("next", explained.next.as_deref().unwrap_or("nothing, as far as it is concerned"), &mut page)?;
    rows("note", notes, &mut page)
}

/// Writes why a task has its result.
pub fn write_task(
    report: &Report,
    explained: &TaskExplanation,
    notes: &[String],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let verdict = &report.verdict;
    let (word, tone) = wording::decision(verdict.decision);
    let line = Line::new().then(tone, &format!(" {word} ")).word(Tone::Strong, report.plan.task.as_str());
    let title = if report.plan.title == report.plan.task.as_str() { "" } else { &report.plan.title };
    page.line(line.word(Tone::Plain, title))?;
    rows("because", &verdict.reasons, &mut page)?;
    for action in &explained.actions {
        let signs = page.signs();
        let (tone, sign) = match action.stand {
            Stand::Against => (Tone::Bad, signs.bad),
            Stand::Allowed => (Tone::Warning, signs.warning),
            Stand::For => (Tone::Good, signs.good),
            Stand::NotCounted => (Tone::Faint, signs.skipped),
        };
        let lead = Line::indented(2).then(tone, sign).word(Tone::Faint, action.action.as_str());
        let lead = lead.word(Tone::Strong, &action.name).then(Tone::Plain, "  ");
        let rule = action.rule.map_or(String::new(), |rule| format!(" [{}]", rule.as_str()));
        page.paragraph(lead, VALUES, Tone::Plain, &format!("{}{rule}", action.reason), LINES_MAX)?;
    }
    conditions(&explained.conditions, &mut page)?;
    row("completion", &explained.completion, &mut page)?;
    let next = match verdict.decision {
        Decision::Pass if report.run.scope.reduced => "run the whole task: a reduced run is never accepted as done",
        _ => wording::next_step(verdict.agent_action),
    };
    row("next", next, &mut page)?;
    rows("note", notes, &mut page)
}

pub fn write_rule(rule: Rule, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    page.line(Line::new().then(Tone::Strong, rule.as_str()))?;
    page.paragraph(Line::indented(2), 2, Tone::Plain, rule.meaning(), LINES_MAX)
}

/// Writes what a word means. The text of a topic keeps its lines.
pub fn write_terms(terms: &[Term], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for term in terms {
        if term.kind == TermKind::Topic {
            term.meaning.lines().try_for_each(|line| page.line(Line::new().then(Tone::Plain, line)))?;
            continue;
        }
        page.line(Line::new().then(Tone::Strong, &term.id).word(Tone::Faint, term.kind.as_str()))?;
        page.paragraph(Line::indented(2), 2, Tone::Plain, &term.meaning, LINES_MAX)?;
    }
    Ok(())
}

fn heading(action: &Action, ran: &Ran, page: &mut Page<'_>) -> io::Result<()> {
    let judgement = &ran.judgement;
    let (tone, sign) = wording::sign(judgement, page.signs());
    let mut words = vec![judgement.outcome.as_str().to_owned()];
    words.extend(judgement.cause.map(|cause| format!("by {}", cause.as_str())));
    let blocks = match (judgement.blocking, judgement.outcome) {
        (true, _) => Some("blocks"),
        (false, Outcome::Success) => None,
        (false, _) => Some("does not block"),
    };
    words.extend(blocks.map(str::to_owned));
    words.extend(wording::severity(judgement.severity).map(str::to_owned));
    words.extend(judgement.expected.then(|| "expected".to_owned()));
    words.extend(judgement.flaky.then(|| "flaky".to_owned()));
    let line = Line::new().then(tone, sign).word(Tone::Faint, action.id.as_str()).word(Tone::Strong, &action.name);
    page.line(line.word(Tone::Faint, page.signs().dot).word(tone, &words.join(", ")))
}

/// Writes how the action ended, what was read from its output, and how that was judged.
fn what_came(ran: &Ran, explained: &ActionExplanation, page: &mut Page<'_>) -> io::Result<()> {
    let judgement = &ran.judgement;
    let took = duration::short(ran.record.span.duration_ms);
    let attempt = if ran.earlier.is_empty() { String::new() } else { format!(", attempt {}", ran.record.attempt) };
    row("ended", &format!("{} after {took}{attempt}", wording::observed::facts(&ran.record.facts)), page)?;
    let tool = judgement.tool.as_deref();
    optional("tool", tool.or(explained.reader.as_ref().map(|_| "no tool that is known")), page)?;
    optional("reader", explained.reader.as_deref(), page)?;
    optional("counts", counts(ran).as_deref(), page)?;
    row("rule", &format!("{}: {}", judgement.rule.as_str(), judgement.rule.meaning()), page)?;
    row("because", &judgement.reason, page)?;
    rows("policy", &explained.policy, page)?;
    rows("note", &judgement.notes, page)
}

/// Returns the counts of what was read. None: nothing was.
fn counts(ran: &Ran) -> Option<String> {
    let Reading { counts, .. } = &ran.reading;
    let mut parts = Vec::new();
    if counts.total() > 0 {
        parts.push(count(counts.errors, "error"));
        parts.push(count(counts.warnings, "warning"));
        parts.push(count(counts.infos, "remark"));
    }
    if let Some(tests) = ran.judgement.counted_tests {
        let (passed, failed, skipped) = (tests.passed, tests.failed, tests.skipped);
        parts.push(format!("{passed} passed, {failed} failed, {skipped} skipped of {}", count(tests.total, "test")));
    } else if ran.judgement.exit_code_only && ran.judgement.outcome == Outcome::Success {
        parts.push("the number of tests is not known: the exit code alone speaks".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn debt(debt: &DebtGeneration) -> String {
    match debt {
        DebtGeneration::Item(DebtSummary { severity, title, suggested_fix, .. }) => {
            let grave = wording::severity(*severity).unwrap_or("of no severity");
            format!("{title} ({grave}): {suggested_fix}")
        }
        DebtGeneration::None { reason } => format!("none: {reason}"),
    }
}

fn conditions(conditions: &[ConditionTold], page: &mut Page<'_>) -> io::Result<()> {
    let sentences: Vec<String> = conditions.iter().map(condition).collect();
    rows("conditions", &sentences, page)
}

fn condition(told: &ConditionTold) -> String {
    let truth = match told.truth {
        Truth::True => "holds",
        Truth::False => "does not hold",
        Truth::Unknown => "cannot be determined",
        Truth::NotJudged => "was not judged",
    };
    let against = if told.against { ", against a pass" } else { "" };
    format!("{} `{}` {truth}{against}: {}", told.kind.as_str(), told.condition, told.reason)
}

fn rows(name: &str, sentences: &[String], page: &mut Page<'_>) -> io::Result<()> {
    for (index, sentence) in sentences.iter().take(SENTENCES).enumerate() {
        row(if index == 0 { name } else { "" }, sentence, page)?;
    }
    match sentences.len().saturating_sub(SENTENCES) {
        0 => Ok(()),
        more => row("", &format!("and {more} more in the report"), page),
    }
}

fn optional(name: &str, text: Option<&str>, page: &mut Page<'_>) -> io::Result<()> {
    text.map_or(Ok(()), |text| row(name, text, page))
}

fn row(name: &str, text: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, name).padded_to(2 + VALUES);
    page.paragraph(lead, 2 + VALUES, Tone::Plain, text, LINES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{id, plain, runs};

    fn explained(action: &str) -> ActionExplanation {
        ActionExplanation {
            action: id(action),
            role: None,
            reader: Some("read as tsc's (plain)".to_owned()),
            rule: None,
            policy: vec!["strategy: NEVER".to_owned(), "read: 1 error".to_owned()],
            skipped: None,
            task: vec!["it blocks".to_owned()],
            conditions: Vec::new(),
            next: None,
        }
    }

    #[test]
    fn each_action_of_a_report_is_told_with_its_own_numbers() {
        let report = runs::failing();
        for found in &report.actions {
            let explained = explained(found.action.id.as_str());
            let text = plain(100, |style, out| write_action(&report, &explained, &[], &style, out));
            assert!(text.contains(found.action.id.as_str()), "{text}");
            let Some(ran) = found.ran() else { continue };
            assert!(text.contains(ran.judgement.rule.as_str()), "{text}");
            assert!(text.contains(ran.judgement.outcome.as_str()), "{text}");
            if ran.reading.counts.total() > 0 {
                assert!(text.contains(&count(ran.reading.counts.errors, "error")), "{text}");
            }
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}gpj.exe\u{0}\r\u{1b}[1A PASS";
        let report = runs::hostile(evil, &"x".repeat(1 << 16));
        for found in &report.actions {
            let explained = ActionExplanation { skipped: Some(evil.to_owned()), ..explained(found.action.id.as_str()) };
            let text = plain(80, |style, out| write_action(&report, &explained, &[evil.to_owned()], &style, out));
            assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text:?}");
        }
    }

    #[test]
    fn each_meaning_of_a_word_is_told_and_a_topic_keeps_its_lines() {
        let term = |kind, meaning: &str| Term { kind, id: "timeout".to_owned(), meaning: meaning.to_owned() };
        let terms = [term(TermKind::Outcome, "It took too long."), term(TermKind::Topic, "Times\n\n  7   timeout")];
        let text = plain(100, |style, out| write_terms(&terms, &style, out));
        assert_eq!(text, "timeout outcome\n  It took too long.\nTimes\n\n  7   timeout\n");
    }

    #[test]
    fn a_rule_is_told_by_its_sentence() {
        let text = plain(100, |style, out| write_rule(Rule::Findings, &style, out));
        assert_eq!(text, "validation/findings\n  The tool found something: VALIDATION_FAILURE, by policy.\n");
    }
}
