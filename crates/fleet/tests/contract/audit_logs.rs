//! Audit logs of servers: lines that are created once, and read in order.

use referee_model::depot::{DepotAnswer, DepotFailureKind, DepotOperation};
use referee_model::id::ServerName;

use crate::tree::every;

#[test]
fn a_line_of_an_audit_log_is_created_once_and_the_logs_of_all_servers_are_read_in_order() {
    every(&|depot| {
        let name = |name: &str| ServerName::parse(name).unwrap();
        let put = |server: &str, number, entry: &str| {
            depot.ask(DepotOperation::PutAudit { server: name(server), number, entry: entry.to_owned() })
        };
        for number in [1, 2, 10] {
            assert_eq!(put("web.1", number, &format!("line {number}")), DepotAnswer::AuditPut);
        }
        assert_eq!(put("web.10", 1, "another"), DepotAnswer::AuditPut);
        match put("web.1", 2, "instead") {
            DepotAnswer::Failed { error } => assert_eq!(error.kind, DepotFailureKind::Diverged, "{error:?}"),
            other => panic!("{other:?}"),
        }
        let servers = vec![name("web.1"), name("web.10")];
        assert_eq!(depot.ask(DepotOperation::AuditServers), DepotAnswer::AuditServers { servers });
        let read = |server: &str| depot.ask(DepotOperation::ReadAudit { server: name(server) });
        let entries = ["line 1", "line 2", "line 10"].map(str::to_owned).to_vec();
        assert_eq!(read("web.1"), DepotAnswer::Audit { entries });
        assert_eq!(read("web.2"), DepotAnswer::Audit { entries: Vec::new() });
    });
}
