//! Fields of actions that conditions can use, by kind of action: one table (ruling 14).
//!
//! A field that a kind of action can never have is an error in the specification, not an unknown value.

words! {
    /// Kind of action, as far as the fields differ.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Kind {
        /// Runs a command.
        Command = "a command",
        /// Starts a service, or waits for one.
        Service = "a service",
        /// Inspects a file.
        File = "a file check",
        /// Makes an HTTP request.
        Http = "an HTTP request",
        /// Queries a database.
        Query = "a database query",
        /// Drives a browser.
        Browser = "a browser action",
    }
}

macro_rules! with_common {
    ($($name:literal),*) => {
        &["success", "failed", "skipped", "outcome", "duration", $($name),*]
    };
}

/// Returns the fields that an action of this kind can have.
pub fn known(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Command => with_common!("exitCode", "stdout", "stderr", "errorCount", "warningCount"),
        Kind::Service => with_common!(
            "exitCode",
            "stdout",
            "stderr",
            "errorCount",
            "warningCount",
            "background",
            "pid",
            "status",
            "initialized"
        ),
        Kind::File => with_common!(
            "exists",
            "size",
            "modified",
            "isDirectory",
            "contentLength",
            "contentMatches",
            "patternMatches",
            "isValidJSON",
            "json"
        ),
        Kind::Http => with_common!(
            "status",
            "statusCode",
            "statusText",
            "responseStatus",
            "body",
            "headers",
            "responseTime",
            "url",
            "method",
            "expectedStatus"
        ),
        Kind::Browser => with_common!("action", "initialized", "count", "result"),
        Kind::Query => with_common!("rowCount", "rows", "count", "result"),
    }
}

/// Returns whether an action of this kind can have a field of this name, which is the first step of a path.
pub fn is_known(kind: Kind, name: &str) -> bool {
    known(kind).contains(&name)
}

/// Returns whether any kind of action can have a field of this name. Any other bare name, followed by a field,
/// is a tool.
pub(super) fn is_field(name: &str) -> bool {
    Kind::ALL.iter().any(|kind| is_known(*kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_common_fields_and_no_field_twice() {
        for kind in Kind::ALL {
            for name in ["success", "failed", "skipped", "outcome", "duration"] {
                assert!(is_known(kind, name), "{kind:?} {name}");
            }
            let mut names = known(kind).to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), known(kind).len(), "{kind:?}");
        }
    }

    #[test]
    fn a_kind_has_its_own_fields_and_not_those_of_others() {
        for (kind, has, lacks) in [
            (Kind::Command, "exitCode", "statusCode"),
            (Kind::Service, "pid", "body"),
            (Kind::File, "isValidJSON", "stdout"),
            (Kind::Http, "body", "exitCode"),
            (Kind::Browser, "initialized", "exists"),
            (Kind::Query, "rowCount", "exitCode"),
            (Kind::Query, "rows", "initialized"),
        ] {
            assert!(is_known(kind, has) && !is_known(kind, lacks), "{kind:?}");
            assert!(is_field(has));
        }
        assert!(!is_field("eslint") && !is_field(""));
    }
}
