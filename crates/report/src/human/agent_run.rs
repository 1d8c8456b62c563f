//! Runs of coding agents.

use std::io::{self, Write};

use referee_model::agent_run::{AgentRun, IterationRecord, RunStep};
use referee_model::run_state::{RunResult, RunState};
use referee_syntax::duration;

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone, Verbosity};

/// Column at which values of a run start.
const VALUES: usize = 12;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 4;

const WARNINGS: usize = 10;

/// Writes the progress of a run: one line, or nothing where only the answer is wanted.
pub fn step(step: RunStep<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let page = &mut Page::new(style, out);
    let signs = page.signs();
    let (tone, sign, text) = match step {
        RunStep::Resumed(run) => {
            (Tone::Strong, signs.started, format!("{} goes on: turn {}, {}", run.id, run.iteration, run.state.as_str()))
        }
        RunStep::TurnBegins(run) => {
            let text = format!("{}: turn {} of {}, the agent works", run.id, run.iteration, run.max_iterations);
            (Tone::Strong, signs.started, text)
        }
        RunStep::Retried { error, reason, wait_ms } => {
            let wait = duration::short(wait_ms);
            (Tone::Warning, signs.warning, format!("{}; {reason}, after {wait}", error.message))
        }
        RunStep::AgentEnded { duration_ms, error: None } => {
            (Tone::Plain, signs.dot, format!("the agent ended after {}", duration::short(duration_ms)))
        }
        RunStep::AgentEnded { error: Some(error), .. } => (Tone::Bad, signs.bad, error.message.clone()),
        RunStep::Checked { summary, passed: true } => (Tone::Good, signs.good, summary.to_owned()),
        RunStep::Checked { summary, passed: false } => (Tone::Bad, signs.bad, summary.to_owned()),
        RunStep::Warned(warning) => (Tone::Warning, signs.warning, warning.message.clone()),
    };
    let lead = Line::new().then(tone, sign).then(Tone::Plain, " ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Plain, &text, TEXT_LINES)
}

/// Writes a run turn by turn: its state, the reason, and where it is stored.
pub fn show(
    run: &AgentRun,
    turns: &[IterationRecord],
    directory: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let (tone, sign, word) = standing(run, page);
    page.line(Line::new().then(tone, sign).word(tone, word).word(Tone::Strong, &run.id))?;
    if let Some(error) = &run.error {
        page.paragraph(Line::indented(2), 2, Tone::Plain, error, TEXT_LINES)?;
    }
    if style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    for turn in turns {
        of_turn(turn, run, page)?;
    }
    for warning in run.warnings.iter().take(WARNINGS) {
        let lead = Line::indented(2).then(Tone::Warning, page.signs().warning).then(Tone::Plain, " ");
        let indent = lead.width();
        page.paragraph(lead, indent, Tone::Plain, &format!("turn {}: {}", warning.iteration, warning.message), 2)?;
    }
    fact("turns", &format!("{} of {}", run.iteration, run.max_iterations), page)?;
    fact("workspace", run.workspace_id.as_deref().unwrap_or("–"), page)?;
    fact("began", &run.started_at.to_string(), page)?;
    fact("kept in", directory, page)?;
    if run.result.is_none() {
        fact("go on", &format!("referee agent run --resume {}", run.id), page)?;
    }
    Ok(())
}

/// Writes a line for each run.
pub fn list(runs: &[AgentRun], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    if runs.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "no run of an agent is kept"));
    }
    let ids = runs.iter().map(|run| width(&run.id)).max().unwrap_or(0);
    for run in runs {
        let (tone, _, word) = standing(run, page);
        let line = Line::new()
            .then(Tone::Strong, &run.id)
            .padded_to(ids + 2)
            .then(tone, word)
            .padded_to(ids + 2 + 21)
            .then(Tone::Plain, &format!("turn {} of {}", run.iteration, run.max_iterations))
            .padded_to(ids + 2 + 21 + 16)
            .then(Tone::Place, run.workspace_id.as_deref().unwrap_or_default());
        page.line(line)?;
    }
    Ok(())
}

fn standing(run: &AgentRun, page: &Page<'_>) -> (Tone, &'static str, &'static str) {
    let signs = page.signs();
    match (run.result, run.state) {
        (Some(RunResult::Passed), RunState::Succeeded) => (Tone::Good, signs.good, "passed"),
        (Some(result), _) => (Tone::Bad, signs.bad, result.as_str()),
        (None, state) => (Tone::Warning, signs.unknown, state.as_str()),
    }
}

/// Kind of the warning that a turn was cut off.
const CUT_OFF: &str = "agent_cut_off";

fn of_turn(turn: &IterationRecord, run: &AgentRun, page: &mut Page<'_>) -> io::Result<()> {
    let signs = page.signs();
    let warned = run.warnings.iter().any(|warning| warning.kind == CUT_OFF && warning.iteration == turn.iteration);
    let is_cut_off = warned || (turn.state == RunState::Building && run.result.is_some());
    let agent = turn.agent.as_ref().filter(|_| !is_cut_off);
    let otherwise = if is_cut_off { "agent cut off" } else { "agent begun" };
    let agent = agent.map_or_else(
        || otherwise.to_owned(),
        |agent| {
            let cost = agent.cost_usd.map(|cost| format!(", ${cost:.2}")).unwrap_or_default();
            let tokens = agent.tokens_used.map(|used| format!(", {} tokens out", used.output)).unwrap_or_default();
            let how = if agent.success { "" } else { ", failed" };
            format!("agent {}{how}{tokens}{cost}", duration::short(agent.duration_ms))
        },
    );
    let passed = turn.verification.as_ref().map(|checked| checked.passed);
    let (tone, sign, checks) = match passed {
        Some(true) => (Tone::Good, signs.good, ", checks passed"),
        Some(false) => (Tone::Bad, signs.bad, ", checks did not pass"),
        None => (Tone::Faint, signs.skipped, ""),
    };
    let line =
        Line::indented(2).then(tone, sign).word(Tone::Plain, &format!("turn {}: {agent}{checks}", turn.iteration));
    page.line(line)?;
    if let Some(error) = &turn.error {
        page.paragraph(Line::indented(6), 6, Tone::Faint, &error.message, 2)?;
        if let Some(details) = &error.details {
            page.paragraph(Line::indented(6), 6, Tone::Faint, details, TEXT_LINES)?;
        }
    }
    Ok(())
}

fn fact(name: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Faint, name).padded_to(VALUES).then(Tone::Plain, " ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Plain, value, TEXT_LINES)
}

#[cfg(test)]
mod tests {
    use referee_model::agent_result::TokensUsed;
    use referee_model::agent_run::{
        AgentTurn, ContinuousIntegration, IterationError, IterationErrorType, PullRequest, RunWarning, VerificationTurn,
    };
    use referee_model::time::Timestamp;

    use super::*;

    const STYLE: Style =
        Style { color: false, unicode: true, width: 100, interactive: false, verbosity: Verbosity::Normal };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1_000)
    }

    fn run(state: RunState, result: Option<RunResult>) -> AgentRun {
        let hostile = "it left \u{1b}]0;x\u{7} running".to_owned();
        AgentRun {
            id: "run-1".to_owned(),
            work_order_id: "order-run-1".to_owned(),
            workspace_id: Some("/work".to_owned()),
            iteration: 2,
            max_iterations: 3,
            state,
            snapshot_before: None,
            snapshot_after: None,
            snapshot_ids: Vec::new(),
            started_at: at(0),
            completed_at: None,
            result,
            error: result.map(|_| "Test execution failed".to_owned()),
            build_error: None,
            session_id: None,
            pull_request: PullRequest::default(),
            warnings: vec![RunWarning { kind: "x".to_owned(), message: hostile, iteration: 1, at: at(1) }],
            ci: ContinuousIntegration::default(),
        }
    }

    fn turn() -> IterationRecord {
        let error = IterationError {
            kind: IterationErrorType::VerificationFailed,
            message: "Test execution failed".to_owned(),
            details: Some("\"All tests pass\": 1 of 3 fails".to_owned()),
        };
        IterationRecord {
            iteration: 1,
            state: RunState::Feedback,
            snapshot_id: None,
            feedback_generated: true,
            started_at: at(0),
            completed_at: Some(at(9)),
            duration_ms: Some(9),
            agent: Some(AgentTurn {
                session_id: None,
                result_file: "agent-1.json".to_owned(),
                duration_ms: 61_000,
                success: true,
                model: None,
                tokens_used: Some(TokensUsed { input: 1, output: 340, total: None }),
                cost_usd: Some(0.125),
            }),
            verification: Some(VerificationTurn {
                file: "verification-1.json".to_owned(),
                passed: false,
                levels_run: vec!["L1".to_owned()],
                duration_ms: 5,
            }),
            error: Some(error),
        }
    }

    fn shown(run: &AgentRun, style: Style) -> String {
        let mut text = Vec::new();
        show(run, &[turn()], "/state/agents/run-1", style, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_run_is_shown_turn_by_turn_and_says_how_it_goes_on() {
        let failed = shown(&run(RunState::Failed, Some(RunResult::FailedVerification)), STYLE);
        for told in [
            "✗ failed_verification run-1\n  Test execution failed\n",
            "✗ turn 1: agent 1 min 01 s, 340 tokens out, $0.12, checks did not pass\n",
            "\"All tests pass\": 1 of 3 fails",
            "/state/agents/run-1",
        ] {
            assert!(failed.contains(told), "{told:?}: {failed}");
        }
        assert!(!failed.contains('\u{1b}') && !failed.contains("--resume"), "{failed}");
        let cut_off = shown(&run(RunState::Building, None), STYLE);
        assert!(cut_off.contains("? building run-1") && cut_off.contains("agent run --resume run-1"), "{cut_off}");
        let quiet = Style { verbosity: Verbosity::Quiet, ..STYLE };
        assert_eq!(shown(&run(RunState::Succeeded, Some(RunResult::Passed)), quiet).lines().count(), 2);
    }

    #[test]
    fn only_a_passed_run_is_shown_as_one_and_steps_are_a_line() {
        let mut text = Vec::new();
        let runs = [run(RunState::Succeeded, Some(RunResult::Passed)), run(RunState::Verifying, None)];
        list(&runs, STYLE, &mut text).unwrap();
        let listed = String::from_utf8(text).unwrap();
        assert_eq!(listed.matches("passed").count(), 1, "{listed}");
        for (given, told) in [
            (RunStep::TurnBegins(&runs[0]), "▸ run-1: turn 2 of 3, the agent works\n"),
            (RunStep::AgentEnded { duration_ms: 900, error: None }, "· the agent ended after 900 ms\n"),
            (RunStep::Checked { summary: "FAIL: 0 of 1 task passed", passed: false }, "✗ FAIL: 0 of 1 task passed\n"),
        ] {
            let mut text = Vec::new();
            step(given, STYLE, &mut text).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), told);
            let mut text = Vec::new();
            step(given, Style { verbosity: Verbosity::Quiet, ..STYLE }, &mut text).unwrap();
            assert!(text.is_empty());
        }
    }
}
