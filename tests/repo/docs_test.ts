import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { headingsOf } from "../../scripts/site/headings.ts";

const at = (name: string) => new URL(`../../${name}`, import.meta.url);
const readme = readFileSync(at("README.md"), "utf8");
const npm = JSON.parse(readFileSync(at("package.json"), "utf8"));

test("every npm script that README and CONTRIBUTING name exists", () => {
  const contributing = readFileSync(at("CONTRIBUTING.md"), "utf8");
  const named = [...`${readme}\n${contributing}`.matchAll(/(?:npm|bun) run (?:-s )?([\w:-]+)/g)].map((match) =>
    match[1]!
  );
  assert.ok(named.length > 8);
  for (const name of named) assert.ok(name in npm.scripts, name);
});

test("every file that README and ARCHITECTURE name exists", () => {
  const architecture = readFileSync(at("ARCHITECTURE.md"), "utf8");
  const named = [...`${readme}\n${architecture}`.matchAll(/`((?:src|cli|tests|bench)\/[\w./-]+)`/g)].map((match) =>
    match[1]!
  );
  assert.ok(named.length > 10);
  for (const path of named) assert.ok(existsSync(at(path)), path);
});

test("what the script of docs/sdk.md imports from mod.ts is there", async () => {
  const module = await import("../../mod.ts") as Record<string, unknown>;
  const page = readFileSync(at("docs/sdk.md"), "utf8");
  for (const match of page.matchAll(/import \{([^}]*)\} from "\.\/mod\.ts"/g)) {
    for (const name of match[1]!.split(",").map((part) => part.trim())) {
      assert.equal(typeof module[name], "function", name);
    }
  }
});

test("the options that docs/switch-from-salt.md names are in the tables", async () => {
  const { MASTER_OPTIONS } = await import("../../src/model/config/master_opts.ts");
  const page = readFileSync(at("docs/switch-from-salt.md"), "utf8");
  for (const name of ["minimum_auth_version", "event_framing", "master_job_cache"]) {
    assert.ok(page.includes(name));
    assert.ok(name in MASTER_OPTIONS, name);
  }
});

test("permission sets that docs/install-npm.md names are in deno.json", () => {
  const deno = JSON.parse(readFileSync(at("deno.json"), "utf8"));
  assert.ok(readFileSync(at("docs/install-npm.md"), "utf8").includes("deno run -P=minion"));
  assert.ok("minion" in deno.permissions && "default" in deno.permissions);
  assert.equal(deno.permissions.default.run, undefined);
});

test("every section of docs/internals/protocol.md that the sources cite is there", () => {
  const sections = new Set(
    [...readFileSync(at("docs/internals/protocol.md"), "utf8").matchAll(/^#{2,3} (\d+(?:\.\d+)?)/gm)].map((
      [, number],
    ) => number),
  );
  const src = fileURLToPath(at("src"));
  const cited = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      [...readFileSync(join(src, name), "utf8").matchAll(/docs\/internals\/protocol\.md (\d+(?:\.\d+)?)/g)]
        .map(([, number]) => ({ name, number }))
    );
  assert.ok(cited.length > 5);
  assert.deepEqual(cited.filter(({ number }) => !sections.has(number)), []);
});

test("every test that docs/internals/security.md names is there", () => {
  const text = readFileSync(at("docs/internals/security.md"), "utf8");
  const named = [...text.matchAll(/`(tests\/[\w./-]+\.ts)`((?:[\s,]*(?:and )?"[^"]+")*)/g)].flatMap(([, file, names]) =>
    [...names!.matchAll(/"([^"]+?)…?"/g)].map(([, name]) => ({ file: file!, name: name! }))
  );
  assert.ok(named.length > 15);
  const missing = named.filter(({ file, name }) =>
    !existsSync(at(file)) || !readFileSync(at(file), "utf8").includes(name)
  );
  assert.deepEqual(missing, []);
});

/** What is wrong with `docs/x.md` or `docs/x.md#heading` as a source cites it. */
function problemOfCitation(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(at(file))) return "there is no such file";
  if (anchor === undefined) return undefined;
  const headings = headingsOf(readFileSync(at(file), "utf8"));
  return headings.some((heading) => heading.anchor === anchor) ? undefined : "there is no such heading";
}

test("every document and heading that the sources cite is there", () => {
  // This file and the one for links name some that are not.
  const own = /^(?:repo\/(?:docs|links)_test|docs\/.*)\.ts$/;
  const cited = ["src", "cli", "tests", "examples", "bench"].flatMap((folder) =>
    readdirSync(at(folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !(folder === "tests" && own.test(name)))
      .flatMap((name) =>
        [...readFileSync(at(`${folder}/${name}`), "utf8").matchAll(/(?<![\w./])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)]
          .map(([, file, anchor]) => ({ name: `${folder}/${name}`, file: file!, anchor }))
      )
  );
  assert.ok(cited.length > 50, `${cited.length} citations`);
  const wrong = cited.flatMap(({ name, file, anchor }) => {
    const problem = problemOfCitation(file, anchor);
    return problem === undefined ? [] : [`${name}: ${file}#${anchor ?? ""}: ${problem}`];
  });
  assert.deepEqual(wrong, []);
});

test("a citation of what is not there is found", () => {
  assert.equal(problemOfCitation("docs/internals/security.md", "trust"), undefined);
  assert.match(problemOfCitation("docs/internals/security.md", "gone")!, /no such heading/);
  assert.match(problemOfCitation("docs/gone.md", undefined)!, /no such file/);
});

test("every weakness that docs/internals/security.md lists names its test, or the row that does, or that the part is not here", () => {
  const rows = [
    ...readFileSync(at("docs/internals/security.md"), "utf8").matchAll(/^\| (CVE-[^|]+) \|[^|]+\|([^|]+)\|$/gm),
  ];
  assert.ok(rows.length > 40, `${rows.length} rows`);
  const bare = rows.filter(([, , shown]) => !/`tests\/[\w./-]+_test\.ts`|not here|as CVE-/.test(shown!));
  assert.deepEqual(bare.map(([, number]) => number), []);
  const numbers = rows.flatMap(([, number]) => number!.split(", "));
  assert.equal(new Set(numbers).size, numbers.length);
  assert.deepEqual(numbers.filter((number) => !/^CVE-\d{4}-\d{4,5}$/.test(number)), []);
});

test("docs/README.md leads to every page of docs/, and README to that", () => {
  const menu = readFileSync(at("docs/README.md"), "utf8");
  const pages = ["docs", "docs/internals"].flatMap((folder) =>
    readdirSync(at(folder)).filter((name) => name.endsWith(".md") && name !== "README.md")
      .map((name) => `${folder}/${name}`.slice("docs/".length))
  );
  assert.deepEqual(pages.filter((name) => !menu.includes(`](${name}`)), []);
  assert.ok(readme.includes("](docs/README.md)"));
});

test("README is short", () => {
  assert.ok(readme.split(/\s+/).length <= 1000, "move what is new to a page of docs/");
});
