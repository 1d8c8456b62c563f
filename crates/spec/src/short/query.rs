//! Converts a check that asks a database.

use crate::form::short as keys;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use super::{node, put, renamed, said};

/// Returns the parameters of a query, if a check is one. The time limit of the check is that of its statement.
pub(super) fn parameters(written: &Node, timeout: Member<'_>) -> Option<Vec<Entry>> {
    let (query, place) = (keys::Query::of(written), written.span);
    query.sql.or(query.sql_file).entry()?;
    // Both at once have the complaint of their shape.
    let statement = if query.sql.is_given() { (query.sql, "query") } else { (query.sql_file, "file") };
    let mut parameters = renamed(&[
        statement,
        (query.database, "connectionString"),
        (query.rows, "expectedRowCount"),
        (query.mode, "transactionMode"),
        (query.connect_timeout, "connectionTimeout"),
        (timeout, "queryTimeout"),
    ]);
    let mut rows: Vec<Entry> = renamed(&[(query.schema, "rowSchema")]);
    // An empty mapping has the complaint of its shape.
    let is_empty = matches!(query.contains.node(), Some(Node { kind: Kind::Map(columns), .. }) if columns.is_empty());
    let contains = query.contains.entry().filter(|_| !is_empty);
    rows.extend(contains.map(|entry| put("containsValues", entry, list(&entry.value))));
    if !rows.is_empty() {
        parameters.push(said("validateResults", place, node(Kind::Map(rows), place)));
    }
    Some(parameters)
}

fn list(written: &Node) -> Node {
    match written.kind {
        Kind::List(_) => written.clone(),
        _ => node(Kind::List(vec![written.clone()]), written.span),
    }
}
