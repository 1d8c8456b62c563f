//! Audit logs of servers: a line is an object that is created once.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use referee_model::depot::DepotFailureKind;
use referee_model::id::ServerName;

use crate::depot::{Depot, Object};
use crate::error::DepotError;
use crate::layout;

/// Number of lines that are read at the same time.
const AT_ONCE: usize = 16;

/// Creates a line.
///
/// # Errors
/// Fails if the log has a line of that number.
pub(crate) async fn put(depot: &Depot, server: &ServerName, number: u64, entry: &str) -> Result<(), DepotError> {
    let name = layout::audit(server, number);
    if depot.create(&name, entry.as_bytes()).await? {
        return Ok(());
    }
    Err(DepotError::new(DepotFailureKind::Diverged, format!("`{name}` is in the depot already")))
}

/// Lists the servers that have a log. What no server can be called is left out.
pub(crate) async fn servers(depot: &Depot) -> Result<Vec<ServerName>, DepotError> {
    let objects = depot.list(layout::AUDIT).await?;
    let servers = objects.iter().filter_map(|object| ServerName::parse(object.name.split('/').nth(1)?).ok());
    Ok(servers.collect::<BTreeSet<_>>().into_iter().collect())
}

/// Reads the lines of a server.
pub(crate) async fn read(depot: &Depot, server: &ServerName) -> Result<Vec<String>, DepotError> {
    let objects = depot.list(&format!("{}/{server}", layout::AUDIT)).await?;
    let entries = stream::iter(objects).map(async |Object { name, .. }| {
        let (bytes, _) = depot.read(&name).await?.ok_or_else(|| DepotError::missing(&name))?;
        Ok::<_, DepotError>(String::from_utf8_lossy(&bytes).into_owned())
    });
    entries.buffered(AT_ONCE).try_collect().await
}
