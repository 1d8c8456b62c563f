//! The part of a result that is kept, and the counts of all of it.

use referee_model::database::{DatabaseColumn, DatabaseRequest, DatabaseRows};
use serde_json::Value;

/// Result of the statement that is being executed, and before that of the last one.
#[derive(Debug)]
pub(crate) struct ResultBuffer {
    rows_max: usize,
    bytes_max: usize,
    bytes: usize,
    /// Number of executed statements.
    pub(crate) statements: u64,
    /// Whether the statement has ended whose result this is.
    has_ended: bool,
    pub(crate) columns: Vec<DatabaseColumn>,
    rows: Vec<Vec<Value>>,
    row_count: u64,
    affected: Option<u64>,
    truncated: bool,
}

impl ResultBuffer {
    pub(crate) fn new(request: &DatabaseRequest) -> Self {
        Self {
            rows_max: request.rows_kept,
            bytes_max: request.bytes_kept,
            bytes: 0,
            statements: 0,
            has_ended: true,
            columns: Vec::new(),
            rows: Vec::new(),
            row_count: 0,
            affected: None,
            truncated: false,
        }
    }

    /// Begins the result of a statement with these columns, unless it has begun. The result before it is dropped.
    pub(crate) fn begin(&mut self, columns: impl FnOnce() -> Vec<DatabaseColumn>) {
        if !self.has_ended {
            return;
        }
        self.has_ended = false;
        self.columns = columns();
        self.rows.clear();
        (self.bytes, self.row_count, self.affected, self.truncated) = (0, 0, None, false);
    }

    /// Counts a row, and keeps it if all rows before it were kept and it fits.
    pub(crate) fn row<E>(&mut self, values: impl FnOnce() -> Result<Vec<Value>, E>) -> Result<(), E> {
        self.row_count += 1;
        if self.truncated || self.rows.len() == self.rows_max {
            self.truncated = true;
            return Ok(());
        }
        let values = values()?;
        // The size of JSON can be told without keeping it, and values of databases can always be written.
        let size = values.iter().map(|value| value.to_string().len() + 1).sum::<usize>() + 2;
        if self.bytes + size > self.bytes_max {
            self.truncated = true;
            return Ok(());
        }
        self.bytes += size;
        self.rows.push(values);
        Ok(())
    }

    /// Ends the result of a statement, which changed this many rows.
    pub(crate) fn end(&mut self, affected: u64) {
        self.begin(Vec::new);
        self.has_ended = true;
        self.statements += 1;
        self.affected = (self.row_count == 0 && self.columns.is_empty()).then_some(affected);
    }

    /// Returns the result of the last statement.
    pub(crate) fn result(self, server: String, duration_ms: u64, plan: Option<Vec<String>>) -> DatabaseRows {
        DatabaseRows {
            server,
            columns: self.columns,
            rows: self.rows,
            row_count: self.row_count,
            affected: self.affected,
            truncated: self.truncated,
            duration_ms,
            plan,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use referee_model::plan::interaction::Transaction;
    use serde_json::json;

    use super::*;

    fn kept(rows_kept: usize, bytes_kept: usize) -> ResultBuffer {
        ResultBuffer::new(&DatabaseRequest {
            connection: String::new(),
            workspace: "/".into(),
            statement: String::new(),
            transaction: Transaction::ReadOnly,
            connect_timeout_ms: 1,
            statement_timeout_ms: 1,
            rows_kept,
            bytes_kept,
        })
    }

    fn column() -> Vec<DatabaseColumn> {
        vec![DatabaseColumn { name: "n".into(), kind: "int4".into() }]
    }

    fn row(kept: &mut ResultBuffer, value: Value) {
        kept.row(|| Ok::<_, Infallible>(vec![value])).unwrap();
    }

    #[test]
    fn rows_are_counted_beyond_the_kept_ones_and_none_after_a_gap_is_kept() {
        let mut few = kept(2, 1_000);
        few.begin(column);
        (0..5).for_each(|number| row(&mut few, json!(number)));
        few.end(5);
        let rows = few.result("s".into(), 1, None);
        assert_eq!((rows.row_count, rows.affected, rows.truncated), (5, None, true));
        assert_eq!(rows.rows, [[json!(0)], [json!(1)]]);

        let mut small = kept(10, 30);
        small.begin(column);
        row(&mut small, json!("a"));
        row(&mut small, json!("b".repeat(30)));
        row(&mut small, json!("c"));
        small.end(0);
        let rows = small.result("s".into(), 1, None);
        assert_eq!((rows.row_count, rows.truncated, rows.rows), (3, true, vec![vec![json!("a")]]));
    }

    #[test]
    fn the_last_statement_has_the_result() {
        let mut kept = kept(1, 1_000);
        kept.begin(column);
        row(&mut kept, json!(1));
        row(&mut kept, json!(2));
        kept.end(2);
        kept.end(7);
        assert_eq!(kept.statements, 2);
        let rows = kept.result("s".into(), 1, None);
        assert_eq!((rows.row_count, rows.affected, rows.truncated), (0, Some(7), false));
        assert!(rows.rows.is_empty() && rows.columns.is_empty());
    }
}
