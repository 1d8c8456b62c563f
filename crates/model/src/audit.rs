//! A line of the audit log of `referee serve`: who did what, and who tried. Every line holds the digest of the line
//! before it, so that no line can be changed or removed unnoticed. A line holds no secret, and nothing of a body.

use serde::{Deserialize, Serialize};

use crate::access::{Actor, Role};
use crate::document::Kind;
use crate::id::{Digest, ServerName};
use crate::time::Timestamp;

/// Format of one line.
pub const KIND: Kind = Kind { name: "a line of audit.jsonl", key: "audit_version", version: "1.0.0" };

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Number of the line, from 1.
    pub sequence: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What happened.
    pub event: AuditEvent,
    /// Random name of the request, which its lines share.
    pub request: String,
    /// Who asked.
    pub who: Actor,
    /// What that caller may do. None: the caller proved nothing.
    pub role: Option<Role>,
    /// Method of the request.
    pub method: String,
    /// Path of the route, with its parameters in braces. Empty: no route has the path.
    pub route: String,
    /// Id of the incident or run that the request is about. None: it names none.
    pub subject: Option<String>,
    /// Status of the answer. None: there is no answer yet.
    pub status: Option<u16>,
    /// Number of refused requests since the line before that have no line of their own, because too many came.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted: u64,
    /// SHA-256 of the previous line, without its line terminator. Left out in the first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Digest>,
}

words! {
    /// What happened, as a line of the audit log says.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum AuditEvent {
        /// A request that may change something was let in, and is carried out from now on.
        Begun = "begun",
        /// Such a request was answered. Where this line is missing, the request may have been carried out.
        Answered = "answered",
        /// A request that may change something was refused before anything was done.
        Refused = "refused",
        /// Somebody signed in.
        SignedIn = "signed in",
        /// Somebody could not sign in.
        SignInFailed = "sign-in failed",
        /// Somebody signed out.
        SignedOut = "signed out",
    }
}

/// Lines of the audit log, and whether the log is whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditListDocument {
    /// Number of lines in the log.
    pub total: u64,
    /// What is wrong with the log. None: nothing.
    pub fault: Option<AuditFault>,
    /// The last lines, in order.
    pub lines: Vec<AuditLine>,
}

/// Format of a list of lines.
pub const LIST: Kind = Kind { name: "a list of the audit log", key: "audit_list_version", version: "1.0.0" };

/// The audit logs of all servers of a fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetAuditDocument {
    /// By the name of the server.
    pub servers: Vec<ServerAudit>,
}

/// The audit log of a server of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerAudit {
    /// Name of the server, which a start gives it.
    pub server: ServerName,
    /// Its log.
    #[serde(flatten)]
    pub log: AuditListDocument,
}

/// Format of the audit logs of a fleet.
pub const FLEET: Kind = Kind { name: "the audit logs of a fleet", key: "fleet_audit_version", version: "1.0.0" };

/// What is wrong with the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFault {
    /// Number of the first line that is wrong or missing.
    pub line: u64,
    /// What is wrong, as the end of a sentence.
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(omitted: &u64) -> bool {
    *omitted == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let line = AuditLine {
            sequence: 2,
            at: Timestamp::from_millisecond(0),
            event: AuditEvent::Refused,
            request: "00ff".to_owned(),
            who: Actor::Person { issuer: "https://login.example".to_owned(), subject: "ada\n".to_owned() },
            role: Some(Role::Viewer),
            method: "POST".to_owned(),
            route: "/api/errors/incidents/{id}/plan".to_owned(),
            subject: Some("inc_1".to_owned()),
            status: Some(403),
            omitted: 0,
            previous: Some(Digest::of("x")),
        };
        for line in [line.clone(), AuditLine { omitted: 7, who: Actor::Unknown, role: None, ..line }] {
            let bytes = KIND.encode_line(&line).unwrap();
            assert_eq!(bytes.iter().position(|byte| *byte == b'\n'), Some(bytes.len() - 1));
            assert_eq!(KIND.decode::<AuditLine>(&bytes).unwrap(), line);
        }
        for junk in ["", "{}", "null", "{\"audit_version\":\"1.0.0\"}"] {
            assert!(KIND.decode::<AuditLine>(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
