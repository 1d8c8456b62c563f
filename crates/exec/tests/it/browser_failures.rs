//! Browsers whose MCP server has flaws.

use referee_model::plan::interaction::{BrowserCommand, BrowserEngine, BrowserOperation};
use referee_model::plan::{Browser, Interaction, Phase, Template, Work};
use referee_model::record::{Facts, InteractionEnding, InteractionFacts, RunEnding};

use crate::world::{Fixture, RunLog, tool};

const INT: i32 = 2;

pub(crate) fn browser(server: Vec<String>, operations: Vec<BrowserOperation>) -> Work {
    let commands = operations.into_iter().map(|operation| BrowserCommand { operation, wait_ms: 5_000 }).collect();
    let browser = Browser { engine: BrowserEngine::Chromium, headless: true, server, commands };
    Work::Interaction(Box::new(Interaction::Browser(browser)))
}

/// Returns a server with these flaws, which starts a process of its own beside it, as browsers do.
fn fake(flaws: &str) -> Vec<String> {
    let own = "child=detached,closed:sleep=60000".to_owned();
    vec![tool(), own, format!("mcp={flaws}")]
}

pub(crate) fn evaluate(script: &str) -> BrowserOperation {
    BrowserOperation::Evaluate(Template::plain(script))
}

pub(crate) fn facts<'course>(log: &'course RunLog, action: &str) -> &'course InteractionFacts {
    match &log.record(action).facts {
        Facts::Interaction(facts) => facts,
        other => panic!("{action} is an interaction: {other:?}"),
    }
}

/// Returns why what was asked could not be done.
fn unavailable(log: &RunLog, action: &str) -> String {
    match &facts(log, action).ending {
        InteractionEnding::Unavailable { message } => message.clone(),
        other => panic!("{action} could not be asked: {other:?}"),
    }
}

#[test]
fn a_server_that_keeps_to_the_protocol_is_used_by_all_actions() {
    let mut world = Fixture::new();
    for _ in 0..2 {
        let operations = vec![evaluate("1"), BrowserOperation::Screenshot("start".to_owned())];
        world.add(Phase::Step, browser(fake(""), operations));
    }
    let log = world.run();
    let second = facts(&log, "STEP.2");
    assert_eq!(second.ending, InteractionEnding::Completed);
    assert_eq!(second.peer.as_deref(), Some("chromium 1 (Fake 1.0)"));
    assert_eq!(second.value.as_deref(), Some("{\"a\":1}"));
    assert_eq!(second.requests, ["evaluate 1", "screenshot start"]);
    assert!(second.executables[0].path.ends_with("fake-tool") && second.executables[0].sha256.is_some());
    assert_eq!((second.screenshots.len(), second.screenshots[0].name.as_str()), (1, "start"));
    assert_eq!(second.screenshots[0].image.bytes, 70);
    let answer: serde_json::Value =
        serde_json::from_str(&log.text("STEP.2", referee_model::record::Stream::Stdout)).unwrap();
    assert_eq!(answer["commands"][0]["answer"], "{\"a\":1}");
    assert_eq!((&answer["commands"][1]["ok"], &answer["url"]), (&true.into(), &"about:blank".into()));
}

#[test]
fn noise_around_the_answers_is_left_out() {
    let mut world = Fixture::new();
    world.add(Phase::Step, browser(fake("noisy"), vec![evaluate("1")]));
    let log = world.run();
    assert_eq!(facts(&log, "STEP.1").ending, InteractionEnding::Completed);
}

#[test]
fn a_server_that_cannot_be_used_says_why() {
    for (flaws, expected) in [
        ("old", "the MCP server Fake 1.0 has no tool `browser_run_code_unsafe`: use a newer @playwright/mcp"),
        ("no-browser", "the browser does not start: No browser found"),
        ("error", "the browser was lost: it answered: too tired"),
        ("die", "the browser was lost: it exited with 3; it said: the browser has gone"),
        ("endless", "the browser was lost: it sent more than 48 MiB at once"),
        ("nonsense", "the browser was lost: the MCP server answered something else: 42"),
        ("other-browser", "the browser was lost: the server started another one"),
        ("no-picture", "the picture of the page is not a PNG file"),
    ] {
        let mut world = Fixture::new();
        world.add(Phase::Step, browser(fake(flaws), vec![BrowserOperation::Screenshot("page".to_owned())]));
        let log = world.run();
        assert_eq!(unavailable(&log, "STEP.1"), expected, "{flaws}");
        assert!(facts(&log, "STEP.1").screenshots.is_empty());
    }
}

#[test]
fn a_server_that_is_not_there_says_what_to_do() {
    let mut world = Fixture::new();
    world.add(Phase::Step, browser(Vec::new(), vec![evaluate("1")]));
    world.add(Phase::Step, browser(vec!["no-such-server".to_owned()], vec![evaluate("1")]));
    let npx = ["npx", "-y", "@playwright/mcp@latest"].map(str::to_owned).to_vec();
    world.add(Phase::Step, browser(npx, vec![evaluate("1")]));
    world.add(Phase::Step, browser(vec!["/bin/true".to_owned()], vec![evaluate("1")]));
    let log = world.run();
    let install = "is not installed in node_modules of the workspace: add it with `npm install --save-dev";
    let message = unavailable(&log, "STEP.1");
    assert!(message.contains(install) && message.ends_with("`mcpServerCommand`"), "{message}");
    assert!(unavailable(&log, "STEP.2").starts_with("`no-such-server` was not found in PATH"));
    assert!(unavailable(&log, "STEP.3").contains(install));
    assert_eq!(unavailable(&log, "STEP.4"), "the MCP server cannot be used: it exited with 0");
    assert!(["STEP.1", "STEP.2", "STEP.4"].iter().all(|action| facts(&log, action).answer.is_none()));
}

#[test]
fn a_server_that_hangs_is_left_at_the_deadline() {
    for (flaws, expected) in
        [("mute", "the start of the browser"), ("deaf", "the start of the browser"), ("hang", "evaluate 1")]
    {
        let mut world = Fixture::new();
        world.add(Phase::Step, browser(fake(flaws), vec![evaluate("1")])).timeout_ms = 500;
        let log = world.run();
        let InteractionEnding::DeadlineExceeded { timeout_ms: 500, of_task: false, waiting_for } =
            &facts(&log, "STEP.1").ending
        else {
            panic!("{flaws}: {:?}", facts(&log, "STEP.1").ending)
        };
        assert_eq!(waiting_for, expected, "{flaws}");
    }
}

#[test]
fn a_lost_browser_is_replaced_once() {
    let mut world = Fixture::new();
    for script in ["dies", "fine", "dies", "fine"] {
        world.add(Phase::Step, browser(fake("die-at=dies"), vec![evaluate(script)]));
    }
    let log = world.run();
    assert!(unavailable(&log, "STEP.1").starts_with("the browser was lost: it exited with 3"));
    assert_eq!(facts(&log, "STEP.2").ending, InteractionEnding::Completed);
    assert!(unavailable(&log, "STEP.3").starts_with("the browser was lost: it exited with 3"));
    assert_eq!(unavailable(&log, "STEP.4"), "the browser was lost more than once, and is not started again");
}

#[test]
fn an_interrupted_run_waits_for_no_browser() {
    let mut world = Fixture::new();
    let path = world.path("started");
    let mut server = fake("hang");
    server.insert(1, format!("write={path}:x"));
    world.add(Phase::Step, browser(server, vec![evaluate("1")]));
    let log = world.run_with(&mut |cancellation| {
        if std::path::Path::new(&path).exists() {
            cancellation.request(INT);
        }
    });
    let log = log.unwrap();
    assert_eq!(facts(&log, "STEP.1").ending, InteractionEnding::Interrupted);
    assert_eq!(log.ending, RunEnding::Interrupted { signal: INT });
}

#[test]
fn parallel_actions_take_turns_with_the_browser() {
    let mut world = Fixture::new();
    world.jobs = 4;
    for _ in 0..4 {
        world.add(Phase::Step, browser(fake(""), vec![evaluate("1"), evaluate("2")]));
    }
    let log = world.run();
    for step in ["STEP.1", "STEP.2", "STEP.3", "STEP.4"] {
        assert_eq!(facts(&log, step).ending, InteractionEnding::Completed, "{step}");
    }
}

#[test]
fn what_was_not_captured_and_what_may_not_be_opened_is_never_asked() {
    let mut world = Fixture::new();
    let mut url = Template::plain("http://localhost/");
    url.push_captured(referee_model::plan::CaptureName::parse("id").unwrap());
    world.add(Phase::Step, browser(fake(""), vec![BrowserOperation::Navigate(url)]));
    let open = |url: &str| BrowserOperation::Navigate(Template::plain(url));
    world.add(Phase::Step, browser(fake("die"), vec![open("file:///etc/passwd"), evaluate("1")]));
    let log = world.run();
    assert_eq!(unavailable(&log, "STEP.1"), "it is made from `${id}`, which was not captured");
    let InteractionEnding::Refused { request: 0, message } = &facts(&log, "STEP.2").ending else {
        panic!("it was refused: {:?}", facts(&log, "STEP.2").ending)
    };
    assert_eq!(message, "the address is a file outside the workspace");
    assert_eq!(facts(&log, "STEP.2").requests, ["open file:///etc/passwd", "evaluate 1"]);
}
