import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { executeJob } from "../../../../src/host/minion/processes/execute_job.ts";
import { Lazy } from "../../../../src/language/jinja/lazy.ts";
import { customGrains } from "../../../../src/model/loader/custom_grains.ts";
import { withCustomModules } from "../../../../src/model/loader/custom_modules.ts";
import { customRenderers } from "../../../../src/model/loader/custom_renderers.ts";
import { withCustomRunners } from "../../../../src/model/loader/custom_runners.ts";
import { withCustomWheels } from "../../../../src/model/loader/wheel.ts";
import { createFunctionTable, functionTableOptions } from "../../../../src/model/loader/loader.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { MODULES } from "../../../../src/plugins/modules/mod.ts";
import { until } from "../../../../bench/bed/until.ts";
import { testMinion } from "../../../support/context.ts";

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"]);
    return true;
  } catch {
    return false;
  }
}

const skip = hasPython() ? false : "no python3 of 3.8 or newer: install python3";
const root = mkdtempSync(path.join(tmpdir(), "brine-python-"));
const close: (() => Promise<void>)[] = [];
after(async () => {
  for (const one of close) await one();
  rmSync(root, { recursive: true, force: true });
});
let folders = 0;

async function minionWith(files: Record<string, string>, opts: Record<string, unknown> = {}) {
  const directory = path.join(root, String(++folders));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const minion = await testMinion({
    opts: { id: "web1", python: "auto", python_salt: false, extension_modules: directory, ...opts },
    grains: { os: "Test", nested: { a: [1] } },
    pillar: { color: "red" },
  });
  const { context, runtime } = minion;
  close.push(() => closePython(runtime));
  const place = { runtime, log: context.log, opts: context.opts };
  const functions = createFunctionTable(
    () => withCustomModules(MODULES, seen),
    () => seen,
    functionTableOptions(context.opts),
  );
  const seen = { ...context, functions };
  const run = async (fun: string, ...arg: unknown[]) => {
    const load = { fun, arg, jid: "20240101000000000000", tgt: "web1", tgt_type: "glob", ret: "" };
    return await executeJob({ functions, context: () => seen, load });
  };
  return { ...minion, directory, place, functions, run, write };
}

/** What functions with any keywords get of a job. */
const PUBLISHED = ["__pub_arg", "__pub_fun", "__pub_jid", "__pub_ret", "__pub_tgt", "__pub_tgt_type"];

const FACTS = `
"""Facts."""
import functools
import os
from os.path import basename
from salt.exceptions import CommandExecutionError, SaltInvocationError

__func_alias__ = {"list_": "list"}
__outputter__ = {"lined": "txt"}


def wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


def echo(text, times=1, *more, **kwargs):
    """Says it.

    CLI Example:

        salt '*' facts.echo you
    """
    return [text, times, list(more), sorted(kwargs)]


def list_(items=(), kind=object):
    return [list(items), kind is object]


@wrapped
def decorated(a, b=2):
    return [a, b]


def lined():
    return "a"


def names():
    return [__grains__["os"], __pillar__.get("color"), __opts__["id"], dict(__grains__)["nested"], __name__]


def called():
    return [__salt__["test.echo"]("x"), "test.ping" in __salt__, "no.no" in __salt__, __salt__["facts.lined"](), __salt__.test.ping()]


def counted():
    __context__["n"] = __context__.get("n", 0) + 1
    return __context__["n"]


def code():
    __context__["retcode"] = 7
    return "seven"


def its_code():
    __salt__["cmd.run"]("sh -c 'exit 3'")
    return __context__["retcode"]


def caught():
    found = []
    for name, args in (("cmd.run", []), ("test.exception", ["boo"]), ("no.no", []), ("facts.fails", [])):
        try:
            __salt__[name](*args)
        except Exception as error:
            found.append([type(error).__name__, str(error)])
    return found


def fails():
    raise CommandExecutionError("went wrong", info={"a": 1})


def invalid():
    raise SaltInvocationError("not so")


def zero():
    return 1 / 0


def exits():
    raise SystemExit(3)


def generated():
    yield {"a": 1}
    yield {"b": 2}


def circle():
    made = []
    made.append(made)
    return made


def printed():
    print("to the log")
    os.write(1, b"also\\n")
    return "quiet"


def dies():
    print("last words", flush=True)
    os._exit(9)


def closes():
    for descriptor in range(3, 50):
        try:
            os.close(descriptor)
        except OSError:
            pass
    return "closed"


def forks():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "forked"


def odd():
    return {"set": {1}, "bytes": b"\\xff", "class": dict, "big": 2**80, 1: None}


def large(size):
    return "x" * size


def _hidden():
    return 1
`;

describe("Python modules", { skip }, () => {
  test("a function is called by position and name, and has its documentation and signature", async () => {
    const { run, functions } = await minionWith({ "modules/facts.py": FACTS });
    const more = { __kwarg__: true, b: 1 };
    assert.deepEqual((await run("facts.echo", "a")).return, ["a", 1, [], PUBLISHED]);
    assert.deepEqual((await run("facts.echo", "a", 2, 3, more)).return, ["a", 2, [3], [...PUBLISHED, "b"]]);
    assert.deepEqual((await run("facts.list", [1])).return, [[1], true]);
    assert.deepEqual((await run("facts.decorated", 1)).return, [1, 2]);
    const found = await functions.find("facts.echo");
    assert.ok("function" in found && found.function.doc.startsWith("Says it.\n"));
    assert.deepEqual(found.signature, {
      params: [{ name: "text" }, { name: "times", default: 1 }],
      varargs: "more",
      keywords: "kwargs",
    });
    assert.equal((await run("facts.lined")).out, "txt");
    for (const name of ["facts.basename", "facts.list_", "facts._hidden"]) {
      assert.equal((await run(name)).return, `'${name}' is not available.`);
    }
    assert.match(
      String((await run("facts.echo")).return),
      /^Passed invalid arguments to facts\.echo: echo\(\) missing 1/,
    );
  });

  test("a module finds the names with two underscores, and calls functions of Brine and of its own", async () => {
    const { run } = await minionWith({ "modules/facts.py": FACTS });
    const name = "salt.loaded.ext.module.facts";
    assert.deepEqual((await run("facts.names")).return, ["Test", "red", "web1", { a: [1] }, name]);
    assert.deepEqual((await run("facts.called")).return, ["x", true, false, "a", true]);
    assert.equal((await run("facts.counted")).return, 1);
    assert.equal((await run("facts.counted")).return, 2);
  });

  test("return codes and exceptions cross in both directions", async () => {
    const { run } = await minionWith({ "modules/facts.py": FACTS });
    assert.deepEqual(await run("facts.code"), { return: "seven", retcode: 7, success: false });
    assert.equal((await run("facts.its_code")).return, 3);
    assert.deepEqual((await run("facts.caught")).return, [
      ["TypeError", "run() missing 1 required positional argument: 'cmd'"],
      ["Exception", "boo"],
      ["KeyError", "'no.no'"],
      ["CommandExecutionError", "went wrong. Additional info follows:\n\na:\n    1"],
    ]);
    assert.match(String((await run("facts.fails")).return), /^ERROR: went wrong\. Additional info follows:/);
    assert.equal((await run("facts.invalid")).return, "ERROR executing 'facts.invalid': not so");
    const text = String((await run("facts.zero")).return);
    assert.match(
      text,
      /^The minion function caused an exception: Traceback \(most recent call last\):\n {2}File "[^"]*facts\.py", line \d+, in zero\n {4}return 1 \/ 0\n/,
    );
    assert.match(text, /\nZeroDivisionError: division by zero\n$/);
    assert.match(String((await run("facts.exits")).return), /\nSystemExit: 3\n$/);
  });

  test("values of any kind come back, or say why they cannot", async () => {
    const { run } = await minionWith({ "modules/facts.py": FACTS });
    assert.deepEqual((await run("facts.generated")).return, { a: 1, b: 2 });
    assert.match(String((await run("facts.circle")).return), /^<Recursion on list with id=\d+>$/);
    const odd = (await run("facts.odd")).return as Map<unknown, unknown>;
    assert.deepEqual(odd.get("set"), [1]);
    assert.equal(odd.get("class"), "<class 'dict'>");
    assert.equal(odd.get("big"), String(2n ** 80n));
    assert.equal(odd.get(1), null);
    const large = (await run("facts.large", 20_000_000)).return;
    assert.equal(String(large).length, 20_000_000);
  });

  test("a wheel function says by its return code that it has failed", async () => {
    const { place } = await minionWith({
      "wheel/stock.py": 'def sold_out():\n    __context__["retcode"] = 4\n    return sorted(["b", "a"])\n',
    });
    const { wheel } = await withCustomWheels({}, place).stock!();
    const context: { retcode?: number } = {};
    assert.deepEqual(await wheel.functions.sold_out!.run(context as never, {}), ["a", "b"]);
    assert.equal(context.retcode, 4);
  });

  test("a module that prints, forks or closes descriptors breaks nothing", async () => {
    const { run, records } = await minionWith({ "modules/facts.py": FACTS }, { log_level: "debug" });
    assert.equal((await run("facts.printed")).return, "quiet");
    assert.equal((await run("facts.forks")).return, "forked");
    assert.equal((await run("facts.closes")).return, "closed");
    assert.equal((await run("facts.lined")).return, "a");
    await until("its output is in the log", () => records.some(({ message }) => message === "a Python module printed"));
  });

  test("a helper that dies is the failure of its job, and the next job has a new one", async () => {
    const { run } = await minionWith({ "modules/facts.py": FACTS });
    const { return: text, retcode } = await run("facts.dies");
    assert.equal(retcode, 1);
    assert.match(String(text), /^ERROR: The Python helper \S+ exited with 9: last words$/);
    assert.equal((await run("facts.lined")).return, "a");
  });

  test("modules say whether they fit, and under which name; one whose packages are missing does not", async () => {
    const { run, functions } = await minionWith({
      "modules/moon.py": `def __virtual__():\n    return False, "needs a moon"\ndef f():\n    return 1\n`,
      "modules/other.py":
        `__virtualname__ = "named"\ndef __virtual__():\n    return __virtualname__\ndef f():\n    return 1\n`,
      "modules/broken.py": `import zzz_not_there\ndef f():\n    return 1\n`,
      "modules/cloudy.py": `import salt.cloud\ndef f():\n    return 1\n`,
      "modules/test.py": `def ping():\n    return 8\n`,
    });
    assert.equal((await run("moon.f")).return, "'moon' __virtual__ returned False: needs a moon");
    assert.equal(
      (await run("broken.f")).return,
      "'broken' __virtual__ returned False: No module named 'zzz_not_there'",
    );
    assert.match(
      String((await run("cloudy.f")).return),
      /No module named 'salt\.cloud': Brine has no such part .* pip install salt/,
    );
    assert.equal((await run("named.f")).return, 1);
    assert.equal((await run("other.f")).return, "'other.f' is not available.");
    assert.equal((await run("test.ping")).return, 8);
    assert.ok((await functions.modules()).includes("named"));
  });

  test("a file that has changed counts at once, also within a second", async () => {
    const { run, write, functions } = await minionWith({ "modules/fresh.py": "def f():\n    return 1\n" });
    assert.equal((await run("fresh.f")).return, 1);
    write("modules/fresh.py", "def f():\n    return 2\n");
    functions.reload();
    assert.equal((await run("fresh.f")).return, 2);
  });

  test("functions of _utils, and functions that depend on what is missing", async () => {
    const { run, functions } = await minionWith({
      "utils/shared.py": `def double(x):\n    return [x * 2, "test.ping" in __salt__]\n`,
      "modules/uses.py": [
        "import salt.utils.decorators as decorators",
        "HAS = False",
        "@decorators.depends('HAS')",
        "def absent():\n    return 1",
        "@decorators.depends('zzz', fallback_function=lambda: 'fell back')",
        "def other():\n    return 1",
        "def f():\n    return __utils__['shared.double'](4)",
      ].join("\n"),
    });
    assert.deepEqual((await run("uses.f")).return, [8, true]);
    assert.equal((await run("uses.other")).return, "fell back");
    assert.equal((await run("uses.absent")).return, "'uses.absent' is not available.");
    const listed = (await functions.list()).map(({ name }) => name).filter((name) => name.startsWith("uses."));
    assert.deepEqual(listed, ["uses.f", "uses.other"]);
  });

  test("grains get the grains before them, and one function that fails leaves the others", async () => {
    const { place } = await minionWith({
      "grains/colors.py":
        "def a(grains):\n    return {'from': grains['os']}\ndef b():\n    raise ValueError('no')\ndef c():\n    return {'c': 1}\n",
    });
    const gather = customGrains(place).get("colors")!;
    assert.deepEqual(await gather({ ...place, grains: { os: "Test" } }), { from: "Test", c: 1 });
  });

  test("#!py finds the host's values and functions, and the names of its file: of states, or of a reaction", async () => {
    const { place } = await minionWith({});
    const functions = {
      has: (name: string) => name === "test.echo",
      hasModule: (name: string) => name === "test",
      call: (_name: string, args: readonly unknown[]) => args[0],
    };
    const render = await customRenderers(place).py!();
    const job = { path: "/srv/x.sls", saltenv: "base", argline: "", globals: {}, log: place.log, functions };
    const lazy = (value: unknown) => new Lazy(() => value);
    const plain = { grains: lazy({ os: "Test" }), pillar: lazy({ color: "red" }), opts: lazy(place.opts) };
    const states =
      "def run():\n    return [__grains__['os'], __pillar__['color'], __salt__['test.echo'](__sls__), __env__]\n";
    assert.deepEqual(await render(states, { ...job, plain, sls: "web.nginx" }), ["Test", "red", "web.nginx", "base"]);
    const reaction = "def run():\n    return {'x': {'local.cmd.run': [{'tgt': data['id']}, {'args': [tag]}]}}\n";
    assert.deepEqual(
      await render(reaction, { ...job, plain, sls: "", context: { tag: "salt/minion/w/start", data: { id: "w" } } }),
      { x: { "local.cmd.run": [{ tgt: "w" }, { args: ["salt/minion/w/start"] }] } },
    );
  });

  test("a module that starts the loader of Salt's package keeps its own names", async () => {
    const environment = path.join(root, "environment");
    execFileSync("python3", ["-m", "venv", "--without-pip", environment]);
    const [version] = readdirSync(path.join(environment, "lib"));
    const salt = path.join(environment, "lib", version!, "site-packages/salt");
    mkdirSync(salt);
    writeFileSync(path.join(salt, "__init__.py"), "");
    writeFileSync(path.join(salt, "version.py"), "");
    const { run } = await minionWith({
      "modules/caller.py": `
import importlib.machinery
import sys


def called():
    name = "salt.loaded.ext.module.caller"
    sys.modules.setdefault("salt.loaded", sys.modules["salt"])
    # As Salt's loader does it: the file of a known name runs in the module of that name.
    module = importlib.machinery.SourceFileLoader(name, __file__).load_module(name)
    module.__salt__ = {}
    return [sys.modules[__name__].called is called, __salt__["test.echo"]("own")]
`,
    }, { python: path.join(environment, "bin/python3"), python_salt: "auto" });
    assert.deepEqual((await run("caller.called")).return, [true, "own"]);
  });

  test("a runner calls other runners as __salt__, and sets its return code", async () => {
    const { place } = await minionWith({
      "runners/mine.py": "def f(x):\n    return __salt__['theirs.echo'](x)\n\n\n" +
        "def failing():\n    __context__['retcode'] = 2\n    return False\n",
    });
    const theirs = {
      runner: { functions: { echo: { signature: "x", doc: "", run: (_c: unknown, { x }: { x?: unknown }) => [x] } } },
    };
    const runners = withCustomRunners({ theirs: () => Promise.resolve(theirs) }, place);
    const { runner } = await runners.mine!();
    assert.deepEqual(await runner.functions.f!.run(place as never, { x: 3 }), [3]);
    const context: Record<string, unknown> = { ...place };
    assert.equal(await runner.functions.failing!.run(context as never, {}), false);
    assert.equal(context.retcode, 2);
  });

  test("a job that is ended takes its helper with it", async () => {
    const { context, functions, runtime } = await minionWith({
      "modules/slow.py": "import time\ndef f():\n    time.sleep(600)\n",
    });
    const abort = new AbortController();
    const pids: number[] = [];
    const job = executeJob({
      functions,
      context: () => context,
      load: { fun: "slow.f", arg: [], jid: "20240101000000000000" },
      signal: abort.signal,
      ownProcess: (pid) => {
        pids.push(pid);
        abort.abort(new Error("ended"));
      },
    });
    await assert.rejects(job, /ended/);
    assert.ok(pids.length > 0);
    await until(() => pids.every((pid) => !runtime.process.alive(pid)));
  });
});
