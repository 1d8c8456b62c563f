//! Limitations of hosts that no configuration can lift.

use referee_model::hook::AgentHost;

/// Limitation of a command at every host.
const KILLED: &str = "A hook's command that is killed (kill -9) gives no answer, and most hosts go on then; what it called is stopped within seconds.";

/// Behavior where Referee never answers, at a host that can end a turn.
const ENDED: &str = "Where Referee gives no answer the agent is sent back once; the second time its turn is ended (`continue: false`), and the host's exit code does not tell: `referee gate` does.";

/// Behavior where Referee never answers, at a host that cannot end a turn.
const UNCOUNTED: &str = "An answer that the command gives in Referee's place is not counted: where Referee never answers, only the host's own cap ends the loop.";

/// Returns the limitations of a host, one sentence each.
pub fn limits(host: AgentHost) -> &'static [&'static str] {
    match host {
        AgentHost::Claude => &[
            "Claude Code ends a turn after 8 blocks in a row, whatever hooks say (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP); the verdict stays as it is.",
            "Claude Code goes on where a hook takes too long, dies or prints what it cannot read (`onFailure: block` does nothing where work is handed back): the configured command answers in its place.",
            "Settings that take the hooks away in mid-session are refused by the hook of `ConfigChange`, seen in version 2.1.330; a version that does not know it, or passes over its answer, takes them. Managed settings cannot be taken away: `referee hook config claude --managed --write`.",
            "A tool that writes a file in a roundabout way is not seen before it does: what is refused is an edit, and a line of a shell that plainly names the file.",
            "A person can interrupt a turn, and start Claude Code without hooks (`--bare`).",
            KILLED,
            ENDED,
        ],
        AgentHost::Codex => &[
            "Codex runs a hook that is not managed only after a person has trusted it (/hooks), and asks again whenever its text changes.",
            "Hooks of a project run only where the project is trusted, and none run where `[features] hooks = false`; the user's own (`--user`) need no trusted project.",
            "Codex goes on where a hook takes too long, dies or prints what it cannot read: the configured command answers in its place.",
            KILLED,
            ENDED,
        ],
        AgentHost::Copilot => &[
            "Copilot ends a turn after 8 blocks in a row, whatever hooks say; the verdict stays as it is.",
            "Copilot goes on where a hook takes too long, dies or exits with 2: the configured command answers in its place, in time.",
            "The built-in general-purpose agent gives no event where it stops; what it did is judged with the agent that started it.",
            "Copilot also runs the hooks of .claude/settings.json: where both are configured both ask, and the second answer comes from the record.",
            "Hooks of a project run only in a trusted directory (`trustedFolders` in config.json), and `copilot -p` asks nobody: the user's own (`--user`) run everywhere.",
            "Hooks can be switched off (`disableAllHooks`); the cloud agent reads .github/hooks/*.json alone.",
            KILLED,
            UNCOUNTED,
        ],
        AgentHost::Gemini => &[
            "Gemini CLI has no event where a subagent stops; what it did is judged with the agent that started it.",
            "Gemini CLI goes on where a hook takes too long or exits with anything but 0 and 2: the configured command answers in its place.",
            "Hooks of a project run only in a trusted directory (trustedFolders.json), and `--skip-trust` runs none of them: the user's own (`--user`) run everywhere.",
            KILLED,
            ENDED,
        ],
        AgentHost::Qwen => &[
            "Qwen Code ends a turn after 8 blocks in a row, whatever hooks say (`stopHookBlockingCap`, QWEN_CODE_STOP_HOOK_BLOCK_CAP); the verdict stays as it is.",
            "Qwen Code goes on where a hook takes too long or exits with anything but 0 and 2: the configured command answers in its place.",
            "Hooks can be switched off (`disableAllHooks`, --safe-mode, --bare); where directories need trust, those of a project run in a trusted one alone.",
            "Qwen Code tells of a prompt wherever the model is called; a person's is known by `submitted_prompt`, which Vim mode leaves out.",
            KILLED,
            UNCOUNTED,
        ],
        AgentHost::OpenCode => &[
            "opencode cannot keep an agent from stopping: the plugin prompts the session again, as if a person had typed it.",
            "`opencode run` ends once its session is idle, and plays the rest of the turn while plugins are disposed of (seen in 1.18.33): its exit code and JSON events tell nothing of that, and a script asks `referee gate` afterwards.",
            "opencode loads no plugin with `--pure` or OPENCODE_PURE, and none of the project with OPENCODE_DISABLE_PROJECT_CONFIG; it loads them when it starts.",
            "A subagent's stop is not judged by itself; what it did is judged with the agent that started it. A turn that a person stopped, or that failed, calls nothing done and is not judged.",
            "A person who leaves opencode while a turn is judged may leave before the answer.",
            KILLED,
            ENDED,
        ],
        AgentHost::Cursor => &[
            "Cursor cannot keep an agent from stopping: a hook sends a follow-up message, as if a person had typed it, and the agent begins again.",
            "Cursor sends at most as many follow-up messages as `loop_limit` says; older versions send 5.",
            "Cursor passes over events whose name it does not know, such as `subagentStop` in older versions, without a word.",
            "A turn that a person stopped, or that failed, calls nothing done and is not judged.",
            KILLED,
            UNCOUNTED,
        ],
        AgentHost::VsCode => &[
            "Agent hooks are a preview in VS Code: their form may change, and an organisation may have switched them off.",
            "VS Code goes on where a hook takes too long or exits with anything but 0 and 2: the configured command answers in its place.",
            "VS Code also runs the hooks of Copilot (.github/hooks) and of .claude/settings.json: one of them is enough.",
            KILLED,
            UNCOUNTED,
        ],
    }
}
