//! What is asked: the query of the plan with its placeholders filled.

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::database::DatabaseRequest;
use referee_model::limit;
use referee_model::plan::interaction::Statement;
use referee_model::plan::{CaptureName, Piece, Query, Template};
use referee_syntax::connection::Connection;
use referee_syntax::percent;

use crate::excerpt;
use crate::file::root;

use super::hole;

/// Index of the statement in the recorded requests; the connection comes first.
pub(super) const STATEMENT: usize = 1;

/// A query that can be made.
pub(super) struct Question {
    pub(super) request: DatabaseRequest,
    /// As recorded, see [`STATEMENT`].
    pub(super) requests: Vec<String>,
}

type Captured = BTreeMap<CaptureName, String>;

/// Fills the placeholders of a query, and reads its file. An `Err` is what is recorded, and why it cannot be asked.
pub(super) fn fill(query: &Query, captured: &Captured, workspace: &Path) -> Result<Question, (Vec<String>, String)> {
    let connection = url(&query.connection, captured).and_then(|url| Ok((Connection::parse(&url)?.to_string(), url)));
    let statement = text(&query.statement, captured, workspace);
    let shown = match &connection {
        Ok((shown, _)) => shown.clone(),
        // Nobody can tell where the password is.
        Err(_) => "a connection that cannot be read".to_owned(),
    };
    let known: Vec<&str> = captured.values().map(String::as_str).collect();
    let line = match (&query.statement, &statement) {
        (Statement::File(path), _) => format!("statements of {path}"),
        (Statement::Text(_), Ok(text)) => one_line(text, &known),
        (Statement::Text(template), Err(_)) => one_line(&template.to_string(), &known),
    };
    let requests = vec![shown, line];
    let (connection, statement) = match (connection, statement) {
        (Ok((_, url)), Ok(statement)) => (url, statement),
        (Err(message), _) | (_, Err(message)) => return Err((requests, message)),
    };
    let request = DatabaseRequest {
        connection,
        workspace: workspace.to_owned(),
        statement,
        transaction: query.transaction,
        connect_timeout_ms: query.connect_timeout_ms,
        statement_timeout_ms: query.statement_timeout_ms,
        rows_kept: limit::QUERY_ROWS,
        bytes_kept: limit::QUERY_BYTES,
    };
    Ok(Question { request, requests })
}

/// Fills a URL. A value that is the whole URL is taken as it is, and a part of one is encoded.
fn url(template: &Template, captured: &Captured) -> Result<String, String> {
    let is_whole = matches!(template.pieces(), [Piece::Captured(_)]);
    let filled = template.fill(captured, |value| if is_whole { value.to_owned() } else { percent::component(value) });
    filled.map_err(|name| hole::missing(&name))
}

fn text(statement: &Statement, captured: &Captured, workspace: &Path) -> Result<String, String> {
    match statement {
        Statement::Text(template) => hole::fill(template, captured),
        Statement::File(path) => {
            let bytes = root::read_whole(workspace, path.as_str(), limit::PROTECTED_CONTENT_BYTES)?;
            let text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
            Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
    }
}

fn one_line(text: &str, known: &[&str]) -> String {
    // A value that may be secret is not cut, and not changed either.
    let holds_spaces = known.iter().any(|value| value.contains(char::is_whitespace) && text.contains(value));
    let line = if holds_spaces {
        text.replace(['\n', '\r'], " ")
    } else {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    excerpt::of_text(&line, limit::EXCERPT_BYTES / 2, known).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use referee_model::id::WorkspacePath;
    use referee_model::plan::interaction::Transaction;

    use super::*;

    fn query(connection: Template, statement: Statement) -> Query {
        Query {
            connection,
            statement,
            transaction: Transaction::ReadOnly,
            connect_timeout_ms: 5,
            statement_timeout_ms: 6,
            expectations: Vec::new(),
        }
    }

    #[test]
    fn values_are_encoded_in_urls_and_passwords_never_recorded() {
        let name = CaptureName::parse("pw").unwrap();
        let captured = BTreeMap::from([(name.clone(), "p@/w".to_owned())]);
        let mut url = Template::plain("postgres://u:");
        url.push_captured(name.clone());
        url.push_text("@h/d");
        let asked = Statement::Text(Template::plain("SELECT\n  1"));
        let question = fill(&query(url.clone(), asked.clone()), &captured, Path::new("/")).ok().unwrap();
        assert_eq!(question.request.connection, "postgres://u:p%40%2Fw@h/d");
        assert_eq!(question.requests, ["postgres://u@h/d", "SELECT 1"]);
        let (requests, message) = fill(&query(url, asked.clone()), &BTreeMap::new(), Path::new("/")).err().unwrap();
        assert_eq!(requests, ["a connection that cannot be read", "SELECT 1"]);
        assert!(message.contains("nothing was captured as `pw`"));
        let mut whole = Template::default();
        whole.push_captured(name.clone());
        let captured = BTreeMap::from([(name, "sqlite:a.db".to_owned())]);
        let question = fill(&query(whole, asked.clone()), &captured, Path::new("/")).ok().unwrap();
        assert_eq!(question.requests[0], "sqlite:a.db");
        let junk = Template::plain("postgres://u:s3c/ret@h/d");
        let (requests, message) = fill(&query(junk, asked), &captured, Path::new("/")).err().unwrap();
        assert!(!format!("{requests:?} {message}").contains("s3c"), "{requests:?} {message}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests make the files that are read")]
    fn statements_of_a_file_are_in_the_workspace() {
        let workspace = tempfile::tempdir().unwrap();
        std::fs::write(workspace.path().join("q.sql"), "\u{feff}SELECT 1;\nSELECT 2;").unwrap();
        std::fs::write(workspace.path().join("junk.sql"), b"\xff").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", workspace.path().join("out.sql")).unwrap();
        let of = |name: &str| {
            let statement = Statement::File(WorkspacePath::parse(name).unwrap());
            fill(&query(Template::plain("sqlite:a.db"), statement), &BTreeMap::new(), workspace.path())
        };
        let question = of("q.sql").ok().unwrap();
        assert_eq!(question.request.statement, "SELECT 1;\nSELECT 2;");
        assert_eq!(question.requests[STATEMENT], "statements of q.sql");
        for (name, part) in [("junk.sql", "UTF-8"), ("out.sql", "outside"), ("gone.sql", "does not exist")] {
            assert!(of(name).err().unwrap().1.contains(part), "{name}");
        }
    }
}
