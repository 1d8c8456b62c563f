//! Which sentences speak of a check that blocks, and do not say that it passes. Whoever speaks of what is wrong has not hidden
//! it, in whatever words.

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{CheckStanding, GateAnswer, GateCheck};
use referee_model::plan::Role;

use super::said::Told;
use super::sentence::Claimed;
use super::words::{self, Topic};

/// Whether a message leaves a check open that blocks.
pub(super) fn leaves_open(told: &[Told], answer: &GateAnswer) -> bool {
    let checks = answer.tasks.iter().flat_map(|task| &task.checks);
    let blocking = checks.filter(|check| check.standing == CheckStanding::Blocking);
    let subjects: Vec<Subject> = blocking.map(|check| Subject::of(check, answer)).collect();
    told.iter().any(|told| {
        let text = plain(&told.said);
        subjects.iter().any(|subject| subject.is_left_open(&text, told))
    })
}

/// A check, and the words by which it is known.
struct Subject {
    topic: Option<Topic>,
    /// Its name, what told of its findings, and their codes; as [`plain`] gives them.
    names: Vec<String>,
}

impl Subject {
    fn of(check: &GateCheck, answer: &GateAnswer) -> Self {
        let topic = match check.facts.role {
            Some(Role::Test) => Some(Topic::Tests),
            Some(Role::Typecheck) => Some(Topic::Types),
            Some(Role::Compile) => Some(Topic::Build),
            Some(Role::Lint) => Some(Topic::Lint),
            Some(Role::Format) => Some(Topic::Format),
            None if check.source == DiagnosticSource::Test => Some(Topic::Tests),
            Some(Role::Other) | None => None,
        };
        let causes = answer.causes.iter().filter(|cause| cause.check.as_deref() == Some(check.name.as_str()));
        let of_causes = causes.flat_map(|cause| [cause.code.as_deref(), cause.tool.as_deref()]).flatten();
        let names = [check.name.as_str(), check.action.as_str()].into_iter().chain(of_causes).map(plain);
        Self { topic, names: names.filter(|name| name.len() > 3).collect() }
    }

    fn is_left_open(&self, text: &str, told: &Told) -> bool {
        let says_so = told.claims.iter().any(|claimed| match claimed {
            Claimed::Done => false,
            Claimed::Count(_) => self.topic == Some(Topic::Tests),
            Claimed::Passes { topic, .. } => *topic == Topic::Everything || Some(*topic) == self.topic,
        });
        if says_so {
            return false;
        }
        let of_topic = self.topic.is_some_and(|topic| speaks_of(topic, text))
            && !(self.topic == Some(Topic::Tests) && told.is_writing);
        let of_all = ["ci", "gate", "pipeline", "verdict", "referee"];
        of_topic
            || text.split(' ').any(|word| of_all.contains(&word))
            || self.names.iter().any(|name| text.contains(name.as_str()))
    }
}

fn speaks_of(topic: Topic, text: &str) -> bool {
    let beginnings: &[&str] = match topic {
        Topic::Tests => &["test", "spec", "suite", "prueba", "e2e"],
        Topic::Types => &["typ"],
        Topic::Build => &["build", "built", "compil", "kompil"],
        Topic::Lint => &["lint", "style", "static", "nit"],
        Topic::Format => &["format", "fmt", "style"],
        Topic::Everything => &[],
    };
    let is_one =
        |word: &str| beginnings.iter().any(|beginning| word.starts_with(beginning)) || words::head(word) == Some(topic);
    let in_others = topic == Topic::Tests && ["テスト", "测试", "測試"].iter().any(|word| text.contains(word));
    in_others || text.split(' ').any(is_one)
}

/// A text in lower case, as words with one space before and behind each.
fn plain(text: &str) -> String {
    let mut plain = String::from(" ");
    for character in text.chars() {
        if character.is_alphanumeric() {
            plain.extend(character.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}
