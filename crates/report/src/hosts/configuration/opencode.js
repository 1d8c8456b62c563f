// Referee's plugin for opencode, written by `referee hook config opencode`. Nothing around the hooks may change: Referee's
// doctor compares every byte.
//
// opencode starts no commands of its own accord and has nothing that keeps an agent from stopping. So this asks the command
// of `Stop` wherever a session is idle, and prompts the session again with the reason where that blocks. `opencode run` ends
// once its session is idle, but waits until plugins are disposed of: there the rest of the turn is played then.

import { spawn } from "node:child_process";

const { hooks } = HOOKS;

const NO_ANSWER =
    "[referee] The hook gave no answer. Whether the work may be called done is not known, so it counts as not done. " +
    "A person can see what is wrong by running: referee doctor";

// How often a prompt is given again that an instance which ends did not take up, and the milliseconds between.
const TRIES = 5;
const PAUSE = 500;

// What is known of sessions, in all instances of this process: an instance that begins hears the events of one that ends.
const turns = new Map(); // turns that are judged now
const late = new Set(); // sessions that were idle again meanwhile
const judged = new Map(); // the message that was judged last

// Starts a command, and tells how it ended. It is not waited for beyond its time.
function run(hook, event, directory) {
    return new Promise((resolve) => {
        const child = spawn("/bin/sh", ["-c", hook.command], { cwd: directory, stdio: "pipe" });
        const ended = { code: null, out: "", err: "" };
        const end = (code) => {
            clearTimeout(timer);
            resolve({ ...ended, code });
        };
        const timer = setTimeout(() => {
            child.kill("SIGKILL");
            end(null);
        }, hook.timeout * 1000);
        child.stdout.on("data", (data) => (ended.out += data));
        child.stderr.on("data", (data) => (ended.err += data));
        child.stdin.on("error", () => {});
        child.on("error", () => end(null));
        child.on("close", end);
        child.stdin.end(JSON.stringify(event));
    });
}

// What an answer says: `reason` sends the agent back, `note` is for the person. What cannot be understood sends it back once.
function understood({ code, out, err }, again) {
    try {
        if (code === 2 && err.trim()) {
            return { reason: err.trim() };
        }
        const answer = JSON.parse(out);
        if (code === 0 && answer.continue === false) {
            return { note: answer.stopReason || NO_ANSWER };
        }
        if (code === 0 && answer.decision !== "block") {
            return { note: answer.systemMessage };
        }
        if (code === 0 && answer.reason) {
            return { reason: answer.reason };
        }
    } catch {
        // It is no JSON.
    }
    return again ? { note: NO_ANSWER } : { reason: NO_ANSWER };
}

async function ask(name, members, directory) {
    const event = { hook_event_name: name, cwd: directory, ...members };
    for (const hook of hooks[name]) {
        const answer = understood(await run(hook, event, directory), members.stop_hook_active);
        if (answer.reason || answer.note) {
            return answer;
        }
    }
    return {};
}

const text = (parts) => parts.filter((part) => part.type === "text").map((part) => part.text).join("\n");

export const Referee = async ({ client, directory }) => {
    let closing = false;

    // A session that an agent started is no turn of its own: what it did is judged with the one that started it.
    const isChild = async (id) => Boolean((await client.session.get({ path: { id } })).data?.parentID);

    async function last(id) {
        const { data } = await client.session.messages({ path: { id } });
        return data?.findLast((message) => message.info.role === "assistant");
    }

    async function tell(note) {
        if (note && closing) {
            console.error(note);
        } else if (note) {
            await client.tui.showToast({ body: { message: note, variant: "warning" } });
        }
    }

    // Prompts a session, and waits until its agent has stopped again.
    async function sendBack(id, before, reason) {
        const { agent, mode, providerID, modelID } = before?.info ?? {};
        const model = modelID && { providerID, modelID };
        const body = { agent: agent ?? mode, model, parts: [{ type: "text", text: reason }] };
        for (let tries = 0; tries < TRIES; tries += 1) {
            await client.session.prompt({ path: { id }, body }).catch(() => {});
            const after = await last(id);
            const isLost = after?.info.id === before?.info.id || (closing && after?.info.error);
            if (!isLost) {
                if (closing && after) {
                    console.log(text(after.parts));
                }
                return;
            }
            await new Promise((resolve) => setTimeout(resolve, PAUSE));
        }
    }

    async function judge(id) {
        if (await isChild(id)) {
            return;
        }
        for (let again = false; ; again = true) {
            const message = await last(id);
            const { id: number, error, time } = message?.info ?? {};
            // A turn that failed, or that a person stopped, calls nothing done; one that goes on will be idle again.
            if (message && (judged.get(id) === number || error || !time?.completed)) {
                return;
            }
            judged.set(id, number);
            const said = message ? { last_assistant_message: text(message.parts) } : {};
            const answer = await ask("Stop", { session_id: id, stop_hook_active: again, ...said }, directory);
            if (!answer.reason) {
                return tell(answer.note);
            }
            await sendBack(id, message, answer.reason);
        }
    }

    function begin(id) {
        if (turns.has(id)) {
            late.add(id);
            return;
        }
        const turn = judge(id)
            .catch((error) => tell(`${NO_ANSWER} (${error})`))
            .catch(() => {})
            .finally(() => {
                turns.delete(id);
                if (late.delete(id)) {
                    begin(id);
                }
            });
        turns.set(id, turn);
    }

    return {
        event: async ({ event }) => {
            const { id, sessionID } = event.properties;
            if (event.type === "session.idle") {
                begin(sessionID);
            } else if (event.type === "permission.asked" && closing) {
                // Nobody is there any more who could be asked.
                const path = { id: sessionID, permissionID: id };
                await client.postSessionIdPermissionsPermissionId({ path, body: { response: "reject" } });
            }
        },
        "chat.message": async ({ sessionID }, { parts }) => {
            if (!(await isChild(sessionID))) {
                await ask("UserPromptSubmit", { session_id: sessionID, prompt: text(parts) }, directory);
            }
        },
        dispose: async () => {
            closing = true;
            while (turns.size > 0) {
                await Promise.all(turns.values());
            }
        },
    };
};
