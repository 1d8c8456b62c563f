//! Words of reports, messages and help that have a meaning of their own, whatever ran.

use referee_model::build_error::BuildErrorType;
use referee_model::exit_code;
use referee_model::handback::HandbackCode;
use referee_model::incident::class::FailureClass;
use referee_model::outcome::Outcome;
use referee_model::verdict::Decision;
use referee_report::explanation::{Term, TermKind};
use referee_spec::complaint::Code;

use crate::command::topic;

/// Returns the terms of this name; several things may have one name.
pub(super) fn of(name: &str) -> Vec<Term> {
    all().into_iter().filter(|term| term.id.eq_ignore_ascii_case(name)).collect()
}

/// Returns all terms. Rules of judgement are not among them.
pub(in crate::command) fn all() -> Vec<Term> {
    let mut terms = Vec::new();
    let mut add = |kind, id: &str, meaning: &str| {
        terms.push(Term { kind, id: id.to_owned(), meaning: meaning.to_owned() });
    };
    for outcome in Outcome::ALL {
        add(TermKind::Outcome, outcome.as_str(), of_outcome(outcome));
    }
    for decision in [Decision::Pass, Decision::Fail, Decision::Blocked] {
        let (word, meaning) = of_decision(decision);
        add(TermKind::Decision, word, meaning);
    }
    for known in exit_code::TABLE {
        let meaning = format!("{} ({}): {}", known.code, known.name, known.meaning);
        add(TermKind::ExitCode, &known.code.to_string(), &meaning);
        add(TermKind::ExitCode, known.name, &meaning);
    }
    for code in Code::ALL {
        add(TermKind::SpecificationProblem, code.id(), code.meaning());
    }
    for kind in BuildErrorType::ALL {
        add(TermKind::ErrorType, kind.as_str(), kind.description());
    }
    for class in FailureClass::ALL {
        add(TermKind::FailureClass, class.as_str(), class.meaning());
    }
    for code in HandbackCode::ALL {
        add(TermKind::HandbackCode, code.as_str(), code.meaning());
    }
    for (name, text) in topic::TOPICS {
        add(TermKind::Topic, name, text);
    }
    terms
}

fn of_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "The action succeeded.",
        Outcome::TestFailure => "Tests failed.",
        Outcome::ExecutionError => "The tool did not work, so the action says nothing about the project.",
        Outcome::ValidationFailure => "The tool worked and reported findings.",
        Outcome::Timeout => "The time limit was exceeded.",
        Outcome::PrerequisiteFailure => "A requirement for the checks is not met.",
        Outcome::SpecificationError => "The specification requires something that cannot be done.",
    }
}

fn of_decision(decision: Decision) -> (&'static str, &'static str) {
    match decision {
        Decision::Pass => ("PASS", "The task may be called done."),
        Decision::Fail => ("FAIL", "The task may not be called done: something blocks."),
        Decision::Blocked => ("BLOCKED", "The task could not be judged, which is never a pass."),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_word_has_one_meaning_of_its_kind() {
        let mut seen = BTreeSet::new();
        for term in all() {
            assert!(!term.meaning.is_empty() && !term.id.is_empty(), "{term:?}");
            assert!(seen.insert((term.kind.as_str(), term.id.clone())), "{term:?}");
        }
        assert!(seen.len() > 100, "{}", seen.len());
    }

    #[test]
    fn a_name_is_found_in_any_case_and_with_all_its_meanings() {
        let kinds = |name: &str| of(name).iter().map(|term| term.kind.as_str()).collect::<Vec<_>>();
        assert_eq!(kinds("timeout"), ["outcome", "exit code", "class of a failure", "code of a handback"]);
        assert_eq!((kinds("7"), kinds("blocked")), (vec!["exit code"], vec!["decision"]));
        assert_eq!(kinds("masked-failure"), ["problem of a specification"]);
        assert_eq!(kinds("exit-codes"), ["help topic"]);
        assert!(of("nothing-of-ours").is_empty() && of("").is_empty());
    }
}
