use std::collections::BTreeMap;

use proptest::prelude::{Just, Strategy as Generator, prop_assert, prop_assert_eq, proptest};
use proptest::{collection, prop_oneof, sample};
use referee_model::condition::{Condition, fields, fields::Kind, parse};
use referee_model::condition_inputs::{Content, StreamInputs};
use referee_model::id::ActionId;
use referee_model::plan::http::StatusRange;
use referee_model::plan::{
    Action, DataSyntax, ExpectedOutput, FileContent, FileExpectation, HttpRequest, Phase, Plan, Work,
};
use referee_model::reading::Reading;
use referee_model::record::http::{HttpEnding, NoAnswerCause};
use referee_model::record::service::Readiness;
use referee_model::record::{
    Ending, FileFacts, FileObservation, FileState, GlobFacts, Record, RunEnding, RunRecord, SkipReason, Stream,
    SyntaxObservation,
};
use referee_model::report::ActionHistory;
use referee_model::selection::LeftOut;
use referee_model::time::Timestamp;

use super::*;
use crate::fixture::{self, exited, findings, line, nothing};

mod answers;
mod asked;
mod commands;
mod files;
mod interactions;
mod kinds;
mod logic;
mod properties;
mod reasons;

/// A plan, its results, and data from its output.
struct Fixture {
    plan: Plan,
    run: RunRecord,
    reports: Vec<ActionReport>,
    materials: BTreeMap<ActionId, ConditionInputs>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            plan: fixture::plan(Vec::new()),
            run: fixture::run(RunEnding::Finished),
            reports: Vec::new(),
            materials: BTreeMap::new(),
        }
    }

    fn ran(mut self, action: Action, record: Record, reading: Reading) -> Self {
        let report = fixture::judged(&self.plan, &action, record, reading);
        self.plan.actions.push(action);
        self.reports.push(report);
        self
    }

    fn command(self, id: &str, text: &str, code: i32, reading: Reading) -> Self {
        let action = line(id, text);
        let record = exited(&action, code);
        self.ran(action, record, reading)
    }

    fn skipped(mut self, id: &str, reason: SkipReason) -> Self {
        let action = line(id, "./x");
        self.plan.actions.push(action.clone());
        self.reports.push(ActionReport { action, history: ActionHistory::Skipped(reason) });
        self
    }

    fn found(mut self, id: &str, stream: Stream, text: &str, needles: &[&str]) -> Self {
        let material = StreamInputs {
            bytes: 10,
            found: needles.iter().map(|needle| ((*needle).to_owned(), text.contains(needle))).collect(),
            text: needles.is_empty().then(|| text.to_owned()),
        };
        self.materials.entry(self::id(id)).or_default().streams.insert(stream, material);
        self
    }

    fn content(mut self, id: &str, content: Content) -> Self {
        self.materials.entry(self::id(id)).or_default().content = Some(content);
        self
    }

    fn file(self, id: &str, content: FileContent, found: FileState) -> Self {
        let action = fixture::file(id, FileExpectation::Present(content));
        let record = fixture::found(&action, found);
        self.ran(action, record, nothing())
    }

    fn http(self, id: &str, request: HttpRequest, ending: HttpEnding) -> Self {
        let action = fixture::http(id, request);
        let record = fixture::exchanged(&action, fixture::http_facts(&action, ending));
        self.ran(action, record, nothing())
    }

    /// Adds an answer with this status and body.
    fn answered(self, id: &str, status: u16, body: &str) -> Self {
        let ending = HttpEnding::Answered(Box::new(fixture::answer(status)));
        self.http(id, fixture::request("http://localhost:3000/api"), ending).content(id, Content::Text(body.to_owned()))
    }

    fn service(self, id: &str, readiness: Readiness) -> Self {
        let action = fixture::service(id, fixture::dev_server());
        let record = fixture::serviced(&action, fixture::service_facts(readiness));
        self.ran(action, record, nothing())
    }

    fn context(&self) -> Context<'_> {
        Context { plan: &self.plan, actions: &self.reports, materials: &self.materials, run: &self.run }
    }

    fn evaluate(&self, text: &str) -> Evaluated {
        let expression = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        evaluate(&expression, &self.context())
    }

    /// Checks the result of each condition: `T`, `F`, `U`, `N`.
    fn hold(&self, rows: &[(&str, char)]) {
        for (text, expected) in rows {
            let evaluated = self.evaluate(text);
            assert_eq!(letter(evaluated.truth), *expected, "{text}: {}", evaluated.reason);
            assert!(!evaluated.reason.is_empty(), "{text}");
        }
    }

    /// Checks the reason of each condition.
    fn explain(&self, rows: &[(&str, &str)]) {
        for (text, reason) in rows {
            assert_eq!(self.evaluate(text).reason, *reason, "{text}");
        }
    }
}

fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

fn letter(truth: Truth) -> char {
    match truth {
        Truth::True => 'T',
        Truth::False => 'F',
        Truth::Unknown => 'U',
        Truth::NotJudged => 'N',
    }
}

/// Returns two commands, the first of which failed; one that was skipped, one that was left out, and a last one.
fn commands() -> Fixture {
    Fixture::new()
        .command("STEP.1", "npx tsc --noEmit", 2, findings("tsc", 1, 2, 0))
        .command("STEP.2", "npx jest", 0, fixture::tests("jest", 5, 0, 0))
        .skipped("STEP.3", SkipReason::NeedNotMet(id("STEP.1")))
        .skipped("STEP.4", SkipReason::LeftOut(LeftOut::Profile))
        .command("STEP.5", "./print", 0, nothing())
        .found("STEP.5", Stream::Stdout, "v20.1 and more", &["v20", "v18"])
        .found("STEP.2", Stream::Stdout, "all is well", &[])
}

fn observed(change: impl Fn(&mut FileObservation)) -> FileState {
    let mut file = fixture::observed(12);
    file.modified = Some(Timestamp::parse("2026-11-21T09:05:24.123Z").unwrap());
    change(&mut file);
    FileState::File(file)
}
