//! Progress display of a run: a fold over its events.

use std::collections::BTreeMap;
use std::io::{self, Write};

use referee_model::event::{Event, EventKind};
use referee_model::id::{ActionId, TaskId};
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::{Evaluator, Plan};
use referee_model::record::{Ending, ServiceRecord, SkipReason};
use referee_model::signal;
use referee_model::time::Timestamp;
use referee_syntax::count::count;
use referee_syntax::duration;

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone, Verbosity};
use crate::wording;

/// Duration of one frame of the spinner, in milliseconds.
const SPINNER_MS: u64 = 100;

/// Writes a line for each finished action and, at a terminal, a status line for the running ones.
#[derive(Debug)]
pub struct Progress {
    style: Style,
    names: BTreeMap<ActionId, String>,
    id_columns: usize,
    name_columns: usize,
    total: usize,
    /// Finished actions, each with whether it blocks.
    done: BTreeMap<ActionId, bool>,
    /// Start of the run. None: it has not started, or is over.
    began: Option<Timestamp>,
    elapsed_ms: u64,
    running: Vec<Running>,
    durations_ms: BTreeMap<ActionId, u64>,
    is_drawn: bool,
}

#[derive(Debug)]
struct Running {
    action: ActionId,
    name: String,
    /// Milliseconds from the start of the run to the start of the attempt.
    since_ms: u64,
}

impl Progress {
    /// Creates the progress display for a run of this plan.
    pub fn new(style: Style, plan: &Plan) -> Self {
        let names: BTreeMap<_, _> =
            plan.actions.iter().map(|action| (action.id.clone(), action.name.clone())).collect();
        let longest = |texts: &mut dyn Iterator<Item = &str>| texts.map(width).max().unwrap_or(0);
        Self {
            style,
            id_columns: longest(&mut names.keys().map(ActionId::as_str)),
            name_columns: longest(&mut names.values().map(String::as_str)).min(style.columns() / 4),
            total: plan.actions.len(),
            names,
            done: BTreeMap::new(),
            began: None,
            elapsed_ms: 0,
            running: Vec::new(),
            durations_ms: BTreeMap::new(),
            is_drawn: false,
        }
    }

    /// Processes one event, and writes what a person should see of it.
    pub fn happened(&mut self, event: &Event, out: &mut dyn Write) -> io::Result<()> {
        if let Some(began) = self.began {
            self.elapsed_ms = self.elapsed_ms.max(event.at.milliseconds_since(began));
        }
        match &event.happening {
            EventKind::RunStarted { task, title, .. } => {
                self.began = Some(event.at);
                self.write_title(task, title, out)
            }
            EventKind::ActionStarted { action, name, attempt, .. } => self.started(action, name, *attempt, out),
            EventKind::ActionFinished(record) => {
                self.running.retain(|running| running.action != record.action);
                self.durations_ms.insert(record.action.clone(), record.span.duration_ms);
                Ok(())
            }
            EventKind::ActionJudged(judgement) => self.judged(judgement, out),
            EventKind::ActionSkipped { action, reason } => self.skipped(action, reason, out),
            EventKind::ServiceStopped(service) => self.service_stopped(service, out),
            EventKind::EvaluatorAsked => self.started(&Evaluator::id(), Evaluator::NAME, 1, out),
            EventKind::EvaluatorAnswered(record) => {
                self.running.retain(|running| running.action != record.action);
                self.clear(out)
            }
            EventKind::Interrupting { signal } => {
                let sign = self.style.signs().warning;
                let what = format!("interrupted by {}: stopping what runs", signal::shown(*signal));
                let line = Line::new().then(Tone::Warning, sign).word(Tone::Warning, &what);
                self.write(out, |page| page.line(line))
            }
            EventKind::RunFinished { .. } => {
                self.clear(out)?;
                self.began = None;
                Ok(())
            }
        }
    }

    /// Writes that an action has printed nothing for `ms` milliseconds; `is_idle`: it does no work either.
    pub fn silent(&mut self, action: &ActionId, ms: u64, is_idle: bool, out: &mut dyn Write) -> io::Result<()> {
        let what = if is_idle {
            ", and it does no work: it looks like a watch mode, or waits for an answer that nobody gives"
        } else {
            ""
        };
        let what = format!("no output for {} s{what}", ms / 1_000);
        let line = self.action_line((Tone::Warning, self.style.signs().warning), action).then(Tone::Warning, &what);
        self.write(out, |page| page.line(line))
    }

    /// Redraws the status line, `elapsed_ms` milliseconds after the start of the run. Does nothing where the
    /// terminal cannot redraw a line.
    pub fn tick(&mut self, elapsed_ms: u64, out: &mut dyn Write) -> io::Result<()> {
        self.elapsed_ms = self.elapsed_ms.max(elapsed_ms);
        self.draw(out)
    }

    /// Erases the status line, so that something else can be written. The next event or tick draws it again.
    pub fn clear(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::take(&mut self.is_drawn) {
            Page::new(self.style, out).erase()?;
            out.flush()?;
        }
        Ok(())
    }

    fn write_title(&mut self, task: &TaskId, title: &str, out: &mut dyn Write) -> io::Result<()> {
        let dot = self.style.signs().dot;
        let mut line = Line::new().then(Tone::Strong, task.as_str());
        if title != task.as_str() {
            line = line.word(Tone::Plain, title);
        }
        let actions = count(self.total, "action");
        line = line.word(Tone::Faint, dot).word(Tone::Faint, &actions);
        self.write(out, |page| page.line(line))
    }

    fn started(&mut self, action: &ActionId, name: &str, attempt: u32, out: &mut dyn Write) -> io::Result<()> {
        let running = Running { action: action.clone(), name: name.to_owned(), since_ms: self.elapsed_ms };
        self.running.push(running);
        if self.style.verbosity < Verbosity::Verbose && attempt <= 1 {
            return self.draw(out);
        }
        let what = if attempt > 1 { format!("tried again, attempt {attempt}") } else { "started".to_owned() };
        let line = self.action_line((Tone::Faint, self.style.signs().started), action).then(Tone::Faint, &what);
        self.write(out, |page| page.line(line))
    }

    fn skipped(&mut self, action: &ActionId, reason: &SkipReason, out: &mut dyn Write) -> io::Result<()> {
        // An action that ran but does not count is not a failure either.
        self.done.insert(action.clone(), false);
        let sign = (Tone::Faint, self.style.signs().skipped);
        let line = self.action_line(sign, action).then(Tone::Faint, "skipped: ");
        let line = line.then(Tone::Faint, &wording::skip_reason(reason));
        self.write(out, |page| page.line(line))
    }

    /// Writes that a service ended while it was still needed; with `--verbose`, that any service ended.
    fn service_stopped(&mut self, service: &ServiceRecord, out: &mut dyn Write) -> io::Result<()> {
        let is_early = !matches!(service.ending, Ending::Interrupted { .. }) && !service.in_cleanup;
        let ending = wording::observed::service_ending(&service.ending);
        let signs = self.style.signs();
        let line = if is_early {
            let what = format!("the service ended while it was still needed: {ending}");
            self.action_line((Tone::Warning, signs.warning), &service.action).then(Tone::Warning, &what)
        } else if self.style.verbosity == Verbosity::Verbose {
            let what = format!("the service is over: {ending}");
            self.action_line((Tone::Faint, signs.started), &service.action).then(Tone::Faint, &what)
        } else {
            return Ok(());
        };
        self.write(out, |page| page.line(line))
    }

    fn judged(&mut self, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
        self.done.insert(judgement.action.clone(), judgement.blocking);
        let (tone, sign) = wording::sign(judgement, self.style.signs());
        let mut line = self.action_line((tone, sign), &judgement.action).then(tone, wording::outcome(judgement));
        if judgement.outcome != Outcome::Success || self.style.verbosity == Verbosity::Verbose {
            line = line.word(Tone::Faint, self.style.signs().dot).word(Tone::Faint, &judgement.reason);
        }
        let duration = self.durations_ms.get(&judgement.action).map_or(String::new(), |taken| duration::short(*taken));
        let duration = Line::new().then(Tone::Faint, &duration);
        self.write(out, |page| page.line_and_right(line, duration))
    }

    /// Begins an action's line: sign, id and name, each in its column.
    fn action_line(&self, (tone, sign): (Tone, &str), action: &ActionId) -> Line {
        let name = self.names.get(action).map_or("", String::as_str);
        let name_column = width(sign) + 1 + self.id_columns + 2;
        let name = crate::page::fitted(name, self.name_columns, self.style.signs().ellipsis);
        Line::new()
            .then(tone, sign)
            .word(Tone::Faint, action.as_str())
            .padded_to(name_column)
            .then(Tone::Strong, &name)
            .padded_to(name_column + self.name_columns + 2)
    }

    fn write(&mut self, out: &mut dyn Write, line: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> io::Result<()> {
        if self.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.clear(out)?;
        line(&mut Page::new(self.style, out))?;
        self.draw(out)
    }

    fn draw(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let wanted = self.style.interactive && self.style.verbosity > Verbosity::Quiet;
        if !wanted || self.began.is_none() || self.running.is_empty() {
            return Ok(());
        }
        self.is_drawn = true;
        Page::new(self.style, out).redraw(self.live_line())
    }

    fn live_line(&self) -> Line {
        let signs = self.style.signs();
        let pictures = signs.spinner;
        let turn = usize::try_from(self.elapsed_ms / SPINNER_MS % pictures.len() as u64).unwrap_or(0);
        let names: Vec<&str> = self.running.iter().map(|running| running.name.as_str()).collect();
        let since_ms = self.running.iter().map(|running| running.since_ms).min().unwrap_or(0);
        let taken = duration::short(self.elapsed_ms.saturating_sub(since_ms));
        let counts = format!("{} of {} done", self.done.len(), self.total);
        let mut rest = Line::new().word(Tone::Faint, &taken).word(Tone::Faint, signs.dot).word(Tone::Faint, &counts);
        let failed = self.done.values().filter(|blocks| **blocks).count();
        if failed > 0 {
            rest = rest.then(Tone::Faint, ", ").then(Tone::Bad, &format!("{failed} failed"));
        }
        let start = Line::new().then(Tone::Place, pictures[turn]).then(Tone::Plain, " ");
        // A name may be of any length; it must not push out the counts.
        let room = self.style.columns().saturating_sub(start.width() + rest.width() + 1);
        let names = crate::page::fitted(&names.join(", "), room, signs.ellipsis);
        start.then(Tone::Strong, &names).followed_by(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use crate::human::fixture::{ascii, colored, events, plain, quiet, run_context, runs, servers, verbose};

    /// Processes the events of a run, with two ticks after each start.
    fn told(style: Style, out: &mut dyn Write) -> io::Result<()> {
        let report = runs::failing();
        let mut progress = Progress::new(style, &report.plan);
        for event in events(&report) {
            progress.happened(&event, out)?;
            if let EventKind::ActionStarted { .. } = event.happening {
                let elapsed_ms = event.at.milliseconds_since(report.run.started);
                progress.tick(elapsed_ms + 120, out)?;
                progress.tick(elapsed_ms + 1_240, out)?;
            }
        }
        Ok(())
    }

    /// Makes the control characters of a terminal readable, with one line for each redraw.
    fn pictures(text: &str) -> String {
        text.replace("\r\u{1b}[2K", "\n<erased>").replace('\u{1b}', "<esc>")
    }

    #[test]
    fn a_log_gets_one_line_for_each_action_that_is_over() {
        insta::assert_snapshot!(plain(100, told));
        insta::assert_snapshot!(ascii(72, told));
        insta::assert_snapshot!(plain(40, told));
    }

    #[test]
    fn a_terminal_also_sees_what_runs_now() {
        let at_terminal = |style: Style, out: &mut dyn Write| told(Style { interactive: true, ..style }, out);
        insta::assert_snapshot!(pictures(&plain(80, at_terminal)));
        insta::assert_snapshot!(pictures(&colored(80, at_terminal)));
    }

    #[test]
    fn more_is_told_where_more_is_wanted_and_nothing_where_quiet_is() {
        insta::assert_snapshot!(verbose(100, told));
        assert_eq!(quiet(100, |style, out| told(Style { interactive: true, ..style }, out)), "");
    }

    #[test]
    fn a_command_that_prints_nothing_is_told_with_whether_it_works() {
        let report = runs::failing();
        let action = &report.plan.actions[0].id;
        for (is_idle, says) in [(true, "looks like a watch mode"), (false, "no output for 61 s")] {
            let text = plain(200, |style, out| Progress::new(style, &report.plan).silent(action, 61_400, is_idle, out));
            assert!(text.contains(action.as_str()) && text.contains(says), "{text}");
            assert_eq!(text.contains("watch mode"), is_idle, "{text}");
        }
    }

    #[test]
    fn an_interruption_is_told_at_once_and_the_live_line_goes_with_the_run() {
        let report = runs::interrupted();
        let text = plain(60, |style, out| {
            let mut progress = Progress::new(Style { interactive: true, ..style }, &report.plan);
            for event in events(&report) {
                progress.happened(&event, out)?;
            }
            progress.tick(99_000, out)
        });
        insta::assert_snapshot!(pictures(&text));
    }

    #[test]
    fn retries_and_services_that_end_early_are_told_as_they_happen() {
        let all = |style: Style, out: &mut dyn Write| {
            for report in [run_context::retried(), servers::requests(), run_context::reduced()] {
                let mut progress = Progress::new(style, &report.plan);
                for event in events(&report) {
                    progress.happened(&event, out)?;
                }
            }
            Ok(())
        };
        insta::assert_snapshot!(plain(100, all));
        insta::assert_snapshot!(verbose(100, all));
    }

    #[test]
    fn several_that_run_at_once_stand_in_one_line_and_each_counts_once() {
        let report = runs::failing();
        let events = events(&report);
        let of = |started: bool| {
            events.iter().filter(move |event| matches!(event.happening, EventKind::ActionStarted { .. }) == started)
        };
        let text = plain(80, |style, out| {
            let mut progress = Progress::new(Style { interactive: true, ..style }, &report.plan);
            progress.happened(&events[0], out)?;
            for event in of(true) {
                progress.happened(event, out)?;
            }
            // An attempt may be judged by itself, and its action again.
            for event in of(false).skip(1).chain(of(false)).filter(|event| {
                !matches!(event.happening, EventKind::RunStarted { .. } | EventKind::RunFinished { .. })
            }) {
                progress.happened(event, out)?;
            }
            progress.tick(1_000, out)
        });
        insta::assert_snapshot!(pictures(&text));
    }

    proptest! {
        #[test]
        fn events_in_any_order_are_taken(order in subsequence((0..20usize).collect::<Vec<_>>(), 0..20).prop_shuffle(), elapsed_ms: u64) {
            let report = runs::failing();
            let events = events(&report);
            let text = plain(80, |style, out| {
                let mut progress = Progress::new(Style { interactive: true, ..style }, &runs::interrupted().plan);
                for event in order.iter().filter_map(|index| events.get(*index)) {
                    progress.happened(event, out)?;
                    progress.tick(elapsed_ms, out)?;
                }
                progress.clear(out)
            });
            // The status line must be erased before the end.
            prop_assert!(text.is_empty() || text.ends_with('\n') || text.ends_with("\x1b[2K"));
        }
    }
}
