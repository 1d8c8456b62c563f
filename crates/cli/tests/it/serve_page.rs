//! The page, over the wire and in a real browser. The browser's part is `page_browser.mjs`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::accessibility;
use crate::support::{Workspace, first_that_answers, program, skipped};

const TOKEN: &str = "b7c1d0e2f3a4958677665544332211ffeeddccbbaa99887766554433221100aa";

/// A check that fails behind a long log, and one that passes. What it prints is hostile to a page.
const CHECKS: &str = "checks:\n  lint: sh lint.sh\n  unit: echo ok\n";

const LINT: &str = r#"i=0
while [ $i -lt 1500 ]; do i=$((i+1)); echo "checking file $i of 1500"; done
printf '\n/work/src/cart.ts\n'
printf "  12:7  error    'total' is assigned a value but never used  no-unused-vars\n"
printf '  40:1  warning  Unexpected console statement                no-console\n\n'
printf '\342\234\226 2 problems (1 error, 1 warning)\n\n'
printf '<script>window.obeyed = true</script> \033[31mred\033[0m \342\200\256 turned around\n'
exit 1
"#;

/// An agent that is done at its second turn, and says so at its first.
const AGENT: &str = "cat > /dev/null\nif [ -e .once ]; then echo 'echo fine' > lint.sh; else touch .once; fi\n\
                     echo 'all checks pass now <b>'\n";

/// A server that is ended when the test is over.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(workspace: &Workspace) -> Self {
        Self::start_with(workspace, &[])
    }

    fn start_with(workspace: &Workspace, variables: &[(&str, &str)]) -> Self {
        let mut command = workspace.command(&["serve", "--listen", "0", "--format", "json", "--agent", "sh agent.sh"]);
        command.envs(variables.iter().copied());
        let mut child = command.env("REFEREE_TOKEN", TOKEN).stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let address = told["address"].as_str().unwrap().trim_end_matches('/').to_owned();
        Self { child, address }
    }

    /// Sends a request as it stands, and returns the whole answer.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let place = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(place).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {place}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
             Content-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    fn get(&self, path: &str) -> String {
        self.ask("GET", path, "", "")
    }

    fn post(&self, path: &str, form: &str) -> String {
        self.ask("POST", path, "Content-Type: application/x-www-form-urlencoded\r\n", form)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project with a failed run and a captured incident.
fn project() -> Workspace {
    let workspace = Workspace::with(CHECKS).file("lint.sh", LINT);
    let _ = workspace.referee(&["run"]);
    let hostile = "<script>window.obeyed = true</script> \u{202e}gone";
    workspace.write("failed.log", format!("start\nError: selector not found {hostile}\n"));
    let capture = ["incident", "capture", "--id", "broken-lint", "--log", "failed.log", "--step", "lint"];
    workspace.referee(&[&capture[..], &["--message", &format!("Selector not found {hostile}")]].concat()).exits(0);
    workspace.referee(&["incident", "capture", "--id", "failing-lint"]).exits(0);
    workspace.write("agent.sh", AGENT);
    workspace
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn pages_are_whole_without_a_script_and_obey_nobody() {
    let workspace = project();
    let server = Server::start(&workspace);
    for (path, piece) in [
        ("/", "Selector not found &#60;script&#62;"),
        ("/?q=selector&status=new", "Selector not found"),
        ("/incidents/broken-lint", "\\u{202e}gone"),
        ("/runs", "/runs/T001?run="),
        ("/runs/T001", "T001"),
        ("/runs/T001/STEP.1", "no-unused-vars"),
        ("/runs/T001/STEP.1?from=700", "checking file 700 of 1500"),
    ] {
        let answer = server.get(path);
        assert_eq!(status(&answer), "200", "{path}: {answer}");
        assert!(answer.contains(piece), "{path}: {answer}");
        assert!(
            !answer.contains("<script>window") && !answer.contains('\u{202e}') && !answer.contains('\u{1b}'),
            "{path}"
        );
        assert!(answer.contains("content-security-policy: default-src 'none'"), "{path}");
    }
    let page = server.get("/");
    let style = page.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let answer = server.get(style);
    assert!(answer.contains("content-type: text/css") && answer.contains("immutable"), "{answer}");
}

#[test]
fn addresses_of_nothing_are_refused_in_words() {
    let workspace = project();
    let server = Server::start(&workspace);
    for (path, code) in [
        ("/incidents/none", "404"),
        ("/incidents/..%2F..%2Fetc", "404"),
        ("/incidents/%00", "404"),
        ("/runs/..", "400"),
        ("/runs/T999", "404"),
        ("/runs/T001?run=../x", "400"),
        ("/runs/T001/STEP.9", "404"),
        ("/runs/T001/STEP.1?from=x", "400"),
        ("/runs?decision=MAYBE", "400"),
        ("/assets/page.css", "404"),
        ("/assets/..%2Fpage.css", "404"),
    ] {
        let answer = server.get(path);
        assert_eq!(status(&answer), code, "{path}: {answer}");
        assert!(!answer.contains("panicked"), "{path}");
    }
    assert_eq!(status(&server.get("/?status=nowhere&q=%f0%28")), "200");
    assert_eq!(
        status(&server.ask("POST", "/incidents/broken-lint/plan", "Content-Type: text/plain\r\n", "force=yes")),
        "415"
    );
    assert_eq!(status(&server.post("/incidents/broken-lint/remove", "")), "404");
}

#[test]
fn a_browser_gets_a_page_of_whatever_is_refused_and_a_program_a_document() {
    let workspace = project();
    let server = Server::start(&workspace);
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    for (method, path, code) in [
        ("GET", "/nowhere", "404"),
        ("GET", "/incidents/broken-lint/plan", "405"),
        ("GET", "/runs/..%2f", "400"),
        ("DELETE", "/runs", "405"),
    ] {
        let page = server.ask(method, path, browser, "");
        assert_eq!(status(&page), code, "{path}: {page}");
        assert!(page.contains("content-type: text/html") && page.contains("<h1>"), "{path}: {page}");
        assert!(!page.contains("\"error\""), "{path}: {page}");
        let document = server.ask(method, path, "Accept: */*\r\n", "");
        assert_eq!(status(&document), code, "{path}: {document}");
    }
    // How it is asked instead is still said.
    assert!(server.ask("GET", "/incidents/broken-lint/plan", browser, "").contains("allow: POST"));
    assert!(server.get("/nowhere").contains("application/json"));
    let api = server.ask("GET", "/api/errors/incidents/none", browser, "");
    assert!(status(&api) == "404" && api.contains("application/json"), "{api}");
}

#[test]
fn a_deed_that_is_refused_says_why_and_keeps_what_was_typed_but_no_credential() {
    let workspace = project();
    let server = Server::start(&workspace);
    // It has no plan.
    let answer =
        server.post("/incidents/broken-lint/approve", "person=Ada&credential=verysecretkeymaterial&note=careful");
    assert_eq!(status(&answer), "409", "{answer}");
    assert!(answer.contains("role=\"alert\"") && !answer.contains("verysecretkeymaterial"), "{answer}");
    let planned = server.post("/incidents/broken-lint/plan", "");
    assert_eq!(status(&planned), "303", "{planned}");
    assert!(planned.contains("location: /incidents/broken-lint?done=plan"), "{planned}");
    // Another plan than the one that was looked at.
    let answer =
        server.post("/incidents/broken-lint/approve", "person=Ada+%3Cb%3E&credential=verysecretkeymaterial&plan=00");
    assert_eq!(status(&answer), "409", "{answer}");
    assert!(
        answer.contains("not the one that you looked at") && answer.contains("value=\"Ada &#60;b&#62;\""),
        "{answer}"
    );
    assert!(!answer.contains("verysecretkeymaterial"));
    let refused = server.post("/incidents/broken-lint/reject", "reason=");
    assert_eq!(status(&refused), "400", "{refused}");
    assert_eq!(status(&server.post("/incidents/broken-lint/reject", "reason=no")), "303");
    assert!(server.get("/incidents/broken-lint").contains("class=\"state new\""));
}

/// What the browser is told: where the page is, and what it may use beside it.
fn browsing(workspace: &Workspace, server: &Server, secret: &str, chromium: &str) -> Value {
    let kept =
        ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    let mut environment: BTreeMap<String, String> = kept.collect();
    environment.insert("REFEREE_STATE_DIR".to_owned(), workspace.state().display().to_string());
    json!({
        "url": server.address, "token": TOKEN, "incident": "broken-lint", "failing": "failing-lint",
        "root": ".referee/reports", "log": "/runs/T001/STEP.1", "secret": secret,
        "chromium": chromium, "referee": program(), "folder": workspace.path(""), "environment": environment,
        "shots": std::env::var("REFEREE_SHOTS").ok(), "only": Value::Null,
    })
}

#[test]
fn a_person_uses_the_page_in_a_browser() {
    let chromium = first_that_answers(&["chromium", "chromium-browser", "google-chrome"]);
    let (Some(chromium), Some(_)) = (chromium, first_that_answers(&["node"])) else {
        skipped("no chromium, or no node");
        return;
    };
    let workspace = project();
    let key = workspace.state().join("ada.pem");
    let key_file = key.to_str().unwrap();
    workspace.referee(&["key", "new", "--out", key_file]).exits(0);
    workspace.write("ada.pub.pem", workspace.referee(&["key", "show", key_file]).exits(0).stdout);
    workspace.trust_approver("ada.pub.pem", "ada");
    let server = Server::start(&workspace);
    let secret = std::fs::read_to_string(&key).unwrap();
    let asked: PathBuf = workspace.state().join("browsing.json");
    std::fs::write(&asked, browsing(&workspace, &server, &secret, &chromium).to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/page_browser.mjs");
    let output = Command::new("node").args(["--experimental-websocket", script]).arg(&asked).output().unwrap();
    let (told, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let found: Vec<Value> = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}{errors}"));
    let wrong: Vec<&Value> = found.iter().filter(|one| one["ok"] != true).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(found.len() >= 50, "only {} things were looked at", found.len());
}

#[test]
fn pages_hold_to_the_rules_of_accessibility() {
    let workspace = project();
    workspace.referee(&["incident", "plan", "failing-lint"]).exits(0);
    let server = Server::start(&workspace);
    let places = ["/", "/incidents/failing-lint", "/runs", "/runs/T001", "/runs/T001/STEP.1?from=1400"];
    let pages: BTreeMap<String, String> =
        places.iter().map(|place| ((*place).to_owned(), format!("{}{place}", server.address))).collect();
    let headers = json!({ "Authorization": format!("Bearer {TOKEN}") });
    let Some(looked) = accessibility::look(&workspace, "pages", &headers, &pages) else { return };
    looked.finds_nothing(places.len());
    let door = BTreeMap::from([("login".to_owned(), format!("{}/login", server.address))]);
    accessibility::look(&workspace, "door", &json!({}), &door).unwrap().finds_nothing(1);
}

// Whoever starts a server knows its token: forms are no other way to what only a person may do.
#[test]
fn a_form_of_a_server_that_an_agent_started_does_nothing_that_is_a_persons() {
    let workspace = project();
    let server = Server::start_with(&workspace, &[("CLAUDECODE", "1")]);
    assert_eq!(status(&server.post("/incidents/broken-lint/plan", "")), "303");
    let plan = "0".repeat(64);
    for (operation, form) in [
        ("approve", format!("person=Ada&credential=verysecretkeymaterial&plan={plan}").as_str()),
        ("reject", "reason=no"),
        ("archive", "result=resolved&reason=it+passes"),
        ("reopen", "reason=again"),
    ] {
        let refused = server.post(&format!("/incidents/broken-lint/{operation}"), form);
        assert!(status(&refused) == "403" && refused.contains("only a person may"), "{operation}: {refused}");
    }
    assert!(server.get("/incidents/broken-lint").contains("class=\"state plan_proposed\""));
    assert_eq!(status(&server.post("/incidents/broken-lint/archive", "result=escalated&reason=stuck")), "303");
    assert_eq!(status(&server.post("/incidents/broken-lint/reopen", "reason=again")), "403");
}
