import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { EXAMPLES } from "../../../cli/options/examples.ts";
import { helpText } from "../../../cli/options/help.ts";
import { PROGRAMS } from "../../../cli/options/programs.ts";
import type { OptionsContext, Program, RunRequest } from "../../../cli/options/request.ts";
import { parseOptions } from "../../../cli/options/parse_options.ts";
import { OUTPUTTERS } from "../../../src/plugins/outputters/mod.ts";

const VERSION = "{VERSION} ({CODENAME})";
const context: OptionsContext = { version: VERSION };
const folder = new URL("../../golden/cli/", import.meta.url);
const goldens = readdirSync(folder).sort().map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));

function run(program: Program, argv: string[], more: Partial<OptionsContext> = {}): RunRequest {
  const result = parseOptions(program, argv, { ...context, ...more });
  if (result.kind !== "run") throw new Error(result.stderr);
  return result;
}

describe("parseOptions() ends the program as the captures do", () => {
  for (const golden of goldens) {
    const ends = golden.exit_code === 64 || golden.stdout.includes("{HELP}") || golden.argv.includes("--version");
    if (!ends) continue;
    test(golden.id, () => {
      const result = parseOptions(golden.program, golden.argv, context);
      assert.equal(result.kind, "exit");
      if (result.kind !== "exit") return;
      assert.equal(result.exitCode, golden.exit_code);
      assert.equal(result.stderr, golden.stderr);
      // The wording of help is ours; that it begins with the usage is not.
      const [start, end] = golden.stdout.split("{HELP}");
      if (end === undefined) assert.equal(result.stdout, golden.stdout);
      else assert.ok(result.stdout.startsWith(start), result.stdout);
    });
  }
});

describe("parseOptions() accepts what the captures ran", () => {
  for (const golden of goldens) {
    if (golden.exit_code === 64 || golden.stdout.includes("{HELP}") || golden.argv.includes("--version")) continue;
    test(golden.id, () => {
      const result = parseOptions(golden.program, golden.argv, { ...context, stdin: golden.stdin ?? "" });
      assert.equal(result.kind, "run");
    });
  }
});

describe("parseOptions() grammar", () => {
  for (
    const { name, argv, options, positionals } of [
      {
        name: "mixes options and positionals",
        argv: ["m1", "--out=json", "test.echo", "-t", "7", "x"],
        options: { output: "json", timeout: 7 },
        positionals: ["m1", "test.echo", "x"],
      },
      {
        name: "bundles short options, the last with a value",
        argv: ["-vt5", "m", "f"],
        options: { verbose: true, timeout: 5 },
        positionals: ["m", "f"],
      },
      { name: "takes an attached value", argv: ["-t5", "m", "f"], options: { timeout: 5 }, positionals: ["m", "f"] },
      {
        name: "takes a shortened long option",
        argv: ["--stati", "m", "f"],
        options: { static: true },
        positionals: ["m", "f"],
      },
      {
        name: "prefers the exact spelling to longer ones",
        argv: ["--out", "raw", "m", "f"],
        options: { output: "raw" },
        positionals: ["m", "f"],
      },
      {
        name: "lets the last of a repeated option count",
        argv: ["--out=a", "--out=b", "m", "f"],
        options: { output: "b" },
        positionals: ["m", "f"],
      },
      { name: "takes an empty value", argv: ["--out=", "m", "f"], options: { output: "" }, positionals: ["m", "f"] },
      {
        name: "splits a value at its first = only",
        argv: ["--out=a=b", "m", "f"],
        options: { output: "a=b" },
        positionals: ["m", "f"],
      },
      {
        name: "takes everything behind -- for positional",
        argv: ["m", "f", "--", "-5", "--out=x"],
        options: { output: null },
        positionals: ["m", "f", "-5", "--out=x"],
      },
      { name: "takes a single dash for positional", argv: ["m", "f", "-"], options: {}, positionals: ["m", "f", "-"] },
      {
        name: "takes an option-like word as a value",
        argv: ["-b", "-v", "m", "f"],
        options: { batch: "-v", verbose: false },
        positionals: ["m", "f"],
      },
      {
        name: "unsets show_timeout",
        argv: ["--hide-timeout", "m", "f"],
        options: { show_timeout: false },
        positionals: ["m", "f"],
      },
      {
        name: "reads integers as optparse does",
        argv: ["-t", "010", "--subset=0x10", "m", "f"],
        options: { timeout: 8, subset: 16 },
        positionals: ["m", "f"],
      },
      {
        name: "turns the words of state_verbose",
        argv: ["--state-verbose=False", "m", "f"],
        options: { state_verbose: false },
        positionals: ["m", "f"],
      },
      {
        name: "leaves other words of state_verbose",
        argv: ["--state-verbose=FALSE", "m", "f"],
        options: { state_verbose: "FALSE" },
        positionals: ["m", "f"],
      },
      { name: "inserts sys.doc", argv: ["-d"], options: { doc: true }, positionals: ["*", "sys.doc"] },
      {
        name: "inserts sys.doc before the function",
        argv: ["-d", "m", "test"],
        options: { doc: true },
        positionals: ["m", "sys.doc", "test"],
      },
      {
        name: "needs no function for --preview-target",
        argv: ["--preview-target", "m"],
        options: { preview_target: true },
        positionals: ["m"],
      },
      {
        name: "splits --no-parse",
        argv: ["--no-parse=a, b", "m", "f"],
        options: { no_parse: ["a", "b"] },
        positionals: ["m", "f"],
      },
    ]
  ) {
    test(name, () => {
      const result = run("salt", argv);
      const got = Object.fromEntries(Object.keys(options).map((dest) => [dest, result.options[dest]]));
      assert.deepEqual(got, options);
      assert.deepEqual(result.positionals, positionals);
    });
  }

  for (
    const { program, argv, message } of [
      { program: "salt", argv: ["-t"], message: "-t option requires 1 argument" },
      {
        program: "salt",
        argv: ["m", "f", "--outp"],
        message:
          "ambiguous option: --outp (--output, --output-diff, --output-file, --output-file-append, --output-indent?)",
      },
      { program: "salt", argv: ["--static=1"], message: "--static option does not take a value" },
      { program: "salt", argv: ["--stati=1"], message: "--static option does not take a value" },
      {
        program: "salt",
        argv: ["--batch-wait", "x"],
        message: "option --batch-wait: invalid floating-point value: 'x'",
      },
      { program: "salt", argv: ["--timeo=x"], message: "option --timeout: invalid integer value: 'x'" },
      { program: "salt", argv: ["-vZ"], message: "no such option: -Z" },
      { program: "salt", argv: ["--nosuch=5"], message: "no such option: --nosuch" },
      {
        program: "salt",
        argv: ["-G", "-C", "-L", "m", "f"],
        message: "The options --list/--grain/--compound are mutually exclusive. Please only choose one of them",
      },
      { program: "salt-key", argv: ["-a"], message: "-a option requires 1 argument" },
      { program: "salt-key", argv: ["-l", "it's"], message: `"it's" is not a valid argument to '--list'` },
    ] as const
  ) {
    test(`${program} ${argv.join(" ")} fails: ${message}`, () => {
      const result = parseOptions(program, argv, context);
      assert.equal(result.kind === "exit" && result.exitCode, 64);
      assert.ok(
        result.kind === "exit" && result.stderr.endsWith(`\n\n${program}: error: ${message}\n`),
        JSON.stringify(result),
      );
    });
  }
});

describe("parseOptions()", () => {
  test("reports which options were given", () => {
    assert.deepEqual([...run("salt", ["--out=json", "-t", "5", "m", "f"]).explicit].sort(), ["output", "timeout"]);
  });
  test("takes defaults from the environment", () => {
    const env = { SALT_CONFIG_DIR: "/conf", SALT_NO_PARSE: "a,b", SALT_HARD_CRASH: "1" };
    const { options } = run("salt", ["m", "f"], { env });
    assert.deepEqual([options.config_dir, options.no_parse, options.hard_crash], ["/conf", ["a", "b"], true]);
  });
  test("asks for stdin before it complains of missing words", () => {
    assert.equal(run("salt", ["--args-stdin"]).needsStdin, true);
  });
  test("takes words and options from stdin and forgets options from before", () => {
    const { options, positionals } = run("salt", ["--args-stdin", "-v", "m"], { stdin: "f\r\n--out=json\n\nx\n" });
    assert.deepEqual([options.verbose, options.output, positionals], [false, "json", ["m", "f", "", "x"]]);
  });
  test("gathers repeated module folders", () => {
    assert.deepEqual(run("salt-call", ["-m", "a,b", "-m", "c", "f"]).options.module_dirs, ["a", "b", "c"]);
  });
  test("turns the words of salt-key's rotate_aes_key", () => {
    assert.equal(run("salt-key", ["--rotate-aes-key=FALSE"]).options.rotate_aes_key, false);
  });
  test("is content with fewer words if versions are asked for", () => {
    assert.equal(run("salt", ["-V"]).options.versions_report, true);
  });
});

describe("helpText()", () => {
  test("each program shows at least two command lines that are understood, and names its manual page", () => {
    for (const program of Object.keys(PROGRAMS) as Program[]) {
      const text = helpText(program);
      assert.ok(EXAMPLES[program].length >= 2, program);
      assert.match(text, new RegExp(`\\nManual page: man ${program}\\. `));
      for (const [command] of EXAMPLES[program]) {
        assert.ok(text.includes(`\n  ${command}\n`), command);
        const [name = "", ...words] = command.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
        const parsed = parseOptions(name as Program, words, { version: "", env: {} });
        assert.equal(parsed.kind, "run", command);
      }
    }
  });
  test("outputters that the help names are here", () => {
    const [, names = ""] = /How to print results: ([\w,\s]+) or/.exec(helpText("salt").replace(/\s+/g, " "))!;
    for (const name of names.split(", ")) assert.ok(Object.hasOwn(OUTPUTTERS, name), name);
  });
  const programs = [
    "salt",
    "salt-key",
    "salt-run",
    "salt-call",
    "salt-cp",
    "salt-master",
    "salt-minion",
    "salt-api",
  ] as const;
  for (const program of programs) {
    test(`of ${program} fits 80 columns, unless a spelling is longer`, () => {
      const text = helpText(program);
      assert.ok(text.startsWith(`Usage: ${program} `));
      for (const line of text.split("\n")) assert.ok(line.length <= 80 || line.trimStart().startsWith("-"), line);
    });
    test(`of ${program} is what -h prints`, () => {
      assert.deepEqual(parseOptions(program, ["-h", "--nosuch"], context), {
        kind: "exit",
        exitCode: 0,
        stdout: helpText(program),
        stderr: "",
      });
    });
  }
});
