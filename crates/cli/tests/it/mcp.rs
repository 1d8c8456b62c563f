//! `referee mcp`: what a client of the protocol is answered, and what is left when it goes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use referee_schema::validator::Validator;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::foreign_reports::{consumers, script, told};
use crate::served::{Server, incident};
use crate::support::{Workspace, finish, processes_with, program, skipped, wait_until};

/// The bound on every wait for a message: it only ends tests that would hang.
const PATIENCE: Duration = Duration::from_mins(1);

const TOOLS: [&str; 12] = [
    "referee_plan",
    "referee_run",
    "referee_gate",
    "referee_report",
    "referee_explain",
    "referee_diagnostics",
    "referee_evidence_verify",
    "referee_handback",
    "referee_incident_list",
    "referee_incident_get",
    "referee_incident_plan",
    "referee_schema",
];

const CHECKS: &str = "checks:\n  good: 'true'\n  bad: 'echo broken; false'\n";

/// A check that goes on until it is stopped.
const ENDLESS: &str = "checks:\n  wait: 'touch started; sleep 600 & sleep 600'\ncleanup: {sweep: touch swept}\n";

/// How a client begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// By `initialize`, with this revision.
    Old(&'static str),
    /// By `server/discover`; every request says who asks.
    New,
}

/// A client on the standard streams of the program.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What the server told beside answers.
    notifications: Vec<Value>,
    protocol: Protocol,
    last: u64,
}

impl Client {
    fn start(workspace: &Workspace, protocol: Protocol) -> Self {
        let mut child = workspace.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let mut client = Self { child, input, messages, notifications: Vec::new(), protocol, last: 0 };
        if let Protocol::Old(revision) = protocol {
            let about = json!({
                "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            });
            let begun = client.ask("initialize", about);
            assert_eq!(begun["result"]["protocolVersion"], revision);
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request, and returns its id.
    fn request(&mut self, method: &str, mut parameters: Value) -> u64 {
        self.last += 1;
        if self.protocol == Protocol::New {
            let meta = &mut parameters["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters }));
        self.last
    }

    /// Waits for the answer to a request.
    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.request(method, parameters);
        self.answer(id)
    }

    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].take()
    }

    /// Calls a tool, and returns its data.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
    fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, &arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{tool} answers the same as text and as data");
        result["structuredContent"].take()
    }

    /// Calls a tool that cannot be asked so, and returns why.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
    fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, &arguments);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]),
            (&json!(true), &Value::Null),
            "{tool}: {result}"
        );
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes standard input, and waits for the end of the server.
    fn close(mut self) -> crate::support::Finished {
        drop(self.input.take());
        finish(self.child)
    }
}

/// A workspace with a run that failed, an incident, and a stage that was handed back.
fn known() -> Workspace {
    let workspace = Workspace::with(CHECKS);
    incident(&workspace, "one", "new");
    let handback = json!({ "reason": "success", "description": "All outputs validated." });
    workspace.write("run/stages/explore/run/output-data/handback.json", handback.to_string());
    workspace
}

#[test]
fn both_ways_to_begin_list_the_same_tools_in_the_same_order() {
    let workspace = Workspace::with(CHECKS);
    let mut old = Client::start(&workspace, Protocol::Old("2025-06-18"));
    let mut new = Client::start(&workspace, Protocol::New);
    let discovered = new.ask("server/discover", json!({}))["result"].take();
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{discovered}");
    assert_eq!(discovered["resultType"], "complete");
    let listed = new.ask("tools/list", json!({}))["result"].take();
    assert!(listed["ttlMs"].is_u64() && listed["cacheScope"].is_string(), "{listed}");
    assert_eq!(listed["tools"], old.ask("tools/list", json!({}))["result"]["tools"]);
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    // Only a session that began with `initialize` may leave out who asks.
    new.protocol = Protocol::Old("");
    assert_eq!(new.ask("tools/list", json!({}))["error"]["code"], -32602);
    for client in [old, new] {
        let finished = client.close().exits(0);
        assert_eq!(finished.stderr, "");
    }
}

#[test]
fn every_tool_answers_as_its_schema_says() {
    let workspace = known();
    let mut client = Client::start(&workspace, Protocol::New);
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].take();
    let schemas: BTreeMap<&str, &Value> =
        listed.as_array().unwrap().iter().map(|tool| (tool["name"].as_str().unwrap(), &tool["outputSchema"])).collect();
    let mut data = BTreeMap::new();
    for (tool, arguments) in [
        ("referee_plan", json!({})),
        ("referee_run", json!({})),
        ("referee_gate", json!({ "reuse": false, "timeoutSeconds": 600 })),
        ("referee_report", json!({ "blocking": true })),
        ("referee_explain", json!({ "subject": "bad" })),
        ("referee_diagnostics", json!({ "limit": 5 })),
        ("referee_evidence_verify", json!({ "task": "T001", "replay": true })),
        ("referee_handback", json!({ "stage": "explore", "runDirectory": "run" })),
        ("referee_incident_list", json!({ "status": ["new"] })),
        ("referee_incident_get", json!({ "id": "one" })),
        ("referee_incident_plan", json!({ "id": "one" })),
        ("referee_schema", json!({ "name": "gate" })),
    ] {
        let answer = client.data(tool, arguments);
        let complaints = Validator::new(schemas[tool]).unwrap().complaints(&answer, 10).0;
        assert_eq!(complaints, Vec::<String>::new(), "{tool}: {answer}");
        data.insert(tool, answer);
    }
    assert_eq!(data.len(), TOOLS.len(), "no tool is left out");
    assert_eq!(data["referee_plan"]["actions"].as_array().unwrap().len(), 2);
    for tool in ["referee_run", "referee_gate"] {
        let gate = referee_schema::published::schema("gate").unwrap();
        assert_eq!(Validator::new(&gate).unwrap().complaints(&data[tool], 10).0, Vec::<String>::new(), "{tool}");
        assert_eq!((&data[tool]["decision"], &data[tool]["basis"]), (&json!("FAIL"), &json!("ran")), "{tool}");
    }
    let report = &data["referee_report"];
    assert_eq!((&report["total"], &report["actions"][0]["actionId"]), (&json!(1), &json!("STEP.2")));
    assert_eq!(report["summary"], workspace.report("T001")["executionSummary"]);
    assert_eq!(data["referee_explain"]["about"], "action");
    assert_eq!(data["referee_evidence_verify"]["exitCode"], 1, "authentic, and the run failed");
    assert_eq!(data["referee_handback"]["standing"]["holds"], false);
    assert_eq!(data["referee_incident_list"]["incidents"][0]["incident_id"], "one");
    assert_eq!(data["referee_incident_plan"]["incident_id"], "one");
    client.close().exits(0);
}

#[test]
fn a_pass_is_a_pass_by_the_recorded_verdict_too() {
    let workspace = Workspace::with("checks: { good: 'true' }\n");
    let mut client = Client::start(&workspace, Protocol::Old("2025-11-25"));
    let ran = client.data("referee_gate", json!({}));
    assert_eq!((&ran["decision"], &ran["exitCode"]), (&json!("PASS"), &json!(0)));
    let reduced = client.data("referee_run", json!({ "skip": ["good"] }));
    assert_ne!(reduced["decision"], "PASS", "a run that leaves something out is none");
}

#[test]
fn a_wrong_specification_blocks_the_gate_and_cannot_be_run() {
    let workspace = Workspace::with("checks: { good: 'true' }\n");
    let mut client = Client::start(&workspace, Protocol::New);
    client.data("referee_run", json!({}));
    workspace.write("referee.yaml", "checks: { good: { rum: 'true' } }\n");
    let blocked = client.data("referee_gate", json!({}));
    assert_eq!((&blocked["decision"], &blocked["basis"]), (&json!("BLOCKED"), &Value::Null));
    assert!(blocked["causes"].to_string().contains("rum"), "{blocked}");
    let why = client.refusal("referee_run", json!({}));
    assert!(why.contains("referee.yaml:1:") && why.contains("rum"), "{why}");
    assert_eq!(workspace.report("T001")["executionSummary"]["decision"], "BLOCKED", "the earlier pass is over");
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_reason_and_the_server_goes_on() {
    let workspace = known();
    let outside = Workspace::with(CHECKS);
    let outside = outside.path("referee.yaml").display().to_string();
    std::os::unix::fs::symlink(&outside, workspace.path("link.yaml")).unwrap();
    let mut client = Client::start(&workspace, Protocol::Old("2024-11-05"));
    client.data("referee_run", json!({}));
    for (tool, arguments, why) in [
        ("referee_run", json!({ "tusks": [] }), "unknown field `tusks`"),
        ("referee_run", json!({ "tasks": ["../T001"] }), "invalid arguments"),
        ("referee_run", json!({ "tasks": ["T999"] }), "task not found: T999"),
        ("referee_run", json!({ "only": ["nothing"] }), "action not found: nothing"),
        ("referee_gate", json!({ "timeoutSeconds": -1 }), "invalid arguments"),
        ("referee_plan", json!({ "task": "T999" }), "task not found: T999"),
        ("referee_plan", json!({ "limit": 0 }), "`limit` is a number from 1 to 200"),
        ("referee_plan", json!({ "specification": outside }), "path outside of the project"),
        ("referee_plan", json!({ "specification": "../referee.yaml" }), "path outside of the project"),
        ("referee_plan", json!({ "specification": "link.yaml" }), "path outside of the project"),
        ("referee_report", json!({ "task": "T999" }), "no run of T999 is kept here"),
        ("referee_report", json!({ "run": "exec-1" }), "exec-1"),
        ("referee_report", json!({ "pointer": "/nothing" }), "the report has nothing at `/nothing`"),
        ("referee_explain", json!({ "subject": "bat" }), "did you mean `bad`?"),
        ("referee_handback", json!({}), "missing field `stage`"),
        ("referee_handback", json!({ "stage": "explore", "runDirectory": ".." }), "path outside of the project"),
        ("referee_incident_get", json!({ "id": "../one" }), "not '/'"),
        ("referee_incident_get", json!({ "id": "two" }), "no such incident: two"),
        ("referee_schema", json!({ "name": "nothing" }), "unknown schema `nothing`"),
    ] {
        let refusal = client.refusal(tool, arguments.clone());
        assert!(refusal.contains(why), "{tool} {arguments}: {refusal}");
    }
    let unknown = client.ask("tools/call", json!({ "name": "referee_nothing", "arguments": {} }));
    assert_eq!((&unknown["error"]["code"], &unknown["result"]), (&json!(-32602), &Value::Null));
    assert_eq!(client.ask("nothing/at_all", json!({}))["error"]["code"], -32601);
    writeln!(client.input.as_mut().unwrap(), "{{half").unwrap();
    client.data("referee_schema", json!({}));
}

#[test]
fn an_agent_approves_and_waives_nothing() {
    let workspace = known();
    let mut client = Client::start(&workspace, Protocol::New);
    client.data("referee_incident_plan", json!({ "id": "one" }));
    for tool in ["referee_incident_approve", "referee_waive", "referee_lock", "referee_enroll", "referee_key"] {
        let answer = client.ask("tools/call", json!({ "name": tool, "arguments": { "id": "one" } }));
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
    }
    let again = client.refusal("referee_incident_plan", json!({ "id": "one" }));
    assert!(again.contains("waits for approval"), "{again}");
    client.refusal("referee_incident_plan", json!({ "id": "one", "force": true }));
    let shown = client.data("referee_incident_get", json!({ "id": "one" }));
    assert_eq!((&shown["incident"]["status"], &shown["approval"]["stands"]), (&json!("plan_proposed"), &json!(false)));
}

#[test]
fn a_run_tells_its_events_and_answers_after_them() {
    let workspace = Workspace::with(CHECKS);
    let mut client = Client::start(&workspace, Protocol::New);
    let call = json!({ "name": "referee_run", "arguments": {}, "_meta": { "progressToken": "run" } });
    client.ask("tools/call", call);
    let told: Vec<&Value> = client.notifications.iter().map(|message| &message["params"]).collect();
    assert!(client.notifications.iter().all(|message| message["method"] == "notifications/progress"));
    let numbers: Vec<f64> = told.iter().map(|progress| progress["progress"].as_f64().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    let kinds: Vec<&str> = told.iter().map(|told| told["_meta"]["referee/event"]["type"].as_str().unwrap()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"run-started"), Some(&"run-finished")), "{kinds:?}");
    assert!(told.iter().any(|told| told["message"] == "STEP.2 bad: action started"), "{told:?}");
    client.notifications.clear();
    client.data("referee_run", json!({}));
    assert_eq!(client.notifications, Vec::<Value>::new(), "who does not ask is not told");
}

/// Starts a run that does not end by itself.
fn endless(protocol: Protocol) -> (Workspace, Client, u64) {
    let workspace = Workspace::with(ENDLESS);
    let mut client = Client::start(&workspace, protocol);
    let id = client.request("tools/call", json!({ "name": "referee_run", "arguments": {} }));
    wait_until("the check has started", || workspace.path("started").exists());
    (workspace, client, id)
}

/// Checks that a run ended as one that was interrupted, and left nothing.
#[track_caller]
fn is_over(workspace: &Workspace) {
    wait_until("the run is sealed", || workspace.path("evidence/T001/execution-report.json").exists());
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["overallStatus"], "INTERRUPTED");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    assert!(workspace.path("swept").exists(), "cleanup always runs");
    let execution = report["authenticity"]["executionId"].as_str().unwrap();
    assert_eq!(processes_with(&format!("REFEREE_EXECUTION={execution}")), Vec::<u32>::new());
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn a_cancelled_run_ends_cleanly_and_leaves_no_process() {
    for protocol in [Protocol::Old("2025-06-18"), Protocol::New] {
        let (workspace, mut client, id) = endless(protocol);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
        is_over(&workspace);
        workspace.write("referee.yaml", CHECKS);
        assert_eq!(client.data("referee_run", json!({}))["decision"], "FAIL", "the next run has its turn");
        assert!(client.notifications.iter().all(|message| message["id"] != id), "nobody is answered");
        client.close().exits(0);
    }
}

#[test]
fn a_run_ends_with_its_client() {
    let (workspace, client, _) = endless(Protocol::New);
    client.close().exits(0);
    is_over(&workspace);
}

#[test]
fn a_run_ends_with_its_server() {
    let (workspace, client, _) = endless(Protocol::Old("2025-11-25"));
    kill_process(Pid::from_child(&client.child), Signal::TERM).unwrap();
    finish(client.child).exits(0);
    is_over(&workspace);
}

#[test]
fn files_of_sealed_runs_are_resources_and_no_others() {
    let workspace = Workspace::with(CHECKS).file("secret.txt", "Zq81Lm20");
    let mut client = Client::start(&workspace, Protocol::New);
    client.data("referee_run", json!({}));
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].take();
    let addresses: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    let report = "referee://evidence/T001/execution-report.json";
    assert!(addresses.contains(&report), "{addresses:?}");
    for address in &addresses {
        let read = client.ask("resources/read", json!({ "uri": address }));
        assert!(read["result"]["contents"][0].is_object(), "{address}: {read}");
    }
    let mut text = |address: &str| {
        let read = client.ask("resources/read", json!({ "uri": address }));
        read["result"]["contents"][0]["text"].as_str().map(str::to_owned).ok_or(read["error"]["code"].clone())
    };
    let sealed = fs::read_to_string(workspace.path("evidence/T001/execution-report.json")).unwrap();
    assert_eq!(text(report), Ok(sealed.clone()));
    assert_eq!(text(&format!("{report}?offset=0&length=10")).as_deref(), Ok(&sealed[..10]));
    for wrong in [
        "referee://evidence/T001/../../secret.txt",
        "referee://evidence/T001/..%2F..%2Fsecret.txt",
        "referee://evidence/T001/%2Fetc%2Fpasswd",
        "referee://evidence/T999/execution-report.json",
        "referee://evidence/T001/exec-1/execution-report.json",
        "file:///etc/passwd",
        "secret.txt",
    ] {
        assert_eq!(text(wrong), Err(json!(-32602)), "{wrong}");
    }
    fs::write(workspace.path("evidence/T001/execution-report.json"), sealed.replace("FAIL", "PASS")).unwrap();
    assert_eq!(text(report), Err(json!(-32602)), "what is not as it was sealed is not shown");
}

#[test]
fn the_prompt_quotes_why_the_latest_run_did_not_pass() {
    let workspace = Workspace::with(CHECKS);
    let mut client = Client::start(&workspace, Protocol::New);
    client.data("referee_run", json!({}));
    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "fix_what_blocks");
    let made = client.ask("prompts/get", json!({ "name": "fix_what_blocks", "arguments": { "task": "T001" } }));
    let text = made["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("referee_gate") && text.contains("T001 FAIL: \""), "{text}");
    assert_eq!(client.ask("prompts/get", json!({ "name": "nothing" }))["error"]["code"], -32602);
}

#[test]
fn over_http_a_token_is_needed_and_no_page_of_a_browser_is_answered() {
    let workspace = Workspace::with(CHECKS);
    let server = Server::launch(&workspace, &["mcp"]);
    let address = server.announced["address"].as_str().unwrap();
    assert!(address.starts_with("http://127.0.0.1:") && address.ends_with("/mcp"), "{address}");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let listed = server.ask("POST", "/mcp", &headers, Some(&list)).is(200);
    assert!(TOOLS.iter().all(|tool| listed.body.contains(tool)), "{}", listed.body);
    server.ask_without_token("POST", "/mcp", &headers, Some(&list)).is(401);
    let wrong = [headers.as_slice(), &[("authorization", "Bearer nothing")]].concat();
    server.ask_without_token("POST", "/mcp", &wrong, Some(&list)).is(401);
    let page = [headers.as_slice(), &[("origin", "http://evil.example")]].concat();
    server.ask("POST", "/mcp", &page, Some(&list)).is(403);
    server.ask("POST", "/elsewhere", &headers, Some(&list)).is(404);
    for arguments in [["mcp", "--listen", "10.0.0.1:1"], ["mcp", "--listen", "nowhere"]] {
        workspace.referee(&arguments).exits(2);
    }
}

#[test]
fn the_entry_of_every_host_is_printed_and_merged_once() {
    for (host, file) in [
        ("claude", ".mcp.json"),
        ("codex", ".codex/config.toml"),
        ("copilot", ".github/mcp.json"),
        ("gemini", ".gemini/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("opencode", "opencode.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
    ] {
        let workspace = Workspace::with(CHECKS);
        let printed = workspace.referee(&["mcp", "config", host]).exits(0);
        assert!(printed.stderr.contains(&format!("this belongs into {file}")), "{}", printed.stderr);
        assert!(!workspace.path(file).exists(), "nothing is written");
        workspace.referee(&["mcp", "config", host, "--write"]).exits(0);
        assert_eq!(fs::read_to_string(workspace.path(file)).unwrap(), printed.stdout, "{host}");
        let again = workspace.referee(&["mcp", "config", host, "--write"]).exits(0).stdout;
        assert!(again.contains("nothing was written"), "{again}");
    }
    let workspace = Workspace::with(CHECKS).file(".mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}");
    let told = workspace.referee(&["mcp", "config", "claude", "--write"]).exits(0).stdout;
    assert!(told.contains(".mcp.json.before-referee"), "{told}");
    let merged: Value = serde_json::from_slice(&fs::read(workspace.path(".mcp.json")).unwrap()).unwrap();
    assert_eq!(merged["mcpServers"]["other"]["command"], "x");
    assert_eq!(merged["mcpServers"]["referee"], json!({ "command": "referee", "args": ["mcp"] }));
    workspace.write(".mcp.json", "// mine\n{}");
    let refused = workspace.referee(&["mcp", "config", "claude", "--write"]).exits(2);
    assert!(refused.stderr.contains("left as it is"), "{}", refused.stderr);
}

/// A client that is not ours, with the variables of the workspace.
fn foreign(program: impl AsRef<std::ffi::OsStr>, workspace: &Workspace) -> Command {
    let server = workspace.command(&["mcp"]);
    let variables = server.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    let mut command = Command::new(program);
    command.envs(variables.collect::<Vec<_>>()).current_dir(workspace.path(""));
    command
}

/// What an official client was told of the [`known`] workspace, whose answers it held against their schemas.
#[track_caller]
fn agrees(workspace: &Workspace, told: &Value) {
    assert_eq!(told["tools"], json!(TOOLS));
    assert_eq!((&told["decision"], &told["unknownTaskIsError"]), (&json!("FAIL"), &json!(true)), "{told}");
    assert_eq!(told["report"], workspace.report("T001")["executionSummary"]["decision"]);
    assert!(told["progress"].as_u64().unwrap() > 2, "{told}");
}

#[test]
fn the_official_client_of_python_agrees() {
    let workspace = known();
    let python = std::env::var("REFEREE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut client = foreign(python, &workspace);
    client.arg(script("mcp_client.py")).arg(program()).arg(workspace.path(""));
    let Some(told) = told(&mut client, "Python with mcp (REFEREE_PYTHON)") else { return };
    agrees(&workspace, &told);
}

#[test]
fn the_official_clients_of_typescript_agree_in_the_old_and_the_new_revision() {
    let Some(modules) = consumers() else {
        skipped("the clients in TypeScript are needed (REFEREE_CONSUMERS); .ci/run installs them");
        return;
    };
    for (generation, revision) in [("sdk", Value::Null), ("client", json!("2026-07-28"))] {
        let workspace = known();
        let mut client = foreign("node", &workspace);
        client.arg(script("mcp_client.mjs")).arg(generation).arg(&modules).arg(program()).arg(workspace.path(""));
        let Some(told) = told(&mut client, &format!("the client in TypeScript ({generation})")) else { continue };
        agrees(&workspace, &told);
        assert_eq!((&told["server"], &told["revision"]), (&json!("referee"), &revision), "{told}");
        assert_eq!((&told["prompts"], &told["broken"]), (&json!(["fix_what_blocks"]), &json!([])), "{told}");
        assert!(told["prompt"].as_str().unwrap().contains("T001 FAIL"), "{told}");
        assert!(told["resources"].as_u64().unwrap() > 3, "{told}");
    }
}

#[test]
fn the_inspector_lists_and_calls_tools() {
    let inspector = consumers().map(|directory| directory.join("node_modules/.bin/mcp-inspector-cli"));
    let Some(inspector) = inspector.filter(|path| path.exists()) else {
        skipped("the MCP inspector is needed (REFEREE_CONSUMERS); .ci/run installs it");
        return;
    };
    let workspace = known();
    let ask = |words: &[&str]| {
        let mut command = foreign("node", &workspace);
        command.arg(&inspector).arg("--cli").arg(program()).args(["mcp", "--method"]).args(words);
        told(&mut command, "the MCP inspector").unwrap()
    };
    let listed = ask(&["tools/list"]);
    let names: Vec<_> = listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, TOOLS);
    let gate = ask(&["tools/call", "--tool-name", "referee_gate"]);
    assert_eq!((&gate["structuredContent"]["decision"], &gate["isError"]), (&json!("FAIL"), &json!(false)), "{gate}");
    let wrong = ask(&["tools/call", "--tool-name", "referee_report", "--tool-arg", "task=T999"]);
    assert_eq!(wrong["isError"], true, "{wrong}");
    let read = ask(&["resources/read", "--uri", "referee://evidence/T001/execution-report.json"]);
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("executionSummary"), "{read}");
}
