//! The function that a call calls.

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

/// Functions that write output for people.
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

/// Functions that load other files.
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

/// Nodes that combine a function with its type arguments.
const GENERICS: [&str; 3] = ["generic_function", "generic_name", "template_function"];

/// Maximum number of names of a call chain that are examined.
const NAMES_MAX: usize = 16;

/// The names in the called expression: `self.log.info` has three.
pub(crate) struct Callee {
    pub(crate) names: Vec<String>,
    /// Whether the method is called on the result of another call: `expect(a).toBe`.
    pub(crate) is_chained: bool,
}

impl Callee {
    /// Returns the callee of a node. None: the node is not a call.
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

    /// Takes the last name of a node, and returns the node before it in the chain.
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

    /// Returns whether the call logs, prints or waits: effects that tests do not observe.
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

    /// Returns whether the call groups tests under a title.
    pub(crate) fn is_suite(&self) -> bool {
        matches!(self.names.first().map(String::as_str), Some("describe" | "context" | "suite" | "RSpec"))
            && self.names.len() <= 2
    }

    pub(crate) fn is_loader(&self) -> bool {
        matches!(self.names.as_slice(), [only] if LOADERS.contains(&only.as_str()))
    }

    /// Returns whether the call is an assertion: of an assertion library, or by its name.
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
