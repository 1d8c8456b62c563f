//! A failed test of the Java virtual machine: the exception's class and message, then its stack.

use referee_model::limit;
use referee_model::reading::TestFailure;
use referee_syntax::cut;

use crate::candidate::name;
use crate::shapes::jvm;
use crate::text;

const MESSAGE_LINES: usize = 60;

/// Gathers the lines below a failed test's heading.
#[derive(Debug, Default)]
pub(crate) struct Body {
    message: String,
    message_lines: usize,
    stack: String,
}

impl Body {
    /// Whether the stack has begun.
    pub(crate) fn has_stack(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Takes a line, without what all of the body is indented by; false: it is too much to be one.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        let line = line.trim_end();
        let is_stack = jvm::is_stack_line(line) || jvm::frame(line).is_some();
        if is_stack || self.has_stack() {
            text::append_line(&mut self.stack, line.trim_start(), limit::MESSAGE_BYTES);
            return true;
        }
        self.message_lines += 1;
        if !self.message.is_empty() || !line.trim().is_empty() {
            text::append_line(&mut self.message, line, limit::MESSAGE_BYTES);
        }
        self.message_lines <= MESSAGE_LINES
    }

    /// Fills in what a failure of a method of a class says.
    pub(crate) fn fill(self, failure: &mut TestFailure, class: &str, method: &str) {
        let method = method.split(['(', '[', ' ']).next().unwrap_or(method);
        if let Some(place) = jvm::place(&self.stack, class, method) {
            failure.file = Some(name(place.file));
            failure.line = place.line;
        }
        let message = self.message.trim_end();
        if !message.is_empty() {
            jvm::without_assertion(message).trim_start().clone_into(&mut failure.message);
        }
        if let Some((expected, received)) = jvm::compared(message) {
            failure.expected = Some(cut::head(expected, limit::MESSAGE_BYTES).to_owned());
            failure.received = Some(cut::head(received, limit::MESSAGE_BYTES).to_owned());
        }
        failure.stack = (!self.stack.is_empty()).then_some(self.stack);
    }
}
