//! Requests to the program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use referee_model::database::{
    CONNECTED, DatabaseAnswer, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRequest, DatabaseRows,
};
use referee_model::plan::interaction::Transaction;
use serde_json::{Value, json};

/// Address space of the program in bytes: far less than a million rows take.
const MEMORY_BYTES: u64 = 512 * 1024 * 1024;

/// Returns a request with room for everything.
pub(crate) fn request(
    connection: &str,
    workspace: &Path,
    statement: &str,
    transaction: Transaction,
) -> DatabaseRequest {
    DatabaseRequest {
        connection: connection.to_owned(),
        workspace: workspace.to_owned(),
        statement: statement.to_owned(),
        transaction,
        connect_timeout_ms: 30_000,
        statement_timeout_ms: 60_000,
        rows_kept: 1_000,
        bytes_kept: 1024 * 1024,
    }
}

/// Runs the program with little memory and no environment.
fn run(input: &[u8]) -> Output {
    let mut child = Command::new("prlimit")
        .arg(format!("--as={MEMORY_BYTES}"))
        .arg(env!("CARGO_BIN_EXE_database-test-driver"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn answer(request: &DatabaseRequest) -> DatabaseAnswer {
    let output = run(&serde_json::to_vec(request).unwrap());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let answer = serde_json::from_slice(&output.stdout).unwrap();
    let is_connected = match &answer {
        DatabaseAnswer::Answered(_) => true,
        DatabaseAnswer::Failed { error } => error.during == DatabasePhase::Statement,
    };
    assert_eq!(errors, if is_connected { format!("{CONNECTED}\n") } else { String::new() });
    answer
}

/// Returns the rows of a request that must be answered.
pub(crate) fn rows(request: &DatabaseRequest) -> DatabaseRows {
    match answer(request) {
        DatabaseAnswer::Answered(rows) => *rows,
        DatabaseAnswer::Failed { error } => panic!("{}: {error:?}", request.statement),
    }
}

/// Returns the failure of a request that must fail so.
pub(crate) fn refusal(request: &DatabaseRequest, kind: DatabaseFailureKind, during: DatabasePhase) -> DatabaseFailure {
    match answer(request) {
        DatabaseAnswer::Failed { error } => {
            assert_eq!((error.kind, error.during), (kind, during), "{}: {error:?}", request.statement);
            error
        }
        DatabaseAnswer::Answered(rows) => panic!("{}: {rows:?}", request.statement),
    }
}

/// A database, and what all of them are asked.
pub(crate) struct Database<'test> {
    pub(crate) url: &'test str,
    pub(crate) workspace: &'test Path,
}

impl Database<'_> {
    pub(crate) fn request(&self, statement: &str, transaction: Transaction) -> DatabaseRequest {
        request(self.url, self.workspace, statement, transaction)
    }

    pub(crate) fn rows(&self, statement: &str, transaction: Transaction) -> DatabaseRows {
        rows(&self.request(statement, transaction))
    }

    pub(crate) fn refused(&self, statement: &str, transaction: Transaction) -> DatabaseFailure {
        refusal(&self.request(statement, transaction), DatabaseFailureKind::Refused, DatabasePhase::Statement)
    }

    /// Returns the values of the only row, by column.
    pub(crate) fn row(&self, statement: &str) -> Value {
        let rows = self.rows(statement, Transaction::ReadOnly);
        assert_eq!(rows.row_count, 1, "{rows:?}");
        let named = rows.columns.into_iter().zip(rows.rows[0].clone());
        Value::Object(named.map(|(column, value)| (column.name, value)).collect())
    }

    fn count(&self, table: &str) -> Value {
        self.rows(&format!("SELECT count(*) FROM {table}"), Transaction::ReadOnly).rows[0][0].clone()
    }

    /// Changes stay only where that is asked for, whatever the statements do.
    pub(crate) fn keeps_only_what_is_committed(&self) {
        let made = self.rows("CREATE TABLE kept (n INTEGER PRIMARY KEY, s VARCHAR(20))", Transaction::Commit);
        assert_eq!((made.row_count, made.affected), (0, Some(0)));
        let insert = "INSERT INTO kept VALUES (1, 'one'), (2, 'two')";
        let refused = self.refused(insert, Transaction::ReadOnly);
        assert!(refused.message.contains("the transaction is read-only: say"), "{refused:?}");
        assert!(refused.code.is_some());
        assert_eq!(self.count("kept"), json!(0));
        assert_eq!(self.rows(insert, Transaction::Rollback).affected, Some(2));
        assert_eq!(self.count("kept"), json!(0));
        assert_eq!(self.rows(insert, Transaction::Commit).affected, Some(2));
        assert_eq!(self.count("kept"), json!(2));
        assert_eq!(self.rows("UPDATE kept SET n = n + 10 WHERE n > 5", Transaction::Commit).affected, Some(0));
        // A change that fails in its midst leaves nothing of itself.
        self.refused("INSERT INTO kept VALUES (3, 'three'); INSERT INTO kept VALUES (1, 'again')", Transaction::Commit);
        assert_eq!(self.count("kept"), json!(2));
        for (statement, transaction) in [
            ("COMMIT; INSERT INTO kept VALUES (4, 'four')", Transaction::ReadOnly),
            ("INSERT INTO kept VALUES (5, 'five'); COMMIT", Transaction::Rollback),
            ("ROLLBACK", Transaction::Rollback),
        ] {
            let refused = self.refused(statement, transaction).message;
            let is_known =
                refused.contains("ended their transaction") || refused.contains("the transaction is read-only");
            assert!(is_known, "{statement}: {refused}");
        }
    }

    /// Statements that are no such thing are refused in the database's own words.
    pub(crate) fn refuses_what_it_does_not_understand(&self) {
        for (statement, transaction, part) in [
            ("SELEKT 1", Transaction::ReadOnly, "SELEKT"),
            ("SELECT something FROM nowhere", Transaction::ReadOnly, "nowhere"),
            ("SELECT 1; SELECT something FROM nowhere", Transaction::Commit, "nowhere"),
            ("", Transaction::ReadOnly, ""),
            ("-- nothing\n", Transaction::ReadOnly, ""),
        ] {
            let refused = self.refused(statement, transaction);
            assert!(refused.message.contains(part) && !refused.message.is_empty(), "{refused:?}");
        }
    }

    /// The result is that of the last statement, with all rows counted.
    pub(crate) fn counts_the_rows_of_the_last_statement(&self) {
        let rows = self.rows("SELECT 1 AS a; SELECT 2 AS b UNION ALL SELECT 3;", Transaction::ReadOnly);
        assert_eq!(rows.columns[0].name, "b");
        assert_eq!((rows.row_count, rows.affected, rows.truncated), (2, None, false));
        assert_eq!(rows.rows, [[json!(2)], [json!(3)]]);
        assert_eq!(rows.plan, None);
        let rows = self.rows("SELECT 1 AS a; SELECT 2 AS b WHERE 1 = 0", Transaction::ReadOnly);
        assert_eq!((rows.row_count, rows.rows.len(), rows.affected.unwrap_or(0)), (0, 0, 0));
        let plan = self.rows("SELECT 1 AS a, 2 AS b", Transaction::ReadOnly);
        assert_eq!(plan.rows, [[json!(1), json!(2)]]);
    }

    /// A million rows are counted in little memory.
    pub(crate) fn counts_a_million_rows(&self) {
        let statement = "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 1000) \
                         SELECT one.n AS one, other.n AS other, 'some text that takes some room of its own' AS filler \
                         FROM many one CROSS JOIN many other";
        let many = self.rows(statement, Transaction::ReadOnly);
        assert_eq!((many.row_count, many.rows.len(), many.truncated), (1_000_000, 1_000, true));
        let mut few = self.request(statement, Transaction::ReadOnly);
        few.bytes_kept = 300;
        let rows = rows(&few);
        assert!(rows.truncated && rows.row_count == 1_000_000 && (1..10).contains(&rows.rows.len()), "{rows:?}");
    }

    /// A statement that takes longer than it may is ended.
    pub(crate) fn ends_a_statement_at_its_limit(&self, statement: &str) {
        let mut request = self.request(statement, Transaction::ReadOnly);
        request.statement_timeout_ms = 300;
        let ended = refusal(&request, DatabaseFailureKind::Timeout, DatabasePhase::Statement);
        assert!(!ended.message.is_empty());
    }
}

#[test]
fn what_is_no_request_is_an_error_that_repeats_nothing_of_it() {
    for junk in ["", "{", "SECRET", r#"{"connection": {"SECRET": 1}}"#] {
        let output = run(junk.as_bytes());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{junk}");
        assert!(errors.starts_with("error: cannot read the request: line") && !errors.contains("SECRET"), "{errors}");
    }
}
