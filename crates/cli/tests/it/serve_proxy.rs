//! People whom a proxy signed in, and whoever says that they are such people.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use crate::served::{Server, ask_at, incident, parse, request};
use crate::support::Workspace;

const ALL: &str = "/api/errors/incidents";
const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// A file with the secret, outside of the workspace.
fn secret() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().canonicalize().unwrap().join("secret");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (directory, file)
}

fn start(workspace: &Workspace, file: &str, more: &[&str]) -> Server {
    let all = [&["--trust-proxy-user", "X-Forwarded-User", "--proxy-secret-file", file][..], more].concat();
    Server::start(workspace, &all)
}

#[test]
fn a_proxy_names_its_users_and_nobody_else_does() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let (_directory, file) = secret();
    let server = start(&workspace, &file, &[]);
    let with = |path: &str, headers: &[(&str, &str)]| server.ask_without_token("GET", path, headers, None);
    let (user, proxy) = (("x-forwarded-user", "ada"), ("x-referee-proxy-secret", SECRET));
    with(ALL, &[user, proxy]).is(200);
    with("/", &[user, proxy]).is(200);
    for forged in [
        &[user][..],
        &[user, ("x-referee-proxy-secret", "")],
        &[user, ("x-referee-proxy-secret", "0123456789abcdef0123456789abcdee")],
        &[user, proxy, proxy],
        &[user, ("x-forwarded-user", "eve"), proxy],
        &[("x-referee-proxy-secret", "wrong")],
    ] {
        with(ALL, forged).refuses(401, "auth");
        with("/", forged).is(401);
    }
    // The token does not make up for a name that is forged, and counts by itself.
    let token = format!("Bearer {}", server.token);
    with(ALL, &[user, ("authorization", &token)]).refuses(401, "auth");
    with(ALL, &[("authorization", &token)]).is(200);
    with(ALL, &[proxy, ("authorization", &token)]).is(200);
    with(ALL, &[proxy]).refuses(401, "auth");
}

#[test]
fn users_of_a_proxy_may_do_what_is_said_and_from_this_servers_pages() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let (_directory, file) = secret();
    let post = |server: &Server, origin: Option<&str>| {
        let mut headers = vec![("x-forwarded-user", "ada"), ("x-referee-proxy-secret", SECRET)];
        headers.extend(origin.map(|origin| ("origin", origin)));
        server.ask_without_token("POST", &format!("{ALL}/first/plan"), &headers, Some("{\"force\":true}"))
    };
    let server = start(&workspace, &file, &[]);
    let own = format!("http://{}", server.host);
    assert!(post(&server, Some(&own)).refuses(403, "auth").contains("viewer"));
    let server = start(&workspace, &file, &["--proxy-role", "operator"]);
    let own = format!("http://{}", server.host);
    post(&server, None).refuses(403, "auth");
    post(&server, Some("http://evil.example")).refuses(403, "auth");
    post(&server, Some(&own)).is(200);
    let lines = workspace.referee(&["serve", "audit", "--limit", "1"]).exits(0).stdout;
    assert!(lines.contains("answered 200: proxy user ada (operator)"), "{lines}");
    let log = fs::read_to_string(workspace.state().join("doors/audit.jsonl")).unwrap();
    assert!(!log.contains(SECRET), "{log}");
}

#[test]
fn whom_a_proxy_names_at_the_unix_socket_is_not_the_user_of_the_socket() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let (_directory, file) = secret();
    let socket = workspace.path("s");
    let _server = start(&workspace, &file, &["--unix", "s"]);
    let ask = |headers: &[(&str, &str)]| {
        let mut stream = UnixStream::connect(&socket).unwrap();
        let request = request("POST", &format!("{ALL}/first/plan"), "anything", headers, Some("{}"));
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        parse(&answer)
    };
    ask(&[("x-forwarded-user", "ada")]).refuses(401, "auth");
    ask(&[("x-forwarded-user", "ada"), ("x-referee-proxy-secret", SECRET)]).refuses(403, "auth");
    ask_at(&socket, ALL).is(200);
    ask(&[]).is(200);
}

#[test]
fn a_proxy_is_named_whole_or_the_server_does_not_begin() {
    let workspace = Workspace::new();
    let (_directory, file) = secret();
    let refused = |arguments: &[&str], says: &str| {
        let refused = workspace.referee(&[&["serve", "--listen", "0"], arguments].concat()).exits(2);
        assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
    };
    refused(&["--trust-proxy-user", "X-User"], "--proxy-secret-file");
    refused(&["--proxy-secret-file", &file], "--trust-proxy-user");
    refused(&["--proxy-role", "operator"], "--trust-proxy-user");
    refused(&["--trust-proxy-user", "Authorization", "--proxy-secret-file", &file], "means something else");
    refused(&["--trust-proxy-user", "a b", "--proxy-secret-file", &file], "names no header");
    workspace.write("secret", SECRET);
    fs::set_permissions(workspace.path("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    refused(&["--trust-proxy-user", "X-User", "--proxy-secret-file", "secret"], "is in the workspace");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&["--trust-proxy-user", "X-User", "--proxy-secret-file", &file], "chmod 600");
    fs::write(&file, "short").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    refused(&["--trust-proxy-user", "X-User", "--proxy-secret-file", &file], "16 characters");
}
