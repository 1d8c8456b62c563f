//! The command that a host is given: it calls Referee, and answers in its place where it gives no answer.
//!
//! Most hosts go on as if nothing were wrong where a hook is missing, dies, takes too long or prints what they cannot read. So
//! the command is a line for `/bin/sh` that takes down what Referee prints and how it exits, stops it when its time is up, and gives
//! what it printed only where it exited with 0 and printed something that can be an object of JSON. Otherwise it gives the
//! answer that it was given for this: one that blocks, where the event is gated.
//!
//! Hosts hand the line to the user's shell, whichever that is; so it is one call of `sh` whose words are in single quotes and
//! hold neither a backslash nor a single quote of their own.

use referee_model::hook::HookReply;

use super::ConfigurationError;

/// Seconds between two looks at the clock.
const STEP_SECONDS: u64 = 5;

/// Takes the call apart: the first word is the answer in its place, the second the steps to wait for, the rest is the call.
///
/// The shell itself waits for a job, so that a request to stop reaches it at once: it hands that on, and answers. Input is
/// read over another descriptor, since a command in the background has none of its own.
const BEGIN: &str =
    r#"j=$1 t=$2 b= m= d="$"; shift 2; exec 3<&0; e() { kill "$b"; } 2>/dev/null; trap e TERM INT HUP; "#;

/// Makes the call, which tells its number first, and tells how it ended behind what it printed. What stops it ends by itself:
/// where there is no `sleep` nothing is stopped, and the host's own time decides. Where the shell was killed it is stopped at
/// the next step.
const CALL: &str = r#"{ /bin/sh -fc "IFS=; echo $d$d; exec $d@" referee "$@" <&3 3<&- & p=$!; (e() { kill "$s"; exit; }; trap e TERM; while [ "$t" -gt 0 ] && { sleep 5 & s=$!; wait "$s"; }; do t=$((t-1)); kill -0 $$ || t=0; done; [ "$t" -gt 0 ] || { kill "$p"; sleep 5; kill -9 "$p"; }) >/dev/null 2>&1 3<&- & w=$!; wait "$p"; c=$?; kill "$w" 2>/dev/null; printf %s " referee-exit:$c" 2>/dev/null; } | "#;

/// Takes down what the call prints, and answers by it; asked to stop, it stops both. What is left of the input is read in the
/// background: a host that cannot write all of it calls the hook failed.
const TAKE: &str = r#"{ read -r p; exec 4<&0; e() { kill "$p" $m; } 2>/dev/null; trap e TERM HUP; (o=$(cat <&4); c=${o##* referee-exit:}; o=$(printf %s "${o% referee-exit:*}"); cat <&3 >/dev/null 2>&1 & "#;

/// Waits for the answer. Where there is none after all, the shell gives the one in its place.
const END: &str = r#") & m=$!; wait "$m"; c=$?; [ "$c" -gt 128 ] && { wait "$m"; c=$?; }; exit "$c"; } & b=$!; wait "$b"; c=$?; [ "$c" -gt 128 ] && { wait "$b"; c=$?; }; case $c in 0|2) exit "$c";; esac; "#;

/// Answers on standard output: what was printed beside exit code 0, and beside 2, which not every host takes for a block.
/// Where that cannot be written the exit code says it.
const ANSWER: &str = r#"case $c:$o in [02]:{*}) printf %s "$o";; *) printf %s "$j";; esac || { echo "referee: no answer could be written" >&2; exit 2; }"#;

/// Gives the answer in the call's place.
const IN_PLACE: &str = r#"printf %s "$j" || { echo "referee: no answer could be written" >&2; exit 2; }"#;

/// Answers where the host blocks by exit code 2 and the words on standard error.
const ANSWER_BY_EXIT: &str =
    r#"case $c:$o in 0:{*}) printf %s "$o";; 2:*) exit 2;; *) echo "$j" >&2; exit 2;; esac || exit 2"#;

/// Gives the answer in the call's place there.
const IN_PLACE_BY_EXIT: &str = r#"echo "$j" >&2; exit 2"#;

/// Returns the line for a shell that makes a call and answers in its place.
pub(super) fn line(program: &str, words: &[&str], patience_ms: u64, stand_in: &HookReply) -> String {
    let (answers, in_place, answer) = if stand_in.exit == 0 {
        (ANSWER, IN_PLACE, String::from_utf8_lossy(&stand_in.stdout))
    } else {
        (ANSWER_BY_EXIT, IN_PLACE_BY_EXIT, String::from_utf8_lossy(&stand_in.stderr))
    };
    let steps = patience_ms.div_ceil(STEP_SECONDS * 1_000).max(1);
    let program = if is_plain(program) { program.to_owned() } else { quoted(program) };
    let script = [BEGIN, CALL, TAKE, answers, END, in_place].concat();
    format!(
        "/bin/sh -c {} referee-hook {} {steps} {program} {}",
        quoted(&script),
        quoted(answer.trim()),
        words.join(" ")
    )
}

/// Returns the same for PowerShell, which stops nothing: there the host's own time decides.
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

/// Refuses a program that no quoting makes safe in every shell.
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
