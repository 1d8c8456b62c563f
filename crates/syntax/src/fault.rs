//! What is wrong with a document, and where.

use crate::span::Span;

/// Something wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// It is not written in the language; what its parser says.
    Syntax(String),
    /// Lists and mappings are nested deeper than is allowed.
    TooDeep,
    /// There are more values than are allowed.
    TooManyValues,
    /// Anchors and aliases repeat more values than is allowed.
    RepeatedValues,
    /// Anchors and aliases repeat more bytes of text than is allowed.
    RepeatedBytes,
    /// An alias stands inside the value that it repeats.
    AliasCycle,
    /// A second document begins where one is allowed.
    SeveralDocuments,
    /// A key stands twice; the first counts.
    DuplicateKey { key: String, first: usize },
    /// A key is a list or a mapping; its value is dropped.
    KeyNotText,
    /// A key merges another mapping where that is not allowed; its value is dropped.
    MergeKey,
    /// A tag that is not of the core schema, or does not fit its value.
    UnknownTag(String),
}

/// How large a document may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many lists and mappings may stand around a value.
    pub depth: usize,
    /// How many values there may be, those that aliases repeat included.
    pub values: usize,
    /// How many values anchors and aliases may repeat.
    pub repeated_values: usize,
    /// How many bytes of text anchors and aliases may repeat.
    pub repeated_bytes: u64,
}
