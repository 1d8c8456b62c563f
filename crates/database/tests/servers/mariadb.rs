//! MariaDB.

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
    user: "mysql",
    find: || {
        let known = ["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].map(PathBuf::from);
        let is_complete = Path::new("/usr/bin/mariadb-install-db").exists();
        known.into_iter().find(|program| is_complete && program.exists())
    },
    prepare: |_, directory: &Path| {
        let data = directory.join("data");
        let line = "mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db \
                    --datadir=\"$1\" >&2 && \
                    printf '%s\n' \"CREATE USER referee@'127.0.0.1' IDENTIFIED BY 's3cr%t/@';\" \
                    \"GRANT ALL ON *.* TO referee@'127.0.0.1';\" >\"$1.sql\"";
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]).arg(data);
        command
    },
    start: |program: &Path, directory: &Path, port: u16| {
        let mut command = Command::new(program);
        command.args([
            "--no-defaults",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--innodb-flush-log-at-trx-commit=0",
        ]);
        command.arg(format!("--port={port}"));
        for (option, file) in
            [("datadir", "data"), ("socket", "socket"), ("pid-file", "pid"), ("init-file", "data.sql")]
        {
            command.arg(format!("--{option}={}", directory.join(file).display()));
        }
        command
    },
    url: |port| url(port, ""),
};

fn url(port: u16, database: &str) -> String {
    format!("mysql://referee:s3cr%25t%2F%40@127.0.0.1:{port}/{database}")
}

fn server() -> Option<Arc<Server>> {
    let server = process::shared(&RUNNING, &KIND);
    if server.is_none() {
        println!("skipped: no mariadb");
    }
    server
}

/// Runs a test with a database of its own.
fn with_database(name: &str, test: impl FnOnce(&Database<'_>)) {
    let Some(server) = server() else { return };
    let (all, own) = (url(server.port, ""), url(server.port, name));
    let workspace = Path::new("/");
    Database { url: &all, workspace }.rows(&format!("CREATE DATABASE {name}"), Transaction::Commit);
    test(&Database { url: &own, workspace });
}

#[test]
fn values_become_json_without_loss() {
    with_database("values_of_types", |database| {
        database.rows(
            "CREATE TABLE t (yes BOOLEAN, nothing INT, big BIGINT UNSIGNED, exact BIGINT, single FLOAT, \
             double_ DOUBLE, decimal_ DECIMAL(30,2), text_ VARCHAR(20) COLLATE utf8mb4_bin, long_ TEXT, \
             bytes BLOB, fixed BINARY(2), bits BIT(3), zoned TIMESTAMP(1) NULL, unzoned DATETIME, date_ DATE, \
             time_ TIME, year_ YEAR, mood ENUM('sad', 'happy'), json JSON) CHARACTER SET utf8mb4; \
             SET time_zone = '+02:00'; \
             INSERT INTO t VALUES (true, NULL, 18446744073709551615, 9007199254740991, 0.1, 1e300, \
             12345678901234567890.10, 'ü \"x\"', 'long', x'00ff', x'6869', b'101', '2024-02-29 12:00:00.5', \
             '2024-02-29 12:00:00', '2024-02-29', '12:30:00', 2024, 'happy', '{\"a\": 1}')",
            Transaction::Commit,
        );
        let expected = json!({
            "yes": 1, "nothing": null, "big": "18446744073709551615", "exact": 9_007_199_254_740_991_u64,
            "single": 0.1, "double_": 1e300, "decimal_": "12345678901234567890.10", "text_": "ü \"x\"",
            "long_": "long", "bytes": {"base64": "AP8="}, "fixed": {"base64": "aGk="}, "bits": 5,
            "zoned": "2024-02-29T10:00:00.5Z", "unzoned": "2024-02-29T12:00:00", "date_": "2024-02-29",
            "time_": "12:30:00", "year_": 2024, "mood": "happy", "json": "{\"a\": 1}",
        });
        assert_eq!(database.row("SELECT * FROM t"), expected);
        let rows = database.rows("SELECT text_, long_, bytes, decimal_ FROM t", Transaction::ReadOnly);
        assert!(rows.server.starts_with("MariaDB "), "{}", rows.server);
        let kinds: Vec<&str> = rows.columns.iter().map(|column| column.kind.as_str()).collect();
        assert_eq!(kinds, ["varchar", "text", "blob", "decimal"]);
        let plan = rows.plan.unwrap();
        assert!(plan[0].contains("table: t"), "{plan:?}");
    });
}

#[test]
fn changes_stay_only_if_committed() {
    with_database("changes", |database| {
        database.keeps_only_what_is_committed();
        // The server commits before and after such statements, and says so nowhere.
        let made = database.refused("CREATE TABLE made (n INT)", Transaction::Rollback);
        assert!(made.message.contains("MySQL and MariaDB commit by themselves"), "{made:?}");
        let made = database.refused("CREATE TABLE other (n INT)", Transaction::ReadOnly);
        assert!(made.message.contains("read-only"), "{made:?}");
        database.rows("CREATE TABLE old (n INT) ENGINE = MyISAM", Transaction::Commit);
        let old = database.refused("INSERT INTO old VALUES (1)", Transaction::Rollback);
        assert!(old.message.contains("engine without transactions"), "{old:?}");
        assert!(database.refused("INSERT INTO old VALUES (1)", Transaction::ReadOnly).message.contains("read-only"));
    });
}

#[test]
fn statements_are_counted_and_refused() {
    with_database("statements", |database| {
        database.refuses_what_it_does_not_understand();
        database.counts_the_rows_of_the_last_statement();
        database.counts_a_million_rows();
        database.ends_a_statement_at_its_limit("SELECT SLEEP(600)");
    });
}

#[test]
fn a_wrong_password_is_not_told() {
    let Some(server) = server() else { return };
    for url in [
        format!("mysql://referee:wr0ng@127.0.0.1:{}/", server.port),
        format!("mysql://nobody:wr0ng@127.0.0.1:{}/", server.port),
        format!("mysql://referee@127.0.0.1:{}/", server.port),
        url(server.port, "no_such_database"),
        url(server.port, "?ssl-mode=REQUIRED"),
    ] {
        let request = Database { url: &url, workspace: Path::new("/") }.request("SELECT 1", Transaction::ReadOnly);
        let refused = refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Connection);
        assert!(!refused.message.contains("wr0ng") && !refused.message.contains("s3cr"), "{refused:?}");
    }
}

#[test]
fn a_connection_that_the_server_ends_is_lost() {
    with_database("lost", |database| {
        let request = database.request("KILL CONNECTION_ID()", Transaction::ReadOnly);
        refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Statement);
    });
}
