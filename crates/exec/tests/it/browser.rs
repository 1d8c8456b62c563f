//! Real browsers, driven by Playwright's MCP server (`REFEREE_BROWSER` names the directory in which it is installed).

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use referee_model::plan::interaction::{BrowserOperation, Interaction};
use referee_model::plan::{Phase, Template, Work};
use referee_model::record::{InteractionEnding, Stream};
use referee_testkit::server::{Reply, Request, Server};
use serde_json::Value;

use crate::browser_failures::{browser, evaluate, facts};
use crate::world::{Fixture, RunLog};

const FORM: &str = r#"<!doctype html><title>Quotes</title>
<form onsubmit="event.preventDefault(); out.textContent = [who.value, age.value, size.value, news.checked,
  document.querySelector('[name=plan]:checked').value].join(' ')">
<label>Full name <input id="who"></label> <input name="age" type="number"> <input placeholder="Search here">
<select name="size"><option value="s">Small</option><option value="l">Large</option></select>
<label><input type="checkbox" id="news">News</label>
<input type="radio" name="plan" value="free" checked><input type="radio" name="plan" value="pro">
<button>Send it</button></form><p id="out"></p><div hidden id="never">x</div><input type="file" name="upload">
<script>console.warn('careful'); setTimeout(() => { const late = document.createElement('b'); late.id = 'late';
late.textContent = 'here   at last'; document.body.append(late) }, 300); fetch('/missing')</script>"#;

fn page(request: &Request) -> Reply {
    let html = |text: &str| Reply::http(200, &["Content-Type: text/html"], text);
    match request.target.as_str() {
        "/" => html(FORM),
        "/blank" => html("<title>Blank</title><body>nothing here"),
        "/broken" => html("<title>Broken</title><body>ok<script>undefinedFunction()</script>"),
        "/strict" => Reply::http(
            200,
            &["Content-Type: text/html", "Content-Security-Policy: script-src 'none'"],
            "<title>Strict</title><body>strict",
        ),
        "/never" => Reply::silence(),
        "/hungry" => html("<title>Hungry</title><body><script>while (true) {}</script>"),
        "/dialogs" => {
            html("<title>Dialogs</title><body><p id=p></p><script>p.textContent = 'said ' + confirm('Sure?')</script>")
        }
        "/file" => Reply::http(200, &["Content-Disposition: attachment; filename=a.bin"], "bytes"),
        "/window" => html("<title>Opener</title><body><button onclick=\"window.open('/blank')\">More</button>"),
        _ => Reply::http(404, &["Content-Type: text/html"], "<body>not there"),
    }
}

/// Returns a world with the server installed. None: there is none, or no browser.
#[expect(clippy::print_stderr, reason = "who runs the tests must see what was not tried")]
fn world() -> Option<Fixture> {
    let installed = std::env::var_os("REFEREE_BROWSER").map(|directory| PathBuf::from(directory).join("node_modules"));
    let Some(installed) = installed.filter(|directory| directory.join("@playwright/mcp").is_dir()) else {
        eprintln!("skipped: no @playwright/mcp");
        return None;
    };
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    if !names
        .iter()
        .any(|name| ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|path| PathBuf::from(path).join(name).exists()))
    {
        eprintln!("skipped: no chromium");
        return None;
    }
    let world = Fixture::new();
    symlink(installed, world.path("node_modules")).unwrap();
    Some(world)
}

fn open(url: impl Into<String>) -> BrowserOperation {
    BrowserOperation::Navigate(Template::plain(url))
}

fn see(text: &str) -> BrowserOperation {
    BrowserOperation::See(Template::plain(text))
}

fn fill(fields: &[(&str, &str)]) -> BrowserOperation {
    BrowserOperation::Fill(fields.iter().map(|(name, value)| ((*name).to_owned(), Template::plain(*value))).collect())
}

/// Adds a step with these commands, each of which may take this long.
fn step(world: &mut Fixture, wait_ms: u64, operations: Vec<BrowserOperation>) {
    let mut work = browser(Vec::new(), operations);
    if let Work::Interaction(interaction) = &mut work
        && let Interaction::Browser(browser) = interaction.as_mut()
    {
        browser.commands.iter_mut().for_each(|command| command.wait_ms = wait_ms);
    }
    world.add(Phase::Step, work);
}

fn answer(log: &RunLog, action: &str) -> Value {
    serde_json::from_str(&log.text(action, Stream::Stdout)).unwrap()
}

/// Returns what the page refused, with the index of the command.
fn refused<'course>(log: &'course RunLog, action: &str) -> (usize, &'course str) {
    match &facts(log, action).ending {
        InteractionEnding::Refused { request, message } => (*request, message),
        other => panic!("{action} was refused: {other:?}"),
    }
}

#[test]
fn a_form_is_filled_sent_and_read() {
    let server = Server::start(page);
    let Some(mut world) = world() else { return };
    let fields = [
        ("Full name", "Ada"),
        ("age", "36"),
        ("select", "Large"),
        ("#news", "true"),
        ("plan", "pro"),
        ("Search here", "x"),
    ];
    let operations = vec![open(server.url("/")), see("here at last"), fill(&fields)];
    step(&mut world, 30_000, operations);
    let operations = vec![
        BrowserOperation::Click("text=Send it".to_owned()),
        BrowserOperation::WaitFor("#late".to_owned()),
        see("Ada 36 l true pro"),
        BrowserOperation::Content(Some("#out".to_owned())),
        BrowserOperation::Screenshot("sent".to_owned()),
    ];
    step(&mut world, 30_000, operations);
    let log = world.run();
    for action in ["STEP.1", "STEP.2"] {
        assert_eq!(facts(&log, action).ending, InteractionEnding::Completed, "{action}");
    }
    let second = facts(&log, "STEP.2");
    assert_eq!(second.value.as_deref(), Some("\"Ada 36 l true pro\""));
    let peer = second.peer.as_deref().unwrap();
    assert!(peer.starts_with("chromium ") && peer.contains("(Playwright "), "{peer}");
    let names: Vec<&str> = second.executables.iter().map(|executable| executable.name.as_str()).collect();
    assert!(names.contains(&"playwright-mcp") && names.contains(&"node") && second.executables.len() >= 3, "{names:?}");
    assert_eq!(second.screenshots.len(), 1);
    let image = &log.output(&second.screenshots[0].image.file).bytes[&Stream::Stdout];
    assert!(image.starts_with(b"\x89PNG\r\n\x1a\n"));
    let first = answer(&log, "STEP.1");
    assert_eq!((&first["console"][0]["level"], &first["console"][0]["text"]), (&"warning".into(), &"careful".into()));
    assert_eq!(first["failedRequests"][0]["status"], 404);
    assert_eq!((&first["title"], &first["url"]), (&"Quotes".into(), &server.url("/").into()));
    assert!(first["text"].as_str().unwrap().contains("Full name"));
    assert!(!PathBuf::from(world.path(".playwright-mcp")).exists(), "nothing is left in the workspace");
}

#[test]
fn expressions_and_functions_are_evaluated_in_the_page() {
    let server = Server::start(page);
    let Some(mut world) = world() else { return };
    let scripts: [(&str, Result<&str, &str>); 12] = [
        ("document.title", Ok("\"Blank\"")),
        ("() => 6 * 7", Ok("42")),
        ("function () { return [1, {a: null}]; }", Ok("[1,{\"a\":null}]")),
        ("async () => (await fetch('/blank')).status", Ok("200")),
        ("await Promise.resolve(5)", Ok("5")),
        ("const one = 1; return one + 1;", Ok("2")),
        ("1; 2 > 1;", Ok("true")),
        ("undefined", Ok("null")),
        ("document.title === 'Other'", Err("the expression is false")),
        ("(() => { throw new Error('boom') })()", Err("Error: boom")),
        ("1 +", Err("SyntaxError")),
        ("new Promise(() => {})", Err("the expression had no value within")),
    ];
    for (script, _) in &scripts {
        step(&mut world, 1_500, vec![open(server.url("/blank")), evaluate(script)]);
    }
    step(&mut world, 30_000, vec![open(server.url("/strict")), evaluate("() => document.title")]);
    let log = world.run();
    for (index, (script, expected)) in scripts.iter().enumerate() {
        let action = format!("STEP.{}", index + 1);
        match expected {
            Ok(value) => assert_eq!(facts(&log, &action).value.as_deref(), Some(*value), "{script}"),
            Err(message) => {
                let (request, told) = refused(&log, &action);
                assert!(request == 1 && told.starts_with(message), "{script}: {told}");
            }
        }
    }
    assert_eq!(facts(&log, "STEP.13").value.as_deref(), Some("\"Strict\""));
}

#[test]
fn what_the_page_does_not_have_is_refused() {
    let server = Server::start(page);
    let Some(mut world) = world() else { return };
    let closed = "http://127.0.0.1:9/";
    let cases = [
        (vec![open(server.url("/gone"))], (0, "the page answered with status 404")),
        (vec![open(closed)], (0, "the page did not load: net::ERR_")),
        (vec![open(server.url("/never"))], (0, "the page did not load within 1500 ms")),
        (vec![open(server.url("/broken"))], (0, "page error: undefinedFunction is not defined")),
        (vec![open(server.url("/file"))], (0, "the address is a download and not a page")),
        (
            vec![open(server.url("/blank")), BrowserOperation::Click("#gone".to_owned())],
            (1, "no element `#gone` was there within 1500 ms"),
        ),
        (
            vec![open(server.url("/")), BrowserOperation::Click("#never".to_owned())],
            (1, "an element `#never` is there, and could not be clicked within 1500 ms"),
        ),
        (
            vec![open(server.url("/")), BrowserOperation::WaitFor("#never".to_owned())],
            (1, "an element `#never` was there, and not visible within 1500 ms"),
        ),
        (
            vec![open(server.url("/blank")), BrowserOperation::WaitFor("[[".to_owned())],
            (1, "`[[` cannot be waited for"),
        ),
        (vec![open(server.url("/blank")), see("Nothing")], (1, "the page did not show this text within 1500 ms")),
        (vec![open(server.url("/")), fill(&[("Nickname", "x")])], (1, "no field `Nickname` was there within 1500 ms")),
        (vec![open(server.url("/")), fill(&[("upload", "x")])], (1, "the field `upload` takes a file")),
        (vec![open(server.url("/")), fill(&[("#news", "maybe")])], (1, "the field `#news` takes true or false")),
        (vec![open("javascript:alert(1)")], (0, "the address must begin with http:// or https://")),
    ];
    for (operations, _) in &cases {
        step(&mut world, 1_500, operations.clone());
    }
    step(&mut world, 30_000, vec![open(server.url("/blank")), see("nothing here")]);
    let log = world.run();
    for (index, (operations, (request, message))) in cases.iter().enumerate() {
        let (at, told) = refused(&log, &format!("STEP.{}", index + 1));
        assert!(at == *request && told.starts_with(message), "{operations:?}: {at} {told}");
    }
    // Nothing of it stops the browser.
    assert_eq!(facts(&log, "STEP.15").ending, InteractionEnding::Completed);
    assert_eq!(answer(&log, "STEP.6")["text"], "nothing here");
}

#[test]
fn dialogs_downloads_windows_and_busy_pages_do_not_stop_the_browser() {
    let server = Server::start(page);
    let Some(mut world) = world() else { return };
    step(&mut world, 30_000, vec![open(server.url("/dialogs")), see("said false")]);
    step(&mut world, 2_000, vec![open(server.url("/hungry"))]);
    let window = vec![open(server.url("/window")), BrowserOperation::Click("button".to_owned()), see("More")];
    step(&mut world, 30_000, window);
    step(&mut world, 30_000, vec![open(server.url("/blank")), evaluate("location.href = '/file'; 1"), see("nothing")]);
    let log = world.run();
    assert_eq!(facts(&log, "STEP.1").ending, InteractionEnding::Completed);
    let dialog = &answer(&log, "STEP.1")["dialogs"][0];
    assert_eq!((&dialog["kind"], &dialog["text"]), (&"confirm".into(), &"Sure?".into()));
    let (_, told) = refused(&log, "STEP.2");
    assert!(told.starts_with("the page did not load within 2000 ms"), "{told}");
    assert_eq!(facts(&log, "STEP.3").ending, InteractionEnding::Completed);
    assert_eq!(answer(&log, "STEP.3")["windows"].as_array().unwrap().len(), 1);
    assert_eq!(facts(&log, "STEP.4").ending, InteractionEnding::Completed);
    assert_eq!(answer(&log, "STEP.4")["downloads"][0]["file"], "a.bin");
}

#[test]
fn a_browser_that_is_not_there_is_unavailable_and_a_deadline_is_one() {
    let server = Server::start(page);
    let Some(mut world) = world() else { return };
    let mut work = browser(Vec::new(), vec![evaluate("1")]);
    if let Work::Interaction(interaction) = &mut work
        && let Interaction::Browser(browser) = interaction.as_mut()
    {
        browser.engine = referee_model::plan::interaction::BrowserEngine::Webkit;
    }
    world.add(Phase::Step, work);
    step(&mut world, 30_000, vec![open(server.url("/never"))]);
    world.plan.actions.last_mut().unwrap().timeout_ms = 6_000;
    let log = world.run();
    let InteractionEnding::Unavailable { message } = &facts(&log, "STEP.1").ending else {
        panic!("it is not installed: {:?}", facts(&log, "STEP.1").ending)
    };
    assert!(message.starts_with("the browser does not start: "), "{message}");
    assert!(matches!(facts(&log, "STEP.2").ending, InteractionEnding::DeadlineExceeded { timeout_ms: 6_000, .. }));
}
