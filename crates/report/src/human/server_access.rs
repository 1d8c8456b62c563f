//! Who may use the server of `referee serve`, for people.

use std::io::{self, Write};

use referee_model::access::{Actor, Role, TokenList};
use referee_model::audit::{AuditEvent, AuditListDocument, FleetAuditDocument, ServerAudit};
use referee_model::time::Timestamp;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column after the role.
const ROLE: usize = 10;

/// Writes one line for each token.
pub fn tokens(list: &TokenList, now: Timestamp, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if list.tokens.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "no tokens"));
    }
    for token in &list.tokens {
        let tone = match token.role {
            Role::Viewer => Tone::Plain,
            Role::Operator => Tone::Strong,
        };
        let end = match token.until {
            Some(until) if token.is_over(now) => format!("expired {until}"),
            Some(until) => format!("until {until}"),
            None => "without an end".to_owned(),
        };
        let line = Line::new().then(tone, token.role.as_str()).padded_to(ROLE).then(Tone::Plain, &token.name);
        page.line(line.then(Tone::Faint, &format!(", created {}, {end}", token.created)))?;
    }
    Ok(())
}

/// Writes one line for each line of the audit log.
pub fn audit(list: &AuditListDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for line in &list.lines {
        let tone = match line.event {
            AuditEvent::Refused | AuditEvent::SignInFailed => Tone::Warning,
            AuditEvent::Begun | AuditEvent::Answered | AuditEvent::SignedIn | AuditEvent::SignedOut => Tone::Plain,
        };
        let status = line.status.map(|status| format!(" {status}")).unwrap_or_default();
        let subject = line.subject.as_ref().map(|subject| format!(" {subject}")).unwrap_or_default();
        let omitted = match line.omitted {
            0 => String::new(),
            omitted => format!(" ({omitted} refused requests before it have no line)"),
        };
        let at = Line::new().then(Tone::Faint, &line.at.to_string()).word(tone, line.event.as_str());
        let role = line.role.map(|role| format!(" ({})", role.as_str())).unwrap_or_default();
        let what = format!("{status}: {}{role}, {} {}{subject}{omitted}", who(&line.who), line.method, line.route);
        page.line(at.then(Tone::Plain, &what))?;
    }
    Ok(())
}

/// Writes the audit log of each server of a fleet below its name.
pub fn fleet_audit(document: &FleetAuditDocument, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for ServerAudit { server, log } in &document.servers {
        Page::new(*style, out).line(Line::new().then(Tone::Strong, server.as_str()))?;
        audit(log, style, out)?;
    }
    Ok(())
}

/// Returns who made a request, in words.
fn who(actor: &Actor) -> String {
    match actor {
        Actor::Unknown => "unknown".to_owned(),
        Actor::UnixUser { id } => format!("user {id}"),
        Actor::ServerToken => "server token".to_owned(),
        Actor::Token { name } => format!("token {name}"),
        Actor::ProxyUser { name } => format!("proxy user {name}"),
        Actor::Person { issuer, subject } => format!("{subject} at {issuer}"),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::access::TokenRecord;
    use referee_model::audit::AuditLine;
    use referee_model::id::Digest;

    use super::*;
    use crate::style::Verbosity;

    #[test]
    fn a_token_is_a_line_that_says_its_role_and_its_end() {
        let at = |second: i64| Timestamp::from_millisecond(second * 1_000);
        let token = |name: &str, role, until| TokenRecord {
            name: name.to_owned(),
            sha256: Digest::of(name),
            role,
            created: at(0),
            until,
        };
        let tokens = vec![
            token("ci", Role::Operator, None),
            token("board", Role::Viewer, Some(at(10))),
            token("old", Role::Viewer, Some(at(5))),
        ];
        let style =
            Style { color: false, unicode: false, width: 120, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        super::tokens(&TokenList { tokens }, at(5), &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "operator  ci, created 1970-01-01T00:00:00.000Z, without an end\n\
             viewer    board, created 1970-01-01T00:00:00.000Z, until 1970-01-01T00:00:10.000Z\n\
             viewer    old, created 1970-01-01T00:00:00.000Z, expired 1970-01-01T00:00:05.000Z\n"
        );
    }

    #[test]
    fn a_line_says_who_did_what_and_no_text_of_theirs_moves_the_cursor() {
        let line = AuditLine {
            sequence: 1,
            at: Timestamp::from_millisecond(0),
            event: AuditEvent::Answered,
            request: "00".to_owned(),
            who: Actor::ProxyUser { name: "ada\u{1b}[2J".to_owned() },
            role: Some(Role::Viewer),
            method: "POST".to_owned(),
            route: "/x/{id}".to_owned(),
            subject: Some("inc_1".to_owned()),
            status: Some(200),
            omitted: 0,
            previous: None,
        };
        let unknown = AuditLine {
            event: AuditEvent::SignInFailed,
            who: Actor::Unknown,
            role: None,
            subject: None,
            status: None,
            omitted: 3,
            ..line.clone()
        };
        let list = AuditListDocument { total: 2, fault: None, lines: vec![line, unknown] };
        let style =
            Style { color: false, unicode: false, width: 200, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        audit(&list, &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains('\u{1b}'), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("1970-01-01T00:00:00.000Z answered 200: proxy user ada"), "{text}");
        assert!(lines[0].ends_with("(viewer), POST /x/{id} inc_1"), "{text}");
        assert_eq!(
            lines[1],
            "1970-01-01T00:00:00.000Z sign-in failed: unknown, POST /x/{id} (3 refused requests before it have no line)"
        );
    }
}
