/** Python modules that misbehave: each costs its own job, and the next one runs as ever. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, describe, test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import { executeJob } from "../../../../src/host/minion/processes/execute_job.ts";
import { withCustomModules } from "../../../../src/model/loader/custom_modules.ts";
import { createFunctionTable } from "../../../../src/model/loader/loader.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { MODULES } from "../../../../src/plugins/modules/mod.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { testMinion } from "../../../support/context.ts";

const root = mkdtempSync(path.join(tmpdir(), "brine-attacks-"));
const close: (() => Promise<void>)[] = [];
after(async () => {
  for (const one of close) await one();
  rmSync(root, { recursive: true, force: true });
});

const HOSTILE = `
import os
import signal
import subprocess
import sys
import threading
import time


def fine():
    return "fine"


def pid():
    return os.getpid()


def never(path):
    child = subprocess.Popen(["sleep", "1000"])
    with open(path, "w") as file:
        file.write(str(child.pid))
    while True:
        time.sleep(1)


def prints(count):
    line = "x" * 1023 + "\\n"
    for _ in range(count):
        sys.stdout.write(line)
    return "printed"


def kills_group():
    os.killpg(os.getpgrp(), signal.SIGKILL)


def kills_parent_group():
    group = os.getpgid(os.getppid())
    return group != os.getpgrp()


def bare():
    raise BaseException("bare")


class Thing:
    pass


def a_class():
    return Thing


def an_object():
    return [isinstance(Thing(), Thing), Thing()]


def cycle():
    made = {}
    made["self"] = made
    return made


def deep(levels):
    made = []
    for _ in range(levels):
        made = [made]
    return made


def recurses():
    return recurses()


def endless():
    while True:
        yield {"a": 1}


def large(count):
    return "x" * count


def daemon():
    threading.Thread(target=lambda: time.sleep(1000), daemon=False).start()
    return "started"


def orphan():
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(1000)
        os._exit(0)
    return pid


def writes_to_pipes():
    for descriptor in range(3, 100):
        try:
            os.write(descriptor, b"\\0\\0\\0\\1\\xc0")
        except OSError:
            pass
    return "written"


def patches():
    os.read = os.write = lambda *args: 1 / 0
    sys.stdout = sys.stderr = sys.stdin = None
    sys.modules.clear()
    sys.path.clear()
    sys.meta_path.clear()
    sys.settrace(lambda *args: None)
    sys.excepthook = None
    return "patched"


def moves():
    os.chdir("/")
    os.umask(0o777)
    os.environ.clear()
    for number in range(1, 32):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    return "moved"


def fork_returns():
    return "child" if os.fork() == 0 else "parent"


def calls_in_threads():
    found = []
    threads = [threading.Thread(target=lambda: found.append(__salt__["test.echo"](1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(found)


def dates():
    import datetime

    return [datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, tzinfo=datetime.timezone.utc)]


def surrogates():
    raise ValueError("a\\ud800")


def ends(how):
    os._exit(7) if how == "exit" else os.abort()


def closes_all():
    os.closerange(0, 1000)
    return "closed"


def replaces_process():
    os.execv("/bin/true", ["true"])


def limits():
    import locale
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    locale.setlocale(locale.LC_ALL, "C")
    sys.setrecursionlimit(120)
    time.tzset()
    return "limited"


def at_exit(path):
    import atexit

    atexit.register(time.sleep, 1000)
    threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    return "registered"


def breaks_builtins():
    import builtins

    for name in ("len", "isinstance", "getattr", "str", "int", "dict", "list", "print", "open"):
        setattr(builtins, name, None)
    return "broken"


class Evil:
    def __repr__(self):
        raise BaseException("no repr")


class EvilText(str):
    def __str__(self):
        raise SystemExit("no text")

    def encode(self, *args):
        raise SystemExit("no bytes")


class EvilMap(dict):
    def items(self):
        while True:
            yield "a", 1

    def __len__(self):
        return 2**40


class EvilError(Exception):
    def __str__(self):
        raise KeyboardInterrupt

    def __getattr__(self, name):
        raise MemoryError


def evil(kind):
    if kind == "raise":
        raise EvilError()
    if kind == "generator":
        return (1 // (2 - n) for n in range(3))
    return {"repr": Evil(), "text": EvilText("x"), "map": EvilMap(a=1), "int": 10**400, "keys": {(1, 2): None, None: float("nan"), b"\\xff": 1}}[kind]


def unreadable():
    from brine_helper.wire import Constant

    return Constant(1)


def gives_unreadable():
    try:
        return __salt__["test.echo"](unreadable())
    except ValueError as error:
        return [str(error), __salt__["test.echo"]("still")]


def helper():
    import brine_helper.host
    return brine_helper.host.__name__


def ours():
    import salt.utils.files
    return hasattr(salt.utils.files, "fopen")
`;

async function host(files: Record<string, string> = {}) {
  const directory = mkdtempSync(path.join(root, "m-"));
  mkdirSync(path.join(directory, "modules"));
  for (const [name, text] of Object.entries({ "hostile.py": HOSTILE, ...files })) {
    writeFileSync(path.join(directory, "modules", name), text);
  }
  const minion = await testMinion({
    opts: { id: "web1", python: "auto", python_salt: false, extension_modules: directory },
  });
  close.push(() => closePython(minion.runtime));
  const functions = createFunctionTable(() => withCustomModules(MODULES, seen), () => seen);
  const seen = { ...minion.context, functions };
  const run = async (fun: string, arg: unknown[] = [], signal?: AbortSignal) => {
    const load = { fun: `hostile.${fun}`, arg, jid: "20240101000000000000", tgt: "web1", tgt_type: "glob", ret: "" };
    return await executeJob({ functions, context: () => seen, load, ...(signal && { signal }) });
  };
  return { run, directory, records: minion.records };
}

const found = findPython(await currentRuntime(), {});
describe("Python modules that misbehave", {
  skip: found === undefined && "no python3 of 3.8 or newer: install python3",
}, () => {
  test("one that never returns ends with its job, and what it has started with it", async () => {
    const { run, directory } = await host();
    const file = path.join(directory, "pid");
    const stop = new AbortController();
    const ended = run("never", [file], stop.signal);
    await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
    stop.abort(new Error("The job was killed"));
    await assert.rejects(ended, /killed/);
    const pid = readFileSync(file, "utf8");
    await until(() => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    assert.equal((await run("fine")).return, "fine");
  });

  test("one that prints 100 MB is cut in the log, and is not slowed by what is dropped", async () => {
    const { run, records } = await host();
    assert.equal((await run("prints", [100_000])).return, "printed");
    const shown = records.filter(({ message }) => message === "a Python module printed");
    const size = shown.reduce((sum, { fields }) => sum + String(fields.text).length, 0);
    assert.ok(size <= 3 * 64 * 1024, `${size} characters were logged`);
    const said = "a Python module prints much: the rest is dropped";
    await until("the log says so", () => records.some(({ message }) => message === said));
  });

  test("one that kills its group ends its own helper alone: it has a group of its own", async () => {
    const { run } = await host();
    assert.equal((await run("kills_parent_group")).return, true);
    assert.match(String((await run("kills_group")).return), /The Python helper \S+ was killed by SIGKILL/);
    assert.equal((await run("fine")).return, "fine");
  });

  test("exceptions beneath Exception, depth and endless recursion are failures with a reason", async () => {
    const { run } = await host();
    assert.match(String((await run("bare")).return), /BaseException: bare\n$/);
    assert.match(String((await run("deep", [10_000])).return), /cannot be sent: it is nested deeper than 500 levels/);
    assert.match(String((await run("deep", [600])).return), /cannot be sent: it is nested deeper than 500 levels/);
    assert.match(String((await run("recurses")).return), /RecursionError/);
    assert.match(String((await run("endless")).return), /more than 1000000 values/);
    assert.equal((await run("fine")).return, "fine");
  });

  test("a class, an object and a cycle come back as texts, 100 MB as they are, and 300 MB as a failure", async () => {
    const { run } = await host();
    assert.match(String((await run("a_class")).return), /^<class 'salt\.loaded\.ext\.module\.hostile\.Thing'>$/);
    assert.match(
      String(((await run("cycle")).return as Record<string, unknown>).self),
      /^<Recursion on dict with id=\d+>$/,
    );
    const [is, text] = (await run("an_object")).return as unknown[];
    assert.equal(is, true);
    assert.match(String(text), /Thing object at/);
    assert.equal(String((await run("large", [100_000_000])).return).length, 100_000_000);
    assert.match(String((await run("large", [300_000_000])).return), /at most 268435456 bytes are allowed/);
    assert.equal((await run("fine")).return, "fine");
  });

  test("threads, forks and writes to foreign descriptors do not break the pipe", async () => {
    const { run } = await host();
    assert.equal((await run("daemon")).return, "started");
    const orphan = Number((await run("orphan")).return);
    assert.equal((await run("fine")).return, "fine");
    process.kill(orphan, "SIGKILL");
  });

  test("what a module changes in its process does not break the pipe", async () => {
    const { run } = await host();
    for (
      const [fun, want] of [["moves", "moved"], ["fork_returns", "parent"], ["calls_in_threads", 8], [
        "patches",
        "patched",
      ]]
    ) {
      assert.equal((await run(String(fun))).return, want);
      assert.equal((await run("fine")).return, "fine", String(fun));
    }
  });

  test("dates come back as points in time, and an exception with surrogates with its traceback", async () => {
    const { run } = await host();
    const dates = (await run("dates")).return as { epochMs: number }[];
    assert.deepEqual(dates.map(({ epochMs }) => epochMs), [Date.UTC(2024, 0, 2), Date.UTC(2024, 0, 2, 3)]);
    assert.match(String((await run("surrogates")).return), /in surrogates\n[\s\S]*ValueError: a\\ud800/);
  });

  test("a module that ends the process is the failure of its job", async () => {
    const { run } = await host();
    assert.match(String((await run("ends", ["exit"])).return), /exited with 7/);
    assert.match(String((await run("ends", ["abort"])).return), /was killed by SIGABRT/);
    assert.equal((await run("fine")).return, "fine");
  });

  test("modules named like parts of Brine or of Salt's package are their own, and take nothing away", async () => {
    const { run } = await host({
      "brine_helper.py": "def f():\n    return 1\n",
      "salt.py": "def f():\n    return 2\n",
      "json.py": "def dumps(*args):\n    return 'mine'\n",
    });
    assert.equal((await run("helper")).return, "brine_helper.host");
    assert.equal((await run("ours")).return, true);
    assert.equal((await run("fine")).return, "fine");
  });

  for (
    const [name, want] of Object.entries({
      closes_all: /^ERROR: The Python helper \S+ (?:exited with|was killed by)/,
      replaces_process: /exited with 0$/,
      limits: /^limited$/,
      breaks_builtins: /exited with 1: /,
    })
  ) {
    test(`${name}: the next job runs, if need be in a new helper`, async () => {
      const { run } = await host();
      assert.match(String((await run(name)).return), want);
      assert.equal((await run("fine")).return, "fine");
    });
  }

  test("what a module leaves for the end of its process does not keep it", async () => {
    const { run, directory } = await host();
    const file = path.join(directory, "pid");
    assert.equal((await run("at_exit", [file])).return, "registered");
    await close.pop()!();
    const pid = readFileSync(file, "utf8");
    await until(() => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  });

  for (
    const [kind, want] of Object.entries({
      raise: /<EvilError whose text cannot be made>/,
      generator: /ZeroDivisionError: integer division or modulo by zero/,
      repr: /The value cannot be sent: repr\(\) of an object of \S+\.hostile\.Evil failed: BaseException: no repr/,
      text: /^x$/,
      map: /^\[object Object\]$/,
      int: /^10{400}$/,
      keys: /^\[object Map\]$/,
    })
  ) {
    test(`a value or an exception that fails when it is looked at, ${kind}, is the failure of its job`, async () => {
      const { run } = await host();
      assert.match(String((await run("evil", [kind])).return), want);
      assert.equal((await run("fine")).return, "fine");
    });
  }

  test("a message that cannot be read is the failure of its call, and the helper stays", async () => {
    const { run } = await host();
    const { return: pid } = await run("pid");
    const why = "The value cannot be read: Cannot unpack a named constant: expected a name and a value";
    assert.match(String((await run("unreadable")).return), new RegExp(`ValueError: ${why}\n$`));
    assert.deepEqual((await run("gives_unreadable")).return, [why, "still"]);
    assert.equal((await run("pid")).return, pid);
  });

  test("bytes that a module writes into the pipe end the helper, and the next job has a new one", async () => {
    const { run } = await host();
    const { return: text } = await run("writes_to_pipes");
    assert.match(String(text), /written|The Python helper/);
    assert.equal((await run("fine")).return, "fine");
  });
});
