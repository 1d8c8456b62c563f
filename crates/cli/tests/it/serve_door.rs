//! Who is let in to the server, and what it bears.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;

use crate::served::{Server, ask_at, incident, request, until_hung_up};
use crate::support::Workspace;

const ALL: &str = "/api/errors/incidents";

#[test]
fn nobody_is_let_in_without_the_token() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    let with = |headers: &[(&str, &str)]| server.ask_without_token("GET", ALL, headers, None);
    let reply = with(&[]);
    assert!(reply.headers["www-authenticate"].starts_with("Bearer"));
    reply.refuses(401, "auth");
    let part = &server.token[1..];
    for wrong in
        ["Bearer x", "Bearer", "", "Basic dTpw", part, &format!("Bearer {part}"), &format!("Token {}", server.token)]
    {
        with(&[("authorization", wrong)]).refuses(401, "auth");
    }
    with(&[("cookie", &format!("referee_session={}", server.token))]).refuses(401, "auth");
    server.ask_without_token("GET", &format!("{ALL}?token={}", server.token), &[], None).refuses(401, "auth");
    server.ask_without_token("POST", &format!("{ALL}/first/plan"), &[], Some("{}")).refuses(401, "auth");
    assert_eq!(server.ask_without_token("GET", "/api/health", &[], None).is(200).json()["status"], "ok");
    assert_eq!(server.ask_without_token("GET", "/", &[], None).is(303).headers["location"], "/login");
    let (status, said) = server.stop();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_browser_that_is_logged_in_changes_something_only_from_this_servers_own_pages() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let server = Server::start(&workspace, &[]);
    server.ask_without_token("GET", "/login", &[], None).is(200);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    server.ask_without_token("POST", "/login", &form, Some("token=wrong")).is(401);
    let foreign = [form[0], ("origin", "http://evil.example")];
    let right = format!("token={}", server.token);
    server.ask_without_token("POST", "/login", &foreign, Some(&right)).refuses(403, "auth");
    server.ask_without_token("POST", "/login", &form, Some(&right)).is(303);
    let cookie = server.log_in();
    let with = |method: &str, path: &str, more: &[(&str, &str)]| {
        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(more);
        server.ask_without_token(method, path, &headers, (method == "POST").then_some("{}"))
    };
    with("GET", ALL, &[]).is(200);
    let archive = &format!("{ALL}/none/reject");
    let own = format!("http://{}", server.host);
    for foreign in [
        vec![],
        vec![("origin", "http://evil.example")],
        vec![("origin", "null")],
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
    ] {
        with("POST", archive, &foreign).refuses(403, "auth");
    }
    for same in [("origin", own.as_str()), ("sec-fetch-site", "same-origin")] {
        let status = with("POST", archive, &[same]).status;
        assert!(status != 401 && status != 403, "{status}");
    }
    with("POST", "/logout", &[("origin", &own)]).is(303);
    with("GET", ALL, &[]).refuses(401, "auth");
}

// DNS rebinding: a name of somebody else's that leads to this machine.
#[test]
fn a_request_for_another_name_is_refused() {
    let server = Server::start(&Workspace::new(), &["--host-name", "Referee.Test"]);
    let port = server.host.rsplit_once(':').unwrap().1.to_owned();
    let named = |host: &str| server.raw(request("GET", "/api/health", host, &[], None).as_bytes());
    for ours in [&server.host, "localhost", &format!("LOCALHOST:{port}"), "[::1]:80", "referee.test", "127.0.0.2"] {
        named(ours).is(200);
    }
    for other in
        ["evil.example", &format!("evil.example:{port}"), "localhost.evil.example", "10.0.0.1", "", "127.0.0.1.evil"]
    {
        named(other).refuses(421, "auth");
    }
    let head = |lines: &str| server.raw(format!("{lines}connection: close\r\n\r\n").as_bytes());
    head("GET /api/health HTTP/1.1\r\n").refuses(400, "validation");
    let host = &server.host;
    head(&format!("GET http://evil.example/api/health HTTP/1.1\r\nhost: {host}\r\n")).refuses(421, "auth");
    head(&format!("GET /api/health HTTP/1.1\r\nhost: {host}\r\nhost: evil.example\r\n")).refuses(421, "auth");
}

#[test]
fn a_body_that_is_too_large_or_ends_early_is_refused_and_the_server_goes_on() {
    let server = Server::start(&Workspace::new(), &[]);
    let huge = format!(r#"{{"log":"{}"}}"#, "x".repeat(1024 * 1024));
    server.post(ALL, &huge).refuses(413, "validation");
    let head = |more: &str| {
        let token = &server.token;
        format!(
            "POST {ALL} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n{more}\r\n",
            server.host
        )
    };
    // It says that it is huge, and sends nothing.
    let told =
        until_hung_up(server.connect(), head("content-length: 99999999999\r\nconnection: close\r\n").as_bytes(), false);
    assert!(told.starts_with("HTTP/1.1 413 "), "{told}");
    // It does not say how much it is.
    let chunk = format!("{:x}\r\n{}\r\n", 512 * 1024, "x".repeat(512 * 1024));
    let chunked = head("transfer-encoding: chunked\r\nconnection: close\r\n") + &chunk.repeat(3) + "0\r\n\r\n";
    server.raw(chunked.as_bytes()).refuses(413, "validation");
    // It ends before its end.
    let told = until_hung_up(server.connect(), (head("content-length: 100\r\n") + "{\"step\":").as_bytes(), true);
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 400 "), "{told}");
    // Its head never ends: the server hangs up.
    let told = until_hung_up(server.connect(), b"GET /api/health HTTP/1.1\r\nhost: x\r\nx-a: ", false);
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 4"), "{told}");
    server.get("/api/health").is(200);
}

#[test]
fn a_unix_socket_is_its_users_alone_needs_no_token_and_is_cleared_away() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let socket = workspace.path("s");
    let server = Server::start(&workspace, &["--unix", "s"]);
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(server.announced["unix"], socket.to_str().unwrap());
    assert_eq!(ask_at(&socket, ALL).is(200).json()["counts"]["unresolved"], 1);
    // Somebody listens there: nobody takes it over.
    let refused = workspace.referee(&["serve", "--unix", "s"]).exits(1);
    assert!(refused.stderr.contains("another process listens there"), "{}", refused.stderr);
    ask_at(&socket, "/api/health").is(200);
    // One that was killed cleared nothing away, and the next one does.
    server.kill();
    assert!(socket.exists());
    let server = Server::start(&workspace, &["--unix", "s"]);
    ask_at(&socket, ALL).is(200);
    assert_eq!(server.stop().0.code(), Some(0));
    assert!(!socket.exists());
    workspace.write("file", "precious");
    workspace.referee(&["serve", "--unix", "file"]).exits(1);
    assert_eq!(std::fs::read(workspace.path("file")).unwrap(), b"precious");
}

#[test]
fn two_servers_of_one_root_see_the_same_and_share_one_token() {
    let workspace = Workspace::new();
    incident(&workspace, "first", "new");
    let (one, other) = (Server::start(&workspace, &[]), Server::start(&workspace, &[]));
    assert_eq!(one.token, other.token);
    assert_eq!(one.get(ALL).is(200).json(), other.get(ALL).is(200).json());
    // A browser that one let in is not let in by the other.
    let cookie = one.log_in();
    other.ask_without_token("GET", ALL, &[("cookie", &cookie)], None).refuses(401, "auth");
    let port = one.host.rsplit_once(':').unwrap().1;
    let taken = workspace.referee(&["serve", "--listen", port]).exits(1);
    assert!(taken.stderr.contains("--listen"), "{}", taken.stderr);
}

#[test]
fn it_stops_when_it_is_told_to_and_whoever_follows_sees_the_end() {
    // Under `nohup` a SIGHUP stays ignored in all that is started, as is wanted there.
    let hangs_up = (!hangups_are_ignored()).then_some(Signal::HUP);
    for signal in [Signal::INT, Signal::TERM].into_iter().chain(hangs_up) {
        let server = Server::start(&Workspace::new(), &[]);
        let mut stream = server.connect();
        let token = format!("Bearer {}", server.token);
        let follow = request("GET", "/api/events", &server.host, &[("authorization", &token)], None);
        stream.write_all(follow.as_bytes()).unwrap();
        let mut told = Vec::new();
        let mut bytes = [0; 1024];
        while !String::from_utf8_lossy(&told).contains("retry:") {
            let read = stream.read(&mut bytes).unwrap();
            assert!(read > 0, "{}", String::from_utf8_lossy(&told));
            told.extend_from_slice(&bytes[..read]);
        }
        assert!(String::from_utf8_lossy(&told).contains("text/event-stream"));
        server.signal(signal);
        stream.read_to_end(&mut told).unwrap();
        // The last chunk: the stream came to its end, and was not cut off.
        assert!(told.ends_with(b"0\r\n\r\n"), "{}", String::from_utf8_lossy(&told));
        let mut server = server;
        assert_eq!(server.ended().code(), Some(0));
    }
}

fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 != 0
}

#[test]
fn it_is_reached_from_elsewhere_only_where_that_is_meant_and_with_a_token_of_ones_own() {
    let workspace = Workspace::new();
    let outside = tempfile::tempdir().unwrap();
    let token = |name: &str| outside.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned();
    let (file, none) = (token("token"), token("none"));
    std::fs::write(&file, "0123456789abcdef0123456789abcdef\n").unwrap();
    let refused = |arguments: &[&str], says: &str| {
        let mut all = vec!["serve"];
        all.extend(arguments);
        let refused = workspace.referee(&all).exits(2);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    };
    refused(&["--listen", "0.0.0.0:0"], "--allow-non-loopback");
    refused(&["--listen", "0.0.0.0:0", "--allow-non-loopback"], "--token-file");
    refused(&["--listen", "[::ffff:10.0.0.1]:0"], "--allow-non-loopback");
    refused(&["--listen", "nowhere"], "nowhere");
    refused(&["--listen", "0", "--token-file", &file], "chmod 600");
    refused(&["--listen", "0", "--token-file", &none], "none");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    // In the workspace, by a link in it, and by a link that leads into it.
    std::fs::copy(&file, workspace.path("token")).unwrap();
    std::os::unix::fs::symlink(&file, workspace.path("link")).unwrap();
    std::os::unix::fs::symlink(workspace.path("token"), token("into")).unwrap();
    for inside in ["token", "./sub/../token", "link", &token("into")] {
        refused(&["--listen", "0", "--token-file", inside], "is in the workspace");
    }
    let server = Server::start(&workspace, &["--token-file", &file]);
    assert_eq!(server.token, "0123456789abcdef0123456789abcdef");
    server.get(ALL).is(200);
}

#[test]
fn a_token_of_the_environment_is_never_shown() {
    let workspace = Workspace::new();
    let token = "Zq81Lm20Zq81Lm20Zq81Lm20";
    let mut command = workspace.command(&["serve", "--listen", "0"]);
    let mut child = command.env("REFEREE_TOKEN", token).spawn().unwrap();
    let mut line = [0; 400];
    let read = child.stdout.as_mut().unwrap().read(&mut line).unwrap();
    let line = String::from_utf8_lossy(&line[..read]).into_owned();
    assert!(line.contains("http://127.0.0.1:") && line.contains("REFEREE_TOKEN") && !line.contains(token), "{line}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    let finished = crate::support::finish(child).exits(0);
    assert!(!finished.stderr.contains(token) && !workspace.state().join("doors/token").exists());
    let mut command = workspace.command(&["serve", "--listen", "0"]);
    crate::support::finish(command.env("REFEREE_TOKEN", "short").spawn().unwrap()).exits(2);
}
