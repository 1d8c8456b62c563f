//! Audit logs of servers in a depot. Nothing that is read of them is verified here.

use referee_model::depot::{DepotAnswer, DepotOperation};
use referee_model::id::ServerName;

use super::{DepotClient, misunderstood};
use crate::error::EngineError;

impl DepotClient {
    /// Creates a line of the log of a server.
    ///
    /// # Errors
    /// Fails if the depot does not take it, or has one of that number.
    pub fn put_audit(&self, server: &ServerName, number: u64, entry: String) -> Result<(), EngineError> {
        match self.ask(DepotOperation::PutAudit { server: server.clone(), number, entry })? {
            DepotAnswer::AuditPut => Ok(()),
            _ => Err(misunderstood()),
        }
    }

    /// Lists the servers that have a log.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub fn audit_servers(&self) -> Result<Vec<ServerName>, EngineError> {
        match self.ask(DepotOperation::AuditServers)? {
            DepotAnswer::AuditServers { servers } => Ok(servers),
            _ => Err(misunderstood()),
        }
    }

    /// Reads the lines of the log of a server.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub fn read_audit(&self, server: &ServerName) -> Result<Vec<String>, EngineError> {
        match self.ask(DepotOperation::ReadAudit { server: server.clone() })? {
            DepotAnswer::Audit { entries } => Ok(entries),
            _ => Err(misunderstood()),
        }
    }
}
