//! Summary at the end of a run: failures and their causes, counts, the decision, and the next step.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use referee_model::id::ActionId;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Phase};
use referee_model::record::{Notice, NoticeCode, RunEnding, SkipReason};
use referee_model::report::{ActionHistory, ActionReport, Ran, Report};
use referee_model::verdict::Decision;
use referee_syntax::duration;

use crate::human::baseline;
use crate::human::criteria;
use crate::human::evaluator;
use crate::human::failure::{Telling, specification};
use crate::human::protection;
use crate::human::scope;
use crate::human::waiver;
use crate::human::weaker;
use crate::page::{Line, Page};
use crate::source::SourceLines;
use crate::style::{Style, Tone, Verbosity};
use crate::wording;

/// Column at which values of the closing lines start.
const VALUES: usize = 10;

/// Maximum number of lines of one sentence.
const SENTENCE_LINES: usize = 4;

/// Maximum number of notes that are shown without `--verbose`.
const NOTES: usize = 10;

/// Maximum number of the verdict's reasons, beyond those of blocking actions, that are shown without `--verbose`.
const REASONS: usize = 5;

/// Writes the summary of a run. `evidence` is the path of the report, as shown to people; the files that belong to
/// it are beside it.
pub fn write(
    report: &Report,
    sources: &dyn SourceLines,
    evidence: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if style.verbosity > Verbosity::Quiet {
        page.blank()?;
        specification::write_of_task(&report.plan, &mut page)?;
        let telling = Telling { plan: &report.plan, services: &report.run.services, sources, evidence };
        failures(report, &telling, &mut page)?;
        criteria::write(&report.verdict.criteria, &mut page)?;
        let skipped = skipped(report, &mut page)?;
        let noted = notes(report, &mut page)?;
        let weaker = weaker::write(report, &mut page)?;
        if skipped || noted || weaker {
            page.blank()?;
        }
        counts(report, &mut page)?;
        page.blank()?;
    }
    decision(report, evidence, &mut page)
}

/// Writes the actions that ran and did not succeed: blocking ones first, each kind in plan order.
fn failures(report: &Report, telling: &Telling<'_>, page: &mut Page<'_>) -> io::Result<()> {
    for blocking in [true, false] {
        for (action, ran) in ran(report) {
            let is_told = ran.judgement.blocking || ran.judgement.outcome != Outcome::Success;
            if is_told && ran.judgement.blocking == blocking {
                telling.write(action, ran, page)?;
            }
        }
    }
    Ok(())
}

fn ran(report: &Report) -> impl Iterator<Item = (&Action, &Ran)> {
    report.actions.iter().filter_map(|each| each.ran().map(|ran| (&each.action, ran)))
}

/// Writes the actions that never ran, one paragraph for each reason. Returns whether there were any.
fn skipped(report: &Report, page: &mut Page<'_>) -> io::Result<bool> {
    let mut by_reason: BTreeMap<&SkipReason, Vec<String>> = BTreeMap::new();
    for ActionReport { action, history } in &report.actions {
        if let ActionHistory::Skipped(reason) = history {
            by_reason.entry(reason).or_default().push(format!("{} {}", action.id, action.name));
        }
    }
    for (reason, actions) in &by_reason {
        // The reason goes first, so that a long list cannot push it out.
        let lead = Line::new().then(Tone::Faint, "skipped ");
        let text = format!("({}): {}", wording::skip_reason(reason), actions.join(", "));
        page.paragraph(lead, 9, Tone::Faint, &text, SENTENCE_LINES)?;
    }
    Ok(!by_reason.is_empty())
}

/// Writes notes on the run and its actions. Returns whether there were any.
fn notes(report: &Report, page: &mut Page<'_>) -> io::Result<bool> {
    let notes = all_notes(report);
    let shown = page.shown(notes.len(), NOTES);
    for (action, text) in notes.iter().take(shown) {
        let mut lead = Line::new().then(Tone::Warning, "note: ");
        if let Some(action) = action {
            lead = lead.then(Tone::Strong, &format!("{} {}", action.id, action.name)).then(Tone::Plain, ": ");
        }
        page.paragraph(lead, 6, Tone::Plain, text, SENTENCE_LINES)?;
    }
    if notes.len() > shown {
        let text = format!("note: {} more in the report", notes.len() - shown);
        page.line(Line::new().then(Tone::Faint, &text))?;
    }
    Ok(!notes.is_empty())
}

/// Collects the notes of the run and of each action, without duplicates.
fn all_notes(report: &Report) -> Vec<(Option<&Action>, Cow<'_, str>)> {
    let mut notes: Vec<(Option<&Action>, Cow<'_, str>)> = report
        .run
        .notices
        .iter()
        .filter(|note| !waiver::is_told(report, note))
        .map(|note| (None, note.as_str().into()))
        .collect();
    for service in report.run.services.iter().filter(|service| service.ended_early()) {
        let ending = wording::observed::ending(&service.ending);
        let text = format!("the service ended while it was still needed: {ending}");
        notes.push((report.plan.action(&service.action), text.into()));
    }
    for service in &report.run.services {
        let action = report.plan.action(&service.action);
        notes.extend(service.notices.iter().map(|notice| (action, notice.message.as_str().into())));
    }
    for (action, ran) in ran(report) {
        let judgement = &ran.judgement;
        let exit_code_only =
            judgement.exit_code_only.then(|| format!("passed by its exit code alone: {}", judgement.reason));
        let of_action = (ran.record.notices.iter().filter(|notice| is_telling(action, notice)))
            .map(|notice| notice.message.as_str())
            .chain(ran.judgement.notes.iter().map(String::as_str))
            .chain(ran.reading.notes.iter().map(String::as_str))
            .map(Cow::from)
            .chain(exit_code_only.map(Cow::from))
            .chain(flaky(ran).map(Cow::from));
        let first = notes.len();
        for note in of_action {
            if !notes[first..].iter().any(|(_, known)| *known == note) {
                notes.push((Some(action), note));
            }
        }
    }
    notes
}

/// Whether a notice is shown. A cleanup action may be what ends a service, which nothing needs any more.
fn is_telling(action: &Action, notice: &Notice) -> bool {
    action.phase != Phase::Cleanup || notice.code != NoticeCode::ServiceEnded
}

/// Returns that an action passed only when retried. None: it did not, or it is shown as a failure already.
fn flaky(ran: &Ran) -> Option<String> {
    if !ran.judgement.flaky || ran.judgement.blocking {
        return None;
    }
    let before = ran.earlier.last().map_or("", |attempt| attempt.judgement.reason.as_str());
    let before = if before.is_empty() { String::new() } else { format!(" (before: {before})") };
    Some(format!("flaky: it passed only on attempt {}{before}", ran.record.attempt))
}

/// Numbers shown at the end.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    not_blocking: u64,
    expected: u64,
    skipped: u64,
    tests_passed: u64,
    tests_failed: u64,
    tests_skipped: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
}

impl Tally {
    /// Counts results. Numbers of tests are claims of tools, so adding them up must not overflow.
    fn of(report: &Report) -> Self {
        let mut tally = Self::default();
        for each in &report.actions {
            let Some(ran) = each.ran() else {
                tally.skipped += 1;
                continue;
            };
            match (ran.judgement.blocking, ran.judgement.outcome) {
                (true, _) => tally.failed += 1,
                (false, Outcome::Success) => tally.passed += 1,
                (false, _) if ran.judgement.expected => tally.expected += 1,
                (false, _) => tally.not_blocking += 1,
            }
            tally.errors = tally.errors.saturating_add(ran.reading.counts.errors);
            tally.warnings = tally.warnings.saturating_add(ran.reading.counts.warnings);
            tally.infos = tally.infos.saturating_add(ran.reading.counts.infos);
            // Lines that merely look like results explain a failure; the judge decides which tests count (ruling
            // 9).
            if let Some(tests) = ran.judgement.counted_tests {
                tally.tests_passed = tally.tests_passed.saturating_add(tests.passed);
                tally.tests_failed = tally.tests_failed.saturating_add(tests.failed);
                tally.tests_skipped = tally.tests_skipped.saturating_add(tests.skipped);
            }
        }
        tally
    }
}

fn counts(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let tally = Tally::of(report);
    let actions = [
        (tally.passed, "passed", Tone::Good),
        (tally.failed, "failed", Tone::Bad),
        (tally.not_blocking, "not blocking", Tone::Warning),
        (tally.expected, "failed as expected", Tone::Warning),
        (tally.skipped, "skipped", Tone::Faint),
    ];
    count_line("actions", &actions, page)?;
    let tests = [
        (tally.tests_passed, "passed", Tone::Good),
        (tally.tests_failed, "failed", Tone::Bad),
        (tally.tests_skipped, "skipped", Tone::Faint),
    ];
    count_line("tests", &tests, page)?;
    let findings = [
        (tally.errors, if tally.errors == 1 { "error" } else { "errors" }, Tone::Bad),
        (tally.warnings, if tally.warnings == 1 { "warning" } else { "warnings" }, Tone::Warning),
        (tally.infos, if tally.infos == 1 { "note" } else { "notes" }, Tone::Faint),
    ];
    count_line("findings", &findings, page)?;
    let taken = duration::short(report.run.ended.milliseconds_since(report.run.started));
    page.line(label("time").then(Tone::Plain, &taken))
}

/// Writes the numbers that are not 0, and their sum where there are several; nothing where all are 0.
fn count_line(name: &str, counts: &[(u64, &str, Tone)], page: &mut Page<'_>) -> io::Result<()> {
    let told: Vec<_> = counts.iter().filter(|(count, ..)| *count > 0).collect();
    let sum = told.iter().fold(0, |sum: u64, (count, ..)| sum.saturating_add(*count));
    let mut parts: Vec<(String, Tone)> =
        told.iter().map(|(count, word, tone)| (format!("{count} {word}"), *tone)).collect();
    match parts.len() {
        0 => return Ok(()),
        1 => {}
        _ => parts.push((format!("{sum} in all"), Tone::Faint)),
    }
    let mut line = label(name);
    let mut separator = "";
    for (part, tone) in parts {
        if line.width() + separator.len() + part.len() >= page.columns() {
            page.line(line.then(Tone::Plain, separator))?;
            line = Line::indented(VALUES).then(tone, &part);
        } else {
            line = line.then(Tone::Plain, separator).then(tone, &part);
        }
        separator = ", ";
    }
    page.line(line)
}

fn label(name: &str) -> Line {
    Line::new().then(Tone::Faint, name).padded_to(VALUES)
}

/// Writes the decision, the reasons against a pass, the next step, and the path of the evidence.
fn decision(report: &Report, evidence: &str, page: &mut Page<'_>) -> io::Result<()> {
    let verdict = &report.verdict;
    let (word, tone) = wording::decision(verdict.decision);
    let mut line = Line::new().then(tone, &format!(" {word} ")).word(Tone::Strong, report.plan.task.as_str());
    if report.plan.title != report.plan.task.as_str() {
        line = line.word(Tone::Plain, &report.plan.title);
    }
    page.line(line)?;
    waiver::write(report, page)?;
    scope::write(report, page)?;
    baseline::write(report, page)?;
    protection::write(report, page)?;

    let is_quiet = page.style().verbosity == Verbosity::Quiet;
    if !(is_quiet && verdict.decision == Decision::Pass) {
        for (action, ran) in ran(report).filter(|(action, _)| verdict.blocking.contains(&action.id)) {
            blocker(&action.id, &action.name, &ran.judgement.reason, page)?;
        }
        other_reasons(report, page)?;
    }
    if !is_quiet {
        if let Some(evaluated) = &verdict.evaluator {
            evaluator::write(evaluated, label("evaluator"), page)?;
        }
        let next = if verdict.decision == Decision::Pass && report.is_reduced() {
            scope::next_step(report.run.scope.profile)
        } else {
            wording::next_step(verdict.agent_action)
        };
        page.paragraph(label("next"), VALUES, Tone::Plain, next, SENTENCE_LINES)?;
    }
    // Never cut, because a person copies it.
    page.paragraph(label("report"), VALUES, Tone::Place, evidence, usize::MAX)
}

/// Writes the reasons that are not about a blocking action.
fn other_reasons(report: &Report, page: &mut Page<'_>) -> io::Result<()> {
    let reasons = &report.verdict.reasons;
    let fault = match &report.run.ending {
        RunEnding::Failed { message } => {
            Some(message).filter(|fault| !reasons.iter().any(|reason| repeats(reason, fault)))
        }
        RunEnding::Finished | RunEnding::Interrupted { .. } => None,
    };
    let others: Vec<&String> = fault
        .into_iter()
        .chain(reasons.iter().filter(|reason| {
            !is_told(report, reason) && !baseline::is_told(report, reason) && !waiver::is_told(report, reason)
        }))
        .collect();
    let shown = page.shown(others.len(), REASONS);
    for reason in others.iter().take(shown) {
        page.item(2, (Tone::Faint, page.signs().bullet), Tone::Plain, reason, SENTENCE_LINES)?;
    }
    page.left_to_report(2, others.len(), shown)
}

fn blocker(id: &ActionId, name: &str, reason: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2)
        .then(Tone::Bad, page.signs().bad)
        .word(Tone::Faint, id.as_str())
        .word(Tone::Strong, name)
        .then(Tone::Plain, ": ");
    page.paragraph(lead, 4, Tone::Plain, reason, SENTENCE_LINES)
}

/// Whether a reason of the verdict is already shown, as a whole, with a blocking action. A reason with other
/// content is shown.
fn is_told(report: &Report, reason: &str) -> bool {
    let blocking = |id: &ActionId| report.verdict.blocking.contains(id);
    ran(report).filter(|(action, _)| blocking(&action.id)).any(|(action, ran)| {
        let mut problems = report.plan.problems.iter().filter(|problem| problem.action.as_ref() == Some(&action.id));
        reason == ran.verdict_reason(action)
            || problems.any(|problem| {
                reason == problem.verdict_reason(&report.plan.specification.file)
                    && specification::is_told(problem, &ran.judgement.reason)
            })
    })
}

/// Whether a reason equals a text, or its part after a colon does. A reason that merely contains the text says
/// more.
fn repeats(reason: &str, text: &str) -> bool {
    reason.strip_suffix(text).is_some_and(|lead| lead.is_empty() || lead.ends_with(": "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{Sources, ascii, colored, plain, quiet, run_context, runs, servers, verbose};
    use proptest::prelude::*;
    use referee_model::outcome::AgentAction;
    use referee_model::run_context::protection::{Protection, Suppression, TrustedBaseline, Weakening};
    use referee_model::run_context::suppression::SuppressionKind;
    use referee_model::run_context::weakening::WeakeningKind;
    use referee_model::selection::{Profile, Scope};

    fn told(report: &Report) -> impl Fn(Style, &mut dyn Write) -> io::Result<()> {
        |style, out| write(report, &Sources, "evidence/T001/execution-report.json", &style, out)
    }

    #[test]
    fn what_a_change_silences_is_told_and_what_blocks_is_left_to_the_reasons() {
        let mut report = run_context::reduced();
        report.run.run_context.protection = Some(weaker_protection());
        insta::assert_snapshot!(plain(100, told(&report)));
        let protection = report.run.run_context.protection.as_mut().unwrap();
        protection.suppressions.iter_mut().for_each(|suppression| suppression.blocks = true);
        protection.weakenings.iter_mut().for_each(|weakening| weakening.blocks = true);
        assert!(!plain(100, told(&report)).contains("eslint-disable"));
    }

    fn weaker_protection() -> Protection {
        let suppression = |number: u32| Suppression {
            path: "src/quotes.ts".to_owned(),
            line: number,
            kind: SuppressionKind::EslintDisable,
            text: "// eslint-disable-next-line no-console".to_owned(),
            blocks: false,
        };
        Protection {
            baseline: TrustedBaseline::Git { reference: "main".to_owned(), commit: "0".repeat(40) },
            files: 3,
            drift: Vec::new(),
            tests: Vec::new(),
            suppressions: (1..=11).map(suppression).collect(),
            weakenings: vec![Weakening {
                kind: WeakeningKind::CommandChanged,
                subject: "unit".to_owned(),
                before: "npx jest".to_owned(),
                after: "npx jest --some-flag".to_owned(),
                blocks: false,
            }],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_passing_run_ends_short() {
        insta::assert_snapshot!(plain(100, told(&runs::passing())));
        insta::assert_snapshot!(colored(100, told(&runs::passing())));
        insta::assert_snapshot!(quiet(100, told(&runs::passing())));
    }

    #[test]
    fn a_failing_run_shows_what_blocks_first_with_its_telling_lines() {
        insta::assert_snapshot!(plain(100, told(&runs::failing())));
        insta::assert_snapshot!(colored(100, told(&runs::failing())));
    }

    #[test]
    fn a_failing_run_fits_narrow_and_ascii_outputs() {
        insta::assert_snapshot!(plain(40, told(&runs::failing())));
        insta::assert_snapshot!(ascii(80, told(&runs::failing())));
    }

    #[test]
    fn quiet_leaves_the_decision_and_verbose_adds_rules() {
        insta::assert_snapshot!(quiet(100, told(&runs::failing())));
        insta::assert_snapshot!(verbose(100, told(&runs::failing())));
    }

    #[test]
    fn a_failed_prerequisite_shows_its_output_and_what_it_kept_from_running() {
        insta::assert_snapshot!(plain(100, told(&runs::prerequisite_failed())));
    }

    #[test]
    fn a_reason_is_left_out_only_where_all_of_it_stands_beside_its_action() {
        let mut report = runs::timed_out();
        let (action, ran) = ran(&report).find(|(_, ran)| ran.judgement.blocking).unwrap();
        let says_more = format!("{} and the service was lost", ran.verdict_reason(action));
        let of_another = format!("STEP.9 e2e: {} (TIMEOUT)", ran.judgement.reason);
        let repeated = ran.judgement.reason.clone();
        report.verdict.reasons.extend([says_more, of_another]);
        let text = plain(1000, told(&report));
        assert!(text.contains("and the service was lost") && text.contains("STEP.9 e2e"), "{text}");
        let decision = &text[text.rfind("BLOCKED").or(text.rfind("FAIL")).unwrap()..];
        assert_eq!(decision.matches(repeated.as_str()).count(), 3, "{text}");
    }

    #[test]
    fn a_timeout_shows_its_limit_and_what_came_out_before() {
        insta::assert_snapshot!(plain(100, told(&runs::timed_out())));
    }

    #[test]
    fn an_interrupted_run_is_blocked_and_says_what_never_ran() {
        insta::assert_snapshot!(plain(100, told(&runs::interrupted())));
    }

    #[test]
    fn a_run_that_could_not_be_judged_says_why() {
        insta::assert_snapshot!(plain(100, told(&runs::blocked())));
    }

    #[test]
    fn an_answer_that_is_not_as_expected_is_told_with_what_was_found_and_none_with_the_reason() {
        insta::assert_snapshot!(plain(100, told(&servers::requests())));
        insta::assert_snapshot!(plain(44, told(&servers::requests())));
    }

    #[test]
    fn a_service_that_is_not_ready_is_told_with_its_probes_its_port_and_its_output() {
        insta::assert_snapshot!(plain(100, told(&servers::not_ready())));
    }

    #[test]
    fn files_that_are_not_as_expected_are_told_one_by_one() {
        insta::assert_snapshot!(plain(100, told(&run_context::files())));
    }

    #[test]
    fn problems_of_the_specification_are_told_with_their_place() {
        insta::assert_snapshot!(plain(100, told(&run_context::misspecified())));
    }

    #[test]
    fn a_reduced_run_is_loud_in_every_verbosity() {
        let report = run_context::reduced();
        insta::assert_snapshot!(plain(100, told(&report)));
        for text in [plain(100, told(&report)), quiet(100, told(&report)), verbose(100, told(&report))] {
            let warning = "this was a reduced run (profile fast, 3 steps left out): it never counts as done";
            assert!(text.contains(warning), "{text}");
        }
        let mut unsaid = report;
        unsaid.run.scope.reduced = false;
        assert!(quiet(100, told(&unsaid)).contains("it never counts as done"));
    }

    #[test]
    fn a_reduced_run_that_passes_asks_for_a_whole_one_and_is_never_said_to_be_done() {
        let mut report = run_context::reduced();
        let selection = "before the task may be called done: `referee run` without the selection";
        let profile = "before the task may be called done: `referee run --profile strict` without a selection";
        for (scope, header, action, next) in [
            (Profile::Fast, true, AgentAction::RequestRetest, profile),
            (Profile::Strict, true, AgentAction::RequestRetest, selection),
            // Whatever the verdict or the header say.
            (Profile::Strict, true, AgentAction::RequestStatusUpdate, selection),
            (Profile::Strict, false, AgentAction::RequestStatusUpdate, selection),
        ] {
            report.run.scope = Scope { profile: scope, reduced: header };
            report.verdict.agent_action = action;
            let text = plain(200, told(&report));
            assert!(text.contains(next) && !text.contains("the task may be called done\n"), "{text}");
        }
        report.verdict.decision = Decision::Fail;
        report.verdict.agent_action = AgentAction::FixTypes;
        assert!(plain(200, told(&report)).contains("fix the types"));
    }

    #[test]
    fn a_service_that_ends_in_cleanup_is_no_complaint() {
        let told_of = |phase, in_cleanup| {
            let mut report = servers::requests();
            let message = "the service PREREQ.1 (web) exited before this action was over".to_owned();
            report.run.services[0].in_cleanup = in_cleanup;
            let last = report.actions.last_mut().unwrap();
            last.action.phase = phase;
            if let ActionHistory::Ran(ran) = &mut last.history {
                ran.record.notices = vec![Notice { code: NoticeCode::ServiceEnded, message: message.clone() }];
            }
            let text = plain(200, told(&report));
            (text.contains(&message), text.contains("ended while it was still needed"))
        };
        assert_eq!(told_of(Phase::Cleanup, true), (false, false));
        assert_eq!(told_of(Phase::Step, false), (true, true));
        // The service ended before the cleanup, which was the first to notice.
        assert_eq!(told_of(Phase::Cleanup, false), (false, true));
    }

    #[test]
    fn conditions_against_a_pass_are_told_with_the_value_and_the_reason() {
        insta::assert_snapshot!(plain(100, told(&run_context::conditions())));
    }

    #[test]
    fn retries_and_expected_failures_are_told() {
        insta::assert_snapshot!(plain(100, told(&run_context::retried())));
    }

    #[test]
    fn hostile_text_stays_text_and_within_the_width() {
        let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}gpj.exe\u{0}\r\u{1b}[1A PASS";
        let report = runs::hostile(evil, &"x".repeat(1 << 20));
        let text = plain(80, told(&report));
        assert!(!text.contains('\u{1b}') && text.len() < 64 * 1024, "{} bytes", text.len());
        assert!(text.lines().all(|line| crate::page::width(line) <= 80));
        insta::assert_snapshot!(text);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn whatever_a_tool_says_no_escape_gets_through(evil in "(?s).{0,80}|[\\x00-\\x9f\\[\\]]{0,80}", long in "[\\x00-\\x9f]{0,600}", width in 0usize..150) {
            for report in servers::hostile(&evil).into_iter().chain([runs::hostile(&evil, &long)]) {
                let text = plain(width, told(&report)) + &verbose(width, told(&report));
                prop_assert_eq!(text.chars().find(|character| character.is_control() && *character != '\n'), None);
                prop_assert!(text.lines().all(|line| crate::page::width(line) <= width.max(20)));
            }
        }
    }
}
