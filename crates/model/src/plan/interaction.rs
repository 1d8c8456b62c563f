//! Interactions with a database or a browser (seed 1, `DATABASE_QUERY` and `MCP_BROWSER_COMMAND`).

use serde::{Deserialize, Serialize};

use super::{ActionType, SchemaSource, Template};
use crate::id::WorkspacePath;

/// An interaction with another program, which answers with a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Interaction {
    /// A query to a database.
    Query(Query),
    /// Commands for the browser of the task.
    Browser(Browser),
}

impl Interaction {
    /// Returns the action type used in documents.
    pub fn action_type(&self) -> ActionType {
        match self {
            Self::Query(_) => ActionType::DatabaseQuery,
            Self::Browser(_) => ActionType::McpBrowserCommand,
        }
    }

    /// Returns a one-line description. The connection of a query, which may hold a password, is not part of it.
    pub fn as_line(&self) -> String {
        match self {
            Self::Query(query) => match &query.statement {
                Statement::Text(text) => text.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
                Statement::File(path) => format!("statements of {path}"),
            },
            Self::Browser(browser) => match browser.commands.as_slice() {
                [] => "browser".to_owned(),
                [command] => command.operation.as_line(),
                [first, rest @ ..] => format!("{} and {} more", first.operation.as_line(), rest.len()),
            },
        }
    }

    /// Returns whether it stores pictures of the page.
    pub fn takes_screenshots(&self) -> bool {
        let takes = |command: &BrowserCommand| matches!(command.operation, BrowserOperation::Screenshot(_));
        matches!(self, Self::Browser(browser) if browser.commands.iter().any(takes))
    }

    /// Returns the texts that are filled in during the run.
    pub fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Query(query) => match &query.statement {
                Statement::Text(text) => vec![&query.connection, text],
                Statement::File(_) => vec![&query.connection],
            },
            Self::Browser(browser) => browser.commands.iter().flat_map(|it| it.operation.templates()).collect(),
        }
    }
}

/// A query to a database, with the requirements for its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// URL of the database: `postgres:`, `mysql:`, `mariadb:` or `sqlite:`.
    pub connection: Template,
    /// What is sent.
    pub statement: Statement,
    /// What becomes of its changes.
    pub transaction: Transaction,
    /// Time limit for the connection, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Time limit for the statement, in milliseconds.
    pub statement_timeout_ms: u64,
    /// Requirements for the rows, in order.
    pub expectations: Vec<RowExpectation>,
}

/// The text of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Statement {
    /// Text in the specification.
    Text(Template),
    /// Content of a file, read when the query is made.
    File(WorkspacePath),
}

document_words! {
    /// What becomes of the changes of a query.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Transaction {
        /// The server refuses changes.
        ReadOnly = "read-only",
        /// Changes are undone.
        Rollback = "rollback",
        /// Changes stay.
        Commit = "commit",
    }
}

/// Requirement for the rows of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RowExpectation {
    /// Number of rows that are returned or, where the statement returns none, changed.
    Count(u64),
    /// Each row, as an object by column, is valid against this schema.
    Schema(SchemaSource),
    /// A row holds this: JSON text, an object for columns of one row, any other value for one cell.
    Contains(String),
}

/// Commands for the browser of a task. All actions of a task share one browser and its page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Browser {
    /// Kind of browser.
    pub engine: BrowserEngine,
    /// Whether it runs without a window.
    pub headless: bool,
    /// Program and arguments of the MCP server that drives it. Empty: Playwright's, from `node_modules`.
    pub server: Vec<String>,
    /// What is done, in order; the first failure ends it.
    pub commands: Vec<BrowserCommand>,
}

document_words! {
    /// Kinds of browsers (schema 2.0.0, `browserType`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[expect(missing_docs, reason = "they are the names of browsers")]
    pub enum BrowserEngine {
        Chromium = "chromium",
        Firefox = "firefox",
        Webkit = "webkit",
    }
}

/// One command for a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrowserCommand {
    /// What is done.
    pub operation: BrowserOperation,
    /// Time limit, in milliseconds.
    pub wait_ms: u64,
}

/// What a browser does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BrowserOperation {
    /// Opens a page.
    Navigate(Template),
    /// Clicks the element with this CSS selector.
    Click(String),
    /// Fills fields, by CSS selector or by the name of the field.
    Fill(Vec<(String, Template)>),
    /// Evaluates an expression or function in the page. Fails if it throws or returns `false`.
    Evaluate(Template),
    /// Stores a picture of the page, with a name for people.
    Screenshot(String),
    /// Waits for an element with this CSS selector.
    WaitFor(String),
    /// Waits until the page shows this text.
    See(Template),
    /// Reads the text of the page, or of the element with this CSS selector.
    Content(Option<String>),
}

impl BrowserOperation {
    /// Returns a one-line description.
    pub fn as_line(&self) -> String {
        match self {
            Self::Navigate(url) => format!("open {url}"),
            Self::Click(selector) => format!("click {selector}"),
            Self::Fill(fields) => {
                let names: Vec<&str> = fields.iter().map(|(field, _)| field.as_str()).collect();
                format!("fill {}", names.join(", "))
            }
            Self::Evaluate(script) => format!("evaluate {script}"),
            Self::Screenshot(name) => format!("screenshot {name}"),
            Self::WaitFor(selector) => format!("wait for {selector}"),
            Self::See(text) => format!("see \"{text}\""),
            Self::Content(None) => "read the page".to_owned(),
            Self::Content(Some(selector)) => format!("read {selector}"),
        }
    }

    fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Navigate(text) | Self::Evaluate(text) | Self::See(text) => vec![text],
            Self::Fill(fields) => fields.iter().map(|(_, value)| value).collect(),
            Self::Click(_) | Self::Screenshot(_) | Self::WaitFor(_) | Self::Content(_) => Vec::new(),
        }
    }
}
