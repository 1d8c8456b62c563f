//! SQLite.

use std::fs;
use std::os::unix::fs::symlink;

use referee_model::database::{DatabaseFailureKind, DatabasePhase};
use referee_model::plan::interaction::Transaction;
use serde_json::json;
use tempfile::TempDir;

use crate::driver::{Database, refusal, request, rows};

/// Runs a test with a database in a file of its own.
fn with_database(test: impl FnOnce(&Database<'_>)) {
    let directory = tempfile::tempdir().unwrap();
    let database = Database { url: "sqlite:data.db", workspace: directory.path() };
    database.rows("CREATE TABLE first (n)", Transaction::Commit);
    test(&database);
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["data.db"], "journals are gone");
}

#[test]
fn values_become_json_without_loss() {
    with_database(|database| {
        let row = database.row(
            "SELECT NULL AS empty, 7 AS small, 9007199254740991 AS exact, 9007199254740992 AS big, 0.1 AS real, \
             9e999 AS endless, 'ü \"x\"' AS text, x'00ff' AS bytes, CAST(x'ff' AS TEXT) AS odd",
        );
        let expected = json!({
            "empty": null, "small": 7, "exact": 9_007_199_254_740_991_u64, "big": "9007199254740992", "real": 0.1,
            "endless": "inf", "text": "ü \"x\"", "bytes": {"base64": "AP8="}, "odd": {"base64": "/w=="},
        });
        assert_eq!(row, expected);
        database.rows("CREATE TABLE t (n INTEGER PRIMARY KEY, d DECIMAL(5,2))", Transaction::Commit);
        let rows = database.rows("SELECT n, d, n + 1 FROM t WHERE n > 3", Transaction::ReadOnly);
        assert!(rows.server.starts_with("SQLite 3."), "{}", rows.server);
        let kinds: Vec<&str> = rows.columns.iter().map(|column| column.kind.as_str()).collect();
        assert_eq!(kinds, ["integer", "decimal(5,2)", ""]);
        assert_eq!((rows.row_count, rows.affected), (0, None));
        assert_eq!(rows.plan.unwrap(), ["SEARCH t USING INTEGER PRIMARY KEY (rowid>?)"]);
    });
}

#[test]
fn changes_stay_only_if_committed() {
    with_database(|database| {
        database.keeps_only_what_is_committed();
        let returned = database.rows("INSERT INTO kept VALUES (9, 'nine') RETURNING n", Transaction::Rollback);
        assert_eq!((returned.row_count, returned.rows), (1, vec![vec![json!(9)]]));
        // The number of changes before does not count for a statement that changes nothing.
        let stale = database.rows("DELETE FROM kept WHERE n = 1; CREATE TABLE t (n)", Transaction::Rollback);
        assert_eq!(stale.affected, Some(0));
        let trigger = "CREATE TRIGGER both AFTER INSERT ON kept BEGIN UPDATE kept SET s = 'x;y'; END; \
                       INSERT INTO kept VALUES (7, 'seven')";
        assert_eq!(database.rows(trigger, Transaction::Rollback).affected, Some(1));
        for statement in ["PRAGMA query_only = OFF; DELETE FROM kept", "DELETE FROM kept"] {
            assert!(database.refused(statement, Transaction::ReadOnly).message.contains("read-only"));
        }
        let open = database.refused("SELECT ?1", Transaction::ReadOnly);
        assert!(open.message.contains("parameters"), "{open:?}");
    });
}

#[test]
fn statements_are_counted_and_refused() {
    with_database(|database| {
        database.refuses_what_it_does_not_understand();
        database.counts_the_rows_of_the_last_statement();
        database.counts_a_million_rows();
        database.ends_a_statement_at_its_limit(
            "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many) SELECT count(*) FROM many",
        );
    });
}

#[test]
fn a_file_that_another_program_changes_is_waited_for_until_the_limit() {
    with_database(|database| {
        let other = rusqlite::Connection::open(database.workspace.join("data.db")).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE; INSERT INTO first VALUES (1)").unwrap();
        let mut request = database.request("INSERT INTO first VALUES (2)", Transaction::Commit);
        request.statement_timeout_ms = 300;
        request.connect_timeout_ms = 300;
        refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Connection);
        other.execute_batch("ROLLBACK").unwrap();
    });
}

#[test]
fn a_database_with_a_write_ahead_log_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let other = rusqlite::Connection::open(directory.path().join("data.db")).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)").unwrap();
    let database = Database { url: "sqlite:data.db", workspace: directory.path() };
    assert_eq!(database.row("SELECT n FROM t"), json!({"n": 1}));
}

#[test]
fn files_outside_the_workspace_and_missing_ones_are_not_opened() {
    let (directory, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = |directory: &TempDir, name: &str| directory.path().join(name);
    let made = Database { url: "sqlite:real.db", workspace: outside.path() };
    made.rows("CREATE TABLE t (n)", Transaction::Commit);
    symlink(path(&outside, "real.db"), path(&directory, "link.db")).unwrap();
    symlink(path(&outside, "new.db"), path(&directory, "dangling.db")).unwrap();
    symlink(outside.path(), path(&directory, "out")).unwrap();
    fs::write(path(&directory, "junk.db"), "this is no database, however long it may be").unwrap();
    fs::create_dir(path(&directory, "folder")).unwrap();
    let up = format!("sqlite:../{}/real.db", outside.path().file_name().unwrap().to_str().unwrap());
    for (url, transaction, part) in [
        ("sqlite:link.db", Transaction::ReadOnly, "outside the workspace"),
        ("sqlite:out/real.db", Transaction::Commit, "outside the workspace"),
        ("sqlite:out/new.db", Transaction::Commit, "outside the workspace"),
        (&up, Transaction::ReadOnly, "outside the workspace"),
        ("sqlite:dangling.db", Transaction::Commit, ""),
        ("sqlite:gone.db", Transaction::ReadOnly, "does not exist"),
        ("sqlite:gone.db", Transaction::Rollback, "does not exist"),
        ("sqlite:///gone.db", Transaction::ReadOnly, "has no `/` at its beginning"),
        ("sqlite:gone/new.db", Transaction::Commit, "cannot be used"),
        ("sqlite:junk.db", Transaction::ReadOnly, "not a SQLite database"),
        ("sqlite:folder", Transaction::ReadOnly, ""),
        ("sqlite:", Transaction::Commit, "names no file"),
        ("sqlite:real.db?mode=rwc", Transaction::ReadOnly, "`mode`"),
    ] {
        let request = request(url, directory.path(), "SELECT 1", transaction);
        let refused = refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Connection);
        assert!(refused.message.contains(part), "{url}: {refused:?}");
    }
    assert!(!path(&outside, "new.db").exists() && !path(&directory, "gone.db").exists());
    let absolute = format!("sqlite:{}", path(&outside, "real.db").display());
    assert_eq!(rows(&request(&absolute, directory.path(), "SELECT * FROM t", Transaction::ReadOnly)).row_count, 0);
    let memory = request("sqlite::memory:", directory.path(), "SELECT 1 AS n", Transaction::ReadOnly);
    assert_eq!(rows(&memory).row_count, 1);
    let memory = request("sqlite::memory:", directory.path(), "CREATE TABLE t (n)", Transaction::ReadOnly);
    refusal(&memory, DatabaseFailureKind::Refused, DatabasePhase::Statement);
}
