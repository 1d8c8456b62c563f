//! What a call calls.

use tree_sitter::Node;

use crate::kind::{CALLS, IDENTIFIERS, is};
use crate::source::{Source, children};

/// Objects whose methods write logs.
const LOGS: [&str; 12] = [
    "console",
    "debug",
    "fmt.print",
    "log",
    "logger",
    "logging",
    "slog",
    "system.err",
    "system.out",
    "trace",
    "tracing",
    "zap",
];

/// Functions that write for people.
const WRITERS: [&str; 17] = [
    "error_log",
    "fprintf",
    "fputs",
    "fmt.print",
    "fmt.printf",
    "fmt.println",
    "perror",
    "pp",
    "print",
    "print_r",
    "printf",
    "println",
    "puts",
    "putchar",
    "syslog",
    "var_dump",
    "warn",
];

/// Functions that fetch other files.
const LOADERS: [&str; 6] = ["autoload", "import", "load", "require", "require_relative", "require_once"];

const MEMBERS: [&str; 13] = [
    "attribute",
    "await_expression",
    "field_access",
    "field_expression",
    "member_access_expression",
    "member_expression",
    "non_null_expression",
    "qualified_identifier",
    "qualified_name",
    "scope_resolution",
    "scoped_identifier",
    "scoped_type_identifier",
    "selector_expression",
];

/// A function and the arguments of its type.
const GENERICS: [&str; 3] = ["generic_function", "generic_name", "template_function"];

/// Names of a chain of calls that are looked at.
const NAMES_MAX: usize = 16;

/// The names in the text of what is called: `self.log.info` has three.
pub(crate) struct Callee {
    pub(crate) names: Vec<String>,
    /// Whether the value of another call is asked: `expect(a).toBe`.
    pub(crate) is_chained: bool,
}

impl Callee {
    /// None: the node is no call.
    pub(crate) fn of(source: &Source, node: Node) -> Option<Self> {
        if !node.is_named() || !(is(&CALLS, node.kind()) || node.kind() == "macro_invocation") {
            return None;
        }
        let mut called = Self { names: Vec::new(), is_chained: false };
        let mut next = called.push(source, node);
        for _ in 0..NAMES_MAX {
            let Some(node) = next else { break };
            called.is_chained |= is(&CALLS, node.kind());
            next = called.push(source, node);
        }
        called.names.reverse();
        Some(called)
    }

    /// Takes the last name of a node, and returns the node that is asked for it.
    fn push<'tree>(&mut self, source: &Source, node: Node<'tree>) -> Option<Node<'tree>> {
        let field = |names: &[&str]| names.iter().find_map(|name| node.child_by_field_name(name));
        if is(&CALLS, node.kind()) || node.kind() == "macro_invocation" {
            let Some(method) = field(&["method", "name"]) else { return field(&["function", "macro"]) };
            self.names.push(source.of(method).to_owned());
            return field(&["receiver", "object", "scope"]);
        }
        if is(&MEMBERS, node.kind()) {
            let parts = children(node);
            let (last, object) = (parts.last()?, parts.first()?);
            self.names.push(source.of(*last).to_owned());
            return (parts.len() > 1).then_some(*object);
        }
        if is(&GENERICS, node.kind()) {
            return node.named_child(0);
        }
        if node.child_count() == 0 || is(&IDENTIFIERS, node.kind()) {
            self.names.push(source.of(node).trim_start_matches('$').to_owned());
        }
        None
    }

    /// Writes a log, prints, or waits: what nothing but time or a person notices.
    pub(crate) fn is_quiet(&self) -> bool {
        let lower: Vec<String> = self.names.iter().map(|name| name.to_lowercase()).collect();
        let Some((last, objects)) = lower.split_last() else { return false };
        let whole = lower.join(".");
        let is_log = |name: &String| LOGS.contains(&name.trim_start_matches('_'));
        matches!(last.as_str(), "sleep" | "usleep" | "nanosleep" | "delay")
            || WRITERS.contains(&whole.trim_start_matches("std."))
            || LOGS.iter().any(|log| log.contains('.') && whole.starts_with(&format!("{log}.")))
            || objects.iter().any(is_log)
    }

    /// Groups tests under a title.
    pub(crate) fn is_suite(&self) -> bool {
        matches!(self.names.first().map(String::as_str), Some("describe" | "context" | "suite" | "RSpec"))
            && self.names.len() <= 2
    }

    pub(crate) fn is_loader(&self) -> bool {
        matches!(self.names.as_slice(), [only] if LOADERS.contains(&only.as_str()))
    }

    /// Asserts something: a function of an assertion library, or one that is named like one.
    pub(crate) fn is_assertion(&self) -> bool {
        let (Some(first), Some(last)) = (self.names.first(), self.names.last()) else { return false };
        let lower = last.to_lowercase();
        let is_named = ["assert", "expect", "should", "require_"].iter().any(|word| lower.starts_with(word));
        let is_of_library = !self.is_chained && ["assert", "require", "Assert", "Expect"].contains(&first.as_str());
        let is_go = matches!(first.as_str(), "t" | "b" | "tb")
            && matches!(last.as_str(), "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow");
        let is_short =
            matches!(lower.as_str(), "check" | "require" | "fail" | "raises" | "refute") && !self.is_loader();
        let is_named_in_ruby = ["must_", "wont_", "refute_"].iter().any(|word| lower.starts_with(word));
        is_named || is_of_library && self.names.len() > 1 || is_go || is_short || is_named_in_ruby
    }
}
