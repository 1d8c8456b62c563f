// Reads a report as another program does, and prints what it found as JSON.
//
//     node reports.mjs tap|ctrf FILE MODULES
//
// MODULES is the directory that the programs were installed in. Exits with 77 where one is missing.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , format, file, modules] = process.argv;
const require = createRequire(join(modules, "package.json"));

function package_(name) {
    try {
        return require(name);
    } catch (error) {
        console.error(error.message);
        process.exit(77);
    }
}

const readers = {
    tap(text) {
        const { Parser } = package_("tap-parser");
        const found = { version: null, points: [] };
        const parser = new Parser({ strict: true }, (result) => {
            const { ok, count, pass, fail, skip, todo, plan, failures } = result;
            const broken = failures.filter((failure) => failure.tapError).map((failure) => failure.tapError);
            Object.assign(found, { ok, count, pass, fail, skip, todo, plan: plan.end, broken });
        });
        parser.on("version", (version) => (found.version = version));
        parser.on("assert", ({ ok, name, skip, diag }) => found.points.push({ ok, name, skip, outcome: diag?.outcome }));
        // What is not TAP is passed on as such.
        parser.on("extra", (extra) => (found.extra = (found.extra ?? "") + extra));
        parser.end(text);
        return found;
    },
    ctrf(text) {
        const { parse, validateStrict, calculateSummary } = package_("ctrf");
        const report = parse(text);
        validateStrict(report);
        return { told: report.results.summary, counted: calculateSummary(report.results.tests) };
    },
};

console.log(JSON.stringify(readers[format](readFileSync(file, "utf8"))));
