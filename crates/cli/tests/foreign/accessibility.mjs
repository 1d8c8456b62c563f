// Looks at pages in Chromium, wide and narrow, light and dark, and has axe-core judge each by the rules of levels A and AA.
// Prints what is wrong as JSON: nothing where all is well.
//
//     node accessibility.mjs CONFIGURATION.json
//
// The configuration: `{"chromium": NAME, "playwright": MODULES, "axe": MODULES, "headers": {...}, "pages": {NAME: URL}}`, and
// `"shots": DIRECTORY` where pictures are wanted. Exits with 77 where a package is missing.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"];

const asked = JSON.parse(readFileSync(process.argv[2], "utf8"));

function package_(modules, name) {
    const require = createRequire(join(modules, "package.json"));
    try {
        return [require(name), require.resolve(name)];
    } catch (error) {
        console.error(error.message);
        process.exit(77);
    }
}

const [{ chromium }] = package_(asked.playwright, "playwright-core");
const [, axe] = package_(asked.axe, "axe-core/axe.min.js");

const wrong = [];
let looks = 0;

async function look(page, name, view) {
    looks += 1;
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate((levels) => globalThis.axe.run(document, { runOnly: levels }), LEVELS);
    for (const { id, help, nodes } of violations) {
        wrong.push({ name, view, id, help, nodes: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`) });
    }
    const [content, window_] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return [scrollWidth, clientWidth];
    });
    if (content > window_) {
        wrong.push({ name, view, id: "overflow", help: `the page is ${content} wide in a window of ${window_}`, nodes: [] });
    }
    if (asked.shots) {
        mkdirSync(asked.shots, { recursive: true });
        await page.screenshot({ path: join(asked.shots, `${name}-${view}.png`), fullPage: true });
    }
}

const places = process.env.PATH.split(delimiter).map((directory) => join(directory, asked.chromium));
const browser = await chromium.launch({ executablePath: places.find(existsSync), args: ["--no-sandbox"] });
for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
        const context = await browser.newContext({
            viewport: { width, height: 900 },
            colorScheme,
            // For axe-core alone, which the policy of the page keeps out.
            bypassCSP: true,
            reducedMotion: "reduce",
            extraHTTPHeaders: asked.headers ?? {},
        });
        const page = await context.newPage();
        page.on("pageerror", (error) => wrong.push({ name: page.url(), view: "script", id: "error", help: error.message, nodes: [] }));
        for (const [name, url] of Object.entries(asked.pages)) {
            const answer = await page.goto(url);
            if (answer && !answer.ok()) {
                wrong.push({ name, view: "answer", id: "status", help: `${answer.status()}`, nodes: [] });
            }
            // What is folded is looked at, too.
            await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
            await look(page, name, `${width}-${colorScheme}`);
        }
        await context.close();
    }
}
await browser.close();
console.log(JSON.stringify({ looks, wrong }));
