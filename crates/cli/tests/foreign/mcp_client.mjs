// Asks `referee mcp` as the official clients in TypeScript do, which check answers against their schemas, and prints what
// they were told as JSON.
//
//     node mcp_client.mjs sdk|client MODULES PROGRAM WORKSPACE
//
// `sdk` is the client of the revisions before 2026-07-28, `client` that of this one, which begins by `server/discover`.
// MODULES is the directory that they were installed in. Exits with 77 where the client is missing.

import { createRequire } from "node:module";
import { join } from "node:path";

const [, , generation, modules, command, cwd] = process.argv;
const require = createRequire(join(modules, "package.json"));

const generations = {
    sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js", {}],
    client: [
        "@modelcontextprotocol/client",
        "@modelcontextprotocol/client/stdio",
        { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    ],
};

function loaded([client, stdio, options]) {
    try {
        return [require(client).Client, require(stdio).StdioClientTransport, options];
    } catch (error) {
        console.error(error.message);
        process.exit(77);
    }
}

const [Client, StdioClientTransport, options] = loaded(generations[generation]);
const client = new Client({ name: "test", version: "1" }, options);
// What is no message is told of here, and ends nothing. A client forgets the token of a request as it reads the answer, and
// hands on later what it read just before: such progress came in time.
const broken = [];
client.onerror = (error) => error.message.includes("progress notification for an unknown token") || broken.push(error.message);
await client.connect(new StdioClientTransport({ command, args: ["mcp"], cwd, env: process.env }));

const { tools } = await client.listTools();
const steps = [];
const call = (name, args = {}) => client.callTool({ name, arguments: args });
const told = { onprogress: (progress) => steps.push(progress) };
const ran = generation === "sdk"
    ? await client.callTool({ name: "referee_run", arguments: {} }, undefined, told)
    : await client.callTool({ name: "referee_run", arguments: {} }, told);
for (const [tool, args] of [
    ["referee_plan"],
    ["referee_gate"],
    ["referee_report"],
    ["referee_explain"],
    ["referee_diagnostics"],
    ["referee_evidence_verify"],
    ["referee_handback", { stage: "explore", runDirectory: "run" }],
    ["referee_incident_list"],
    ["referee_incident_get", { id: "one" }],
    ["referee_incident_plan", { id: "one" }],
    ["referee_schema", { name: "gate" }],
]) {
    const result = await call(tool, args);
    if (result.isError || !result.structuredContent) {
        throw new Error(`${tool}: ${JSON.stringify(result)}`);
    }
}
const unknown = await call("referee_report", { task: "T999" });
const { resources } = await client.listResources();
const resource = await client.readResource({ uri: "referee://evidence/T001/execution-report.json" });
const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt({ name: "fix_what_blocks", arguments: { task: "T001" } });
console.log(JSON.stringify({
    server: client.getServerVersion()?.name,
    revision: client.getNegotiatedProtocolVersion?.() ?? null,
    tools: tools.map((tool) => tool.name),
    decision: ran.structuredContent.decision,
    unknownTaskIsError: unknown.isError,
    resources: resources.length,
    report: JSON.parse(resource.contents[0].text).executionSummary.decision,
    prompts: prompts.map((one) => one.name),
    prompt: prompt.messages[0].content.text,
    progress: steps.length,
    broken,
}));
await client.close();
