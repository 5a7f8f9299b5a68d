/** The commands that README and the documents show are ones that our programs and package scripts understand. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parseOptions } from "../../cli/options/parse_options.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { parseYaml } from "../../src/language/yaml/document.ts";

const at = (name: string) => new URL(`../../${name}`, import.meta.url);
const DOCUMENTS = [
  "README.md",
  ...["docs", "docs/internals"].flatMap((folder) =>
    readdirSync(at(folder)).filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`)
  ),
];
const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8")) as { scripts: Record<string, string> };
const PROGRAMS = [
  "salt",
  "salt-key",
  "salt-run",
  "salt-call",
  "salt-cp",
  "salt-master",
  "salt-minion",
  "salt-syndic",
  "salt-api",
] as const;
type Program = typeof PROGRAMS[number];
/** Package scripts that start a program. */
const SCRIPTS: Record<string, Program> = {
  master: "salt-master",
  minion: "salt-minion",
  syndic: "salt-syndic",
  api: "salt-api",
};

interface Block {
  where: string;
  text: string;
}

/** Code blocks of one language. */
function blocks(language: string): Block[] {
  return DOCUMENTS.flatMap((where) =>
    [...readFileSync(at(where), "utf8").matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
      .map((match) => ({ where, text: match[1]! }))
  );
}

/** Commands in running text: `salt '*' test.ping`. */
function inline(): Block[] {
  return DOCUMENTS.flatMap((where) =>
    [...readFileSync(at(where), "utf8").replace(/^```[\s\S]*?^```/gm, "").matchAll(/`((?:salt(?:-[a-z]+)?) [^`]*)`/g)]
      .map((match) => ({ where, text: match[1]!.replace(/\s+/g, " ") }))
  );
}

/** The words of a line as a shell reads them, without what comes after `#`, `|`, `>`, `&` or `;`. */
function words(line: string): string[] {
  const found: string[] = [];
  for (const [, single, double, bare, end] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"#|<>&;]+)|([#|<>&;])/g)) {
    if (end !== undefined) break;
    found.push((single ?? double ?? bare)!);
  }
  return found;
}

interface Command {
  program: Program;
  argv: string[];
}

/** The program that a line starts, and the words after its name. */
function commandOf(line: string): Command | undefined {
  let rest = words(line);
  const npm = rest[0] === "npm" || rest[0] === "bun" ? rest.indexOf("run") : -1;
  if (npm >= 0) {
    rest = rest.slice(npm + 1).filter((word) => word !== "-s");
    const dashes = rest.indexOf("--");
    rest = [rest[0]!, ...dashes < 0 ? [] : rest.slice(dashes + 1)];
    assert.ok(rest[0]! in scripts, `"${line}": no such script`);
  } else {
    const file = rest.findIndex((word) => /^cli\/salt[a-z-]*\.ts$/.test(word));
    if (file >= 0) rest = [rest[file]!.slice(4, -3), ...rest.slice(file + 1)];
  }
  const name = SCRIPTS[rest[0]!] ?? rest[0];
  const program = PROGRAMS.find((one) => one === name);
  return program === undefined ? undefined : { program, argv: rest.slice(1) };
}

function problemOf({ program, argv }: Command): string | undefined {
  const parsed = parseOptions(program, argv, { version: "0" });
  return parsed.kind === "exit" && parsed.exitCode !== 0 ? parsed.stderr : undefined;
}

test("words of a line are those of a shell", () => {
  assert.deepEqual(words(`npm run -s salt -- '*' cmd.run "a b" # later`), [
    "npm",
    "run",
    "-s",
    "salt",
    "--",
    "*",
    "cmd.run",
    "a b",
  ]);
  assert.equal(problemOf({ program: "salt", argv: ["--no-such", "*", "test.ping"] }) === undefined, false);
});

test("every command of a program in a code block parses", () => {
  const commands = blocks("sh").flatMap(({ where, text }) =>
    text.replaceAll("\\\n", " ").split("\n").map((line) => ({ where, line, command: commandOf(line) }))
  ).filter(({ command }) => command !== undefined);
  assert.ok(commands.length >= 12, `${commands.length} commands`);
  for (const { where, line, command } of commands) assert.equal(problemOf(command!), undefined, `${where}: ${line}`);
});

test("an ssh that other lines follow does not read them: they may be pasted at once", () => {
  const found = blocks("sh").flatMap(({ where, text }) => {
    const lines = text.trimEnd().split("\n");
    return lines.slice(0, -1).filter((line) => /\bssh (?!-n )/.test(line) && !/\| *ssh |<|^ *#/.test(line))
      .map((line) => `${where}: ${line}`);
  });
  assert.deepEqual(found, []);
});

test("every command in running text parses", () => {
  const commands = inline().map((one) => ({ ...one, command: commandOf(one.text) })).filter(({ command }) =>
    command !== undefined && command.argv.length > 0
  );
  assert.ok(commands.length > 10, `${commands.length} commands`);
  for (const { where, text, command } of commands) {
    // Some show options alone, as part of a sentence.
    const complete = command!.argv.some((word) => !word.startsWith("-") && /[.*]/.test(word));
    if (complete) assert.equal(problemOf(command!), undefined, `${where}: ${text}`);
  }
});

test("every configuration in a code block is YAML, of options that there are", () => {
  const found = blocks("yaml");
  assert.ok(found.length >= 5);
  for (const { where, text } of found) {
    const value = parseYaml(text).value as Record<string, unknown>;
    // A file of states or pillar says where it is.
    if (text.startsWith("# /srv/")) continue;
    for (const name of Object.keys(value)) {
      assert.ok(name in MASTER_OPTIONS || name in MINION_OPTIONS || GATEWAY.has(name), `${where}: ${name}`);
    }
  }
});

/** Options of the master's configuration that plugins and the gateway read themselves. */
const GATEWAY = new Set([
  "my_secrets",
  "rest_cherrypy",
  "rest_tornado",
  "sharedsecret",
  ...["uri", "basedn", "binddn", "bindpw", "filter"].map((name) => `auth.ldap.${name}`),
  ...["host", "user", "passwd", "db"].map((name) => `returner.postgres.${name}`),
]);
