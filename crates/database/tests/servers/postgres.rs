//! PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, Weak};

use referee_model::database::{DatabaseFailureKind, DatabasePhase};
use referee_model::plan::interaction::Transaction;
use serde_json::json;

use crate::driver::{Database, refusal};
use crate::process::{self, Kind, Server, Shared};

static RUNNING: Shared = Mutex::new(Weak::new());

const KIND: Kind = Kind {
    user: "postgres",
    find: || {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
        let directories = versions.map(|version| version.path().join("bin"));
        directories.filter(|directory| directory.join("postgres").exists() && directory.join("initdb").exists()).max()
    },
    prepare: |programs: &Path, directory: &Path| {
        let password = directory.join("password");
        fs::write(&password, "s3cr%t/@\n").unwrap();
        let mut command = Command::new(programs.join("initdb"));
        command.args(["--no-sync", "--username=referee", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
        command.arg("--pwfile").arg(password).arg("-D").arg(directory.join("data"));
        command
    },
    start: |programs: &Path, directory: &Path, port: u16| {
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(directory.join("data")).args(["-p", &port.to_string(), "-c", "fsync=off"]);
        command.args(["-c", "listen_addresses=127.0.0.1", "-c"]);
        command.arg(format!("unix_socket_directories={}", directory.display()));
        command
    },
    url: |port| url(port, "postgres"),
};

fn url(port: u16, database: &str) -> String {
    format!("postgres://referee:s3cr%25t%2F%40@127.0.0.1:{port}/{database}")
}

fn server() -> Option<Arc<Server>> {
    let server = process::shared(&RUNNING, &KIND);
    if server.is_none() {
        println!("skipped: no postgres");
    }
    server
}

/// Runs a test with a database of its own.
fn with_database(name: &str, test: impl FnOnce(&Database<'_>)) {
    let Some(server) = server() else { return };
    let (all, own) = (url(server.port, "postgres"), url(server.port, name));
    let workspace = Path::new("/");
    Database { url: &all, workspace }.rows(&format!("CREATE DATABASE {name}"), Transaction::Commit);
    test(&Database { url: &own, workspace });
}

#[test]
fn values_become_json_without_loss() {
    with_database("values_of_types", |database| {
        database.rows("CREATE TYPE mood AS ENUM ('sad', 'happy')", Transaction::Commit);
        let row = database.row(
            "SELECT true AS yes, null::int AS nothing, 7::int2 AS small, 9007199254740991::int8 AS exact, \
             9007199254740992::int8 AS big, 0.1::float4 AS single, 1e300::float8 AS double, 'NaN'::float8 AS nan, \
             12345678901234567890.10::numeric AS decimal, 'ü \"x\"'::text AS text, '\\x00ff'::bytea AS bytes, \
             '{\"b\": [1, 2.5], \"a\": null}'::jsonb AS json, '12345678901234567890'::jsonb AS big_json, \
             '2024-02-29 12:00:00.5+02'::timestamptz AS zoned, '2024-02-29 12:00'::timestamp AS unzoned, \
             '2024-02-29'::date AS date, '12:30+02'::timetz AS timetz, '1 day 2 hours'::interval AS span, \
             '11111111-2222-3333-4444-555555555555'::uuid AS uuid, ARRAY[1, 2] AS list, 'happy'::mood AS mood",
        );
        let expected = json!({
            "yes": true, "nothing": null, "small": 7, "exact": 9_007_199_254_740_991_u64, "big": "9007199254740992",
            "single": 0.1, "double": 1e300, "nan": "NaN", "decimal": "12345678901234567890.10", "text": "ü \"x\"",
            "bytes": {"base64": "AP8="}, "json": {"a": null, "b": [1, 2.5]}, "big_json": "12345678901234567890",
            "zoned": "2024-02-29T10:00:00.5Z", "unzoned": "2024-02-29T12:00:00", "date": "2024-02-29",
            "timetz": "12:30:00+02", "span": "1 day 02:00:00", "uuid": "11111111-2222-3333-4444-555555555555",
            "list": "{1,2}", "mood": "happy",
        });
        assert_eq!(row, expected);
        let rows = database.rows("SELECT 'sad'::mood AS mood, 1.5 AS n", Transaction::ReadOnly);
        assert!(rows.server.starts_with("PostgreSQL "), "{}", rows.server);
        let kinds: Vec<&str> = rows.columns.iter().map(|column| column.kind.as_str()).collect();
        assert_eq!(kinds, ["mood", "numeric"]);
        assert!(rows.plan.unwrap()[0].starts_with("Result"));
    });
}

#[test]
fn changes_stay_only_if_committed() {
    with_database("changes", |database| {
        database.keeps_only_what_is_committed();
        let returned = database.rows("INSERT INTO kept VALUES (9, 'nine') RETURNING n", Transaction::Rollback);
        assert_eq!((returned.row_count, returned.rows), (1, vec![vec![json!(9)]]));
        let switched = database.refused("SET TRANSACTION READ WRITE; DELETE FROM kept", Transaction::ReadOnly);
        assert!(!switched.message.is_empty());
        database.rows(
            "CREATE TABLE parent (n int PRIMARY KEY); \
             CREATE TABLE child (n int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)",
            Transaction::Commit,
        );
        // What the end would refuse is refused where changes are undone, too.
        let orphan = "INSERT INTO child VALUES (1)";
        for transaction in [Transaction::Commit, Transaction::Rollback] {
            assert_eq!(database.refused(orphan, transaction).code.as_deref(), Some("23503"));
        }
        database.rows("VACUUM", Transaction::Commit);
    });
}

#[test]
fn statements_are_counted_and_refused() {
    with_database("statements", |database| {
        database.refuses_what_it_does_not_understand();
        database.counts_the_rows_of_the_last_statement();
        database.counts_a_million_rows();
        database.ends_a_statement_at_its_limit("SELECT pg_sleep(600)");
    });
}

#[test]
fn a_wrong_password_is_not_told() {
    let Some(server) = server() else { return };
    for url in [
        format!("postgres://referee:wr0ng@127.0.0.1:{}/postgres", server.port),
        format!("postgres://nobody:wr0ng@127.0.0.1:{}/postgres", server.port),
        format!("postgres://referee@127.0.0.1:{}/postgres", server.port),
        url(server.port, "no_such_database"),
        url(server.port, "postgres?sslmode=require"),
    ] {
        let request = Database { url: &url, workspace: Path::new("/") }.request("SELECT 1", Transaction::ReadOnly);
        let refused = refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Connection);
        assert!(!refused.message.contains("wr0ng") && !refused.message.contains("s3cr"), "{refused:?}");
    }
}

#[test]
fn a_server_is_reached_through_its_socket() {
    let Some(server) = server() else { return };
    let directory: PathBuf = server.directory.path().into();
    let url = format!("postgres://referee:s3cr%25t%2F%40@/postgres?host={}", directory.to_str().unwrap());
    let url = url.replace("@/postgres", &format!("@:{}/postgres", server.port));
    let database = Database { url: &url, workspace: Path::new("/") };
    assert_eq!(database.row("SELECT 1 AS n"), json!({"n": 1}));
}

#[test]
fn a_connection_that_the_server_ends_is_lost() {
    with_database("lost", |database| {
        let request = database.request("SELECT pg_terminate_backend(pg_backend_pid())", Transaction::ReadOnly);
        refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Statement);
    });
}
