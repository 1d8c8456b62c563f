//! Whether somebody listens at a port, found by a connection to it, and who does from the program `lsof`, which every Mac
//! has.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use referee_model::record::service::PortHolder;

use super::Listeners;
use crate::own::Own;
use crate::process_table::{self, COMMAND_CHARACTERS};

/// Time within which this machine answers itself.
const BOUND: Duration = Duration::from_secs(1);

/// Places of `lsof`, on macOS and on Linux.
const LSOF: [&str; 2] = ["/usr/sbin/lsof", "/usr/bin/lsof"];

/// Time within which `lsof` answers.
const LSOF_BOUND: Duration = Duration::from_secs(5);

/// Finds whether processes listen at a port, and, where `lsof` works, those of this user, with `is_own` called for each of
/// them.
pub(crate) fn check(port: u16, is_own: &dyn Fn(u32) -> bool) -> Listeners {
    if !is_answered(port) {
        return Listeners { port, in_use: false, holders: Some(Vec::new()) };
    }
    let holders = lsof().and_then(|lsof| ask(lsof, port)).map(|found| {
        let holder = |(pid, name)| PortHolder { pid, name, command: command(pid), own: is_own(pid) };
        found.into_iter().map(holder).collect()
    });
    Listeners { port, in_use: true, holders }
}

fn is_answered(port: u16) -> bool {
    let answers = |address: IpAddr| {
        let stream = TcpStream::connect_timeout(&SocketAddr::new(address, port), BOUND);
        // Where nobody listens, a connection may by chance begin at the very port that it leads to.
        stream.is_ok_and(|stream| stream.local_addr().ok() != stream.peer_addr().ok())
    };
    answers(Ipv4Addr::LOCALHOST.into()) || answers(Ipv6Addr::LOCALHOST.into())
}

/// Returns the `lsof` of this machine. None: there is none, or it does not even find this process, so that what it does
/// not find says nothing.
fn lsof() -> Option<&'static Path> {
    static WORKING: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
        let port = listener.local_addr().ok()?.port();
        let finds_itself =
            |lsof: &Path| ask(lsof, port).is_some_and(|found| found.iter().any(|(pid, _)| *pid == std::process::id()));
        LSOF.into_iter().map(PathBuf::from).find(|lsof| finds_itself(lsof))
    };
    WORKING.get_or_init(find).as_deref()
}

/// Asks `lsof` for the processes that listen at a port, with their names. None: it did not answer.
fn ask(lsof: &Path, port: u16) -> Option<Vec<(u32, String)>> {
    let own = Own { program: lsof.to_owned(), directory: PathBuf::from("/"), environment: vec![] };
    let port = format!("-iTCP:{port}");
    let ended = own.run(&["-nP", "-w", "+c", "0", &port, "-sTCP:LISTEN", "-F", "pc"], LSOF_BOUND).ok()?;
    // Exit code 1 says that there is no such process, too.
    matches!(ended.code, Some(0 | 1)).then(|| parse(&ended.output))
}

/// Parses the output of `lsof -F pc`: lines of one field each, which begins with its letter.
fn parse(output: &str) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for line in output.lines() {
        if let Some(pid) = line.strip_prefix('p').and_then(|pid| pid.parse().ok()) {
            found.push((pid, String::new()));
        } else if let (Some(name), Some((_, named))) = (line.strip_prefix('c'), found.last_mut()) {
            *named = name.chars().take(COMMAND_CHARACTERS).collect();
        }
    }
    found
}

fn command(pid: u32) -> String {
    let words = i32::try_from(pid).ok().and_then(process_table::command_line).unwrap_or_default();
    let text = String::from_utf8_lossy(&words).replace('\0', " ");
    text.trim_end().chars().take(COMMAND_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_read_with_their_names_whatever_else_is_printed() {
        let output = "p12\ncpython3.11\nf3\nf4\np13\nf3\np14\ncnode server\nf9\n";
        let named = |pid, name: &str| (pid, name.to_owned());
        assert_eq!(parse(output), [named(12, "python3.11"), named(13, ""), named(14, "node server")]);
        for junk in ["", "cname\n", "px\nf1\n", "lsof: status error\n"] {
            assert_eq!(parse(junk), [], "{junk}");
        }
    }

    #[test]
    fn a_program_that_does_not_answer_tells_nothing() {
        assert_eq!(ask(Path::new("/nowhere/lsof"), 1), None);
    }
}
