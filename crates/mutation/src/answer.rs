//! Answers to requests of the `referee-mutants` protocol.

use referee_model::mutant::{DefectKind, Language, MutantAnswer, MutantRequest, MutantTask};

use crate::defect::{lint_violations, syntax_break, type_error, unformatted};
use crate::fit::fits;
use crate::hollow::hollowed;
use crate::mutation::mutants;
use crate::source::Refusal;

/// Answers a request about a source file.
pub fn answer(request: &MutantRequest) -> MutantAnswer {
    let MutantRequest { language, text, task } = request;
    let answered = match task {
        MutantTask::Mutants => mutants(*language, text).map(|all| all.into_iter().map(Some).collect()).map(of_mutants),
        MutantTask::Fit { mutants } => fits(mutants, *language, text).map(of_mutants),
        MutantTask::Defects { defect } => {
            defects(*defect, *language, text).map(|texts| MutantAnswer::Defects { texts })
        }
        MutantTask::Hollowed { before } => {
            hollowed(*language, before, text).map(|tests| MutantAnswer::Hollowed { tests })
        }
    };
    answered.unwrap_or_else(|refusal| MutantAnswer::Refused { reason: refusal.to_string() })
}

fn of_mutants(mutants: Vec<Option<referee_model::mutant::Mutant>>) -> MutantAnswer {
    MutantAnswer::Mutants { mutants }
}

fn defects(defect: DefectKind, language: Language, text: &str) -> Result<Vec<String>, Refusal> {
    Ok(match defect {
        DefectKind::Syntax => vec![syntax_break(language, text)],
        DefectKind::Type => type_error(language, text).into_iter().collect(),
        DefectKind::Lint => lint_violations(language, text),
        DefectKind::Format => unformatted(language, text)?.into_iter().collect(),
    })
}
