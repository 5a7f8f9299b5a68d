import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { customGrains } from "../../../src/model/loader/custom_grains.ts";
import { customOutputters } from "../../../src/model/loader/custom_outputters.ts";
import { withCustomReturners } from "../../../src/model/loader/custom_returners.ts";
import { withCustomRunners } from "../../../src/model/loader/custom_runners.ts";
import { customStamp } from "../../../src/model/loader/custom_files.ts";
import { withCustomModules } from "../../../src/model/loader/custom_modules.ts";
import { createFunctionTable, functionTableOptions } from "../../../src/model/loader/loader.ts";
import { executeJob } from "../../../src/host/minion/processes/execute_job.ts";
import { MODULES } from "../../../src/plugins/modules/mod.ts";
import { testMinion } from "../../support/context.ts";

const root = mkdtempSync(path.join(tmpdir(), "brine-custom-"));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

/** A minion whose custom modules are these files; those that begin with #! may be run. */
async function minionWith(files: Record<string, string>, opts: Record<string, unknown> = {}) {
  const directory = path.join(root, String(++folders));
  const write = (name: string, text: string) => {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const minion = await testMinion({
    opts: { id: "web1", python: false, extension_modules: directory, ...opts },
    grains: { os: "Test" },
  });
  const { context, runtime } = minion;
  const place = { runtime, log: context.log, opts: context.opts };
  const functions = createFunctionTable(
    () => withCustomModules(MODULES, place),
    () => context,
    functionTableOptions(context.opts),
  );
  const seen = { ...context, functions };
  const run = async (fun: string, ...arg: unknown[]) => {
    const load = { fun, arg, jid: "20240101000000000000", tgt: "web1", tgt_type: "glob", ret: "" };
    return await executeJob({ functions, context: () => seen, load });
  };
  return { ...minion, directory, place, functions, run, write };
}

const kw = (values: Record<string, unknown>) => ({ __kwarg__: true, ...values });

test("custom code: exported functions are called with the context and arguments by position and name", async () => {
  const { run } = await minionWith({
    "modules/shop.ts": `
      /**
       * Greets.
       *
       *     salt '*' shop.greet you
       */
      export async function greet(context: { grains: Record<string, unknown> }, who: string, times: number = 1): Promise<string> {
        return \`\${context.grains.os}: \${who.repeat(times)}\`;
      }
      export const all = (_context: unknown, first = "a, (b", ...rest: Array<Map<string, number>>) => [first, rest];
      export function named(_context: unknown, kwargs: Record<string, unknown>) { return kwargs.color; }
      export function own(_context: unknown, size = 6 * 7, flag?: boolean) { return [size, flag ?? "none"]; }
      export function list_() { return [1]; }
      export const aliases = { list_: "list" };
      export function _hidden() { return 1; }
      export class Helper {}
    `,
  });
  assert.equal((await run("shop.greet", "ab", 2)).return, "Test: abab");
  assert.equal((await run("shop.greet", kw({ who: "x" }))).return, "Test: x");
  assert.deepEqual((await run("shop.all")).return, ["a, (b", []]);
  assert.deepEqual((await run("shop.all", 1, 2, 3)).return, [1, [2, 3]]);
  assert.equal((await run("shop.named", kw({ color: "red" }))).return, "red");
  assert.deepEqual((await run("shop.own")).return, [42, "none"]);
  assert.deepEqual((await run("shop.list")).return, [1]);
  assert.deepEqual((await run("sys.list_functions", "shop")).return, [
    "shop.all",
    "shop.greet",
    "shop.list",
    "shop.named",
    "shop.own",
  ]);
  assert.deepEqual((await run("sys.doc", "shop.greet")).return, {
    "shop.greet": "Greets.\n\n    salt '*' shop.greet you",
  });
  assert.deepEqual((await run("sys.argspec", "shop.greet")).return, {
    "shop.greet": { args: ["who", "times"], defaults: [1], varargs: null, kwargs: null },
  });
  const missing = await run("shop.greet");
  assert.match(
    String(missing.return),
    /^Passed invalid arguments to shop\.greet: greet\(\) missing 1 required positional argument: 'who'\nGreets\./,
  );
});

test("custom code: signatures are read with types, comments, strings and defaults of every kind", async () => {
  const { functions } = await minionWith({
    "modules/sig.ts": `
export function types(_c: unknown, a: { x: number, y: string }, b: (n: number) => void, c: "x" | ")", d?: [number, string]) { return [a, b, c, d]; }
export function values(_c: unknown, a = 'it\\'s', b = "q", c = -1.5, d = null, e = true, f = [] as number[], g = { a: 1 }, h = /,\\)/, /* i, */ j = [1, 2]) { return [a,b,c,d,e,f,g,h,j]; }
export function generic<T extends Map<string, T>>({ grains }: { grains: T }, { one }: { one: number }, rest: T) { return [grains, one, rest]; }
function local(_c: unknown, z: number) { return z; }
export { local as renamed };
export const bare = context => context;
export const wrapped = function (_c: unknown, x: number) { return x; };
export const native = Math.max.bind(Math);
`,
  });
  const signature = async (name: string) => {
    const found = await functions.find(`sig.${name}`);
    assert.ok("signature" in found, name);
    const { params, varargs, keywords } = found.signature;
    return [params.map((p) => "default" in p ? [p.name, p.default] : p.name), varargs, keywords];
  };
  assert.deepEqual(await signature("types"), [["a", "b", "c", ["d", undefined]], undefined, undefined]);
  assert.deepEqual(await signature("values"), [
    [
      ["a", "it's"],
      ["b", "q"],
      ["c", -1.5],
      ["d", null],
      ["e", true],
      ["f", undefined],
      ["g", undefined],
      ["h", undefined],
      ["j", [1, 2]],
    ],
    undefined,
    undefined,
  ]);
  assert.deepEqual(await signature("generic"), [["arg1", "rest"], undefined, undefined]);
  assert.deepEqual(await signature("renamed"), [["z"], undefined, undefined]);
  assert.deepEqual(await signature("bare"), [[], undefined, undefined]);
  assert.deepEqual(await signature("wrapped"), [["x"], undefined, undefined]);
  assert.deepEqual(await signature("native"), [[], "args", undefined]);
});

test("custom code: errors are recognised by their names", async () => {
  const { run } = await minionWith({
    "modules/bad.mjs": `
      const fail = (name, message, more = {}) => { throw Object.assign(new Error(message), { name, ...more }); };
      export function command() { fail("CommandExecutionError", "broken", { info: { a: 1 } }); }
      export function call() { fail("SaltInvocationError", "no sense"); }
      export function tool() { fail("CommandNotFoundError", "xyz"); }
      /** How. */
      export function kind() { throw new TypeError("a number"); }
      export async function other() { throw new RangeError("out"); }
    `,
  });
  const text = async (fun: string) => String((await run(fun)).return);
  assert.equal(await text("bad.command"), "ERROR: broken. Additional info follows:\n\n{'a': 1}");
  assert.equal(await text("bad.call"), "ERROR executing 'bad.call': no sense");
  assert.equal(await text("bad.tool"), "Command required for 'bad.tool' not found: xyz");
  assert.equal(await text("bad.kind"), "Passed invalid arguments to bad.kind: a number\nHow.");
  assert.match(await text("bad.other"), /^The minion function caused an exception: [\s\S]*ValueError: out/);
});

test("custom modules: virtual decides about names and whether a module is there", async () => {
  const { functions, run, records } = await minionWith({
    "modules/one.js": `export const virtual = () => "first"; export const f = () => 1;`,
    "modules/two.js": `export const virtualname = "second"; export const f = () => 2;`,
    "modules/three.js": `export const virtual = () => false; export const f = () => 3;`,
    "modules/four.js":
      `export const virtual = ({ grains }) => ({ unavailable: "not on " + grains.os }); export const f = () => 4;`,
    "modules/five.js": `throw new Error("no good");`,
    "modules/six.js":
      `export const module = { functions: { f: { signature: "a=1", doc: "D", inline: true, run: (_c, { a }) => a } } };`,
    "modules/seven.py": `def f():\n    return 7\n`,
    "modules/test.py": `def ping():\n    return 8\n`,
    "modules/eight.py": `def f():\n    return 8\n`,
    "modules/eight.ts": `export const f = (): number => 8;`,
    "modules/_hidden.js": `export const f = () => 9;`,
  });
  assert.equal((await run("first.f")).return, 1);
  assert.equal((await run("second.f")).return, 2);
  assert.equal((await run("six.f", 6)).return, 6);
  assert.equal((await run("eight.f")).return, 8);
  assert.equal((await run("test.ping")).return, true);
  const six = await functions.find("six.f");
  assert.ok("function" in six && six.function.inline === undefined);
  const unavailable = await functions.unavailable();
  assert.equal(unavailable.get("three"), "'three' __virtual__ returned False");
  assert.equal(unavailable.get("four"), "'four' __virtual__ returned False: not on Test");
  assert.equal(unavailable.get("five"), "'five' failed to load: no good");
  assert.match(unavailable.get("seven")!, /seven\.py" is a Python module, and cannot be loaded: write it in Type/);
  assert.equal((await run("five.f")).return, "'five' failed to load: no good");
  assert.ok(records.some(({ message, fields }) => message === "module failed to load" && fields.module === "five"));
  assert.ok(!(await functions.modules()).includes("_hidden"));
  // The list also has modules of Brine that this host has no programs for.
  const custom = ["five", "four", "seven", "three"];
  const missing = (await run("test.not_loaded")).return as string[];
  assert.deepEqual(missing.filter((name) => custom.includes(name)), custom);
  for (const name of ["six", "test", "cmd"]) assert.ok(!missing.includes(name), name);
});

test("custom modules: they replace those of Brine, and the options choose providers and modules", async () => {
  const files = {
    "modules/test.js": `export const ping = () => "mine";`,
    "modules/other.js": `export const ping = () => "other";`,
  };
  assert.equal((await (await minionWith(files)).run("test.ping")).return, "mine");
  assert.equal((await (await minionWith(files, { providers: { test: "other" } })).run("test.ping")).return, "other");
  assert.equal((await (await minionWith(files, { providers: { test: "gone" } })).run("test.ping")).return, "mine");
  const { run } = await minionWith(files, { disable_modules: ["test"] });
  assert.equal((await run("test.ping")).return, "'test.ping' is not available.");
  const only = await minionWith(files, { whitelist_modules: ["other", "sys"] });
  assert.deepEqual((await only.run("sys.list_modules")).return, ["other", "sys"]);
});

test("custom modules: module_dirs have folders of each family, and go before what was synced", async () => {
  const given = path.join(root, "given");
  mkdirSync(path.join(given, "_modules"), { recursive: true });
  writeFileSync(path.join(given, "_modules/a.js"), `export const f = () => "given";`);
  writeFileSync(path.join(given, "b.js"), `export const f = () => "beside";`);
  const { run } = await minionWith({ "modules/a.js": `export const f = () => "synced";` }, { module_dirs: [given] });
  assert.equal((await run("a.f")).return, "given");
  assert.equal((await run("b.f")).return, "beside");
});

test("custom modules: reload sees what has changed, come and gone", async () => {
  const { run, write, functions, place, directory } = await minionWith({ "modules/a.ts": "export const f = () => 1;" });
  assert.equal((await run("a.f")).return, 1);
  const before = customStamp(place.runtime, place.opts, "modules");
  const file = write("modules/a.ts", "export const f = (): number => 2;");
  utimesSync(file, 1, 1);
  assert.notEqual(customStamp(place.runtime, place.opts, "modules"), before);
  assert.equal((await run("a.f")).return, 1);
  functions.reload();
  assert.equal((await run("a.f")).return, 2);
  rmSync(path.join(directory, "modules"), { recursive: true });
  functions.reload();
  assert.equal((await run("a.f")).return, "'a.f' is not available.");
  assert.equal(customStamp(place.runtime, place.opts, "modules"), "");
});

test("custom modules: none is loaded from a directory that other users may write to", async () => {
  const { run, functions, directory } = await minionWith({ "modules/a.js": "export const f = () => 1;" });
  chmodSync(path.join(directory, "modules"), 0o777);
  functions.reload();
  assert.equal((await run("a.f")).return, "'a.f' is not available.");
  chmodSync(path.join(directory, "modules"), 0o755);
  functions.reload();
  assert.equal((await run("a.f")).return, 1);
});

const PROGRAM = `#!/bin/sh
if [ "$1" = describe ]; then
  echo '{"functions": {"echo": {"signature": "who, times=1, *args, **kwargs", "doc": "Says it."}, "fail": {"signature": "kind"}, "die": {}, "odd": {}, "code": {}, "float": {}, "_x": {}}, "virtual": "prog"}'
  exit
fi
read -r call
case "$call" in
  *'"function":"echo"'*) printf '{"return": %s}' "$call" ;;
  *'"kind":"usage"'*) echo '{"error": "no sense", "kind": "SaltInvocationError"}'; exit 3 ;;
  *'"kind":"odd"'*) echo '{"error": "what", "kind": "Strange"}' ;;
  *'"function":"fail"'*) echo '{"error": "it broke"}' ;;
  *'"function":"die"'*) echo 'last words' >&2; exit 4 ;;
  *'"function":"odd"'*) echo 'no json' ;;
  *'"function":"code"'*) echo '{"return": null, "retcode": 7}' ;;
  *'"function":"float"'*) echo '{"return": 1.0}' ;;
esac
`;

test("programs: they are sent everything about a call, and their answers are read", async () => {
  const { run, functions } = await minionWith({ "modules/tool.sh": PROGRAM });
  const { return: told } = await run("prog.echo", "you", 2, 3, kw({ color: "red" }));
  const plain = JSON.parse(
    JSON.stringify(told, (_key, value) => value instanceof Map ? Object.fromEntries(value) : value),
  );
  assert.deepEqual(plain.arguments, { who: "you", times: 2 });
  assert.deepEqual([plain.args, plain.kwargs.color, plain.id, plain.jid], [[3], "red", "web1", "20240101000000000000"]);
  assert.deepEqual([plain.grains, plain.pillar, plain.opts.id], [{ os: "Test" }, {}, "web1"]);
  assert.equal((await run("prog.fail", "usage")).return, "ERROR executing 'prog.fail': no sense");
  assert.equal((await run("prog.fail", "x")).return, "ERROR: it broke");
  assert.match(String((await run("prog.fail", "odd")).return), /Strange: what/);
  assert.match(
    String((await run("prog.die")).return),
    /^ERROR: The program ".*tool\.sh" exited with 4: last words$/,
  );
  assert.match(String((await run("prog.odd")).return), /^ERROR: The program ".*" printed no JSON map: no json$/);
  const code = await run("prog.code");
  assert.deepEqual([code.return, code.retcode, code.success], [null, 7, false]);
  const float = (await run("prog.float")).return;
  assert.ok(float instanceof Number && float.valueOf() === 1);
  assert.match(
    String((await run("prog.echo")).return),
    /echo\(\) missing 1 required positional argument: 'who'\nSays it\.$/,
  );
  assert.ok("message" in await functions.find("prog._x"));
});

test("programs: one that does not describe itself is unavailable, and says what was expected", async () => {
  const { functions } = await minionWith({
    "modules/a.py": "#!/bin/sh\necho oops >&2\nexit 2\n",
    "modules/b": "#!/bin/sh\necho '{}'\n",
    "modules/c": "#!/nowhere/at/all\n",
  });
  const unavailable = await functions.unavailable();
  assert.match(unavailable.get("a")!, /exited with 2: oops\. Brine runs a custom module that begins with #!/);
  assert.match(unavailable.get("b")!, /names no functions/);
  assert.match(unavailable.get("c")!, /failed to load: /);
});

test("programs: one that runs is ended with its job", async () => {
  const { functions, context, directory } = await minionWith({
    "modules/long.sh": `#!/bin/sh
[ "$1" = describe ] && echo '{"functions": {"wait": {}}}' && exit
trap 'echo ended > "$(dirname "$0")/../trace"; exit' TERM
echo up > "$(dirname "$0")/../up"
sleep 60 & wait
`,
  });
  const abort = new AbortController();
  const pids: number[] = [];
  const load = { fun: "long.wait", arg: [], jid: "1", tgt: "*", tgt_type: "glob", ret: "" };
  const running = executeJob({
    functions,
    context: () => context,
    load,
    signal: abort.signal,
    ownProcess: (pid) => pids.push(pid),
  });
  const { fs, process } = context.runtime;
  const next = () => new Promise<void>((resolve) => context.runtime.later(resolve));
  while (fs.stat(`${directory}/up`) === undefined) await next();
  abort.abort(new Error("enough"));
  await assert.rejects(running, /enough/);
  while (process.alive(pids[0]!)) await next();
  assert.equal(fs.readText(`${directory}/trace`), "ended\n");
});

test("custom grains: each function returns some, and one that fails is logged", async () => {
  const { place } = await minionWith({
    "grains/site.ts": `
      export const site = ({ grains }: { grains: Record<string, unknown> }) => ({ site: "here", before: grains.os });
      export async function more() { return { more: [1] }; }
    `,
    "grains/shell": `#!/bin/sh
[ "$1" = describe ] && echo '{"functions": {"main": {}}}' || echo '{"return": {"shell": true}}'
`,
    "grains/off.js": `export const virtual = () => false; export const x = () => ({ off: 1 });`,
    "grains/broken.js": `throw new Error("not so");`,
    "grains/list.js": `export const x = () => [1];`,
  });
  const gathered = customGrains(place);
  assert.deepEqual([...gathered.keys()], ["broken", "list", "off", "shell", "site"]);
  const { runtime, log, opts } = place;
  const get = (name: string) => gathered.get(name)!({ runtime, log, opts, grains: { os: "Test" } });
  assert.deepEqual(await get("site"), { site: "here", before: "Test", more: [1] });
  assert.deepEqual(await get("shell"), { shell: true });
  assert.deepEqual([await get("off"), await get("broken")], [{}, {}]);
  await assert.rejects(get("list"), /The function x of ".*list\.js" must return a map of grains/);
});

test("custom returners, runners and outputters", async () => {
  const { place, directory } = await minionWith({
    "returners/note.ts": `
      import { writeFileSync } from "node:fs";
      export function returner(context: { opts: { extension_modules: string } }, ret: { id: string }) {
        writeFileSync(context.opts.extension_modules + "/note", ret.id);
      }
      export const get_jid = (_context: unknown, jid: string) => ({ web1: { return: jid } });
    `,
    "returners/never.js":
      `export const virtual = () => ({ unavailable: "no driver" }); export const returner = () => {};`,
    "runners/mine.ts": `
      /** Counts. */
      export const count = ({ opts }: { opts: { id: string } }, n: number) => opts.id + n;
    `,
    "runners/broken.js": `throw new Error("not so");`,
    "output/loud.js": `export const output = (data, { indent = "!" }) => JSON.stringify(data).toUpperCase() + indent;`,
  });
  const returners = withCustomReturners({}, place);
  const { returner } = await returners.note!();
  await returner.returner(place, { id: "web9" });
  assert.equal(place.runtime.fs.readText(`${directory}/note`), "web9");
  assert.deepEqual(await returner.getJid!(place, "7"), { web1: { return: "7" } });
  assert.equal(returner.getLoad, undefined);
  assert.deepEqual((await returners.never!()).returner.virtual!(place), { unavailable: "no driver" });

  const runners = withCustomRunners({}, place);
  const { count } = (await runners.mine!()).runner.functions;
  assert.equal(count!.doc, "Counts.");
  assert.equal(await count!.run(place as never, { n: 3 }), "web13");
  assert.deepEqual((await runners.broken!()).runner.functions, {});

  const loud = await customOutputters(place).loud!();
  assert.equal(await loud({ a: "b" }, { indent: "?" }), '{"A":"B"}?');
});
