/** The examples in comments: each entry module has one, and those that can be run do what they say. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import { emptyDirectory, ENTRIES, OTHER_PROGRAMS, ROOT, runScript, snippets, tool } from "./snippets.ts";
import { whole } from "./whole_snippet.ts";

const SLOW = { timeout: 240_000 };
const comments = snippets().filter(({ where }) => where.includes(".ts:"));
const address = (name: string) => pathToFileURL(ENTRIES[name]!).href;

/** What an example says that it prints: the comments behind `console.log(…);`. */
const said = (code: string): string[] => [...code.matchAll(/\); \/\/ (.*)$/gm)].map(([, text]) => text!);
const connects = (code: string): boolean => code.includes("await connect()");

/**
 * The only functions that an example may call to be run here: the minion of this test is this host, so one that installs or
 * changes something is checked for its types alone.
 */
const HARMLESS = /^(?:cmd\.run|disk\.usage|key\.(?:finger|list_all)|manage\.(?:status|up)|test\.(?:ping|version))$/;
/** The modules that they need; the minion has no others, whatever an example calls. */
const MODULES = ["cmd", "disk", "saltutil", "sys", "test"];

/** True for an example that changes nothing on the host. */
function isHarmless(code: string): boolean {
  const functions = [...code.matchAll(/\bfun: (.*?)[,}]/g)].map(([, text]) => /^"(.*)"$/.exec(text!.trim())?.[1] ?? "");
  const commands = [...code.matchAll(/"cmd\.run", arg: (\[.*?\])/g)].map(([, text]) => text);
  const said = functions.filter((name) => name === "cmd.run").length;
  return functions.every((name) => HARMLESS.test(name)) && commands.length === said &&
    commands.every((text) => text === '["uptime"]');
}

test("an example that changes the host is never run", () => {
  for (
    const [code, harmless] of [
      ['salt.run({ tgt: "*", fun: "test.ping" })', true],
      ['salt.run({ tgt: "*", fun: "cmd.run", arg: ["uptime"] })', true],
      ['salt.run({ tgt: "*", fun: "cmd.run", arg: ["rm -rf /x"] })', false],
      ['salt.run({ tgt: "*", fun: "cmd.run" })', false],
      ['runBatch(salt, { tgt: "web*", fun: "pkg.upgrade" }, { size: "25%" })', false],
      ["salt.run({ tgt, fun: name })", false],
      ['salt.run({ tgt: "*", fun: ["test.ping", "pkg.upgrade"] })', false],
    ] as const
  ) assert.equal(isHarmless(code), harmless, code);
});

interface Documentation {
  nodes: Record<
    string,
    { symbols: { name: string; declarations?: { declarationKind?: string; jsDoc?: unknown }[] }[] }
  >;
}

const BEGINS = "--- an example begins";
const FAILED = "--- it failed";

/** Runs examples one after the other in one program, since starting one takes longer than an example; what each printed. */
async function runAll(directory: string, examples: readonly string[]): Promise<string[]> {
  const runs = examples.map((text, at) => {
    const file = path.join(directory, `${at}.ts`);
    writeFileSync(file, text);
    const name = JSON.stringify(pathToFileURL(file).href);
    return `console.log(${
      JSON.stringify(BEGINS)
    });\nawait import(${name}).catch((error) => console.log("${FAILED}", error));\n`;
  });
  const program = path.join(directory, "all.ts");
  writeFileSync(program, runs.join(""));
  const { stdout, stderr, code } = await runScript(program).ended;
  assert.equal(code, 0, stderr);
  return stdout.split(`${BEGINS}\n`).slice(1).map((text) => text.trimEnd());
}

test(
  "every entry module has an example of a function or a class in its comments",
  { ...SLOW, skip: OTHER_PROGRAMS },
  async () => {
    const without: string[] = [];
    for (const [entry, file] of Object.entries(ENTRIES)) {
      const words = ["doc", "--json", "--no-config", "--no-lock", "--no-npm", "--no-remote", file];
      const { nodes } = JSON.parse(await tool("deno", words, ROOT)) as Documentation;
      const declarations = Object.values(nodes).flatMap(({ symbols }) => symbols).flatMap((one) =>
        one.declarations ?? []
      );
      if (!declarations.some(({ jsDoc }) => JSON.stringify(jsDoc ?? null).includes("```ts"))) without.push(entry);
    }
    assert.deepEqual(without, []);
  },
);

test("examples print what their comments say", SLOW, async () => {
  const runnable = comments.filter(({ code }) => said(code).length > 0 && !connects(code));
  assert.ok(runnable.length > 20);
  using directory = emptyDirectory();
  const printed = await runAll(directory.path, runnable.map((one) => whole(one, address)));
  assert.deepEqual(
    printed.map((text, at) => `${runnable[at]!.where}\n${text}`),
    runnable.map(({ where, code }) => `${where}\n${said(code).join("\n")}`),
  );
});

test("examples that connect to a master run against one", SLOW, async () => {
  // One follows a job that is not there.
  const runnable = comments.filter(({ code }) => connects(code) && isHarmless(code) && !code.includes("followJob("));
  assert.ok(runnable.length >= 10, `${runnable.length} examples`);
  using directory = emptyDirectory({ users: "ann:secret\n" });
  const root = directory.path;
  await using master = await startMaster({
    rootDir: root,
    opts: {
      interface: "127.0.0.1",
      publish_port: 0,
      ret_port: 0,
      auto_accept: true,
      external_auth: { file: { "^filename": path.join(root, "users"), ann: [".*", "@runner", "@wheel"] } },
    },
  });
  const requestPort = Number(master.requestEndpoint.split(":").at(-1));
  await using minion = await startMinion({
    rootDir: path.join(root, "web1"),
    opts: { id: "web1", master: "127.0.0.1", master_port: requestPort, whitelist_modules: MODULES },
  });
  await minion.ready;
  const scripts = path.join(root, "scripts");
  mkdirSync(scripts);
  const options = JSON.stringify({ rootDir: root, requestPort });
  const texts = runnable.map((one) => whole(one, address).replaceAll("await connect()", `await connect(${options})`));
  const printed = await runAll(scripts, texts);
  const failed = printed.map((text, at) => `${runnable[at]!.where}: ${text}`).filter((text) => text.includes(FAILED));
  assert.deepEqual(failed, []);
});
