"""Asks `referee mcp` as the official client does, which checks answers against their schemas, and prints what it was told as
JSON. Exits with 77 without mcp."""

import asyncio
import json
import os
import sys

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    sys.exit(77)


async def main(program, workspace):
    server = StdioServerParameters(command=program, args=["mcp"], cwd=workspace, env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        steps = []

        async def told(*step):
            steps.append(step)

        ran = await session.call_tool("referee_run", {}, progress_callback=told)
        for tool, arguments in [
            ("referee_plan", {}),
            ("referee_gate", {}),
            ("referee_report", {}),
            ("referee_explain", {}),
            ("referee_diagnostics", {}),
            ("referee_evidence_verify", {}),
            ("referee_handback", {"stage": "explore", "runDirectory": "run"}),
            ("referee_incident_list", {}),
            ("referee_incident_get", {"id": "one"}),
            ("referee_incident_plan", {"id": "one"}),
            ("referee_schema", {"name": "gate"}),
        ]:
            result = await session.call_tool(tool, arguments)
            assert not result.is_error, (tool, result)
        unknown = await session.call_tool("referee_report", {"task": "T999"})
        resource = await session.read_resource("referee://evidence/T001/execution-report.json")
        report = json.loads(resource.contents[0].text)
        print(json.dumps({
            "tools": tools,
            "decision": ran.structured_content["decision"],
            "unknownTaskIsError": unknown.is_error,
            "report": report["executionSummary"]["decision"],
            "progress": len(steps),
        }))


asyncio.run(main(*sys.argv[1:]))
