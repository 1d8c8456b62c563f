//! Judges a service that is started or waited for: rulings 4 and 9 (seed 1, detailed structure 4).

use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::Service;
use referee_model::plan::service::{Port, PrerequisiteKind};
use referee_model::reading::{Excerpt, Reading};
use referee_model::record::service::{PortCheck, PortHolder, ProbeObservation, Readiness};
use referee_model::record::{Ending, ServiceFacts, StartFailure};
use referee_model::signal;
use referee_syntax::count::times;
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

use super::command::could_not_start;
use super::draft::{Deadline, Draft, Item};
use super::exit_code;

/// Maximum length of a quoted probe, command line or last line, in characters.
const QUOTED_CHARACTERS: usize = 160;

/// A service that was waited for, with its facts.
struct Case<'a> {
    service: &'a Service,
    facts: &'a ServiceFacts,
    reading: &'a Reading,
}

/// Explanation of why a service was not ready in time.
struct Lateness {
    /// Details, to follow in the reason.
    what: String,
    /// Details in the words of a title.
    title: String,
    causes: &'static [&'static str],
    fix: &'static str,
}

/// Judges a service by the result of waiting for it.
///
/// | readiness                                   | outcome                                     |
/// |---------------------------------------------|---------------------------------------------|
/// | ready, and every sign of it was seen        | SUCCESS                                     |
/// | ready, and a sign was not seen, or another process has its port | EXECUTION_ERROR: the facts contradict themselves |
/// | its port was in use before it was started   | EXECUTION_ERROR, naming the process         |
/// | another process has its port                | EXECUTION_ERROR, naming the process         |
/// | it ended before it was ready                | EXECUTION_ERROR                             |
/// | it was not ready in time                    | TIMEOUT                                     |
/// | it could not be started                     | EXECUTION_ERROR                             |
/// | interrupted with the run                    | EXECUTION_ERROR                             |
pub(super) fn judge(service: &Service, facts: &ServiceFacts, reading: &Reading) -> Draft {
    let case = Case { service, facts, reading };
    match &facts.readiness {
        Readiness::Ready { after_ms } => match case.contradiction() {
            Some(contradiction) => super::unusable(contradiction),
            None => Draft::success(Rule::ServiceReady, format!("ready after {}", exact(*after_ms))),
        },
        Readiness::PortTaken => case.port_taken("so the service was not started"),
        Readiness::ForeignPort => case.port_taken("outside of the service's own processes"),
        Readiness::Ended { ending } => case.ended(ending),
        Readiness::DeadlineExceeded { timeout_ms, of_task } => case.late(*timeout_ms, *of_task),
        Readiness::Interrupted => interrupted(),
        Readiness::CouldNotStart { cause, message } => case.could_not_start(*cause, message),
    }
}

fn interrupted() -> Draft {
    Draft::execution_error(Rule::Interrupted, "given up: the run was interrupted").advise("Run the task again")
}

impl Case<'_> {
    /// Returns why a service that is reported as ready cannot be trusted to be.
    fn contradiction(&self) -> Option<String> {
        let (wanted, seen) = (self.service.ready.len(), self.facts.probes.len());
        if seen < wanted {
            return Some(format!("the service is said to be ready, and {seen} of its {wanted} signs were looked for"));
        }
        if let Some(probe) = self.facts.probes.iter().find(|probe| !probe.held) {
            let probe = first_line(&probe.probe, QUOTED_CHARACTERS);
            return Some(format!("the service is said to be ready, and `{probe}` did not hold"));
        }
        self.service.command.as_ref()?;
        if self.facts.started.as_ref().is_none_or(|started| started.pid.is_none()) {
            return Some("the service is said to be ready, and was never started".to_owned());
        }
        let check = self.facts.port_check.as_ref().filter(|_| !self.service.external)?;
        let who = strangers(check)?;
        Some(format!("the service is said to be ready, and its port {} is held by {who}", check.port))
    }

    fn port_taken(&self, how: &str) -> Draft {
        let check = self.facts.port_check.as_ref();
        let port = self.port().map_or_else(|| "its port".to_owned(), |port| format!("port {port}"));
        let who = check.and_then(strangers).unwrap_or_else(|| "somebody who could not be determined".to_owned());
        let fix = self.free_the_port();
        Draft::execution_error(Rule::ServicePortTaken, format!("{port} is held by {who}, {how}"))
            .because_of([
                "the service was left running by an earlier run or by a person",
                "another program uses the same port",
                "the service hands its port to a process outside its own tree: declare it `external` then",
            ])
            .advise(fix.clone())
            .ask(AgentAction::FixPrerequisite)
            .leaving(self.item("Port Already in Use", fix))
    }

    fn free_the_port(&self) -> String {
        match self.port() {
            Some(port) => format!("Kill existing process on port {port} or configure different port"),
            None => "Kill existing process on its port or configure different port".to_owned(),
        }
    }

    fn ended(&self, ending: &Ending) -> Draft {
        let what = match ending {
            Ending::Exited { code } => format!("exited with code {code}"),
            Ending::Signaled { signal } => {
                let name = signal::name(*signal).map_or_else(String::new, |name| format!(" ({name})"));
                format!("was ended by signal {signal}{name}, which Referee did not send,")
            }
            Ending::OutputLimitExceeded { limit_bytes } => {
                format!("was stopped, as it printed more than {limit_bytes} bytes,")
            }
            Ending::ProcessLimitExceeded { limit } => {
                format!("was stopped, as it ran more than {limit} processes at once,")
            }
            Ending::MemoryLimitExceeded { limit_bytes } => {
                format!("was stopped, as it took more than {limit_bytes} bytes of memory,")
            }
            Ending::Interrupted { .. } => return interrupted(),
            Ending::DeadlineExceeded { timeout_ms, of_task, .. } => return self.late(*timeout_ms, *of_task),
            Ending::CouldNotStart { cause, message } => return self.could_not_start(*cause, message),
        };
        let said = self.last_words().map_or_else(String::new, |said| format!("; it said at last: {said}"));
        let draft = Draft::execution_error(Rule::ServiceNotReady, format!("it {what} before it was ready{said}"));
        if let Some(who) = self.facts.port_check.as_ref().and_then(strangers) {
            let fix = self.free_the_port();
            return draft
                .because_of([format!("its port is in use: it is held by {who}")])
                .advise(fix.clone())
                .ask(AgentAction::FixPrerequisite)
                .leaving(self.item("Port Already in Use", fix));
        }
        let fix = "Read its log, and fix what made it end";
        draft
            .because_of(why_it_ended(ending))
            .because_of(["its configuration, or something that it needs, is missing or wrong"])
            .advise(fix)
            .ask(AgentAction::ImplementFix)
            .leaving(self.item("Ended Before It Was Ready", fix.to_owned()))
    }

    fn could_not_start(&self, cause: StartFailure, message: &str) -> Draft {
        let argv = self.facts.started.as_ref().map_or(&[][..], |started| &started.argv);
        let draft = could_not_start(argv, cause, message);
        let fix = draft.advice.clone();
        draft.leaving(self.item("Could Not Start", fix))
    }

    fn late(&self, timeout_ms: u64, of_task: bool) -> Draft {
        let deadline = Deadline::told(of_task);
        let Lateness { what, title, causes, fix } = self.lateness(timeout_ms);
        let unheld = self.facts.probes.iter().filter(|probe| !probe.held).count();
        // The answer of a health URL is reported with it; the other signs are reported beside it.
        let untold = self.unheld().filter(|_| self.answered().is_none() || unheld > 1);
        let waited = untold.map_or_else(String::new, |probes| format!("; it was waited for {probes}"));
        let reason = format!("not ready at {} of {}{what}{waited}", deadline.whose(), exact(timeout_ms));
        let mut draft = Draft::timeout(deadline, reason)
            .because_of(causes.iter().copied())
            .advise(fix)
            .leaving(self.item(&title, fix.to_owned()));
        draft.rule = Rule::ServiceNotReady;
        draft
    }

    /// Returns the URL with an unexpected answer.
    fn answered(&self) -> Option<&ProbeObservation> {
        self.facts.probes.iter().find(|probe| !probe.held && probe.last.starts_with("HTTP "))
    }

    /// Distinguishes a server that never listened from one that runs but does not answer as it should.
    fn lateness(&self, timeout_ms: u64) -> Lateness {
        let runs = self.service.command.is_some();
        let title = format!("Not Ready Within {}", exact(timeout_ms));
        let check = self.facts.port_check.as_ref();
        match (self.answered(), check) {
            (Some(probe), check) => {
                let url = first_line(&probe.probe, QUOTED_CHARACTERS);
                let last = first_line(&probe.last, QUOTED_CHARACTERS);
                let at = check.map_or_else(String::new, |check| format!(" on port {}", check.port));
                Lateness {
                    what: format!(
                        "; the server is up{at}, but its health URL {url} answers {last} (asked {})",
                        times(probe.attempts)
                    ),
                    title: format!("Health URL Answers {last}"),
                    causes: &["the server started, and what its health URL looks at fails", "the URL is a wrong one"],
                    fix: "Read its log, and make its health URL answer, or correct the URL",
                }
            }
            (None, Some(check)) if check.in_use => {
                let who = strangers(check).map_or_else(String::new, |who| format!(", held by {who}"));
                Lateness {
                    what: format!("; port {} is open{who}, but not every sign of readiness was seen", check.port),
                    title,
                    causes: &[
                        "the server listens, and hangs before it answers",
                        "it waits for something that does not come",
                    ],
                    fix: "Read its log, make it start faster, or raise its timeout",
                }
            }
            (None, check) => Lateness {
                what: check.map_or_else(String::new, |check| {
                    format!("; the server did not start: nothing listens on port {}", check.port)
                }),
                title,
                causes: if runs {
                    &[
                        "it starts more slowly than the limit allows",
                        "it listens at another port or address",
                        "it hangs",
                    ]
                } else {
                    &[
                        "whoever runs it did not start it",
                        "it listens at another port or address",
                        "a firewall is in the way",
                    ]
                },
                fix: if runs {
                    "Read its log, make it start faster, or raise its timeout"
                } else {
                    "Start it, make sure that it listens there, and run again"
                },
            },
        }
    }

    /// Describes the signs of readiness that are missing, with the last observation.
    fn unheld(&self) -> Option<String> {
        let said: Vec<String> = self
            .facts
            .probes
            .iter()
            .filter(|probe| !probe.held)
            .map(|probe| {
                let last = first_line(&probe.last, QUOTED_CHARACTERS);
                let last = if last.is_empty() { String::new() } else { format!(", last seen: {last}") };
                format!("`{}` (tried {}{last})", first_line(&probe.probe, QUOTED_CHARACTERS), times(probe.attempts))
            })
            .collect();
        (!said.is_empty()).then(|| said.join(" and "))
    }

    /// Returns the last line that the service printed, on standard error if it printed there.
    fn last_words(&self) -> Option<String> {
        let excerpts = &self.reading.excerpts;
        let texts = [&excerpts.stderr, &excerpts.stdout];
        let ends = texts.map(Excerpt::end);
        let last = ends.into_iter().find_map(|text| text.lines().rev().find(|line| !line.trim().is_empty()));
        last.map(|line| first_line(line, QUOTED_CHARACTERS))
    }

    fn port(&self) -> Option<u16> {
        let checked = self.facts.port_check.as_ref().map(|check| check.port);
        let planned = match self.service.port {
            Some(Port::Fixed(port)) => Some(port),
            Some(Port::Auto(_)) | None => None,
        };
        self.facts.port.or(checked).or(planned)
    }

    fn item(&self, what: &str, fix: String) -> Item {
        Item { failed: Some((whose(self.service).to_owned(), what.to_owned())), fix: Some(fix), ..Item::default() }
    }
}

/// Returns the kind of a service in the words of a title.
pub(super) fn whose(service: &Service) -> &'static str {
    match service.kind {
        PrerequisiteKind::DevServerRunning => "Dev Server",
        PrerequisiteKind::DatabaseAvailable => "Database",
        PrerequisiteKind::ServiceHealthy => "Service",
        PrerequisiteKind::FileExists => "File",
    }
}

fn why_it_ended(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Exited { code: 0 } => {
            Some("it went on in the background by itself, out of reach: let it stay in the foreground".to_owned())
        }
        Ending::Exited { code } => exit_code::meaning(*code),
        _ => None,
    }
}

/// Describes the processes that listen on a port. None: they could not be determined.
pub(super) fn holders(check: &PortCheck) -> Option<String> {
    said(check.holders.iter())
}

/// Describes the processes that listen on a port without belonging to the service. None: they could not be
/// determined.
fn strangers(check: &PortCheck) -> Option<String> {
    said(check.holders.iter().filter(|holder| !holder.own))
}

fn said<'a>(holders: impl Iterator<Item = &'a PortHolder>) -> Option<String> {
    let said: Vec<String> = holders
        .map(|holder| {
            let command = first_line(&holder.command, QUOTED_CHARACTERS);
            let command = if command.is_empty() { String::new() } else { format!(": {command}") };
            let name = first_line(&holder.name, QUOTED_CHARACTERS);
            let name = if name.is_empty() { String::new() } else { format!(" ({name}{command})") };
            format!("process {}{name}", holder.pid)
        })
        .collect();
    (!said.is_empty()).then(|| said.join(" and "))
}
