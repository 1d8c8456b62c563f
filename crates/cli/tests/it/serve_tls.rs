//! TLS of the server: what is spoken, what browsers are told, and what is no certificate or no key.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use referee_testkit::client::{TlsVersion, exchange};
use referee_testkit::server::Certificate;

use crate::served::{Reply, Server, parse, request};
use crate::support::Workspace;

const ALL: &str = "/api/errors/incidents";

/// Certificate and key, outside of the workspace.
struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn of(certificate: Certificate) -> Self {
        let files = Self { directory: tempfile::tempdir().unwrap() };
        let (chain, key) = certificate.pair();
        files.write("server.pem", chain, 0o644);
        files.write("server.key", key, 0o600);
        files
    }

    fn write(&self, name: &str, content: &str, mode: u32) {
        fs::write(self.path(name), content).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn arguments(&self) -> Vec<String> {
        let path = |name| self.path(name).to_str().unwrap().to_owned();
        ["--tls-cert", &path("server.pem"), "--tls-key", &path("server.key")].map(str::to_owned).to_vec()
    }
}

fn start(workspace: &Workspace, files: &Files, more: &[&str]) -> Server {
    let arguments = files.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(more.iter().copied()).collect();
    Server::start(workspace, &arguments)
}

fn ask(
    server: &Server,
    version: TlsVersion,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Reply {
    let request = request(method, path, &server.host, headers, body);
    let trusted = Certificate::Issued.trusted_by();
    parse(&exchange(&server.host, "localhost", trusted, version, request.as_bytes()).unwrap())
}

#[test]
fn the_server_speaks_tls_and_nothing_else() {
    let (workspace, files) = (Workspace::new(), Files::of(Certificate::Issued));
    let server = start(&workspace, &files, &[]);
    assert!(server.announced["address"].as_str().unwrap().starts_with("https://127.0.0.1:"), "{}", server.announced);
    let bearer = format!("Bearer {}", server.token);
    for version in [TlsVersion::V12, TlsVersion::V13] {
        ask(&server, version, "GET", "/api/health", &[], None).is(200);
        let reply = ask(&server, version, "GET", ALL, &[("authorization", &bearer)], None).is(200);
        assert!(!reply.headers.contains_key("strict-transport-security"), "on this machine: {reply:?}");
        ask(&server, version, "GET", ALL, &[], None).refuses(401, "auth");
    }
    // Without TLS nothing is answered.
    let mut plain = TcpStream::connect(&server.host).unwrap();
    plain.write_all(request("GET", "/api/health", &server.host, &[], None).as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&answer));
    // A client that trusts another authority goes away.
    let other = Certificate::SelfSigned.trusted_by();
    assert!(exchange(&server.host, "localhost", other, TlsVersion::V13, b"GET / HTTP/1.1\r\n\r\n").is_err());
    let (status, said) = server.stop();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn clients_that_do_not_shake_hands_keep_nobody_out() {
    let (workspace, files) = (Workspace::new(), Files::of(Certificate::Issued));
    let server = start(&workspace, &files, &[]);
    let silent: Vec<TcpStream> = (0..64).map(|_| server.connect()).collect();
    ask(&server, TlsVersion::V13, "GET", "/api/health", &[], None).is(200);
    // Neither do they keep the server from ending.
    assert_eq!(server.stop().0.code(), Some(0));
    drop(silent);
}

#[test]
fn a_browsers_cookie_is_sent_by_tls_alone_and_to_this_host() {
    let (workspace, files) = (Workspace::new(), Files::of(Certificate::Issued));
    let server = start(&workspace, &files, &[]);
    let ask = |method: &str, path: &str, headers: &[(&str, &str)], body| {
        ask(&server, TlsVersion::V13, method, path, headers, body)
    };
    let reply = ask("GET", &format!("/login?token={}", server.token), &[], None).is(303);
    let cookie = reply.headers["set-cookie"].clone();
    assert!(cookie.starts_with("__Host-referee_session_"), "{cookie}");
    for attribute in ["; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/;"] {
        assert!(cookie.contains(attribute) && !cookie.contains("Domain"), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    ask("GET", ALL, &[("cookie", cookie)], None).is(200);
    // A page without TLS is another origin.
    let origin = |scheme: &str| format!("{scheme}://{}", server.host);
    let archive = format!("{ALL}/none/reject");
    let with =
        |origin: &str| ask("POST", &archive, &[("cookie", cookie), ("origin", origin)], Some("{\"reason\":\"x\"}"));
    with(&origin("http")).refuses(403, "auth");
    with(&origin("https")).is(404);
    // The name without the prefix is none.
    ask("GET", ALL, &[("cookie", cookie.trim_start_matches("__Host-"))], None).refuses(401, "auth");
}

#[test]
fn browsers_elsewhere_are_told_to_come_by_tls_alone() {
    let (workspace, files) = (Workspace::new(), Files::of(Certificate::Issued));
    files.write("token", "0123456789abcdef0123456789abcdef", 0o600);
    let token = files.path("token");
    let server = start(&workspace, &files, &["--allow-non-loopback", "--token-file", token.to_str().unwrap()]);
    let reply = ask(&server, TlsVersion::V13, "GET", "/login", &[], None).is(200);
    assert_eq!(reply.headers["strict-transport-security"], "max-age=31536000");
}

#[test]
fn a_certificate_or_a_key_that_is_none_ends_the_server_before_it_listens() {
    let workspace = Workspace::new();
    let refused = |files: &Files, says: &str| {
        let arguments = files.arguments();
        let all: Vec<&str> =
            ["serve", "--listen", "0"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let refused = workspace.referee(&all).exits(2);
        assert!(refused.stderr.contains(says) && refused.stdout.is_empty(), "{says}: {}", refused.stderr);
        assert!(!refused.stderr.contains("PRIVATE KEY"), "{}", refused.stderr);
    };
    let (chain, key) = Certificate::Issued.pair();
    let changed = |name: &str, content: &str, mode: u32| {
        let files = Files::of(Certificate::Issued);
        files.write(name, content, mode);
        files
    };
    refused(&changed("server.pem", "", 0o644), "--tls-cert");
    refused(&changed("server.pem", "junk", 0o644), "no certificate as PEM");
    refused(&changed("server.pem", &chain[..chain.len() / 2], 0o644), "--tls-cert");
    refused(&changed("server.key", "junk", 0o600), "no private key as PEM");
    refused(&changed("server.key", &key[..key.len() / 2], 0o600), "--tls-key");
    refused(&changed("server.key", Certificate::SelfSigned.pair().1, 0o600), "cannot be used together");
    refused(&changed("server.key", key, 0o640), "chmod 600");
    let gone = Files::of(Certificate::Issued);
    fs::remove_file(gone.path("server.pem")).unwrap();
    refused(&gone, "server.pem");
    let linked = Files::of(Certificate::Issued);
    fs::rename(linked.path("server.key"), linked.path("other")).unwrap();
    std::os::unix::fs::symlink(linked.path("other"), linked.path("server.key")).unwrap();
    refused(&linked, "server.key");
    // The key where agents write; one without the other; at a Unix socket.
    workspace.write("server.key", key);
    fs::set_permissions(workspace.path("server.key"), fs::Permissions::from_mode(0o600)).unwrap();
    let files = Files::of(Certificate::Issued);
    let certificate = files.path("server.pem");
    let certificate = certificate.to_str().unwrap();
    let inside = ["serve", "--listen", "0", "--tls-cert", certificate, "--tls-key", "server.key"];
    assert!(workspace.referee(&inside).exits(2).stderr.contains("is in the workspace"));
    workspace.referee(&["serve", "--listen", "0", "--tls-cert", certificate]).exits(2);
    let arguments = files.arguments();
    let unix: Vec<&str> = ["serve", "--unix", "s"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    assert!(workspace.referee(&unix).exits(2).stderr.contains("--listen"));
}
