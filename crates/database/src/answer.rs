//! Answers to requests.

use referee_model::database::{
    DatabaseAnswer, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRequest, DatabaseRows,
};
use referee_syntax::connection::{Connection, System};

use crate::failure::failure;
use crate::{mysql, postgres, sqlite};

/// Asks a database. `connected` is called once there is a connection.
pub fn answer(request: &DatabaseRequest, connected: &dyn Fn()) -> DatabaseAnswer {
    match ask(request, connected) {
        Ok(rows) => DatabaseAnswer::Answered(Box::new(rows)),
        Err(error) => DatabaseAnswer::Failed { error },
    }
}

fn ask(request: &DatabaseRequest, connected: &dyn Fn()) -> Result<DatabaseRows, DatabaseFailure> {
    let unusable = |message: String| failure(DatabaseFailureKind::Unavailable, DatabasePhase::Connection, message);
    let connection = Connection::parse(&request.connection).map_err(unusable)?;
    if connection.system == System::Sqlite {
        return sqlite::ask(&connection, request, connected);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unusable(format!("the system refused what a connection needs: {error}")))?;
    let answer = runtime.block_on(async {
        match connection.system {
            System::MySql => mysql::ask(&connection, request, connected).await,
            _ => postgres::ask(&connection, request, connected).await,
        }
    });
    // A host name that is still being looked up is not waited for.
    runtime.shutdown_background();
    answer
}
