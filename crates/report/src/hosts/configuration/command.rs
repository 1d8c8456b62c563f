//! The command that a host is given: it runs the script beside the configuration, which calls Referee, and answers
//! in its place where Referee gives no answer.
//!
//! Most hosts continue as if all were well where a hook is missing, dies, takes too long or prints something
//! unreadable. The script prevents that (`hook.sh`). The command is short, since some hosts show it to the model:
//! it reads the script, runs it if it has the checksum with which it was written, and otherwise blocks itself,
//! where the event is gated.
//!
//! Hosts pass the command to the user's shell, whichever that is; so it is one call of `sh` whose arguments are in
//! single quotes and hold no single quote.

use referee_model::hook::{AgentHost, HookMoment, HookReply};

use super::{ConfigurationError, HookRequest, Reach, place, script_beside};

/// The script that every hook runs.
pub const SCRIPT: &str = include_str!("hook.sh");

/// Start of the command that runs the script if it is unchanged: `f` is its path, `s` its content.
const RUN: &str = r#"s=$(cat "$f")&&[ "$(echo "$s"|cksum)" = "#;
const AS_WRITTEN: &str = r#" ]&&exec sh -c "$s" "$0" "$@";"#;

/// Returns the command for an event.
pub(super) fn line(wanted: &HookRequest<'_>, (event, moment): (&str, HookMoment), words: &[&str]) -> String {
    let program = if is_plain(wanted.program) { wanted.program.to_owned() } else { quoted(wanted.program) };
    let (path, otherwise) = (script_path(wanted.host, wanted.reach), otherwise(wanted.host, event, moment));
    // The shell strips the final line end, and `echo` adds it again; the script holds no backslash that `echo`
    // could interpret.
    let sum = cksum(SCRIPT.as_bytes());
    let script = format!("{path};{RUN}\"{sum}\"{AS_WRITTEN}{otherwise}");
    format!("sh -c {} {program} {} {event}", quoted(&script), words.join(" "))
}

/// Returns shell code that sets `f` to the path of the script, from the host's own environment. Codex, Copilot,
/// opencode and VS Code have no variable that names the project, but they start hooks inside of it.
fn script_path(host: AgentHost, reach: Reach) -> String {
    let place = place(host);
    match reach {
        Reach::Project => {
            let script = script_beside(place.project);
            match host {
                AgentHost::Claude => format!("f=\"${{CLAUDE_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Gemini => format!("f=\"${{GEMINI_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Qwen => format!("f=\"${{QWEN_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Cursor => format!("f=\"${{CURSOR_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Codex | AgentHost::Copilot | AgentHost::OpenCode | AgentHost::VsCode => {
                    format!("r=$(git rev-parse --show-toplevel 2>&-);f=\"${{r:-.}}/{script}\"")
                }
            }
        }
        Reach::User => match place.moved_by {
            Some((variable, file)) => {
                let directory = place.user.strip_suffix(file).unwrap_or_default().trim_end_matches('/');
                format!("f=\"${{{variable}:-$HOME/{directory}}}/{}\"", script_beside(file))
            }
            None => format!("f=\"$HOME/{}\"", script_beside(place.user)),
        },
        Reach::Managed => format!("f=\"{}/{}\"", super::MANAGED, script_beside(super::MANAGED_FILE)),
    }
}

/// Returns what the command does where the script is missing or was changed: it blocks where something is gated.
/// Codex, Gemini CLI and opencode ask again after every refusal, so the turn is ended where the agent already
/// continues after a block. The event is always read to its end, because a host that cannot write all of it may
/// treat the hook as failed.
fn otherwise(host: AgentHost, event: &str, moment: HookMoment) -> &'static str {
    const BLOCK: &str = r#"cat>/dev/null;echo "[referee] restore $f">&2;exit 2"#;
    const BLOCK_ONCE: &str =
        r#"case $(cat) in *_active?:true*)echo "{\"continue\":false}";;*)echo "[referee] restore $f">&2;exit 2;esac"#;
    match host {
        AgentHost::Cursor if event == "beforeSubmitPrompt" => r#"cat>/dev/null;echo "{\"continue\":true}""#,
        _ if !moment.is_gated() && moment != HookMoment::ConfigurationChanges => "cat>/dev/null;echo {}",
        AgentHost::Claude | AgentHost::Qwen | AgentHost::VsCode => BLOCK,
        AgentHost::Codex | AgentHost::Gemini | AgentHost::OpenCode => BLOCK_ONCE,
        AgentHost::Copilot => {
            r#"cat>/dev/null;echo "{\"decision\":\"block\",\"reason\":\"[referee] see: referee doctor\"}""#
        }
        AgentHost::Cursor => r#"cat>/dev/null;echo "{\"followup_message\":\"[referee] see: referee doctor\"}""#,
    }
}

/// Returns what `cksum` prints for some bytes: the POSIX cyclic redundancy check, and the number of bytes.
fn cksum(bytes: &[u8]) -> String {
    let step = |sum: u32, byte: u8| {
        (0..8).fold(sum ^ (u32::from(byte) << 24), |sum, _| {
            if sum & 0x8000_0000 == 0 { sum << 1 } else { (sum << 1) ^ 0x04c1_1db7 }
        })
    };
    let length = bytes.len().to_le_bytes();
    let used = length.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let sum = bytes.iter().chain(length.iter().take(used)).fold(0, |sum, byte| step(sum, *byte));
    format!("{} {}", !sum, bytes.len())
}

/// Returns the command for PowerShell, which has no timeout of its own: the host's timeout applies.
pub(super) fn power_shell(program: &str, words: &[&str], stand_in: &HookReply) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let (answer, end) = if stand_in.exit == 0 {
        (String::from_utf8_lossy(&stand_in.stdout), "$j }; exit 0".to_owned())
    } else {
        (String::from_utf8_lossy(&stand_in.stderr), "[Console]::Error.WriteLine($j); exit 2 }; exit 0".to_owned())
    };
    format!(
        "$j={}; $o=''; $c=1; [Console]::OutputEncoding=[Text.Encoding]::UTF8; try {{ $o=([Console]::In.ReadToEnd() | & {} {} \
         | Out-String).Trim(); $c=$LASTEXITCODE }} catch {{ $c=1 }}; if ($c -eq 0 -and $o.StartsWith('{{') -and \
         $o.EndsWith('}}')) {{ $o }} else {{ {end}",
        quoted(answer.trim()),
        quoted(program),
        words.join(" ")
    )
}

/// Rejects a program that no quoting makes safe in every shell.
///
/// # Errors
/// Fails for a name with a control character or a backslash, for an empty one, and for a relative path.
pub fn check_program(program: &str) -> Result<(), ConfigurationError> {
    let is_relative = program.contains('/') && !program.starts_with('/');
    if program.is_empty() || is_relative || program.contains('\\') || program.chars().any(char::is_control) {
        return Err(ConfigurationError::new(format!(
            "{program:?} cannot be configured as the program: give a name for the search path or an absolute path, without \
             backslashes and control characters"
        )));
    }
    Ok(())
}

fn is_plain(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_alphanumeric() || "/._-+".contains(character))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one_that_every_echo_gives_back() {
        assert!(SCRIPT.ends_with('\n') && !SCRIPT.ends_with("\n\n") && !SCRIPT.contains('\\') && SCRIPT.is_ascii());
    }

    #[test]
    fn a_checksum_is_what_cksum_prints() {
        for (text, sum) in [("", "4294967295 0"), ("a", "1220704766 1"), ("123456789", "930766865 9")] {
            assert_eq!(cksum(text.as_bytes()), sum, "{text}");
        }
    }
}
