//! Services and HTTP requests against real servers.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};

use serde_json::json;

use crate::support::{Workspace, action, processes_with};

/// A server in Python: answers `/health`, `/login` with a token, `/items` only with that token, anything else with 404.
const SERVER: &str = r"
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body, headers={}):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        for name, value in headers.items(): self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
    def do_POST(self):
        length = int(self.headers.get('Content-Length', 0))
        given = json.loads(self.rfile.read(length) or b'null')
        if self.path == '/login': self.answer(201, {'token': 'tok-' + 'Zq81Lm20' * 3, 'user': given['user']})
        else: self.answer(404, {'error': 'not found'})
    def do_GET(self):
        if self.path == '/health': self.answer(200, {'status': 'ok'})
        elif self.path == '/items':
            allowed = self.headers.get('Authorization') == 'Bearer tok-' + 'Zq81Lm20' * 3
            print('asked with', self.headers.get('Authorization'), flush=True)
            if allowed: self.answer(200, {'items': [{'id': 1}, {'id': 2}], 'total': 2}, {'X-Page': '1'})
            else: self.answer(401, {'error': 'who are you?'})
        else: self.answer(404, {'error': 'not found'})
    def log_message(self, *args): pass
server = ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler)
print('listening on', os.environ['PORT'], flush=True)
server.serve_forever()
";

fn served(checks: &str) -> Workspace {
    let services = "services:\n  web: { argv: [python3, server.py], port: auto, ready: 'http://127.0.0.1:${PORT}/health', timeout: 30s }\n";
    Workspace::with(&format!("{services}checks:\n{checks}")).file("server.py", SERVER)
}

#[test]
fn a_service_is_started_asked_and_stopped_and_its_log_is_evidence() {
    let workspace = served(
        "  list: { http: 'http://127.0.0.1:${PORT}/health', json: { '$.status': { equals: ok } }, header: { content-type: { contains: json } }, maxDuration: 10s }\n",
    );
    let run = workspace.referee(&["run", "--format", "json"]).exits(0).json();
    let execution = run["report"]["authenticity"]["executionId"].as_str().unwrap().to_owned();
    assert_eq!(processes_with(&format!("REFEREE_EXECUTION={execution}")), Vec::<u32>::new());
    let report = workspace.report("T001");
    assert_eq!(action(&report, "SERVICE.1")["status"], "SUCCESS");
    assert_eq!(action(&report, "STEP.1")["result"]["statusCode"], 200);
    let evidence = workspace.evidence("T001");
    let log = evidence.iter().find(|(name, _)| *name == "SERVICE.1-web.log").unwrap().1;
    assert!(String::from_utf8_lossy(log).contains("listening on"));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn a_captured_secret_is_used_and_never_stored() {
    let workspace = served(
        "  login: { http: 'http://127.0.0.1:${PORT}/login', method: POST, body: { user: me }, status: 201, capture: { token: '$.token' } }
  items: { http: 'http://127.0.0.1:${PORT}/items', headers: { Authorization: 'Bearer ${token}' }, json: { '$.items': array, '$.items[*].id': integer, '$.total': 2 }, header: { X-Page: '1' } }
  shown: { run: 'echo the token is $TOKEN', env: { TOKEN: '${token}' } }\n",
    );
    workspace.referee(&["run"]).exits(0);
    let secret = "tok-Zq81Lm20Zq81Lm20Zq81Lm20";
    for (name, bytes) in workspace.evidence("T001") {
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{name} holds the captured secret");
    }
    let shown = workspace.evidence("T001").remove("STEP.3-shown.log").unwrap();
    assert_eq!(String::from_utf8(shown).unwrap(), format!("the token is {}\n", "*".repeat(secret.len())));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn wrong_answers_fail_with_what_was_found() {
    let workspace = served(
        "  missing: { http: 'http://127.0.0.1:${PORT}/nothing' }
  wrong: { http: 'http://127.0.0.1:${PORT}/health', json: { '$.status': { equals: bad } } }\n",
    );
    workspace.referee(&["run"]).exits(1);
    let report = workspace.report("T001");
    let missing = action(&report, "STEP.1");
    assert_eq!((missing["status"].as_str(), missing["severity"].as_str()), (Some("TEST_FAILURE"), Some("CRITICAL")));
    assert_eq!(missing["debtGeneration"]["category"], "API_ENDPOINT_MISSING");
    let wrong = action(&report, "STEP.2");
    assert_eq!(wrong["status"], "TEST_FAILURE");
    assert!(wrong["classification"]["reason"].as_str().unwrap().contains("$.status"), "{wrong:#}");
}

#[test]
fn a_taken_port_names_its_holder_and_the_service_is_never_started() {
    let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = holder.local_addr().unwrap().port();
    let workspace = Workspace::with(&format!(
        "services: {{ web: {{ run: 'touch started; sleep 60', port: {port}, timeout: 10s }} }}\nchecks: {{ one: 'true' }}"
    ));
    workspace.referee(&["run"]).exits(5);
    let report = workspace.report("T001");
    let service = action(&report, "SERVICE.1");
    assert_eq!(service["status"], "PREREQUISITE_FAILURE");
    let check = &service["result"]["diagnostics"]["portCheck"];
    assert_eq!((check["port"].as_u64(), check["inUse"].as_bool()), (Some(u64::from(port)), Some(true)), "{service:#}");
    assert_eq!(check["process"]["pid"].as_u64(), Some(u64::from(std::process::id())), "{service:#}");
    assert!(!workspace.path("started").exists());
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
}

#[test]
fn a_service_that_never_is_ready_blocks_and_its_output_is_told() {
    let workspace = Workspace::with(
        "services: { web: { run: 'echo Error: no database; sleep 60', ready: { output: listening }, timeout: 500ms, grace: 100ms } }\nchecks: { one: 'true' }",
    );
    workspace.referee(&["run"]).exits(5);
    let report = workspace.report("T001");
    let service = action(&report, "SERVICE.1");
    assert_eq!(service["status"], "PREREQUISITE_FAILURE");
    assert!(service["result"]["serverOutput"].to_string().contains("no database"), "{service:#}");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}

#[test]
fn nobody_answering_is_an_execution_error_with_causes() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let workspace = Workspace::with(&format!("checks: {{ one: {{ http: 'http://127.0.0.1:{free}/' }} }}"));
    workspace.referee(&["run"]).exits(6);
    let report = workspace.report("T001");
    let step = action(&report, "STEP.1");
    assert_eq!(step["status"], "EXECUTION_ERROR");
    assert_eq!(step["result"]["error"]["code"], "ECONNREFUSED");
    assert_eq!(step["result"]["diagnostics"]["portCheck"], json!({ "port": free, "inUse": false, "process": null }));
}

#[test]
fn a_server_that_drips_does_not_hold_the_run_past_its_deadline() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    let workspace =
        Workspace::with(&format!("checks: {{ one: {{ http: 'http://127.0.0.1:{port}/', timeout: 400ms }} }}"));
    workspace.referee(&["run"]).exits(7);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["status"], "TIMEOUT");
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
}
