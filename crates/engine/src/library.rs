//! What is kept in an evidence root, read for whoever shows it: runs, their reports, files and logs, and the registers.
//! Nothing is written.
//!
//! Nothing is found by a path that somebody gives: a run is asked for by its task and its id, a file by its name in the run's
//! seal. Every byte that is given out is the byte that was hashed and compared with the seal: what is not as it was sealed is
//! refused by name.

use std::path::PathBuf;

use referee_ledger::catalogue::{OpenRun, Spot};
use referee_ledger::trust::TrustStore;
use referee_ledger::{LedgerError, State, Store};
use referee_model::debt_register::{DebtListDocument, RegisterDocument};
use referee_model::diagnostic_register::ListDocument;
use referee_model::evidence_name;
use referee_model::id::{ActionId, DebtId, ExecutionId, TaskId};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use referee_report::evidence_files::{self, EvidenceFilesDocument};
use referee_report::evidence_verification::EvidenceVerificationDocument;
use referee_report::run_list::{self, EvidenceState, RunDetailDocument, RunListDocument};

use crate::verification::{self, Verifier, VerifyRequest};

mod listing;
mod log;
mod look;
mod registers;
mod run_contents;

pub use self::log::Lines;
pub use self::registers::{DebtQuery, DiagnosticQuery, DiagnosticSince, RegisterError};
pub use self::run_contents::{Part, SealedRun};

/// The runs and registers below an evidence root.
#[derive(Debug, Clone)]
pub struct Library {
    root: PathBuf,
    state: Option<State>,
}

/// Which run of a task is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The one in the task's place.
    Latest,
    /// The one of this id.
    Run(ExecutionId),
}

/// Which runs are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Those of this task. None: of all.
    pub task: Option<TaskId>,
    /// Those whose report decided so. None: all, also those without a report.
    pub decision: Option<Decision>,
    /// What the last page said under `next`.
    pub after: Option<String>,
    /// How many at most. 0: as many as a page has.
    pub limit: usize,
}

/// Why something is not shown.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// There is no such run, file, action or item.
    #[error("{0}")]
    Unknown(String),
    /// What was asked cannot be meant.
    #[error("{0}")]
    Invalid(String),
    /// The run is not sealed: it goes on, or died.
    #[error("{0}")]
    NotSealed(String),
    /// The files of the run were removed on purpose.
    #[error("{0}")]
    Pruned(String),
    /// It is not what was sealed.
    #[error("{0}")]
    Altered(String),
    /// It is more than is shown.
    #[error("{0}")]
    TooLarge(String),
    /// A register cannot be read.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The evidence root cannot be read.
    #[error(transparent)]
    Store(#[from] LedgerError),
    /// Referee itself failed.
    #[error("{0}")]
    Internal(String),
}

impl Library {
    /// The runs and registers below this evidence root, which need not be there, with the user's state directory, where
    /// the heads of chains are kept.
    pub fn new(root: PathBuf, state: Option<State>) -> Self {
        Self { root, state }
    }

    /// Lists runs, the latest first.
    ///
    /// # Errors
    /// Fails where the root cannot be read. What is wrong with one run is said of that run.
    pub fn runs(&self, query: &RunQuery) -> Result<RunListDocument, LibraryError> {
        match self.store()? {
            Some(store) => listing::list(&store, self.state.as_ref(), query),
            None => Ok(run_list::list(0, Vec::new(), None)),
        }
    }

    /// Looks at one run.
    ///
    /// # Errors
    /// Fails where there is none, and where the root cannot be read.
    pub fn run(&self, task: &TaskId, which: &Which) -> Result<RunDetailDocument, LibraryError> {
        let store = self.store()?.ok_or_else(|| unknown(task, which))?;
        let state = self.state.as_ref();
        let Some(open) = store.open_run(task, which.execution())? else {
            let row = listing::without_directory(&store, task, which)?.ok_or_else(|| unknown(task, which))?;
            return Ok(run_list::detail(row, Vec::new(), Vec::new()));
        };
        let looked = look::look(&open, task, which.execution(), state, look::Chain::Asked);
        let unfinished = if open.spot == Spot::Latest { store.unfinished(task)? } else { Vec::new() };
        let later = unfinished.into_iter().map(|run| run.execution).collect();
        let actions = if looked.row.evidence == EvidenceState::AsSealed {
            match self.sealed(task, open, which).and_then(|run| run.actions()) {
                // What is wrong with the plan is told to whoever reads it; the run itself can be shown.
                Err(LibraryError::Altered(_)) => Vec::new(),
                actions => actions?,
            }
        } else {
            Vec::new()
        };
        Ok(run_list::detail(looked.row, later, actions))
    }

    /// Opens one run, to read what was sealed of it.
    ///
    /// # Errors
    /// Fails where there is none, where it was never sealed or its files were removed, and where its seal or its report is not
    /// what was sealed.
    pub fn open(&self, task: &TaskId, which: &Which) -> Result<SealedRun, LibraryError> {
        let store = self.store()?.ok_or_else(|| unknown(task, which))?;
        match store.open_run(task, which.execution())? {
            Some(open) => self.sealed(task, open, which),
            None => Err(match listing::without_directory(&store, task, which)? {
                Some(row) => LibraryError::NotSealed(format!(
                    "{} of {task} is {}: there is no sealed evidence of it",
                    which.shown(),
                    row.state.as_str()
                )),
                None => unknown(task, which),
            }),
        }
    }

    /// Lists the files of a run by its seal.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn files(&self, task: &TaskId, which: &Which) -> Result<EvidenceFilesDocument, LibraryError> {
        let run = self.open(task, which)?;
        Ok(evidence_files::document(run.seal(), run.seal_digest()))
    }

    /// Verifies a run: every file against the seal, the seal against the chain, signatures against the user's trust store; and
    /// judges it again where that is asked.
    ///
    /// # Errors
    /// Fails where there is no such run, where it is too large to be judged again on demand, and where it cannot be looked at.
    pub fn verify(
        &self,
        task: &TaskId,
        which: &Which,
        replay: bool,
        now: Timestamp,
    ) -> Result<EvidenceVerificationDocument, LibraryError> {
        let store = self.store()?.ok_or_else(|| unknown(task, which))?;
        let open = store.open_run(task, which.execution())?.ok_or_else(|| unknown(task, which))?;
        if replay {
            let looked = look::look(&open, task, which.execution(), self.state.as_ref(), look::Chain::NotAsked);
            let bytes = looked
                .seal
                .iter()
                .flat_map(|(seal, _)| &seal.files)
                .fold(0_u64, |sum, file| sum.saturating_add(file.bytes));
            if bytes > limit::REPLAYED_BYTES {
                return Err(LibraryError::TooLarge(format!(
                    "the evidence has {bytes} bytes, and at most {} are judged again on demand: use `referee evidence verify \
                     --replay`",
                    limit::REPLAYED_BYTES
                )));
            }
        }
        let trust = self.state.as_ref().map_or_else(
            || Ok(TrustStore::default()),
            |state| TrustStore::read(state).map_err(|error| error.to_string()),
        );
        let verifier = Verifier { keys: Vec::new(), trust, now };
        let directory = open.evidence.path();
        let request = VerifyRequest { directory, replay, state: self.state.as_ref(), verifier: &verifier };
        let verification =
            verification::verify(&request).map_err(|failure| LibraryError::Internal(failure.to_string()))?;
        Ok(verification.document())
    }

    /// Lists items of debt.
    ///
    /// # Errors
    /// Fails where the register cannot be read.
    pub fn debt(&self, query: &DebtQuery) -> Result<DebtListDocument, LibraryError> {
        registers::debt(&self.root, query)
    }

    /// Returns one item of debt, as a register that holds it alone.
    ///
    /// # Errors
    /// Fails where there is none, and where the register cannot be read.
    pub fn debt_item(&self, id: &DebtId) -> Result<RegisterDocument, LibraryError> {
        registers::debt_item(&self.root, id)
    }

    /// Lists diagnostics over all runs.
    ///
    /// # Errors
    /// Fails where the register cannot be read.
    pub fn diagnostics(&self, query: &DiagnosticQuery) -> Result<ListDocument, LibraryError> {
        registers::diagnostics(&self.root, query)
    }

    fn store(&self) -> Result<Option<Store>, LibraryError> {
        Ok(Store::look(&self.root, self.state.as_ref())?)
    }

    fn sealed(&self, task: &TaskId, open: OpenRun, which: &Which) -> Result<SealedRun, LibraryError> {
        let looked = look::look(&open, task, which.execution(), self.state.as_ref(), look::Chain::Asked);
        let told = || looked.row.problem.clone().unwrap_or_default();
        let whose = format!("{} of {task}", which.shown());
        match looked.row.evidence {
            EvidenceState::AsSealed => {}
            EvidenceState::Altered => return Err(LibraryError::Altered(format!("{whose}: {}", told()))),
            EvidenceState::Unreadable => return Err(LibraryError::Internal(format!("{whose}: {}", told()))),
            EvidenceState::Unsealed => return Err(LibraryError::NotSealed(format!("{whose}: {}", told()))),
            EvidenceState::Pruned => return Err(LibraryError::Pruned(format!("{whose}: {}", told()))),
        }
        let (Some((seal, digest)), Some(report)) = (looked.seal, looked.report) else {
            return Err(LibraryError::Internal(format!("{whose}: it matches its seal, and has no seal")));
        };
        Ok(SealedRun::new(open.evidence, seal, digest, report))
    }
}

impl Which {
    fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Latest => None,
            Self::Run(execution) => Some(execution),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Latest => "the latest run".to_owned(),
            Self::Run(execution) => execution.to_string(),
        }
    }
}

fn unknown(task: &TaskId, which: &Which) -> LibraryError {
    LibraryError::Unknown(match which {
        Which::Latest => format!("no run of {task} is kept here"),
        Which::Run(execution) => format!("no run {execution} of {task} is kept here"),
    })
}

/// Says that an action is not in a plan.
fn unknown_action(action: &ActionId) -> LibraryError {
    LibraryError::Unknown(format!("the plan of that run has no action {action}"))
}

/// Turns an error of a file that a seal lists into one that names it.
fn refused(error: LedgerError) -> LibraryError {
    match error {
        LedgerError::Meddled { what, .. } => {
            LibraryError::Altered(format!("{what}: it is not shown as evidence; `referee evidence verify` says more"))
        }
        LedgerError::Name { name } => {
            LibraryError::Altered(format!("the seal lists `{name}`, which can be no file of evidence"))
        }
        other => LibraryError::Store(other),
    }
}

const REPORT: &str = evidence_name::EXECUTION_REPORT;
