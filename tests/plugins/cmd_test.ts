import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { Capture } from "../../src/plugins/modules/cmd/capture.ts";
import { shellWords } from "../../src/plugins/linux/words.ts";
import { repr, str } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { inTemporary, runs } from "./temporary.ts";

const { process: currentProcess } = await currentRuntime();

// What Python's shlex.split gives for the same texts.
for (
  const { text, words } of [
    { text: "echo a; echo b", words: ["echo", "a;", "echo", "b"] },
    { text: `a 'b c' "d e"`, words: ["a", "b c", "d e"] },
    { text: "a\\ b", words: ["a b"] },
    { text: `"a\\"b" 'it'\\''s'`, words: ['a"b', "it's"] },
    { text: "", words: [] },
    { text: "  ", words: [] },
    { text: "a #b", words: ["a", "#b"] },
    { text: 'a "\\n\\$\\x"', words: ["a", "\\n\\$\\x"] },
    { text: 'x="a b"c', words: ["x=a bc"] },
    { text: "a\tb\nc", words: ["a", "b", "c"] },
    { text: "''", words: [""] },
  ]
) {
  test(`splitWords: ${JSON.stringify(text)}`, () => assert.deepEqual(shellWords(text), words));
}

for (
  const { text, message } of [
    { text: "'un", message: "No closing quotation" },
    { text: '"un', message: "No closing quotation" },
    { text: '"un\\', message: "No closing quotation" },
    { text: "a\\", message: "No escaped character" },
  ]
) {
  test(`splitWords: ${JSON.stringify(text)} is refused`, () => assert.throws(() => shellWords(text), { message }));
}

test("Capture: keeps what fits and says how much was dropped", () => {
  const capture = new Capture(4);
  const encoder = new TextEncoder();
  for (const text of ["ab", "cde", "f"]) capture.add(encoder.encode(text));
  assert.equal(capture.text(), "abcd\n[output cut: 2 more bytes were dropped]");
});

test("cmd.run keeps as much output as the option cmd_max_output allows", async () => {
  const { value } = await testMinion({ opts: { cmd_max_output: 1000 } });
  assert.equal(
    await value("cmd.run", "printf %0999d 1; printf 23", kwargs({ python_shell: true })),
    `${"0".repeat(998)}12\n[output cut: 1 more bytes were dropped]`,
  );
  const { value: whole } = await testMinion();
  const text = await whole("cmd.run", "head -c 20000000 /dev/zero | tr '\\0' x", kwargs({ python_shell: true }));
  assert.equal(String(text).length, 20_000_000);
});

for (
  const { name, cmd, options, want } of [
    { name: "words are split, not expanded", cmd: "echo $HOME *", options: {}, want: "$HOME *" },
    { name: "a list is taken as it is", cmd: ["echo", "a  b", ";id", 3], options: {}, want: "a  b ;id 3" },
    { name: "a shell expands", cmd: "echo $((1+2))", options: { python_shell: true }, want: "3" },
    {
      name: "a shell that was named reads the command",
      cmd: "echo $0",
      options: { shell: "/bin/sh" },
      want: "/bin/sh",
    },
    { name: "stdin is given", cmd: "cat", options: { stdin: "a\nb" }, want: "a\nb" },
    { name: "\\n in stdin ends a line", cmd: "cat", options: { stdin: "a\\nb" }, want: "a\nb" },
    { name: "unless it is raw", cmd: "cat", options: { stdin: "a\\nb", stdin_raw_newlines: true }, want: "a\\nb" },
    { name: "white space at the end is kept on demand", cmd: "printf 'a\\n'", options: { rstrip: false }, want: "a\n" },
    { name: "nothing is hidden but what is asked for", cmd: "echo a", options: { hide_output: true }, want: "" },
    { name: "umask", cmd: "umask", options: { python_shell: true, umask: "077" }, want: "0077" },
    { name: "a number for umask", cmd: "umask", options: { python_shell: true, umask: 22 }, want: "0022" },
    {
      name: "the shell is that of the minion's own environment",
      cmd: "echo $0",
      options: { python_shell: true },
      want: currentProcess.env("SHELL") ?? "/bin/sh",
    },
    {
      name: "a list of maps is an environment, too",
      cmd: "echo $A $B",
      options: { python_shell: true, env: [{ A: 1 }, { B: true }] },
      want: "1 True",
    },
    {
      name: "the locale is that of programs",
      cmd: "echo $LC_TIME $LANGUAGE",
      options: { python_shell: true },
      want: "C C",
    },
    {
      name: "a null takes a variable away",
      cmd: "echo ${HOME-none}",
      options: { python_shell: true, env: { HOME: null } },
      want: "none",
    },
    {
      name: "a clean environment has nothing of ours",
      cmd: "echo ${HOME-none} $A",
      options: { python_shell: true, clean_env: true, env: { A: 1 } },
      want: "none 1",
    },
    {
      name: "the path is prepended",
      cmd: "echo ${PATH%%:*}",
      options: { python_shell: true, prepend_path: "/opt/first" },
      want: "/opt/first",
    },
    {
      name: "both streams keep their order",
      cmd: "for i in 1 2 3; do echo o$i; echo e$i >&2; done",
      options: { python_shell: true },
      want: "o1\ne1\no2\ne2\no3\ne3",
    },
    { name: "other encodings", cmd: "printf '\\351'", options: { output_encoding: "latin1" }, want: "é" },
    { name: "broken UTF-8 is shown as such", cmd: "printf 'a\\377'", options: {}, want: "a\ufffd" },
  ]
) {
  test(`cmd.run: ${name}`, async () => {
    const minion = await testMinion();
    assert.equal(await minion.value("cmd.run", cmd, kwargs(options)), want);
  });
}

for (
  const { name, arg, want } of [
    {
      name: "an unknown program",
      arg: ["nosuchprogram --x"],
      want:
        /^ERROR: Unable to run command '\['nosuchprogram', '--x'\]' .*reason: \[Errno 2\] No such file or directory: 'nosuchprogram'$/,
    },
    {
      name: "a file that is no program",
      arg: ["/etc/passwd"],
      want: /reason: \[Errno 13\] Permission denied: '\/etc\/passwd'$/,
    },
    {
      name: "a directory that is not there",
      arg: ["pwd", "cwd=/nonexistent"],
      want: /^ERROR: Specified cwd '\/nonexistent' either not absolute or does not exist$/,
    },
    { name: "a relative directory", arg: ["pwd", "cwd=tmp"], want: /either not absolute/ },
    { name: "an unknown user", arg: ["id", "runas=nosuchuser"], want: /^ERROR: User 'nosuchuser' is not available$/ },
    {
      name: "an unknown group",
      arg: ["id", "group=nosuchgroup"],
      want: /^ERROR: Group 'nosuchgroup' is not available$/,
    },
    { name: "a umask of zero", arg: ["id", "umask=0"], want: /^ERROR: Zero umask is not allowed\.$/ },
    { name: "a umask that is none", arg: ["id", "umask=x;id"], want: /^ERROR: Invalid umask: 'x;id'$/ },
    {
      name: "a shell that is not there",
      arg: ["id", "shell=/bin/nosh"],
      want: /^ERROR: The shell \/bin\/nosh is not available$/,
    },
    { name: "a timeout that is no number", arg: ["id", "timeout=abc"], want: /timeout abc must be a number/ },
    { name: "an unclosed quote", arg: ["echo 'a"], want: /^ERROR executing 'cmd.run': No closing quotation$/ },
    { name: "an empty command", arg: ["  "], want: /^ERROR executing 'cmd.run': There is no command to run/ },
    { name: "a null byte", arg: [["echo", "a\0b"]], want: /embedded null byte/ },
    {
      name: "a variable name that is none",
      arg: ["env", kwargs({ env: { "A=B": 1 } })],
      want: /Invalid name of a variable/,
    },
    {
      name: "a template of Python",
      arg: ["id", "template=mako"],
      want: /with unavailable engine mako: .* it runs Python/,
    },
  ] as { name: string; arg: unknown[]; want: RegExp }[]
) {
  test(`cmd.run: ${name} is an error`, async () => {
    const minion = await testMinion();
    const { return: text, retcode } = await minion.run("cmd.run", arg);
    assert.match(text as string, want);
    assert.equal(retcode, 1);
  });
}

test("cmd.run: an error names variables but not their values", async () => {
  const minion = await testMinion();
  const { return: text } = await minion.run("cmd.run", [
    "nosuchprogram",
    kwargs({ env: { TOKEN: "s3cret" }, stdin: "s3cret" }),
  ]);
  assert.match(text as string, /'TOKEN': '\.\.\.'/);
  assert.equal((text as string).includes("s3cret"), false);
});

test("cmd.run: the log has the first word of a failed command only", async () => {
  const minion = await testMinion();
  await minion.run("cmd.run", ["false --password s3cret"]);
  assert.equal(JSON.stringify(minion.records).includes("s3cret"), false);
  assert.equal(minion.records.some(({ message }) => message === "command failed"), true);
});

test("cmd.run: words of a command are never read by the shell that sets umask and streams", async () => {
  const minion = await testMinion();
  const hostile = ["echo", "$(id)", "`id`", "; id", "| id", "&& id", '"', "'", "--", "-c"];
  assert.equal(await minion.value("cmd.run", hostile, kwargs({ umask: "022" })), hostile.slice(1).join(" "));
});

test("cmd.run: raise_err turns a return code into a failure", async () => {
  const minion = await testMinion();
  const { return: text } = await minion.run("cmd.run", [
    "echo no; exit 3",
    kwargs({ python_shell: true, raise_err: true }),
  ]);
  assert.equal(text, "ERROR: no");
});

for (
  const { name, options, retcode, code } of [
    { name: "its code is that of the job", options: {}, retcode: 3, code: 3 },
    { name: "a code may count as success", options: { success_retcodes: [3] }, retcode: 0, code: 0 },
    { name: "codes may be text", options: { success_retcodes: "2, 3" }, retcode: 0, code: 0 },
    { name: "output may count as success", options: { success_stdout: ["fine"] }, retcode: 0, code: 0 },
    { name: "errors may count as success", options: { success_stderr: "oops" }, retcode: 0, code: 0 },
    { name: "its code may be of no matter", options: { ignore_retcode: true }, retcode: 3, code: 0 },
  ]
) {
  test(`cmd.run_all: ${name}`, async () => {
    const minion = await testMinion();
    const command = "echo fine; echo oops >&2; exit 3";
    const outcome = await minion.run("cmd.run_all", [command, kwargs({ python_shell: true, ...options })]);
    const { pid, ...rest } = outcome.return as Record<string, unknown>;
    assert.equal(typeof pid, "number");
    assert.deepEqual(rest, { retcode, stdout: "fine", stderr: "oops" });
    assert.equal(outcome.retcode, code);
  });
}

test("cmd.run_all: a signal is a negative code", async () => {
  const minion = await testMinion();
  const { retcode } = await minion.run("cmd.run_all", ["kill -9 $$", kwargs({ python_shell: true })]);
  assert.equal(retcode, -9);
});

test("cmd.run_all: its keys are in Salt's order", async () => {
  const minion = await testMinion();
  assert.deepEqual(Object.keys(await minion.value("cmd.run_all", "true") as object), [
    "pid",
    "retcode",
    "stdout",
    "stderr",
  ]);
});

test("cmd.run: a timeout kills everything that the command started, and the code is null", async () => {
  const minion = await testMinion();
  await inTemporary(minion.runtime, async (directory) => {
    const script = "sleep 1000 & echo $! > child; wait";
    const outcome = await minion.run("cmd.run", [script, kwargs({ python_shell: true, cwd: directory, timeout: 0.5 })]);
    assert.deepEqual(outcome, { return: `${script} : Timed out after 0.5 seconds`, retcode: null, success: false });
    const child = Number(minion.runtime.fs.readText(`${directory}/child`));
    await until("the child ends", () => !runs(minion.runtime, child));
  });
});

test("cmd.run: a killed job ends all that the command started", async () => {
  const minion = await testMinion();
  const { runtime } = minion;
  await inTemporary(runtime, async (directory) => {
    const abort = new AbortController();
    const owned: number[] = [];
    const job = minion.run("cmd.run", [
      "sleep 1000 & echo $! > child.new; mv child.new child; wait",
      kwargs({ python_shell: true, cwd: directory }),
    ], {
      signal: abort.signal,
      ownProcess: (pid) => owned.push(pid),
    });
    const killed = assert.rejects(job, /killed/);
    await until("the command starts", () => runtime.fs.stat(`${directory}/child`) !== undefined);
    abort.abort(new Error("killed"));
    await killed;
    const child = Number(runtime.fs.readText(`${directory}/child`));
    assert.equal(owned.length, 1);
    await until("all end", () => !runs(runtime, child) && !runs(runtime, owned[0]!));
  });
});

test("cmd.run_bg: does not wait, and its process outlives the job", async () => {
  const minion = await testMinion();
  const { pid } = await minion.value("cmd.run_bg", "sleep 1000") as { pid: number };
  assert.equal(runs(minion.runtime, pid), true);
  minion.runtime.process.kill(pid, "SIGKILL");
});

test("cmd.run: as another user it has that user's ids and nothing of our environment", async (context) => {
  const minion = await testMinion();
  if (minion.runtime.process.uid() !== 0) return context.skip("only root can become another user");
  const options = kwargs({ runas: "nobody", python_shell: true });
  assert.match(await minion.value("cmd.run", "id", options) as string, /^uid=\d+\(nobody\)(?!.*\(root\))/);
  const env = await minion.value("cmd.run", "env", options) as string;
  const names = env.split("\n").map((line) => line.split("=", 1)[0]!);
  const known = /^(?:PATH|LANG|TERM|HOME|SHELL|USER|LOGNAME|PWD|OLDPWD|SHLVL|_|LANGUAGE|LC_[A-Z]+)$/;
  assert.deepEqual(names.filter((name) => !known.test(name)), []);
});

test("cmd.script: runs a copy with words, and leaves nothing behind", async () => {
  const minion = await testMinion();
  await inTemporary(minion.runtime, async (directory) => {
    minion.runtime.fs.write(`${directory}/s.sh`, '#!/bin/sh\necho "[$1] [$2]"; echo "$0"; exit 4\n');
    const outcome = await minion.run("cmd.script", [`${directory}/s.sh`, "'a b' c;d"]);
    const { stdout, retcode } = outcome.return as { stdout: string; retcode: number };
    const [words, path] = stdout.split("\n") as [string, string];
    assert.deepEqual([words, retcode, outcome.retcode], ["[a b] [c;d]", 4, 4]);
    assert.notEqual(path, `${directory}/s.sh`);
    assert.equal(minion.runtime.fs.stat(path), undefined);
    assert.equal(await minion.value("cmd.script_retcode", `${directory}/s.sh`, kwargs({ ignore_retcode: true })), 4);
  });
});

for (const source of ["salt://a.sh", "http://127.0.0.1/a.sh", "/nonexistent/a.sh", "file:///nonexistent/a.sh"]) {
  test(`cmd.script: ${source} cannot be cached`, async () => {
    const minion = await testMinion();
    assert.deepEqual(await minion.run("cmd.script", [source]), {
      return: { pid: 0, retcode: 1, stdout: "", stderr: "", cache_error: true },
      retcode: 0,
      success: true,
    });
    assert.equal(minion.records.some(({ message }) => message.startsWith("script cannot be cached")), true);
  });
}

test("cmd.script: a relative path is an error", async () => {
  const minion = await testMinion();
  await assert.rejects(minion.value("cmd.script", "a.sh"), /Path 'a.sh' is not absolute/);
});

test("cmd.exec_code: the program may carry options, and the code be a list of lines", async () => {
  const minion = await testMinion();
  assert.equal(
    await minion.value("cmd.exec_code", "sh -e", ["echo 1", 'echo "$1"'], kwargs({ args: ["two words"] })),
    "1\ntwo words",
  );
  const { retcode } = await minion.run("cmd.exec_code_all", ["sh", "exit 6"]);
  assert.equal(retcode, 6);
});

test("cmd.which: finds programs, and no directories or plain files", async () => {
  const minion = await testMinion();
  assert.match(await minion.value("cmd.which", "sh") as string, /\/sh$/);
  assert.equal(await minion.value("cmd.which", "/etc/passwd"), null);
  assert.equal(await minion.value("cmd.which", "/tmp"), null);
  assert.equal(await minion.value("cmd.has_exec", "nosuchprogram"), false);
  assert.equal(await minion.value("cmd.which_bin", ["nosuchprogram"]), null);
});

for (const device of ["/dev/../etc/passwd", "../etc/passwd", "sda", "/dev/null", "nosuch"]) {
  test(`cmd.tty: ${device} is not a terminal`, async () => {
    const minion = await testMinion();
    assert.deepEqual(await minion.value("cmd.tty", device, "x"), { Error: "The specified device is not a valid TTY" });
  });
}

test("cmd.run: a published command runs in a shell, a list of words never does", async () => {
  const minion = await testMinion({ opts: { cmd_published_shell: true } });
  assert.equal(await minion.value("cmd.run", "echo a; echo b"), "a\nb");
  assert.equal(await minion.value("cmd.run", ["echo", "a; echo b"]), "a; echo b");
  assert.equal(await minion.value("cmd.run", "echo a; echo b", kwargs({ python_shell: false })), "a; echo b");
});

for (
  const { name, options, want } of [
    { name: "each stream under its name", options: { redirect_stderr: false }, want: ["stderr b", "stdout a"] },
    { name: "one stream when they are one", options: { redirect_stderr: true }, want: ["stdout a", "stdout b"] },
    { name: "nothing that is hidden", options: { hide_output: true }, want: [] },
  ]
) {
  test(`cmd.run: shows its output as it comes, ${name}`, async () => {
    const minion = await testMinion();
    const lines: string[] = [];
    const command = ["echo a; echo b >&2", kwargs({ python_shell: true, ...options })];
    await minion.run("cmd.run", command, {
      output(stream, chunk) {
        for (const line of new TextDecoder().decode(chunk).trim().split("\n")) lines.push(`${stream} ${line}`);
      },
    });
    assert.deepEqual(lines.sort(), want);
  });
}

test("commands, directories and scripts are rendered with template=jinja", async () => {
  const { value } = await testMinion({ grains: { word: "hi", top: "/" }, pillar: { p: 1 } });
  const jinja = { __kwarg__: true, template: "jinja" };
  assert.equal(await value("cmd.run_stdout", "echo {{ grains.word }} {{ pillar.p }}", jinja), "hi 1");
  assert.equal(await value("cmd.run", ["echo", "{{ 1 + 1 }}"], jinja), "2");
  assert.equal(await value("cmd.shell", "pwd", { ...jinja, cwd: "{{ grains.top }}" }), "/");
  await inTemporary(await currentRuntime(), async (directory) => {
    const { runtime, value } = await testMinion({ opts: { cachedir: directory } });
    runtime.fs.write(`${directory}/s.sh`, "#!/bin/sh\necho {{ word }} $1\n", { mode: 0o755 });
    const done = await value("cmd.script", `${directory}/s.sh`, "two", { ...jinja, context: { word: "one" } });
    assert.equal((done as { stdout: string }).stdout, "one two");
  });
});

describe("cmd_blacklist_glob and cmd_whitelist_glob", () => {
  const black = { cmd_blacklist_glob: ["echo bad*", "*secret*"] };
  const white = { cmd_whitelist_glob: ["echo *"], cmd_blacklist_glob: ["*bad*"] };
  for (
    const [opts, fun, command, allowed] of [
      [black, "cmd.run", "echo good", true],
      [black, "cmd.run", "echo bad --foo", false],
      [black, "cmd.run_all", "echo bad", false],
      [black, "cmd.run_stdout", ["echo", "bad", "x"], false],
      [black, "cmd.retcode", "cat /a/secret/file", false],
      [black, "cmd.shell", "echo a; cat secret", false],
      [black, "cmd.run", " echo bad", true],
      [white, "cmd.run", "echo good", true],
      [white, "cmd.run", "echo bad", false],
      [white, "cmd.run", "printf x", false],
      [{ cmd_blacklist_glob: "echo bad*" }, "cmd.run", "echo bad", false],
      [{ cmd_whitelist_glob: [] }, "cmd.run", "echo x", true],
    ] as [Record<string, unknown>, string, string | string[], boolean][]
  ) {
    test(`${JSON.stringify(opts)}: ${fun} ${JSON.stringify(command)} is ${allowed ? "run" : "refused"}`, async () => {
      const minion = await testMinion({ opts });
      const { return: said } = await minion.run(fun, [command]);
      const refusal = `The shell command "${str(command)}" is not permitted`;
      assert.equal(String(said).includes("not permitted"), !allowed);
      if (!allowed) assert.ok(String(said).includes(refusal), String(said));
    });
  }

  test("commands of states and of other functions are not checked, as in Salt", async () => {
    const minion = await testMinion({ opts: { cmd_whitelist_glob: ["nothing"] } });
    const { return: states } = await minion.run("state.single", ["cmd.run", kwargs({ name: "echo bad" })]);
    assert.match(repr(states), /'result': True/);
    assert.match(
      String((await minion.run("cmd.exec_code", ["sh", "echo x"])).return),
      /"\['sh', .*'\]" is not permitted/,
    );
  });

  test("they are found in pillar, as config.get finds them", async () => {
    const minion = await testMinion({ pillar: { cmd_blacklist_glob: ["echo bad*"] } });
    assert.match(String((await minion.run("cmd.run", ["echo bad"])).return), /not permitted/);
  });

  test("a value that is no list of globs permits nothing", async () => {
    const minion = await testMinion({ pillar: { cmd_blacklist_glob: [1] } });
    assert.match(
      String((await minion.run("cmd.run", ["echo x"])).return),
      /Cannot use cmd_blacklist_glob: .*got \[1\]/,
    );
  });
});
