//! The audit log of a server of a fleet, in the depot: each server creates its own lines, each of them once. Every line is
//! authenticated by the key that the servers share, so that whoever may write to the depot can destroy lines and forge none.

use std::sync::{Mutex, PoisonError};

use referee_engine::depot::DepotClient;
use referee_model::audit::{AuditFault, AuditLine, AuditListDocument, KIND};
use referee_model::id::{Digest, ServerName};

use crate::audit_sink::AuditSink;
use crate::session_key::{Purpose, SessionKey};

/// The log of a server, as far as it was written.
struct Log {
    server: ServerName,
    lines: u64,
    previous: Option<Digest>,
}

/// Returns what writes lines to the depot. After a line that could not be written, another log begins: nobody knows
/// whether the depot has the line.
pub fn sink(
    depot: DepotClient,
    key: SessionKey,
    name: impl Fn() -> Result<ServerName, String> + Send + Sync + 'static,
) -> AuditSink {
    let log: Mutex<Option<Log>> = Mutex::new(None);
    Box::new(move |line| {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let mut current = match log.take() {
            Some(current) => current,
            None => Log { server: name()?, lines: 0, previous: None },
        };
        current.lines += 1;
        let line = AuditLine { sequence: current.lines, previous: current.previous, ..line.clone() };
        let text = KIND.encode_line(&line).map_err(|error| error.to_string())?;
        depot
            .put_audit(&current.server, current.lines, entry(&key, &current.server, &text))
            .map_err(|error| error.message)?;
        current.previous = Some(Digest::of(text.trim_ascii_end()));
        *log = Some(current);
        Ok(())
    })
}

/// Returns a line with what authenticates it.
fn entry(key: &SessionKey, server: &ServerName, text: &[u8]) -> String {
    format!("{}{}\n", String::from_utf8_lossy(text), key.tag(Purpose::Audit, &content(server, text)))
}

/// Reads the log of a server: hands out the lines that a server wrote, up to the first that is wrong or missing.
pub fn read(key: &SessionKey, server: &ServerName, entries: &[String]) -> AuditListDocument {
    let mut list = AuditListDocument { total: entries.len() as u64, ..AuditListDocument::default() };
    let mut previous = None;
    for (number, entry) in (1_u64..).zip(entries) {
        match line(key, server, entry, (number, previous)) {
            Ok((line, digest)) => {
                list.lines.push(line);
                previous = Some(digest);
            }
            Err(reason) => {
                list.fault = Some(AuditFault { line: number, reason: reason.to_owned() });
                break;
            }
        }
    }
    list
}

/// Reads an entry, which has to be that of a number, after a line with a digest.
fn line(
    key: &SessionKey,
    server: &ServerName,
    entry: &str,
    (number, previous): (u64, Option<Digest>),
) -> Result<(AuditLine, Digest), &'static str> {
    let parts = entry.strip_suffix('\n').and_then(|entry| entry.split_once('\n'));
    let (text, tag) = parts.ok_or("it is no line of this log")?;
    let text = format!("{text}\n").into_bytes();
    if !key.is_tag(Purpose::Audit, &content(server, &text), tag) {
        return Err("no server with this session key wrote it");
    }
    let line: AuditLine = KIND.decode(&text).map_err(|_| "it is no line of this log")?;
    if line.sequence != number {
        return Err("a line before it was removed");
    }
    if line.previous != previous {
        return Err("it does not follow from the line before, which was changed, moved or removed");
    }
    Ok((line, Digest::of(text.trim_ascii_end())))
}

/// Returns what is authenticated of a line: it is one of this log.
fn content(server: &ServerName, text: &[u8]) -> Vec<u8> {
    [server.as_str().as_bytes(), b"\n", text].concat()
}

#[cfg(test)]
mod tests {
    use referee_model::access::Actor;
    use referee_model::audit::AuditEvent;
    use referee_model::time::Timestamp;

    use super::*;

    fn key(byte: u8) -> SessionKey {
        SessionKey::new(&[byte; 32]).unwrap()
    }

    fn log(key: &SessionKey, server: &ServerName, lines: u64) -> Vec<String> {
        let mut previous = None;
        let lines = (1..=lines).map(|sequence| {
            let line = AuditLine {
                sequence,
                at: Timestamp::from_millisecond(0),
                event: AuditEvent::Begun,
                request: "00".to_owned(),
                who: Actor::ServerToken,
                role: None,
                method: "POST".to_owned(),
                route: "/logout".to_owned(),
                subject: None,
                status: None,
                omitted: 0,
                previous,
            };
            let text = KIND.encode_line(&line).unwrap();
            previous = Some(Digest::of(text.trim_ascii_end()));
            entry(key, server, &text)
        });
        lines.collect()
    }

    /// Something that is done to a log.
    type Change<'log> = &'log dyn Fn(&mut Vec<String>);

    #[test]
    fn a_log_is_read_up_to_the_first_line_that_no_server_wrote_there() {
        let (key, server) = (key(1), ServerName::parse("web.1").unwrap());
        let whole = log(&key, &server, 4);
        let read = |entries: &[String]| read(&key, &server, entries);
        assert_eq!((read(&whole).lines.len(), read(&whole).fault), (4, None));
        let other = ServerName::parse("web.2").unwrap();
        let changes: [(&str, Change<'_>); 6] = [
            ("changed", &|entries| entries[1] = entries[1].replace("POST", "GET")),
            ("removed", &|entries| drop(entries.remove(1))),
            ("moved", &|entries| entries.swap(1, 2)),
            ("of another key", &|entries| entries[1] = log(&self::key(2), &server, 2).remove(1)),
            ("of another server", &|entries| entries[1] = log(&key, &other, 2).remove(1)),
            ("junk", &|entries| entries[1] = "junk".to_owned()),
        ];
        for (what, change) in changes {
            let mut entries = whole.clone();
            change(&mut entries);
            let list = read(&entries);
            assert_eq!((list.lines.len(), list.fault.map(|fault| fault.line)), (1, Some(2)), "{what}");
        }
    }
}
