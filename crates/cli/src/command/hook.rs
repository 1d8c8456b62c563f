//! `referee hook HOST`: runs as a coding agent's stop hook. Whatever goes wrong, the host gets an answer in its
//! own format, and that answer sends the agent back (conventions, "Agent hook contracts").

use std::any::Any;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::Parser;
use clap::error::ErrorKind;
use referee_engine::error::EngineError;
use referee_exec::signal;
use referee_model::exit_code;
use referee_model::hook::{AgentHost, HookVerdict};
use referee_report::hosts;

use self::context::HookContext;
use self::question::{Fault, Question};
use crate::args::hook::{Answering, Hook};
use crate::args::{Arguments, Color, Command, Global};
use crate::resolve;

mod complaint;

mod context;

mod guard;

mod event;

mod question;

mod record;

mod project;

mod stop;

mod transcript;

mod flow;

mod watch;

/// Stack size of the thread that runs the gate, in bytes: that of the main thread on other systems.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Message if the arguments cannot be parsed.
const NOT_UNDERSTOOD: &str = "what was typed cannot be understood";

/// Options before a command that take a value.
const WITH_VALUE: [&str; 3] = ["-C", "--cd", "--color"];

/// Returns the host whose hook is called, however wrong the other arguments are.
pub(super) fn asked(arguments: &[OsString]) -> Option<AgentHost> {
    let mut words = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default());
    if next_plain(&mut words)? != "hook" {
        return None;
    }
    match next_plain(&mut words)? {
        "config" | "test" | "help" => None,
        // A host in the wrong position must be answered all the same.
        first => AgentHost::parse(first).or_else(|| words.find_map(AgentHost::parse)),
    }
}

fn next_plain<'word>(words: &mut impl Iterator<Item = &'word str>) -> Option<&'word str> {
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Answers a host by the unparsed arguments.
pub(super) fn run(host: AgentHost, arguments: Vec<OsString>) -> u8 {
    let hook_context = HookContext::new(host).answers_panics();
    let parsed = panic::catch_unwind(AssertUnwindSafe(|| Arguments::try_parse_from(arguments)));
    let typed = match parsed {
        Ok(Ok(Arguments { global, command: Command::Hook(hook) })) => {
            let answering = hook.answering().map(|(_, answering)| answering.clone());
            answering.map(|answering| (global, answering)).ok_or_else(|| NOT_UNDERSTOOD.to_owned())
        }
        Ok(Err(error)) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            drop(error.print());
            return exit_code::PASSED;
        }
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(_)) | Err(_) => Err(NOT_UNDERSTOOD.to_owned()),
    };
    let (global, answering) = match typed {
        Ok((global, answering)) => (global, Ok(answering)),
        Err(error) => (plain(), Err(error)),
    };
    answer(&hook_context, global, answering)
}

/// Answers a host by parsed arguments. Unreachable as long as [`asked`] recognizes every host.
pub(super) fn execute(hook: &Hook) -> Result<u8, EngineError> {
    let (host, answering) = hook.answering().ok_or_else(|| EngineError::internal(NOT_UNDERSTOOD.to_owned()))?;
    Ok(answer(&HookContext::new(host).answers_panics(), plain(), Ok(answering.clone())))
}

fn plain() -> Global {
    Global { directory: None, color: Color::Never, quiet: true, verbose: 0, no_progress: true }
}

/// Runs the gate in a separate thread, and answers in time whatever happens to it.
fn answer(hook_context: &HookContext, global: Global, answering: Result<Answering, String>) -> u8 {
    let (began, now) = (Instant::now(), resolve::now());
    let deadline_ms = answering.as_ref().ok().and_then(|answering| answering.deadline);
    let deadline = Duration::from_millis(deadline_ms.unwrap_or_else(|| hosts::deadline_ms(hook_context.host())));
    let cancellation = match signal::install() {
        Ok(cancellation) => cancellation,
        Err(error) => {
            return hook_context.answer(&hook_context.fault(&format!("signals cannot be listened for: {error}")));
        }
    };
    let (sender, verdicts) = mpsc::channel();
    let asking = {
        let (hook_context, cancellation) = (hook_context.clone(), cancellation.clone());
        move || {
            let question = Question {
                hook_context: &hook_context,
                global: &global,
                answering,
                cancellation: &cancellation,
                began,
                now,
                deadline,
            };
            let verdict = panic::catch_unwind(AssertUnwindSafe(|| flow::verdict(&question)));
            // If the receiver is gone, the answer was given without this verdict.
            drop(sender.send(settled(&hook_context, verdict)));
        }
    };
    match std::thread::Builder::new().name("question".to_owned()).stack_size(STACK_BYTES).spawn(asking) {
        Ok(_) => hook_context.answer(&watch::wait(&verdicts, hook_context, (began, deadline), &cancellation)),
        Err(error) => hook_context.answer(&hook_context.fault(&format!("no thread could be started: {error}"))),
    }
}

fn settled(
    hook_context: &HookContext,
    verdict: Result<Result<HookVerdict, Fault>, Box<dyn Any + Send>>,
) -> HookVerdict {
    match verdict {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(fault)) => hook_context.fault(&fault.0),
        Err(panic) => hook_context.fault(&format!("Referee itself failed: {}", super::panic_message(&*panic))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_and_a_fault_send_the_agent_back_unless_there_is_no_opinion() {
        let hook_context = HookContext::new(AgentHost::Claude);
        let panicked = || settled(&hook_context, panic::catch_unwind(|| panic!("so \u{1b}[31mred")));
        let fault = || settled(&hook_context, Ok(Err(Fault("no specification".to_owned()))));
        for (verdict, part) in [(panicked(), "Referee itself failed: so red"), (fault(), "no specification")] {
            assert!(matches!(&verdict, HookVerdict::Block { reason } if reason.contains(part)), "{verdict:?}");
        }
        hook_context.is_silent();
        assert_eq!((panicked(), fault()), (HookVerdict::NoOpinion, HookVerdict::NoOpinion));
    }

    #[test]
    fn a_host_is_seen_however_wrong_the_rest_is() {
        let asked = |line: &str| asked(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>());
        for (line, host) in [
            ("referee hook claude", Some(AgentHost::Claude)),
            ("referee -C /tmp --color never -q hook vscode --deadline 5s", Some(AgentHost::VsCode)),
            ("referee hook codex --unheard of", Some(AgentHost::Codex)),
            ("referee hook --deadline 5s cursor", Some(AgentHost::Cursor)),
            ("referee hook", None),
            ("referee hook elsewhere", None),
            ("referee hook config claude", None),
            ("referee hook test claude", None),
            ("referee run hook claude", None),
            ("referee -C hook claude", None),
            ("referee gate claude", None),
            ("referee", None),
        ] {
            assert_eq!(asked(line), host, "{line}");
        }
    }
}
