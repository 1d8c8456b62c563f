//! Errors in a document and their positions.

use crate::span::Span;

/// An error in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A syntax error, with the parser's message.
    Syntax(String),
    /// Lists and mappings are nested too deeply.
    TooDeep,
    /// There are too many values.
    TooManyValues,
    /// Anchors and aliases repeat too many values.
    RepeatedValues,
    /// Anchors and aliases repeat too many bytes of text.
    RepeatedBytes,
    /// An alias is used within the value that it repeats.
    AliasCycle,
    /// A second document begins where only one is allowed.
    SeveralDocuments,
    /// A duplicate key, whose first value is used.
    DuplicateKey { key: String, first: usize },
    /// A key that is a list or a mapping; its value is dropped.
    KeyNotText,
    /// A merge key where none is allowed; its value is dropped.
    MergeKey,
    /// A tag outside of the core schema, or one that does not match its value.
    UnknownTag(String),
}

/// Limits on the size of a document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of lists and mappings around a value.
    pub depth: usize,
    /// Maximum number of values, including those repeated by aliases.
    pub values: usize,
    /// Maximum number of values repeated by anchors and aliases.
    pub repeated_values: usize,
    /// Maximum number of bytes of text repeated by anchors and aliases.
    pub repeated_bytes: u64,
}
