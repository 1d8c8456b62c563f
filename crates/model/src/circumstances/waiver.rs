//! A person's word that one named thing shall not block for a while (design, "Lock").

use crate::time::Timestamp;

/// A waiver that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// Its id.
    pub id: String,
    /// What it lifts.
    pub scope: WaiverScope,
    /// Why.
    pub reason: String,
    /// Who gave it, as the waiver says.
    pub person: String,
    /// When it was given.
    pub given: Timestamp,
    /// Until when it holds.
    pub until: Timestamp,
    /// SHA-256 of the signed document, in hexadecimal digits.
    pub digest: String,
    /// Whether it may be believed.
    pub standing: WaiverStanding,
}

/// What a waiver lifts. Nothing is lifted that is not named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaiverScope {
    /// What blocks of one action, by id or name.
    Action {
        /// The task. None: in every task.
        task: Option<String>,
        /// Its id or name.
        action: String,
    },
    /// The findings of one rule of a tool.
    Rule {
        /// The tool.
        tool: String,
        /// The rule or code.
        rule: String,
    },
    /// The drift of one protected file, and the suppressions in it.
    File {
        /// The file, relative to the workspace.
        path: String,
    },
    /// One way in which the specification asks for less.
    Weakening {
        /// What it is about.
        subject: String,
    },
}

/// Whether a waiver may be believed. Its time is held against the run's start by the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaiverStanding {
    /// Its signature is that of a key that is trusted to approve.
    Signed {
        /// The key's id.
        key: String,
        /// Whose key it is, by the trust store.
        approver: String,
    },
    /// It lifts nothing.
    Refused {
        /// Why.
        reason: String,
    },
}
