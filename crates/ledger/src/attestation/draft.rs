//! The signed content about a run: everything except its seal, which is made last.

use referee_model::id::Digest;
use referee_model::report::Report;
use serde::Serialize;

use super::names::Names;
use super::statement::{ResourceDescriptor, SHA256, STATEMENT_TYPE, Statement, TREE_DIGEST};
use super::test_result::{self, TestResultPredicate};
use super::verdict::{self, SignerDocument, VerdictPredicate};
use referee_model::canonical::{self, CanonicalError};
use referee_model::evidence_name;

/// The statements about a run, before it is sealed.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    test_result: TestResultPredicate,
    verdict: VerdictPredicate,
    tree: Option<Digest>,
}

impl Draft {
    /// Creates the statements about a judged run, from the digest of its plan and the hash of its report.
    pub fn new(report: &Report, plan: Digest, report_hash: Digest, signer: SignerDocument) -> Self {
        let names = Names::of(report);
        Self {
            test_result: TestResultPredicate::new(report, plan, &names),
            verdict: VerdictPredicate::new(report, plan, report_hash, &names, signer),
            tree: report.run.run_context.tree.as_ref().map(|tree| tree.after.digest),
        }
    }

    /// Returns the statements about the run with this seal, each as the bytes to be signed: the test result,
    /// and the verdict.
    ///
    /// The subject of the test result is the source as it was after the last action, or the seal if the source
    /// was not observed.
    pub fn statements(&self, seal: Digest) -> Result<Vec<Vec<u8>>, CanonicalError> {
        let sealed = || ResourceDescriptor::new(evidence_name::SEAL, SHA256, &seal);
        let source = self.tree.map(|tree| ResourceDescriptor::new("source", TREE_DIGEST, &tree));
        Ok(vec![
            bytes(source.unwrap_or_else(sealed), test_result::PREDICATE_TYPE, &self.test_result.sealed(seal))?,
            bytes(sealed(), verdict::PREDICATE_TYPE, &self.verdict.sealed(seal))?,
        ])
    }
}

fn bytes(
    subject: ResourceDescriptor,
    predicate_type: &'static str,
    predicate: &impl Serialize,
) -> Result<Vec<u8>, CanonicalError> {
    canonical::bytes(&Statement { of: STATEMENT_TYPE, subject: vec![subject], predicate_type, predicate })
}
