/** The five scripts that docs/sdk-scripts.md begins with, as they stand there: only the addresses are others. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { gap, openBrowser } from "../console/browser.ts";
import { startApi } from "./fleet.ts";
import { BIN, emptyDirectory, OTHER_PROGRAMS, ROOT, tool } from "./snippets.ts";
import { installByNpm, serveFiles } from "./tarball.ts";

const SLOW = { timeout: 600_000 };
// The page does not need the console.
const noBrowser = gap?.startsWith("Chromium") === true ? gap : undefined;

const document = readFileSync(path.join(ROOT, "docs/sdk-scripts.md"), "utf8");
const API = "https://salt.example.com:8000";
const FILES = "https://files.example.com/brine/";

/** The first block of a language below a heading of the document. */
function block(heading: string, language: string): string {
  const section = document.split(/^#{2,3} /m).find((text) => text.startsWith(`${heading}\n`));
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section ?? "");
  assert.ok(found !== null, `docs/sdk-scripts.md has no ${language} below "${heading}"`);
  return found[1]!;
}

/** A text with an example's address replaced, which must be in it. */
function at(text: string, example: string, real: string): string {
  assert.ok(text.includes(example), `${example} in ${text}`);
  return text.replaceAll(example, real);
}

/** What a program prints; its errors where it fails. */
async function printed(command: string, words: readonly string[], cwd: string): Promise<string> {
  const child = spawn(path.join(BIN, command), words, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: "1", DENO_DIR: path.join(cwd, "deno") },
  });
  let [out, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (errors += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, `${command} ${words.join(" ")}: ${out}${errors}`);
  return out;
}

describe("the first scripts of docs/sdk-scripts.md", SLOW, () => {
  const root = emptyDirectory();
  const project = emptyDirectory({ "package.json": '{"type":"module"}' });
  let api: Awaited<ReturnType<typeof startApi>>;
  let installed: string;
  let byNpm: boolean;
  /** `connect()` where the master is not the only one of its host. */
  let here: string;

  before(async () => {
    api = await startApi(root.path);
    ({ place: installed, byNpm } = await installByNpm(project.path));
    here = `connect(${JSON.stringify({ rootDir: root.path, requestPort: api.requestPort })})`;
  }, SLOW);
  after(async () => {
    await api?.[Symbol.asyncDispose]();
    root[Symbol.dispose]();
    project[Symbol.dispose]();
  }, SLOW);

  test("Deno, from a URL without an import map, with no more permissions than it says", SLOW, async () => {
    using directory = emptyDirectory();
    await using files = await serveFiles(ROOT);
    const script = at(block("Deno, from a URL", "ts"), FILES, `${files.url}/`);
    const [, flags] = /^deno run (.*) ping\.ts$/m.exec(block("Deno, from a URL", "sh"))!;
    const words = at(
      at(flags!, "salt.example.com:8000", new URL(api.url).host),
      "files.example.com",
      new URL(files.url).host,
    ).split(" ");
    const deno = async (name: string, text: string, how: readonly string[]) => {
      writeFileSync(path.join(directory.path, name), text);
      return await printed("deno", ["run", "--quiet", "--no-prompt", ...how, name], directory.path);
    };
    const over = at(script, API, api.url);
    assert.equal(await deno("ping.ts", over, words), "web1 returned\n");
    assert.ok(files.asked.includes("/mod.ts"));
    const alone = at(over, "mod.ts", "src/client/http/mod.ts");
    assert.equal(await deno("alone.ts", alone, words), "web1 returned\n");
    const local = at(script, `connect("${API}", { login })`, here);
    assert.equal(await deno("local.ts", local, ["-A"]), "web1 returned\n");
  });

  test("Node, plain JavaScript from the package, over HTTP and on the master's host", SLOW, async () => {
    const script = block("Node, plain JavaScript", "js");
    writeFileSync(path.join(project.path, "versions.js"), at(script, "connect()", here));
    const wanted = /^\{ web1: '\d[\d.]+' \}\n$/;
    assert.match(await printed("node", ["versions.js", api.url], project.path), wanted);
    assert.match(await printed("node", ["versions.js"], project.path), wanted);
  });

  test("an entry that needs other packages finds those that npm has installed", SLOW, async (context) => {
    if (!byNpm) return context.skip("npm's cache does not have the dependencies, and there is no registry");
    writeFileSync(
      path.join(project.path, "gateway.js"),
      'import { createGateway } from "brine/gateway";\nconsole.log(typeof createGateway);\n',
    );
    assert.equal(await printed("node", ["gateway.js"], project.path), "function\n");
  });

  test("TypeScript, as strict as it can be", { ...SLOW, skip: OTHER_PROGRAMS }, async () => {
    const script = at(block("TypeScript, strict", "ts"), API, api.url);
    const config = JSON.parse(block("TypeScript, strict", "json")) as { compilerOptions: Record<string, unknown> };
    const check = async (texts: readonly string[], types: Record<string, unknown> = {}) => {
      const files = texts.map((_text, count) => count === 0 ? "grains.ts" : `grains${count}.ts`);
      texts.forEach((text, count) => writeFileSync(path.join(project.path, files[count]!), text));
      const compilerOptions = { ...config.compilerOptions, ...types, noEmit: true };
      writeFileSync(path.join(project.path, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      await tool("tsc", ["-p", "."], project.path);
    };
    const typeRoots = [path.join(ROOT, "node_modules/@types")];
    await check([script], { lib: ["esnext"], types: ["node"], typeRoots });
    const mistakes = [
      ['fun: "test.ping"', 'fun: "test.sleep"', /JobRequest<"test.sleep">/],
      ['grains?.["kernel"]', 'grains["kernel"]', /possibly 'undefined'/],
      ["outcome.return}", "outcome.retrun}", /retrun/],
      ["{ login,", "{ logon: login,", /logon/],
    ] as const;
    const wrong = mistakes.map(([right, mistake]) => at(script, right, mistake));
    const { message } = await check([script, ...wrong]).then(() => assert.fail("it compiles"), (error: Error) => error);
    const lines = message.split("\n");
    mistakes.forEach(([, mistake, why], count) => {
      assert.match(lines.filter((line) => line.includes(`grains${count + 1}.ts(`)).join(), why, mistake);
    });
    assert.ok(!lines.some((line) => line.includes("grains.ts(")), message);
    assert.equal(await printed("node", ["grains.ts"], project.path), "web1: true\n[ [ 'web1', 'Linux' ] ]\n");
  });

  test("Bun", SLOW, async () => {
    writeFileSync(path.join(project.path, "disks.ts"), at(block("Bun", "ts"), API, api.url));
    assert.equal(await printed("bun", ["disks.ts"], project.path), "web1 true\n");
    const local = at(block("Bun", "ts"), `connect("${API}", { login })`, here);
    writeFileSync(path.join(project.path, "local.ts"), local);
    assert.equal(await printed("bun", ["local.ts"], project.path), "web1 true\n");
  });

  test("a page in a browser, from another server", { ...SLOW, skip: noBrowser ?? false }, async () => {
    using directory = emptyDirectory({ "index.html": at(block("A page in a browser", "html"), API, api.url) });
    const copy = path.join(directory.path, "brine");
    mkdirSync(copy);
    cpSync(path.join(installed, "dist/src"), path.join(copy, "src"), { recursive: true });
    await using files = await serveFiles(directory.path);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`${files.url}/index.html`);
      await page.getByText("done").waitFor();
      assert.equal(await page.locator("pre").innerText(), "web1 returned\ndone\n");
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
    }
  });
});
