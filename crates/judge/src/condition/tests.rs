use std::collections::BTreeMap;

use proptest::prelude::{Just, Strategy as Generator, prop_assert, prop_assert_eq, proptest};
use proptest::{collection, prop_oneof, sample};
use referee_model::condition::{Condition, fields, fields::Kind, parse};
use referee_model::id::ActionId;
use referee_model::material::{Content, StreamMaterial};
use referee_model::plan::http::StatusRange;
use referee_model::plan::{
    Action, DataSyntax, ExpectedOutput, FileContent, FileExpectation, HttpRequest, Phase, Plan, Work,
};
use referee_model::reading::Reading;
use referee_model::record::http::{HttpEnding, NoAnswerCause};
use referee_model::record::service::Readiness;
use referee_model::record::{
    Ending, FileFacts, FileObservation, Found, GlobFacts, Record, RunEnding, RunRecord, SkipReason, Stream,
    SyntaxObservation,
};
use referee_model::report::Course;
use referee_model::selection::LeftOut;
use referee_model::time::Timestamp;

use super::*;
use crate::fixture::{self, exited, findings, line, nothing};

/// A plan, what came of it, and what was found in its output.
struct World {
    plan: Plan,
    run: RunRecord,
    reports: Vec<ActionReport>,
    materials: BTreeMap<ActionId, Material>,
}

impl World {
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
        self.reports.push(ActionReport { action, course: Course::Skipped(reason) });
        self
    }

    fn found(mut self, id: &str, stream: Stream, text: &str, needles: &[&str]) -> Self {
        let material = StreamMaterial {
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

    fn file(self, id: &str, content: FileContent, found: Found) -> Self {
        let action = fixture::file(id, FileExpectation::Present(content));
        let record = fixture::found(&action, found);
        self.ran(action, record, nothing())
    }

    fn http(self, id: &str, request: HttpRequest, ending: HttpEnding) -> Self {
        let action = fixture::http(id, request);
        let record = fixture::exchanged(&action, fixture::http_facts(&action, ending));
        self.ran(action, record, nothing())
    }

    /// An answer with this status and body.
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

    /// Holds each condition against what it comes to: `T`, `F`, `U`, `N`.
    fn hold(&self, rows: &[(&str, char)]) {
        for (text, expected) in rows {
            let evaluated = self.evaluate(text);
            assert_eq!(letter(evaluated.truth), *expected, "{text}: {}", evaluated.reason);
            assert!(!evaluated.reason.is_empty(), "{text}");
        }
    }

    /// Holds each condition against its reason.
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

/// Two commands, of which the first failed; one that was skipped, one that was left out, and a last one.
fn commands() -> World {
    World::new()
        .command("STEP.1", "npx tsc --noEmit", 2, findings("tsc", 1, 2, 0))
        .command("STEP.2", "npx jest", 0, fixture::tests("jest", 5, 0, 0))
        .skipped("STEP.3", SkipReason::NeedNotMet(id("STEP.1")))
        .skipped("STEP.4", SkipReason::LeftOut(LeftOut::Profile))
        .command("STEP.5", "./print", 0, nothing())
        .found("STEP.5", Stream::Stdout, "v20.1 and more", &["v20", "v18"])
        .found("STEP.2", Stream::Stdout, "all is well", &[])
}

#[test]
fn conditions_of_the_corpus_come_to_what_happened() {
    commands().hold(&[
        ("STEP.2.exitCode === 0", 'T'),
        ("STEP.1.exitCode === 0", 'F'),
        ("STEP.1.exitCode === 0 || STEP.1.exitCode === 2", 'T'),
        ("STEP.1.exitCode !== 0", 'T'),
        ("STEP['2'].success === true && STEP['2'].exitCode === 0", 'T'),
        ("STEP[2].success", 'T'),
        ("STEP.1.failed === true", 'T'),
        ("STEP.1.errorCount === 0", 'F'),
        ("STEP.1.warningCount === 2", 'T'),
        ("STEP.2.errorCount === 0", 'T'),
        ("STEP.1.outcome === 'VALIDATION_FAILURE'", 'T'),
        ("STEP.1.duration === 2000", 'T'),
        ("STEP.1.duration < 2000", 'F'),
        ("STEP.1.skipped", 'F'),
        ("STEP.5.stdout.includes('v20')", 'T'),
        ("stdout.includes('v18')", 'F'),
        ("exitCode === 0", 'T'),
        ("STEP.1", 'T'),
        ("!STEP.1.success", 'T'),
    ]);
}

#[test]
fn tools_are_those_of_the_last_step_that_ran_them() {
    let world = commands().command("STEP.6", "npx tsc -p other", 0, findings("tsc", 0, 0, 0));
    world.hold(&[
        ("tsc.exitCode === 0", 'T'),
        ("typescript.exitCode === 0", 'T'),
        ("TypeScript.errorCount === 0", 'T'),
        ("jest.success", 'T'),
        ("eslint.errorCount === 0", 'U'),
    ]);
    world.explain(&[("eslint.errorCount === 0", "no step of the task is known to run eslint")]);
    // A prerequisite is no step.
    let only = World::new().command("PREREQ.1", "npx eslint .", 0, findings("eslint", 0, 0, 0));
    only.hold(&[("eslint.success", 'U'), ("exitCode === 0", 'U')]);
}

#[test]
fn what_is_not_there_is_unknown_and_what_was_left_out_is_not_judged() {
    commands().hold(&[
        ("STEP.3.exitCode === 0", 'U'),
        ("STEP.3.exitCode !== 0", 'U'),
        ("STEP.3.success", 'U'),
        ("!STEP.3.success", 'U'),
        ("STEP.3", 'U'),
        ("STEP.3.skipped", 'T'),
        ("STEP.3.skipped === false", 'F'),
        ("STEP.9.exitCode === 0", 'U'),
        ("STEP.9.skipped", 'U'),
        ("STEP.1.body", 'U'),
        ("STEP.1.exitCode.length", 'U'),
        ("STEP.1.exitCode === undefined", 'F'),
        ("STEP.1.exitCode !== undefined", 'T'),
        ("STEP.3.exitCode === undefined", 'U'),
        ("STEP.3.exitCode !== undefined", 'U'),
        ("STEP.4.exitCode === 0", 'N'),
        ("STEP.4.skipped", 'N'),
        ("STEP.4", 'N'),
        ("STEP.4.exitCode === STEP.3.exitCode", 'U'),
        ("STEP.4.exitCode === 0 || STEP.2.success", 'T'),
        ("STEP.4.exitCode === 0 && STEP.1.success", 'F'),
        ("STEP.4.exitCode === 0 && STEP.2.success", 'N'),
    ]);
}

/// Conditions that come to each of the four.
const OF_EACH: [(Truth, &str); 4] = [
    (Truth::True, "STEP.2.success"),
    (Truth::False, "STEP.1.success"),
    (Truth::Unknown, "STEP.3.success"),
    (Truth::NotJudged, "STEP.4.success"),
];

#[test]
fn logic_follows_the_table() {
    use Truth::{False as F, NotJudged as N, True as T, Unknown as U};
    let world = commands();
    let and = [[T, F, U, N], [F, F, F, F], [U, F, U, N], [N, F, N, N]];
    let or = [[T, T, T, T], [T, F, U, N], [T, U, U, N], [T, N, N, N]];
    for (row, (_, left)) in OF_EACH.iter().enumerate() {
        for (column, (_, right)) in OF_EACH.iter().enumerate() {
            let both = format!("{left} && {right}");
            assert_eq!(world.evaluate(&both).truth, and[row][column], "{both}");
            let either = format!("{left} || {right}");
            assert_eq!(world.evaluate(&either).truth, or[row][column], "{either}");
        }
    }
    for ((_, text), negated) in OF_EACH.iter().zip([F, T, U, N]) {
        assert_eq!(world.evaluate(&format!("!{text}")).truth, negated, "{text}");
    }
}

#[test]
fn no_value_is_taken_for_one_of_another_type() {
    let world = World::new().answered(
        "STEP.1",
        200,
        r#"{"id":1,"name":"a","n":null,"no":false,"items":[1,"b",null,{"x":[]}],"o":{}}"#,
    );
    world.hold(&[
        ("STEP.1.body.id === 1", 'T'),
        ("STEP.1.body.includes('\"id\"')", 'T'),
        ("STEP.1.body.includes('no such text')", 'F'),
        ("STEP.1.body.id === '1'", 'F'),
        ("STEP.1.body.id !== '1'", 'T'),
        ("STEP.1.body.id == '1'", 'F'),
        ("STEP.1.body.id < '2'", 'U'),
        ("STEP.1.body.id >= true", 'U'),
        ("STEP.1.body.name < 'b'", 'T'),
        ("STEP.1.body.name > 'B'", 'T'),
        ("STEP.1.body.n === null", 'T'),
        ("STEP.1.body.n === undefined", 'F'),
        ("STEP.1.body.n", 'F'),
        ("STEP.1.body.no === false", 'T'),
        ("STEP.1.body.no === 0", 'F'),
        ("STEP.1.body.o", 'T'),
        ("STEP.1.body.o === null", 'F'),
        ("STEP.1.body.o === STEP.1.body.o", 'U'),
        ("STEP.1.body.items.length === 4", 'T'),
        ("STEP.1.body.items[1] === 'b'", 'T'),
        ("STEP.1.body.items['1'] === 'b'", 'T'),
        ("STEP.1.body.items['01'] === 'b'", 'U'),
        ("STEP.1.body.items[3].x.length === 0", 'T'),
        ("STEP.1.body.items[9]", 'U'),
        ("STEP.1.body.items.includes('b')", 'T'),
        ("STEP.1.body.items.includes(1)", 'T'),
        ("STEP.1.body.items.includes('1')", 'F'),
        ("STEP.1.body.items.includes(null)", 'T'),
        ("STEP.1.body.items.includes(STEP.1.body.o)", 'U'),
        ("STEP.1.body.name.includes('a')", 'T'),
        ("STEP.1.body.name.includes(1)", 'U'),
        ("STEP.1.body.includes('a')", 'T'),
        ("STEP.1.body.id.includes('1')", 'U'),
        ("STEP.1.body.missing", 'U'),
        ("STEP.1.body.missing === undefined", 'U'),
        ("STEP.1.body.n.x", 'U'),
        ("STEP.1.body && STEP.1.body.id === 1", 'T'),
        ("STEP.1.body.n && STEP.1.body.n.x === 1", 'F'),
        ("Array.isArray(STEP.1.body)", 'F'),
        ("Array.isArray(STEP.1.body.items)", 'T'),
        ("Array.isArray(STEP.1.body.missing)", 'U'),
        ("(STEP.1.body.n || 5) === 5", 'T'),
        ("(STEP.1.body.id && 'x') === 'x'", 'T'),
        ("(STEP.1.body.missing && 0) === 0", 'U'),
        ("(STEP.1.body.missing && 0)", 'F'),
        ("(STEP.1.body.missing || 7)", 'T'),
        ("'' || 0 || null || undefined || false", 'F'),
        ("undefined === undefined", 'T'),
        ("null === undefined", 'F'),
        ("-0 === 0", 'T'),
        ("'größe'.includes('ß')", 'T'),
        ("'a'.includes('')", 'T'),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2", 'T'),
    ]);
}

#[test]
fn output_is_seen_as_a_whole_or_is_unknown() {
    let world = commands();
    world.hold(&[
        ("STEP.2.stdout === 'all is well'", 'T'),
        ("STEP.2.stdout !== 'all is well'", 'F'),
        ("STEP.2.stdout.includes('is')", 'T'),
        ("STEP.2.stdout.length === 11", 'T'),
        ("STEP.2.stdout.includes(STEP.2.stdout)", 'T'),
        ("STEP.5.stdout", 'T'),
        ("STEP.5.stdout === ''", 'F'),
        ("STEP.5.stdout !== ''", 'T'),
        // Its text was not taken, so only what was looked for is known.
        ("STEP.5.stdout === 'v20'", 'U'),
        ("STEP.5.stdout.length > 0", 'U'),
        ("STEP.5.stdout.includes('other')", 'U'),
        ("STEP.5.stdout.includes('')", 'T'),
        ("STEP.5.stderr.includes('other')", 'U'),
        ("STEP.5.stdout < 5", 'U'),
        ("Array.isArray(STEP.5.stdout)", 'F'),
    ]);

    let mut action = line("STEP.1", "./x");
    action.evidence.stderr = false;
    let record = exited(&action, 0);
    let kept = World::new().ran(action, record, nothing());
    kept.hold(&[("stderr === ''", 'U'), ("stderr", 'U'), ("stdout", 'T')]);
    kept.explain(&[("stderr", "STEP.1 keeps no standard error: `evidenceCapture` turns it off")]);
}

#[test]
fn empty_output_needs_no_look() {
    let action = line("STEP.1", "./x");
    let mut record = exited(&action, 0);
    if let referee_model::record::Facts::Command(facts) = &mut record.facts {
        facts.log.as_mut().unwrap().streams = referee_model::record::StreamMap::default();
    }
    World::new().ran(action, record, nothing()).hold(&[
        ("stdout", 'F'),
        ("stdout === ''", 'T'),
        ("stdout.length === 0", 'T'),
        ("stdout.includes('x')", 'F'),
        ("stderr !== ''", 'F'),
    ]);
}

#[test]
fn commands_that_did_not_end_by_themselves_have_no_exit_code() {
    for (ending, reason) in [
        (Ending::Signaled { signal: 9 }, "STEP.1 has no exit code: it was ended by SIGKILL"),
        (
            Ending::DeadlineExceeded { limit_ms: 10_000, of_task: false, killed: false },
            "STEP.1 has no exit code: it was stopped at its deadline of 10 s",
        ),
        (Ending::Interrupted { killed: true }, "STEP.1 has no exit code: it was stopped"),
        (
            Ending::OutputLimitExceeded { limit_bytes: 5 },
            "STEP.1 has no exit code: it was stopped, because it printed too much",
        ),
        (
            Ending::CouldNotStart {
                cause: referee_model::record::StartFailure::NotFound,
                message: "no `x`".to_owned(),
            },
            "STEP.1 has no exit code: it could not be started: no `x`",
        ),
    ] {
        let action = line("STEP.1", "npx eslint .");
        let record = fixture::ended(&action, ending);
        let world = World::new().ran(action, record, findings("eslint", 0, 0, 0));
        world.explain(&[("exitCode === 0", reason)]);
        world.hold(&[("exitCode === 0", 'U'), ("exitCode !== 0", 'U'), ("errorCount === 0", 'U'), ("failed", 'T')]);
    }
    // The tool did not work, so that it found nothing says nothing.
    let broken = World::new().command("STEP.1", "npx eslint .", 2, nothing());
    broken.hold(&[("errorCount === 0", 'U'), ("warningCount === 0", 'U'), ("exitCode === 2", 'T')]);
    // The same underneath a prerequisite.
    let prerequisite = World::new().command("PREREQ.1", "npx eslint .", 2, nothing());
    prerequisite.hold(&[
        ("PREREQ.1.errorCount === 0", 'U'),
        ("PREREQ.1.failed === true", 'T'),
        ("PREREQ.1.outcome === 'PREREQUISITE_FAILURE'", 'T'),
    ]);
    let found = World::new().command("PREREQ.1", "npx eslint .", 1, findings("eslint", 2, 0, 0));
    found.hold(&[("PREREQ.1.errorCount === 2", 'T')]);
}

#[test]
fn answers_have_their_fields_and_those_that_did_not_come_have_none() {
    let mut request = fixture::request("http://localhost:3000/api");
    request.expected_statuses = vec![StatusRange { from: 201, to: 201 }];
    let mut answer = fixture::answer(201);
    answer.headers = vec![
        ("Content-Type".to_owned(), "a/b".to_owned()),
        ("X-A".to_owned(), "1".to_owned()),
        ("x-a".to_owned(), "2".to_owned()),
    ];
    let world = World::new().http("STEP.1", request.clone(), HttpEnding::Answered(Box::new(answer)));
    world.hold(&[
        ("status === 201", 'T'),
        ("statusCode >= 200 && statusCode < 300", 'T'),
        ("responseStatus === 200", 'F'),
        ("statusText === 'Created'", 'T'),
        ("headers['content-type'] === 'a/b'", 'T'),
        ("headers['Content-Type'].includes('/')", 'T'),
        ("headers['x-a'] === '1, 2'", 'T'),
        ("headers.missing", 'U'),
        ("headers", 'T'),
        ("responseTime === 7", 'T'),
        ("method === 'GET' && url.includes('localhost')", 'T'),
        ("expectedStatus === 201", 'T'),
        ("expectedStatus === status", 'T'),
        // Nothing was kept of it.
        ("body", 'U'),
    ]);
    request.expected_statuses = vec![StatusRange { from: 200, to: 202 }, StatusRange { from: 404, to: 404 }];
    let several = World::new().http("STEP.1", request, HttpEnding::Answered(Box::new(fixture::answer(200))));
    several.hold(&[
        ("expectedStatus.includes(404)", 'T'),
        ("expectedStatus.includes(403)", 'F'),
        ("expectedStatus.length === 4 && expectedStatus[1] === 201", 'T'),
        ("Array.isArray(expectedStatus)", 'T'),
    ]);

    let action = fixture::http("STEP.1", fixture::request("http://localhost:3000/api"));
    let record = fixture::unanswered(&action, NoAnswerCause::Refused);
    let refused = World::new().ran(action, record, nothing());
    refused.hold(&[
        ("statusCode !== 200", 'U'),
        ("body", 'U'),
        ("expectedStatus", 'U'),
        ("url.includes('/api')", 'T'),
        ("success === false", 'T'),
    ]);
    refused.explain(&[("statusCode === 200", "STEP.1 got no whole answer: connect ECONNREFUSED 127.0.0.1:3000")]);
}

#[test]
fn bodies_are_json_where_they_can_be_and_text_otherwise() {
    World::new().answered("STEP.1", 200, "plain text").hold(&[
        ("body === 'plain text'", 'T'),
        ("body.includes('text')", 'T'),
        ("body.length === 10", 'T'),
        ("body.id", 'U'),
        ("body[0]", 'U'),
    ]);
    World::new().answered("STEP.1", 200, "[1,2]").hold(&[("body.length > 0", 'T'), ("Array.isArray(body)", 'T')]);
    World::new().answered("STEP.1", 200, "").hold(&[("body === ''", 'T'), ("body", 'F')]);
    World::new().answered("STEP.1", 200, &"[".repeat(100_000)).hold(&[("body[0]", 'U'), ("body.includes('[')", 'T')]);
    // A number beyond all numbers is no JSON that can be computed with.
    World::new().answered("STEP.1", 200, r#"{"big":1e999}"#).hold(&[("body.big", 'U'), ("body.big !== 0", 'U')]);
    let long = World::new().answered("STEP.1", 200, "").content("STEP.1", Content::TooLong { bytes: 9_000_000 });
    long.hold(&[("body", 'U'), ("body === ''", 'U')]);
    long.explain(&[("body", "STEP.1 has 9000000 bytes in the body of its answer, more than conditions look at")]);
}

fn observed(change: impl Fn(&mut FileObservation)) -> Found {
    let mut file = fixture::observed(12);
    file.modified = Some(Timestamp::parse("2026-11-21T09:05:24.123Z").unwrap());
    change(&mut file);
    Found::File(file)
}

#[test]
fn files_have_their_fields() {
    World::new().file("STEP.1", FileContent::default(), observed(|_| {})).hold(&[
        ("exists", 'T'),
        ("size > 1", 'T'),
        ("contentLength === 12", 'T'),
        ("modified === '2026-11-21T09:05:24.123Z'", 'T'),
        ("isDirectory", 'F'),
        // The check looks for nothing of this.
        ("contentMatches", 'U'),
        ("patternMatches", 'U'),
        ("isValidJSON", 'U'),
        ("json", 'U'),
    ]);
    World::new().file("STEP.1", FileContent::default(), Found::Missing).hold(&[
        ("exists", 'F'),
        ("exists === true", 'F'),
        ("size > 0", 'U'),
        ("isDirectory", 'U'),
    ]);
    World::new().file("STEP.1", FileContent::default(), Found::Folder).hold(&[
        ("exists", 'T'),
        ("isDirectory", 'T'),
        ("size", 'U'),
    ]);
    World::new().file("STEP.1", FileContent::default(), Found::Other).hold(&[("exists", 'T'), ("isDirectory", 'F')]);
    for found in [Found::Outside { target: "/etc".to_owned() }, Found::Unreadable { message: "denied".to_owned() }] {
        World::new().file("STEP.1", FileContent::default(), found).hold(&[("exists", 'U'), ("isDirectory", 'U')]);
    }
}

#[test]
fn contents_of_files_are_as_the_check_observed_them() {
    let two = || vec!["a".to_owned(), "b".to_owned()];
    let content = FileContent { contains: two(), matches: two(), ..FileContent::default() };
    for (observation, expected) in
        [(Some(vec![true, true]), 'T'), (Some(vec![true, false]), 'F'), (None, 'U'), (Some(vec![true]), 'U')]
    {
        let found = observed(|file| {
            file.contains.clone_from(&observation);
            file.matches.clone_from(&observation);
        });
        World::new()
            .file("STEP.1", content.clone(), found)
            .hold(&[("contentMatches", expected), ("patternMatches === true", expected)]);
    }
    let json = FileContent { syntax: Some(DataSyntax::Json), ..FileContent::default() };
    let malformed = || SyntaxObservation::Malformed { message: "1:2".to_owned() };
    for (syntax, expected) in
        [(SyntaxObservation::WellFormed, 'T'), (malformed(), 'F'), (SyntaxObservation::TooLarge, 'U')]
    {
        let found = observed(|file| file.syntax = Some(syntax.clone()));
        World::new().file("STEP.1", json.clone(), found).hold(&[("isValidJSON", expected)]);
    }
    // YAML that is well-formed need not be JSON.
    let yaml = FileContent { syntax: Some(DataSyntax::Yaml), ..FileContent::default() };
    let found = observed(|file| file.syntax = Some(SyntaxObservation::WellFormed));
    World::new().file("STEP.1", yaml, found).hold(&[("isValidJSON", 'U')]);

    let kept = |text: &str| {
        World::new()
            .file("STEP.1", FileContent::default(), observed(|_| {}))
            .content("STEP.1", Content::Text(text.to_owned()))
    };
    kept(r#"{"version":"1.0"}"#).hold(&[("json.version === '1.0'", 'T'), ("isValidJSON", 'T'), ("json", 'T')]);
    kept("no json").hold(&[("json", 'U'), ("isValidJSON", 'F')]);
}

#[test]
fn patterns_speak_of_all_their_files() {
    let expectation =
        || FileExpectation::Present(FileContent { contains: vec!["a".to_owned()], ..FileContent::default() });
    let world = |files: Vec<(&str, Found)>, truncated: bool, failure: Option<&str>| {
        let action = fixture::glob("STEP.1", expectation());
        let files = files.into_iter().map(|(path, found)| FileFacts { path: path.to_owned(), found }).collect();
        let facts =
            GlobFacts { pattern: "dist/*.json".to_owned(), files, truncated, failure: failure.map(str::to_owned) };
        let record = fixture::globbed(&action, facts);
        World::new().ran(action, record, nothing())
    };
    let holding = |holds: bool| observed(|file| file.contains = Some(vec![holds]));
    let unsearched = || observed(|_| {});
    world(vec![], false, None).hold(&[("exists", 'F'), ("contentMatches", 'U'), ("size", 'U')]);
    world(vec![("a", holding(true))], false, None).hold(&[
        ("exists", 'T'),
        ("contentMatches", 'T'),
        ("size === 12", 'T'),
    ]);
    world(vec![("a", holding(true)), ("b", holding(true))], false, None).hold(&[
        ("contentMatches", 'T'),
        ("size", 'U'),
        ("isDirectory", 'U'),
    ]);
    world(vec![("a", holding(true)), ("b", holding(false))], false, None).hold(&[("contentMatches", 'F')]);
    world(vec![("a", unsearched()), ("b", holding(false))], false, None).hold(&[("contentMatches", 'F')]);
    world(vec![("a", holding(true)), ("b", unsearched())], false, None).hold(&[("contentMatches", 'U')]);
    world(vec![("a", holding(true)), ("b", holding(true))], true, None).hold(&[("contentMatches", 'U')]);
    world(vec![("a", holding(true))], true, None).hold(&[("contentMatches", 'U'), ("size", 'U')]);
    world(vec![], false, Some("denied")).hold(&[("exists", 'U'), ("contentMatches", 'U')]);
}

#[test]
fn services_have_their_fields() {
    World::new().service("PREREQ.1", Readiness::Ready { after_ms: 5 }).hold(&[
        ("PREREQ.1.status === 'started'", 'T'),
        ("PREREQ.1.initialized && PREREQ.1.background", 'T'),
        ("PREREQ.1.pid === 4711", 'T'),
        ("PREREQ.1.exitCode === 0", 'U'),
        ("PREREQ.1.stdout.includes('x')", 'U'),
        ("PREREQ.1.errorCount === 0", 'T'),
        ("PREREQ.1.success", 'T'),
    ]);
    World::new().service("PREREQ.1", Readiness::Ended(Ending::Exited { code: 3 })).hold(&[
        ("PREREQ.1.status === 'started'", 'U'),
        ("PREREQ.1.initialized", 'F'),
        ("PREREQ.1.exitCode === 3", 'T'),
        ("PREREQ.1.failed", 'T'),
    ]);
}

/// An action of each kind that ran and was judged.
fn of_every_kind() -> Vec<(Kind, World)> {
    vec![
        (Kind::Command, World::new().command("STEP.1", "./x", 0, nothing())),
        (Kind::Service, World::new().service("STEP.1", Readiness::Ready { after_ms: 5 })),
        (Kind::File, World::new().file("STEP.1", FileContent::default(), observed(|_| {}))),
        (Kind::Http, World::new().answered("STEP.1", 200, "{}")),
    ]
}

#[test]
fn every_field_that_a_kind_can_have_is_looked_up_and_no_other() {
    let lacks = |world: &World, name: &str| {
        world.evaluate(&format!("STEP.1.{name}")).reason.contains(&format!("has no `{name}`: it is "))
    };
    for (kind, world) in of_every_kind() {
        for name in fields::known(kind) {
            assert!(!lacks(&world, name), "{kind:?} {name}");
        }
        for other in Kind::ALL {
            for name in fields::known(other).iter().filter(|name| !fields::is_known(kind, name)) {
                assert!(lacks(&world, name), "{kind:?} {name}");
                assert_eq!(world.evaluate(&format!("STEP.1.{name}")).truth, Truth::Unknown, "{kind:?} {name}");
            }
        }
    }
}

#[test]
fn an_action_that_was_not_executed_has_an_outcome_and_nothing_else() {
    let action = line("STEP.1", "./x");
    let record = fixture::not_executed(&action);
    let world = World::new().ran(action, record, nothing());
    world.hold(&[("exitCode === 0", 'U'), ("success", 'F'), ("stdout", 'U')]);
}

#[test]
fn the_last_attempt_counts() {
    let mut world = commands();
    let action = world.plan.action(&id("STEP.2")).unwrap().clone();
    let earlier = fixture::attempt(&world.plan, &action, 1, exited(&action, 1), &fixture::tests("jest", 0, 5, 0));
    for report in &mut world.reports {
        if let Course::Ran(ran) = &mut report.course
            && report.action.id == action.id
        {
            ran.earlier.push(earlier.clone());
        }
    }
    world.hold(&[("STEP.2.exitCode === 0", 'T'), ("STEP.2.success", 'T')]);
}

#[test]
fn reasons_say_what_is_and_what_is_expected() {
    commands().explain(&[
        ("STEP.2.exitCode === 0", "STEP.2.exitCode is 0"),
        ("STEP.1.exitCode === 0", "STEP.1.exitCode is 2, 0 is expected; tsc found 1 error and 2 warnings"),
        ("0 === STEP.1.exitCode", "STEP.1.exitCode is 2, 0 is expected; tsc found 1 error and 2 warnings"),
        (
            "STEP.1.exitCode === 0 || STEP.1.exitCode === 1",
            "STEP.1.exitCode is 2, 0 or 1 is expected; tsc found 1 error and 2 warnings",
        ),
        ("STEP.1.errorCount === 0", "STEP.1.errorCount is 1, 0 is expected"),
        ("STEP.1.success", "STEP.1.success is false; tsc found 1 error and 2 warnings"),
        ("STEP.1.failed === true", "STEP.1.failed is true"),
        ("!(STEP.2.exitCode === 0)", "STEP.2.exitCode is 0, anything but 0 is expected"),
        ("!(STEP.2.duration >= 5)", "STEP.2.duration is 2000, less than 5 is expected"),
        ("5 > STEP.2.duration", "STEP.2.duration is 2000, less than 5 is expected"),
        ("STEP.2.duration > 3000", "STEP.2.duration is 2000, more than 3000 is expected"),
        ("STEP.2.duration <= 3", "STEP.2.duration is 2000, at most 3 is expected"),
        (
            "STEP.1.exitCode === STEP.2.exitCode",
            "STEP.1.exitCode is 2, 0 (STEP.2.exitCode) is expected; tsc found 1 error and 2 warnings",
        ),
        ("STEP.3.exitCode === 0", "STEP.3 was skipped: STEP.1, which it needs, did not pass"),
        ("STEP.4.exitCode === 0", "STEP.4 was left out: the profile leaves it out"),
        ("STEP.9.exitCode === 0", "STEP.9 is no action of this task"),
        ("STEP.5.stdout.includes('v18')", "STEP.5.stdout does not contain 'v18'"),
        ("STEP.5.stdout.includes('v20')", "STEP.5.stdout contains 'v20'"),
        ("Array.isArray(STEP.2.stdout)", "STEP.2.stdout is 'all is well', a list is expected"),
        ("STEP.2.stdout < 5", "`STEP.2.stdout < 5` cannot be told: a text and a number cannot be compared by `<`"),
        ("STEP.2.exitCode", "STEP.2.exitCode is 0, neither empty, 0 nor null is expected"),
        ("STEP.2.success && STEP.2.exitCode === 0", "STEP.2.success is true; STEP.2.exitCode is 0"),
    ]);
    let many = ["STEP.2.exitCode === 1 && STEP.2.duration === 1 && STEP.1.skipped"; 3].join(" && ");
    assert_eq!(
        commands().evaluate(&format!("{many} && STEP.2.failed && STEP.5.failed && STEP.1.success")).reason,
        "STEP.2.exitCode is 0, 1 is expected; STEP.2.duration is 2000, 1 is expected; STEP.1.skipped is false; \
         STEP.2.failed is false; and 2 more"
    );
}

#[test]
fn the_value_that_decided_is_shown() {
    let world = commands();
    for (text, actual) in [
        ("STEP.1.exitCode === 0", Some(Actual::Number(2.0))),
        ("0 === STEP.1.exitCode", Some(Actual::Number(2.0))),
        ("STEP.2.success && STEP.1.success", Some(Actual::Boolean(false))),
        ("STEP.2.success || STEP.1.success", Some(Actual::Boolean(true))),
        ("STEP.2.stdout.includes('x')", Some(Actual::Text("all is well".to_owned()))),
        ("STEP.5.stdout.includes('v18')", None),
        ("STEP.3.exitCode === 0", None),
        ("1 === 2", None),
        ("true", None),
    ] {
        assert_eq!(world.evaluate(text).actual, actual, "{text}");
    }
    let body = World::new().answered("STEP.1", 200, r#"{"a":[1,2],"n":null}"#);
    assert_eq!(body.evaluate("body.a").actual, Some(Actual::List(2)));
    assert_eq!(body.evaluate("body").actual, Some(Actual::Object));
    assert_eq!(body.evaluate("body.n === 1").actual, Some(Actual::Null));
    let long = World::new().answered("STEP.1", 200, &"ß".repeat(MESSAGE_BYTES));
    let Some(Actual::Text(text)) = long.evaluate("body").actual else { panic!("a text is shown") };
    assert_eq!(text.len(), MESSAGE_BYTES);
    assert!(long.evaluate("body === 'x'").reason.len() < 400);
}

fn asking(texts: &[&str]) -> Plan {
    let mut plan = fixture::plan(vec![
        fixture::service("PREREQ.1", fixture::dev_server()),
        line("STEP.1", "npx eslint ."),
        fixture::http("STEP.2", fixture::request("http://localhost/")),
        fixture::file("STEP.3", FileExpectation::Present(FileContent::default())),
        line("STEP.4", "./last"),
        line("CLEANUP.1", "./clean"),
    ]);
    let condition = |text: &&str| Condition {
        text: (*text).to_owned(),
        description: String::new(),
        expression: parse(text).unwrap(),
    };
    plan.criteria.success = texts.iter().map(condition).collect();
    plan
}

#[test]
fn only_what_conditions_ask_for_is_wanted() {
    for (text, expected) in [
        ("STEP.1.exitCode === 0", ""),
        ("STEP.1.stdout.includes('a') || STEP.1.stdout.includes('a')", "STEP.1 Stdout[\"a\"]"),
        ("!STEP.1.stderr.includes('é')", "STEP.1 Stderr[\"é\"]"),
        ("STEP.1.stdout.includes('')", "STEP.1 Stdout[]"),
        ("stdout.includes('a')", "STEP.4 Stdout[\"a\"]"),
        ("eslint.stdout.includes('a')", "STEP.1 Stdout[\"a\"]"),
        ("PREREQ.1.stdout.includes('ready')", "PREREQ.1 Stdout[\"ready\"]"),
        ("STEP.1.stdout === 'a'", "STEP.1 whole Stdout"),
        ("STEP.1.stdout.length > 1 && STEP.1.stdout", "STEP.1 whole Stdout"),
        ("STEP.1.stdout.includes(STEP.4.stderr)", "STEP.1 whole Stdout, STEP.4 whole Stderr"),
        ("STEP.2.body.id === 1 && STEP.2.body", "STEP.2 content"),
        ("Array.isArray(STEP.2.body)", "STEP.2 content"),
        ("STEP.3.json.version === '1'", "STEP.3 content"),
        // No action of its kind has this, or there is none.
        ("STEP.3.stdout.includes('a')", ""),
        ("STEP.1.body", ""),
        ("STEP.9.stdout === 'a'", ""),
        ("tsc.stdout === 'a'", ""),
    ] {
        assert_eq!(shown(&wanted(&asking(&[text]))), expected, "{text}");
    }
    let mut plan = asking(&[]);
    plan.criteria.failure = asking(&["STEP.1.stderr.includes('Error')"]).criteria.success;
    plan.criteria.expected_output =
        Some(ExpectedOutput { stdout_contains: vec!["ok".to_owned()], stderr_empty: Some(true), exit_code: Some(0) });
    assert_eq!(shown(&wanted(&plan)), "STEP.1 Stderr[\"Error\"], STEP.4 Stdout[\"ok\"]");
}

fn shown(wanted: &BTreeMap<ActionId, referee_model::material::Wanted>) -> String {
    let of = |(id, wanted): (&ActionId, &referee_model::material::Wanted)| {
        let mut parts = vec![id.to_string()];
        parts.extend(wanted.needles.iter().map(|(stream, needles)| format!("{stream:?}{needles:?}")));
        parts.extend(wanted.whole.iter().map(|stream| format!("whole {stream:?}")));
        parts.extend(wanted.content.then(|| "content".to_owned()));
        parts.join(" ")
    };
    wanted.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_task_without_actions_makes_everything_unknown() {
    let empty = World::new();
    empty.hold(&[
        ("exitCode === 0", 'U'),
        ("STEP.1", 'U'),
        ("tsc.exitCode === 0", 'U'),
        ("true", 'T'),
        ("1 === 2", 'F'),
    ]);
    // In the plan, and nothing is known of it.
    let mut unreported = commands();
    unreported.reports.clear();
    unreported.hold(&[("STEP.1.success", 'U'), ("STEP.3.skipped", 'U'), ("STEP.4.success", 'U')]);
}

#[test]
fn only_steps_are_last_steps() {
    let world = commands().command("CLEANUP.1", "./clean", 9, nothing());
    assert!(world.plan.actions.iter().any(|action| action.phase == Phase::Cleanup));
    world.hold(&[("exitCode === 0", 'T'), ("CLEANUP.1.exitCode === 9", 'T')]);
    assert!(matches!(last_command(&world.plan).map(|action| &action.work), Some(Work::Command(_))));
    assert_eq!(last_command(&world.plan).map(|action| action.id.as_str()), Some("STEP.5"));
    world.hold(&[("outcome === 'SUCCESS'", 'T')]);
}

/// A condition over facts of each kind, as text.
fn any_condition() -> impl Generator<Value = String> {
    let leaf = sample::select(vec![
        "STEP.1.success",
        "STEP.2.exitCode === 0",
        "STEP.1.exitCode > 1",
        "STEP.3.exitCode === 0",
        "STEP.3.skipped",
        "STEP.4.success",
        "STEP.4.exitCode !== 1",
        "STEP.5.stdout.includes('v20')",
        "STEP.5.stdout.includes('never looked for')",
        "STEP.2.stdout === 'all is well'",
        "Array.isArray(STEP.2.stdout)",
        "eslint.errorCount === 0",
        "STEP.1.exitCode < 'a'",
        "STEP.4.exitCode === STEP.3.exitCode",
        "null",
        "true",
        "''",
        "7",
    ])
    .prop_map(|leaf| format!("({leaf})"));
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} && {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} || {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} === {right})")),
            inner.clone().prop_map(|inner| format!("!{inner}")),
            inner.prop_map(|inner| format!("(!{inner})")),
        ]
    })
}

/// The texts of a condition with everything that was left out replaced by something that was not.
fn any_replacement() -> impl Generator<Value = Vec<&'static str>> {
    let replaced = prop_oneof![Just("true"), Just("false"), Just("STEP.3.success")];
    collection::vec(replaced, 2)
}

proptest! {
    #[test]
    fn the_laws_of_the_logic_hold(left in any_condition(), right in any_condition(), third in any_condition()) {
        let world = commands();
        let same = |one: String, other: String| {
            let (one_truth, other_truth) = (world.evaluate(&one).truth, world.evaluate(&other).truth);
            (one_truth == other_truth).then_some(()).ok_or(format!("{one} and {other}"))
        };
        for law in [
            same(format!("!({left} && {right})"), format!("!{left} || !{right}")),
            same(format!("!({left} || {right})"), format!("!{left} && !{right}")),
            same(format!("!!{left}"), left.clone()),
            same(format!("{left} && {right}"), format!("{right} && {left}")),
            same(format!("{left} || {right}"), format!("{right} || {left}")),
            same(format!("({left} && {right}) && {third}"), format!("{left} && ({right} && {third})")),
            same(format!("{left} && {left}"), left.clone()),
            same(format!("{left} && true"), left.clone()),
            same(format!("{left} || false"), left.clone()),
            same(format!("{left} && false"), "false".to_owned()),
            same(format!("{left} || true"), "true".to_owned()),
        ] {
            prop_assert_eq!(law, Ok(()));
        }
        // Of the three values of Kleene's logic alone: what was left out hides more, the more often it is named.
        if ![&left, &right, &third].iter().any(|text| text.contains("STEP.4.")) {
            let distributed = format!("({left} && {right}) || ({left} && {third})");
            prop_assert_eq!(same(format!("{left} && ({right} || {third})"), distributed), Ok(()));
            let distributed = format!("({left} || {right}) && ({left} || {third})");
            prop_assert_eq!(same(format!("{left} || ({right} && {third})"), distributed), Ok(()));
        }
    }

    #[test]
    fn values_and_judgements_agree_and_reasons_are_given(text in any_condition()) {
        let world = commands();
        let expression = parse(&text).unwrap();
        let evaluator = Evaluator::new(world.context());
        let evaluated = evaluator.evaluate(&expression, true);
        prop_assert_eq!(evaluator.value(&expression).truth(), evaluated.truth, "{}", text);
        prop_assert_eq!(evaluator.evaluate(&expression, false).truth, evaluated.truth);
        prop_assert!(!evaluated.reason.is_empty() && evaluated.reason.len() < 4_000);
    }

    #[test]
    fn what_is_judged_does_not_depend_on_what_was_left_out(text in any_condition(), with in any_replacement()) {
        let world = commands();
        let truth = world.evaluate(&text).truth;
        let replaced = text
            .replace("STEP.4.success", with[0])
            .replace("STEP.4.exitCode !== 1", with[1])
            .replace("STEP.4.exitCode === STEP.3.exitCode", "STEP.3.success");
        // Values that are compared with others are left alone: there a truth does not stand for a value.
        if truth != Truth::NotJudged && !text.contains(") === (") && !text.contains(") === !") {
            prop_assert_eq!(world.evaluate(&replaced).truth, truth, "{}", replaced);
        }
    }
}
