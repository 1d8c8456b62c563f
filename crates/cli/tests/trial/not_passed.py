"""Names the checks of a report that did not end in SUCCESS, and the decision."""

import json
import sys

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
except OSError as error:
    print(f"no report: {error}")
    sys.exit()
phases = ("prerequisiteExecution", "stepExecution", "cleanupExecution")
results = [result for phase in phases for result in report[phase]["results"]]
bad = [f"{result.get('description') or result['actionId']}:{result['status']}" for result in results if result["status"] != "SUCCESS"]
skipped = [f"{each['actionId']}:skipped" for each in report["skippedActions"]]
print(f"{len(results)} checks", *bad, *skipped)
