//! All mutants of a file.

use std::collections::BTreeMap;

use crate::exclusion::is_excluded;
use crate::names::Names;
use crate::operators::{Edit, edits};
use crate::scope::Scope;
use crate::source::{Next, Refusal, Source, Trail};
use referee_model::mutant::Language;
use referee_model::mutant::{Anchor, Mutant, Operator};

/// Maximum length of the expression in an anchor, in characters.
const EXPRESSION_CHARACTERS_MAX: usize = 200;

/// Returns every mutant of a text, in text order.
pub fn mutants(language: Language, text: &str) -> Result<Vec<Mutant>, Refusal> {
    let source = Source::parse(language, text)?;
    let names = Names::of(&source);
    let mut mutants = Vec::new();
    source.walk(&mut |trail| {
        if is_excluded(&source, trail) {
            return Next::Past;
        }
        mutants.extend(edits(&source, &names, trail).iter().map(|edit| mutant(&source, trail, edit)));
        Next::Into
    });
    mutants.sort_by_key(|mutant| (mutant.start, mutant.end, mutant.operator));
    mutants.dedup_by(|later, earlier| {
        (later.start, later.end) == (earlier.start, earlier.end) && later.replacement == earlier.replacement
    });
    locate(text, &mut mutants);
    count_peers(&mut mutants);
    Ok(mutants)
}

fn mutant(source: &Source, trail: &Trail, edit: &Edit) -> Mutant {
    let scope = Scope::of(source, trail);
    let kinds = trail[(scope.depth + 1).min(trail.len() - 1)..].iter().map(|step| step.node.kind());
    Mutant {
        language: source.language,
        operator: edit.operator,
        start: edit.start,
        end: edit.end,
        line: 0,
        column: 0,
        original: source.text[edit.start..edit.end].to_owned(),
        replacement: edit.replacement.clone(),
        anchor: Anchor {
            function: scope.function,
            kinds: kinds.collect::<Vec<_>>().join("/"),
            expression: brief(source.of(edit.expression)),
            ordinal: 0,
            peers: 0,
        },
    }
}

/// Returns the beginning of an expression with whitespace collapsed, without reading a long expression to its end.
fn brief(expression: &str) -> String {
    let mut brief = String::new();
    let words = expression.split_whitespace().take(EXPRESSION_CHARACTERS_MAX);
    for word in words {
        if brief.len() > EXPRESSION_CHARACTERS_MAX * 4 {
            break;
        }
        brief.extend((!brief.is_empty()).then_some(' '));
        brief.extend(word.chars().take(EXPRESSION_CHARACTERS_MAX));
    }
    brief.chars().take(EXPRESSION_CHARACTERS_MAX).collect()
}

/// Sets lines and columns in one pass, since a file may consist of one long line.
fn locate(text: &str, mutants: &mut [Mutant]) {
    let (mut at, mut line, mut column) = (0, 1, 1);
    for mutant in mutants {
        for character in text[at..mutant.start].chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        at = mutant.start;
        (mutant.line, mutant.column) = (line, column);
    }
}

fn count_peers(mutants: &mut [Mutant]) {
    let key = |mutant: &Mutant| -> (Option<String>, String, Operator, String, String) {
        let anchor = &mutant.anchor;
        let (original, replacement) = (mutant.original.clone(), mutant.replacement.clone());
        (anchor.function.clone(), anchor.kinds.clone(), mutant.operator, original, replacement)
    };
    let mut counts = BTreeMap::new();
    for mutant in &mut *mutants {
        let count = counts.entry(key(mutant)).or_insert(0);
        mutant.anchor.ordinal = *count;
        *count += 1;
    }
    for mutant in mutants {
        mutant.anchor.peers = counts.get(&key(mutant)).copied().unwrap_or(1);
    }
}
