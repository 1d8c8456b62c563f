// A model that plays a script: it answers in the protocols that coding agents speak (Anthropic Messages, OpenAI Responses and
// Chat Completions, Gemini generateContent), starts the agent, and ends with its exit code.
//
//     node model.mjs PLAY LOG PROGRAM [ARGUMENT...]
//
// PLAY is a file of JSON: `{"port", "calls", "seconds", "begin": [STEP...], "blocked": [STEP...]}`, where a step is
// `{"say": TEXT}`, `{"shell": COMMAND}` or `{"call": TOOL, "arguments": {...}}`. A conversation plays `begin`; whenever its last message comes from Referee it plays
// `blocked` from the start. A play that is over says its last words again. LOG gets one line of JSON for each request.
//
// The agent is killed after that many calls or seconds: the exit code is then 250 or 251.

import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const RUNAWAY = 250;
const TOO_LONG = 251;
const SHELLS = ["Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command"];

const [, , playFile, logFile, program, ...programArguments] = process.argv;
const play = JSON.parse(readFileSync(playFile, "utf8"));

const text = (content) =>
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");

// Each protocol: whether a path is its own, what a request holds, and how an answer is told. `last` is what the model has to
// answer: `{tool: true}` where a tool's result comes back, and its text.
const protocols = [
    {
        name: "messages",
        owns: (path) => path.endsWith("/messages"),
        tools: (body) => (body.tools ?? []).map((tool) => [tool.name, tool.input_schema]),
        last: (body) => {
            const content = (body.messages ?? []).findLast((message) => message.role === "user")?.content;
            const results = Array.isArray(content) ? content.filter((part) => part.type === "tool_result") : [];
            return { tool: results.length > 0, text: [...results.map((part) => text(part.content)), text(content)].join("\n") };
        },
        streams: (body) => body.stream === true,
        answer: messages,
    },
    {
        name: "responses",
        owns: (path) => path.endsWith("/responses"),
        tools: (body) => (body.tools ?? []).map((tool) => [tool.name ?? tool.type, tool.parameters]),
        last: (body) => {
            const item = typeof body.input === "string" ? { content: body.input } : body.input?.at(-1);
            return { tool: item?.type?.endsWith("_output") ?? false, text: text(item?.output ?? item?.content) };
        },
        streams: (body) => body.stream === true,
        answer: responses,
    },
    {
        name: "completions",
        owns: (path) => path.endsWith("/chat/completions"),
        tools: (body) => (body.tools ?? []).map((tool) => [tool.function?.name, tool.function?.parameters]),
        last: (body) => ({ tool: body.messages?.at(-1)?.role === "tool", text: text(body.messages?.at(-1)?.content) }),
        streams: (body) => body.stream === true,
        answer: completions,
    },
    {
        name: "gemini",
        owns: (path) => /:(generateContent|streamGenerateContent)$/.test(path),
        tools: (body) =>
            (body.tools ?? [])
                .flatMap((tool) => tool.functionDeclarations ?? [])
                .map((tool) => [tool.name, tool.parametersJsonSchema ?? tool.parameters]),
        last: (body) => {
            const parts = body.contents?.at(-1)?.parts ?? [];
            const results = parts.filter((part) => part.functionResponse);
            return { tool: results.length > 0, text: [...results.map((part) => JSON.stringify(part)), text(parts)].join("\n") };
        },
        streams: (_, path) => path.endsWith(":streamGenerateContent"),
        answer: gemini,
    },
];

let calls = 0;
let steps = play.begin;
let place = 0;

// Conversations that have no shell are asides: titles, summaries, checks of a quota. They get a word and move nothing.
function step(shell, last) {
    if (!shell) {
        return { say: "ok" };
    }
    if (!last.tool && last.text.includes("[referee]")) {
        steps = play.blocked ?? [];
        place = 0;
    }
    const played = steps[Math.min(place, steps.length - 1)] ?? { say: "Done." };
    place += 1;
    // A tool is not called for ever where the last step is a call.
    return place > steps.length && !played.say ? { say: "Done." } : played;
}

function shellArguments(schema, command) {
    const properties = schema?.properties ?? {};
    const key = properties.cmd ? "cmd" : "command";
    const value = properties[key]?.type === "array" ? ["/bin/sh", "-c", command] : command;
    const rest = (schema?.required ?? []).filter((name) => name !== key).map((name) => {
        const kind = properties[name]?.type;
        return [name, kind === "boolean" ? false : kind === "number" || kind === "integer" ? 30 : "a step of the play"];
    });
    return Object.fromEntries([[key, value], ...rest]);
}

function messages(id, { say, call }, streams, body) {
    const block = call
        ? { type: "tool_use", id: `toolu_${id}`, name: call.name, input: call.arguments }
        : { type: "text", text: say };
    const usage = { input_tokens: 10, output_tokens: 10 };
    const stop = call ? "tool_use" : "end_turn";
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model: body.model, usage, stop_sequence: null };
    if (!streams) {
        return { ...message, content: [block], stop_reason: stop };
    }
    const empty = call ? { ...block, input: {} } : { type: "text", text: "" };
    const delta = call
        ? { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) }
        : { type: "text_delta", text: say };
    return [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: empty },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage },
        { type: "message_stop" },
    ];
}

function responses(id, { say, call }, streams, body) {
    const item = call
        ? { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: call.name, arguments: JSON.stringify(call.arguments) }
        : { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text: say, annotations: [] }] };
    const usage = {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 20,
    };
    const whole = { id: `resp_${id}`, object: "response", status: "completed", model: body.model, output: [item], usage };
    if (!streams) {
        return whole;
    }
    const begun = { ...item, status: "in_progress", ...(call ? { arguments: "" } : { content: [] }) };
    return [
        { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
        { type: "response.output_item.added", output_index: 0, item: begun },
        call
            ? { type: "response.function_call_arguments.delta", item_id: item.id, output_index: 0, delta: item.arguments }
            : { type: "response.output_text.delta", item_id: item.id, output_index: 0, content_index: 0, delta: say },
        { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } },
        { type: "response.completed", response: whole },
    ];
}

function completions(id, { say, call }, streams, body) {
    const called = call && {
        index: 0,
        id: `call_${id}`,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    };
    const message = call ? { role: "assistant", content: null, tool_calls: [called] } : { role: "assistant", content: say };
    const finish = call ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const head = { id: `chatcmpl-${id}`, created: 1, model: body.model };
    if (!streams) {
        const choices = [{ index: 0, message, finish_reason: finish }];
        return { ...head, object: "chat.completion", choices, usage };
    }
    const chunk = (delta, finish_reason) => ({
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason }],
    });
    return [chunk(message, null), { ...chunk({}, finish), usage }, "[DONE]"];
}

function gemini(_, { say, call }, streams) {
    const part = call ? { functionCall: { name: call.name, args: call.arguments } } : { text: say };
    const answer = {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    };
    return streams ? [answer] : answer;
}

function answered(path, body) {
    const protocol = protocols.find((each) => each.owns(path));
    if (!protocol) {
        log({ path, protocol: null });
        // Lists of models, counts of tokens and the like: nothing that moves the play.
        return path.endsWith("/count_tokens") ? { input_tokens: 10 } : { object: "list", data: [], models: [] };
    }
    const tool = protocol.tools(body).find(([name]) => SHELLS.includes(name));
    const last = protocol.last(body);
    calls += tool ? 1 : 0;
    const played = step(tool, last);
    log({ path, protocol: protocol.name, aside: !tool, tool: last.tool, last: last.text, played });
    if (calls > play.calls) {
        end(RUNAWAY);
    }
    const named = played.call && { name: played.call, arguments: played.arguments ?? {} };
    const call = named ?? (played.shell && { name: tool[0], arguments: shellArguments(tool[1], played.shell) });
    return protocol.answer(`${process.pid}x${calls}`, { ...played, call }, protocol.streams(body, path), body);
}

function log(entry) {
    appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
}

const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        const path = new URL(request.url, "http://model").pathname;
        let body = {};
        try {
            body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
        } catch {
            log({ path, protocol: null, junk: true });
        }
        const answer = answered(path, body);
        if (!Array.isArray(answer)) {
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify(answer));
            return;
        }
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of answer) {
            const name = event.type ? `event: ${event.type}\n` : "";
            response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
        }
        response.end();
    });
});

let agent;

function end(code) {
    try {
        process.kill(-agent.pid, "SIGKILL");
    } catch {
        // It has ended already.
    }
    process.exit(code);
}

server.listen(play.port, "127.0.0.1", () => {
    agent = spawn(program, programArguments, { stdio: ["ignore", "inherit", "inherit"], detached: true });
    agent.on("error", (error) => {
        console.error(`${program}: ${error.message}`);
        process.exit(127);
    });
    agent.on("exit", (code, signal) => end(signal ? 128 : code));
    setTimeout(() => end(TOO_LONG), play.seconds * 1000);
});
