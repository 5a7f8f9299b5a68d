/** Functions that are long have a reason. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = ["src", "cli"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
);

/** The longest that a function may be without a reason, in lines. */
const LONGEST = 80;

/** Functions that are longer, each with the reason: `file name` → why. */
const LONG: Record<string, string> = {
  "src/host/master/master.ts startMaster":
    "the order in which a master's parts start and close, one step a line or two",
  "src/console/ui/pages/keys_page.tsx KeysPage": "selection and confirmation, which six named components share",
  "src/console/ui/pages/run/run_page.tsx RunPage":
    "the form from top to bottom; its steps, command and start are elsewhere",
};

/** How a function, a method or an arrow function with a name begins in formatted code. */
const BEGINNINGS = [
  /^( *)(?:export )?(?:default )?(?:async )?function\*? (\w+)/,
  /^( *)(?:export )?const (\w+)(?:: [^=]*)? = (?:async )?(?:\(|\w+ =>|<)/,
  /^( +)(?:private |static |async |get |set |\*)*(#?\w+)(?:<[^(]*>)?\(/,
];
const NOT_FUNCTIONS = new Set(["if", "for", "while", "switch", "catch", "return", "super"]);

/** The line on which the body of a function is opened that begins at `at`; -1 if it has none in braces. */
function bodyOf(lines: string[], at: number, indent: string): number {
  for (let line = at; line < lines.length; line++) {
    const text = lines[line]!;
    const isHead = line === at || text.startsWith(`${indent})`) || text.startsWith(`${indent}}`);
    if (isHead && text.endsWith("{") && !text.endsWith("({")) return line;
    if (line > at && !text.startsWith(`${indent} `)) return -1;
    if (line === at && text.endsWith(";")) return -1;
  }
  return -1;
}

/** Functions of a file with their lengths; indentation, which the formatter makes sure of, tells where they end. */
function functionsOf(file: string): { name: string; lines: number }[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  return [...lines.entries()].flatMap(([at, line]) => {
    const match = BEGINNINGS.map((pattern) => pattern.exec(line)).find((one) => one !== null);
    if (match === undefined || match === null || NOT_FUNCTIONS.has(match[2]!)) return [];
    const body = bodyOf(lines, at, match[1]!);
    const end = body < 0 ? -1 : lines.findIndex((other, index) => index > body && other.startsWith(`${match[1]}}`));
    return end < 0 ? [] : [{ name: match[2]!, lines: end - at + 1 }];
  });
}

test("functions were found at all", () => {
  assert.ok(files.flatMap(functionsOf).length > 3000);
  const here = functionsOf("tests/repo/long_functions_test.ts").find(({ name }) => name === "functionsOf");
  assert.equal(here?.lines, 10);
});

test(`no function is longer than ${LONGEST} lines without a reason`, () => {
  const long = files.flatMap((file) =>
    functionsOf(file).filter(({ lines }) => lines > LONGEST).map(({ name, lines }) => ({
      key: `${file} ${name}`,
      lines,
    }))
  );
  const without = long.filter(({ key }) => !Object.hasOwn(LONG, key)).map(({ key, lines }) => `${key}: ${lines} lines`);
  assert.deepEqual(without, []);
  const idle = Object.keys(LONG).filter((key) => !long.some((one) => one.key === key));
  assert.deepEqual(idle, [], "reasons for functions that are not long");
});
