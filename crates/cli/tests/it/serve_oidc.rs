//! People who sign in by OpenID Connect: at a real provider (node-oidc-provider, where `REFEREE_OIDC` names its directory), and at
//! one that forges.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use referee_testkit::server as testkit;
use serde_json::{Value, json};

use crate::served::{Server, incident};
use crate::support::{Workspace, repository, skipped};

const ALL: &str = "/api/errors/incidents";
const SECRET: &str = "a secret & more: of the client";
/// Where browsers are told to go. The tests go to the server instead.
const PUBLIC: &str = "http://127.0.0.1:1";
const PATIENCE: Duration = Duration::from_mins(1);

/// A file with the client's secret, outside of the workspace.
struct Secret {
    _directory: tempfile::TempDir,
    file: String,
}

impl Secret {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().canonicalize().unwrap().join("secret");
        fs::write(&file, format!("{SECRET}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        Self { _directory: directory, file: file.to_str().unwrap().to_owned() }
    }

    fn arguments<'typed>(&'typed self, issuer: &'typed str, more: &[&'typed str]) -> Vec<&'typed str> {
        let mut all =
            vec!["--oidc-issuer", issuer, "--oidc-client-id", "referee", "--oidc-client-secret-file", &self.file];
        all.extend(["--oidc-operator-group", "referees", "--oidc-viewer-group", "staff"]);
        all.extend(more);
        all
    }
}

/// A browser that keeps cookies, and shows what it is answered.
#[derive(Default)]
struct Browser {
    cookies: BTreeMap<String, String>,
}

/// An answer to a browser.
#[derive(Debug)]
struct Shown {
    status: u16,
    location: String,
    body: String,
    head: String,
}

impl Browser {
    fn go(&mut self, host: &str, method: &str, path: &str, headers: &[(&str, &str)], form: Option<&str>) -> Shown {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        request.extend(headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")));
        if !cookies.is_empty() {
            request = format!("{request}cookie: {}\r\n", cookies.join("; "));
        }
        if let Some(form) = form {
            let kind = "application/x-www-form-urlencoded";
            request = format!("{request}content-type: {kind}\r\ncontent-length: {}\r\n", form.len());
        }
        request = format!("{request}\r\n{}", form.unwrap_or_default());
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut location = String::new();
        for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
            if name.eq_ignore_ascii_case("location") {
                value.clone_into(&mut location);
            }
            if name.eq_ignore_ascii_case("set-cookie") {
                let (name, value) = value.split(';').next().unwrap().split_once('=').unwrap();
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Shown { status, location, body: body.to_owned(), head: head.to_owned() }
    }

    fn get(&mut self, host: &str, path: &str) -> Shown {
        self.go(host, "GET", path, &[], None)
    }

    /// Signs in at the provider, and returns the path to which the provider sends the browser back.
    fn at_provider(&mut self, issuer: &str, departure: &str, person: &str) -> String {
        let host = issuer.strip_prefix("http://").unwrap();
        let mut next = departure.to_owned();
        for _ in 0..12 {
            if let Some(path) = next.strip_prefix(PUBLIC) {
                return path.to_owned();
            }
            let path = next.strip_prefix(issuer).unwrap_or(&next).to_owned();
            let shown = self.get(host, &path);
            next = match shown.status {
                200 => {
                    let asks_for_consent = shown.body.contains("value=\"consent\"");
                    let login = format!("prompt=login&login={person}&password=x");
                    let form = if asks_for_consent { "prompt=consent" } else { &login };
                    self.go(host, "POST", &path, &[], Some(form)).location
                }
                302 | 303 => shown.location,
                _ => panic!("{shown:?}"),
            };
        }
        panic!("the provider leads nowhere: {next}")
    }
}

/// A real provider.
struct Provider {
    child: Child,
    issuer: String,
}

impl Provider {
    /// Starts one. None: it is not installed.
    fn start(algorithm: &str) -> Option<Self> {
        let directory = std::env::var_os("REFEREE_OIDC").map(PathBuf::from)?;
        if !directory.join("node_modules/oidc-provider").is_dir() {
            return None;
        }
        let script = repository().join("crates/cli/tests/it/oidc_provider.mjs");
        let mut node = Command::new("node");
        node.arg(script).arg(directory).args([algorithm, &format!("{PUBLIC}/login/callback")]);
        let mut child = node.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let issuer = line.trim().to_owned();
        assert!(issuer.starts_with("http://127.0.0.1:"), "{line}");
        Some(Self { child, issuer })
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(workspace: &Workspace, secret: &Secret, issuer: &str) -> Server {
    Server::start(workspace, &secret.arguments(issuer, &["--public-url", PUBLIC]))
}

#[test]
fn people_sign_in_at_a_real_provider_and_are_what_their_groups_say() {
    for algorithm in ["RS256", "ES256"] {
        let Some(provider) = Provider::start(algorithm) else {
            skipped("node-oidc-provider is needed, in the directory that REFEREE_OIDC names (.ci/oidc)");
            return;
        };
        let (workspace, secret) = (Workspace::new(), Secret::new());
        incident(&workspace, "first", "new");
        let server = start(&workspace, &secret, &provider.issuer);
        let own = format!("http://{}", server.host);
        let headers = [("origin", own.as_str())];
        let mut operator = Browser::default();
        assert!(operator.get(&server.host, "/login").body.contains("/login/provider"));
        let departure = operator.get(&server.host, "/login/provider").location;
        let back = operator.at_provider(&provider.issuer, &departure, "ada.staff.referees");
        let arrived = operator.get(&server.host, &back);
        assert_eq!(arrived.status, 200, "{arrived:?}");
        assert!(arrived.head.contains("refresh: 0; url=/"), "{arrived:?}");
        assert_eq!(operator.get(&server.host, ALL).status, 200);
        let plan = "/incidents/first/plan";
        assert_eq!(operator.go(&server.host, "POST", plan, &headers, Some("")).status, 303);
        // The same answer counts once.
        let mut again = Browser { cookies: operator.cookies.clone() };
        assert_eq!(again.get(&server.host, &back).status, 401);
        let mut viewer = Browser::default();
        let departure = viewer.get(&server.host, "/login/provider").location;
        let back = viewer.at_provider(&provider.issuer, &departure, "eve.staff");
        assert_eq!(viewer.get(&server.host, &back).status, 200);
        assert_eq!(viewer.get(&server.host, "/incidents/first").status, 200);
        assert_eq!(viewer.go(&server.host, "POST", plan, &headers, Some("")).status, 403);
        let mut nobody = Browser::default();
        let departure = nobody.get(&server.host, "/login/provider").location;
        let back = nobody.at_provider(&provider.issuer, &departure, "mallory.others");
        let shown = nobody.get(&server.host, &back);
        assert!(shown.status == 403 && shown.body.contains("None of your groups"), "{shown:?}");
        assert_eq!(nobody.get(&server.host, ALL).status, 401);
        // Whoever signs out is out.
        assert_eq!(viewer.go(&server.host, "POST", "/logout", &headers, Some("")).status, 303);
        assert_eq!(viewer.get(&server.host, ALL).status, 401);
        let log = workspace.referee(&["serve", "audit"]).exits(0).stdout;
        for line in [
            format!("signed in 200: ada.staff.referees at {} (operator)", provider.issuer),
            format!("signed in 200: eve.staff at {} (viewer)", provider.issuer),
            format!("sign-in failed 403: mallory.others at {}", provider.issuer),
            format!("signed out 303: eve.staff at {} (viewer)", provider.issuer),
        ] {
            assert!(log.contains(&line), "{line}\n{log}");
        }
    }
}

/// A provider that gives whatever token it is told to. Its key is that of RFC 7517, A.1.
struct Forger {
    server: testkit::Server,
    token: Arc<Mutex<String>>,
}

impl Forger {
    fn start() -> Self {
        let token = Arc::new(Mutex::new(String::new()));
        let given = Arc::clone(&token);
        let server = testkit::Server::start(move |request| {
            let issuer = format!("http://{}", request.header("host").unwrap());
            let answer = match request.target.as_str() {
                "/.well-known/openid-configuration" => json!({
                    "issuer": issuer, "authorization_endpoint": format!("{issuer}/auth"),
                    "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
                }),
                "/keys" => json!({ "keys": [{
                    "kty": "EC", "crv": "P-256", "kid": "1", "use": "sig",
                    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                    "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
                }] }),
                _ => json!({ "id_token": *given.lock().unwrap(), "token_type": "Bearer" }),
            };
            testkit::Reply::json(&answer.to_string())
        });
        Self { server, token }
    }
}

/// Encodes a part of a token as base64url.
fn part(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..=three.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

#[test]
fn a_forged_token_signs_nobody_in() {
    let (workspace, secret, forger) = (Workspace::new(), Secret::new(), Forger::start());
    let issuer = forger.server.url("").trim_end_matches('/').to_owned();
    let server = start(&workspace, &secret, &issuer);
    let forged: [(&str, Value, &[u8]); 6] = [
        ("none", json!({ "alg": "none" }), b""),
        ("none by name", json!({ "alg": "none", "kid": "1" }), &[7; 64]),
        ("what everybody knows", json!({ "alg": "HS256", "kid": "1" }), &[7; 32]),
        ("a signature that is none", json!({ "alg": "ES256", "kid": "1" }), &[7; 64]),
        ("no signature", json!({ "alg": "ES256", "kid": "1" }), b""),
        ("a key that is not there", json!({ "alg": "RS256", "kid": "2" }), &[7; 256]),
    ];
    for (name, header, signature) in forged {
        let mut browser = Browser::default();
        let departure = browser.get(&server.host, "/login/provider").location;
        let parameter = |name: &str| {
            let found = departure.split(['?', '&']).find_map(|pair| pair.strip_prefix(&format!("{name}=")));
            found.unwrap_or_else(|| panic!("{departure}")).to_owned()
        };
        let claims = json!({
            "iss": issuer, "sub": "root", "aud": "referee", "exp": 4_102_444_800_u64, "iat": 1_700_000_000,
            "nonce": parameter("nonce"), "groups": ["referees"],
        });
        let parts = [part(header.to_string().as_bytes()), part(claims.to_string().as_bytes()), part(signature)];
        *forger.token.lock().unwrap() = parts.join(".");
        let shown = browser.get(&server.host, &format!("/login/callback?code=x&state={}", parameter("state")));
        assert!(shown.status == 401 && shown.body.contains("ID token"), "{name}: {shown:?}");
        assert_eq!(browser.get(&server.host, ALL).status, 401, "{name}");
    }
    // An answer that this browser never asked for.
    let mut browser = Browser::default();
    let state = |location: &str| location.split("&state=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let departure = browser.get(&server.host, "/login/provider").location;
    let mut other = Browser::default();
    let lured = other.get(&server.host, &format!("/login/callback?code=x&state={}", state(&departure)));
    assert_eq!(lured.status, 401, "{lured:?}");
    for query in ["", "?code=x", "?code=x&state=x", "?state=x&error=access_denied"] {
        assert_eq!(browser.get(&server.host, &format!("/login/callback{query}")).status, 401, "{query}");
    }
    let log = workspace.referee(&["serve", "audit", "--format", "json"]).exits(0).json();
    let events: Vec<&str> =
        log["lines"].as_array().unwrap().iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert!(events.len() == 11 && events.iter().all(|event| *event == "sign_in_failed"), "{log}");
    assert!(!log.to_string().contains(SECRET) && !log.to_string().contains("code="), "{log}");
}

#[test]
fn a_provider_that_is_gone_signs_nobody_in_and_the_token_still_does() {
    let (workspace, secret) = (Workspace::new(), Secret::new());
    let server = start(&workspace, &secret, "http://127.0.0.1:1");
    let mut browser = Browser::default();
    let shown = browser.get(&server.host, "/login/provider");
    assert!(shown.status == 503 && shown.body.contains("cannot be asked"), "{shown:?}");
    server.get(ALL).is(200);
    server.log_in();
}

#[test]
fn a_provider_is_named_whole_and_is_asked_over_https() {
    let (workspace, secret) = (Workspace::new(), Secret::new());
    let refused = |arguments: &[&str], says: &str| {
        let refused = workspace.referee(&[&["serve"], arguments].concat()).exits(2);
        assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
    };
    let listen = ["--listen", "0"];
    refused(&secret.arguments("http://login.example", &listen), "is not https");
    refused(&secret.arguments("login.example", &listen), "--oidc-issuer");
    refused(
        &secret.arguments("https://login.example", &["--listen", "0", "--public-url", "http://referee.example"]),
        "is not https",
    );
    refused(&secret.arguments("https://login.example", &["--unix", "s"]), "--listen");
    refused(&["--listen", "0", "--oidc-issuer", "https://login.example"], "--oidc-client-id");
    refused(&["--listen", "0", "--public-url", "https://referee.example"], "--oidc-issuer");
    fs::set_permissions(&secret.file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&secret.arguments("https://login.example", &listen), "chmod 600");
    let without = Workspace::new();
    let server = Server::start(&without, &[]);
    server.ask_without_token("GET", "/login/provider", &[], None).is(404);
    server.ask_without_token("GET", "/login/callback?code=x&state=x", &[], None).is(404);
}
