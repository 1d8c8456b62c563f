//! Reads database queries.

use crate::form::full as keys;
use referee_model::plan::interaction::{RowExpectation, Statement, Transaction};
use referee_model::plan::{Piece, Query, Template};
use referee_syntax::tree::{Kind, Member, Node};

use super::Reader;
use crate::complaint::{Code, Finding};
use crate::http::{json_value, vacuous};
use crate::quantity::whole;
use crate::source::quote;
use crate::variables::Variables;

/// Schemes of databases that can be asked.
const SCHEMES: [&str; 5] = ["postgres", "postgresql", "mysql", "mariadb", "sqlite"];

/// First words of statements that read.
const READS: [&str; 7] = ["SELECT", "WITH", "SHOW", "EXPLAIN", "VALUES", "TABLE", "PRAGMA"];

/// Defaults of queries.
pub(super) struct QuerySettings {
    connect_timeout_ms: u64,
    statement_timeout_ms: u64,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self { connect_timeout_ms: 5_000, statement_timeout_ms: 30_000 }
    }
}

impl Reader<'_> {
    pub(super) fn query_settings(&mut self, node: Option<&Node>) -> QuerySettings {
        let written = keys::DatabaseExecutor::of(node);
        let default = QuerySettings::default();
        QuerySettings {
            connect_timeout_ms: self.timeout(written.connection_timeout).unwrap_or(default.connect_timeout_ms),
            statement_timeout_ms: self.timeout(written.query_timeout).unwrap_or(default.statement_timeout_ms),
        }
    }

    /// Reads a query.
    pub(super) fn query(&mut self, parameters: &Node, variables: &Variables<'_>) -> Option<Query> {
        let written = keys::Database::of(parameters);
        // In the full form the key is required by its shape.
        if self.is_short() && !written.connection_string.is_given() {
            vacuous(parameters.span, "this check needs `database`: without it nobody is asked", self.findings);
        }
        let connection = written.connection_string.node().and_then(|node| self.connection(node, variables));
        let statement = self.statement(written, parameters, variables);
        let transaction = self.transaction(written, statement.as_ref());
        let connect = self.timeout(written.connection_timeout).unwrap_or(self.settings.query.connect_timeout_ms);
        let limit = self.timeout(written.query_timeout).unwrap_or(self.settings.query.statement_timeout_ms);
        let mut expectations: Vec<RowExpectation> =
            written.expected_row_count.node().and_then(whole).map(RowExpectation::Count).into_iter().collect();
        if let Some(node) = written.validate_results.node() {
            expectations.extend(self.row_expectations(node, variables)?);
        }
        Some(Query {
            connection: connection?,
            statement: statement?,
            transaction,
            connect_timeout_ms: connect,
            statement_timeout_ms: limit,
            expectations,
        })
    }

    /// Returns the query by which a database shows that it answers.
    pub(super) fn first_query(&mut self, connection: &Node, variables: &Variables<'_>) -> Option<Query> {
        Some(Query {
            connection: self.connection(connection, variables)?,
            statement: Statement::Text(Template::plain("SELECT 1")),
            transaction: Transaction::ReadOnly,
            connect_timeout_ms: self.settings.query.connect_timeout_ms,
            statement_timeout_ms: self.settings.query.statement_timeout_ms,
            expectations: Vec::new(),
        })
    }

    /// Reads the URL of a database, which is never part of a message: it may hold a password.
    fn connection(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Template> {
        let text = node.text()?;
        if has_password(text) {
            let message = "a password stands in this connection string";
            let help = "use a declared variable in its place, such as `${DATABASE_PASSWORD}`";
            self.findings.push(Finding::warning(Code::LiteralSecret, node.span, message).help(help));
        }
        let filled = self.filler.template(text, node.span, variables, self.findings)?;
        if !filled.complete {
            return Some(filled.text);
        }
        let start = match filled.text.pieces() {
            [Piece::Text(start), ..] => start.as_str(),
            // The scheme is captured during the run, and checked then.
            [_, ..] => return Some(filled.text),
            [] => "",
        };
        let message = match start.split_once(':') {
            Some((scheme, _)) if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => return Some(filled.text),
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) => {
                format!("no database of the scheme {} can be asked", quote(scheme))
            }
            _ => "this connection string does not begin with the scheme of a database".to_owned(),
        };
        let schemes: Vec<String> = SCHEMES.iter().map(|scheme| format!("`{scheme}:`")).collect();
        let help = format!("it can begin with {}", schemes.join(", "));
        self.findings.push(Finding::error(Code::InvalidUrl, node.span, message).help(help));
        None
    }

    fn statement(
        &mut self,
        written: keys::Database<'_>,
        parameters: &Node,
        variables: &Variables<'_>,
    ) -> Option<Statement> {
        match (written.query.node(), written.file.entry()) {
            (Some(query), None) => {
                let text = self.filler.template(query.text()?, query.span, variables, self.findings)?.text;
                let is_comment = |text: &str| !text.trim().is_empty() && first_word(text).is_empty();
                if text.as_plain().is_some_and(is_comment) {
                    vacuous(query.span, "this query holds no statement", self.findings);
                    return None;
                }
                Some(Statement::Text(text))
            }
            (None, Some(file)) => self.workspace_path(&file.value, variables).map(Statement::File),
            (Some(_), Some(file)) => {
                let message =
                    format!("a query takes one statement, and `{}` names another", self.filler.written_key(file));
                self.findings.push(Finding::error(Code::Contradiction, file.key_span, message));
                None
            }
            (None, None) => {
                let message = "this action needs `query` or `file`: without it nothing is asked";
                vacuous(parameters.span, message, self.findings);
                None
            }
        }
    }

    fn transaction(&mut self, written: keys::Database<'_>, statement: Option<&Statement>) -> Transaction {
        let kind = written.query_type.text();
        let asked =
            written.transaction_mode.text_node().and_then(|(node, word)| Some((node, Transaction::parse(word)?)));
        if let Some((node, Transaction::ReadOnly)) = asked
            && let Some(kind @ ("INSERT" | "UPDATE" | "DELETE" | "DDL")) = kind
        {
            let message =
                format!("a query of the kind `{kind}` changes what a read-only transaction refuses to change");
            let help = "write `rollback`, or `commit` if the changes are to stay";
            self.findings.push(Finding::error(Code::Contradiction, node.span, message).help(help));
        }
        let reads = match (kind, statement) {
            (Some(kind), _) => kind == "SELECT",
            (None, Some(Statement::Text(text))) => READS.contains(&first_word(&text.to_string()).as_str()),
            (None, _) => false,
        };
        match asked {
            Some((_, mode)) => mode,
            None if reads => Transaction::ReadOnly,
            None => Transaction::Rollback,
        }
    }

    fn row_expectations(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Vec<RowExpectation>> {
        let filled = self.filler.node(node, variables, self.findings)?;
        let written = keys::ValidateResults::of(&filled);
        if [written.row_schema, written.contains_values].into_iter().all(|member: Member<'_>| !member.is_given()) {
            vacuous(node.span, "this validation is empty, and all rows hold to it", self.findings);
            return None;
        }
        let mut expectations = Vec::new();
        if let Some(schema) = written.row_schema.node() {
            expectations.push(RowExpectation::Schema(self.schema(schema)?));
        }
        for value in written.contains_values.elements() {
            if matches!(&value.kind, Kind::Map(entries) if entries.is_empty()) {
                vacuous(value.span, "every row holds an empty mapping", self.findings);
                continue;
            }
            let json = json_value(value, self.findings)?;
            expectations.push(RowExpectation::Contains(json.to_string()));
        }
        Some(expectations)
    }
}

/// Returns whether a URL, as it is written, holds a password that no variable stands for.
fn has_password(url: &str) -> bool {
    let literal = |value: &str| !value.is_empty() && !value.contains("${") && !value.contains("{{");
    let Some((_, rest)) = url.split_once("://") else { return false };
    let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
    let user = address.split('/').next().and_then(|authority| authority.rsplit_once('@'));
    let password = user.and_then(|(user, _)| user.split_once(':'));
    let parameters = query.split('&').filter_map(|pair| pair.split_once('='));
    password.is_some_and(|(_, password)| literal(password))
        || parameters
            .into_iter()
            .any(|(name, value)| matches!(name, "password" | "pwd" | "sslpassword") && literal(value))
}

/// Returns the first word of a statement in upper case, after comments and parentheses.
fn first_word(statement: &str) -> String {
    let mut rest = statement;
    loop {
        rest = rest.trim_start_matches(|character: char| character.is_whitespace() || matches!(character, '(' | ';'));
        rest = if rest.starts_with("--") {
            rest.split_once('\n').map_or("", |(_, rest)| rest)
        } else if rest.starts_with("/*") {
            rest.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            break;
        };
    }
    let end = rest.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(rest.len());
    rest[..end.max(rest.chars().next().map_or(0, char::len_utf8))].to_ascii_uppercase()
}
