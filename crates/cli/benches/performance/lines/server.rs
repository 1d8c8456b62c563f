//! What a list of many incidents costs over HTTP, beside the least that the same server can answer.

use crate::client::Server;
use crate::incident_store;
use crate::measurement::{Fallible, milliseconds};
use crate::table::{Aim, Row, Unit};
use crate::workbench::{Measured, Workbench};

pub(crate) const NAME: &str = "server";
const INCIDENTS: usize = 10_000;
/// Requests a second.
const RATE: u32 = 1_000;
const HEALTH: &str = "/api/health";
const LISTS: [&str; 2] = ["/api/errors/incidents", "/api/errors/incidents?status=plan_proposed&limit=100"];
/// Memory may grow by what an allocator keeps for itself.
const GROWTH_PERCENT_MAX: f64 = 10.0;

pub(crate) fn measure(bench: &Workbench) -> Fallible<Measured> {
    let workspace = bench.directory("server")?;
    incident_store::write(&workspace, INCIDENTS)?;
    let server = Server::start(bench, &workspace)?;
    let seconds = bench.choose(5, 20);
    // Also makes the index, and has the server hold what it always holds.
    for target in LISTS {
        server.load(target, RATE, bench.choose(2, 5))?;
    }
    let before = server.memory_bytes()?;
    let floor = server.load(HEALTH, RATE, seconds)?;
    let mut rows = Vec::new();
    for target in LISTS {
        let load = server.load(target, RATE, seconds)?;
        let what = format!("GET {target}, {INCIDENTS} incidents, {RATE} a second");
        let (p99, least) = (milliseconds(load.times.at(0.99)), milliseconds(floor.times.at(0.99)));
        rows.push(Row::value(NAME, format!("{what}: p99"), p99, Unit::Milliseconds, Aim::AtMost(20.0)));
        rows.push(Row::value(NAME, format!("{what}: p99, of GET {HEALTH}'s"), p99 / least, Unit::Ratio, Aim::None));
        let answers = Aim::AtLeast(f64::from(RATE) * 0.99);
        rows.push(Row::value(NAME, format!("{what}: answers a second"), load.answers_per_second, Unit::Count, answers));
        let failures = f64::from(u32::try_from(load.failures)?);
        rows.push(Row::value(NAME, format!("{what}: failures"), failures, Unit::Count, Aim::AtMost(0.0)));
    }
    let (before, after) = (f64::from(u32::try_from(before)?), f64::from(u32::try_from(server.memory_bytes()?)?));
    let growth = (after / before - 1.0) * 100.0;
    rows.push(Row::value(
        NAME,
        "growth of the server's memory",
        growth,
        Unit::Percent,
        Aim::AtMost(GROWTH_PERCENT_MAX),
    ));
    Ok(Measured { rows, curves: Vec::new() })
}
