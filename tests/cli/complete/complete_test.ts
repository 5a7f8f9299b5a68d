import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { complete, type KnownNames } from "../../../cli/complete/complete.ts";
import { shellWords } from "../../../cli/complete/shell_words.ts";
import { PROGRAMS } from "../../../cli/options/programs.ts";

const KEYS = { accepted: ["web1", "web2", "db1"], pre: ["new1"], rejected: ["bad1"], denied: [] };
const FUNCTIONS: Record<string, Record<string, string[]>> = {
  runners: { "jobs.list_job": ["jid", "ext_source"], "manage.up": [] },
  modules: { "state.apply": ["mods"], "test.echo": ["text"], "test.ping": [], "cmd.run": ["cmd", "cwd"] },
};
const known: KnownNames = {
  minions: (status) => [...KEYS[status]],
  sls: () => Promise.resolve(["common", "web", "web.tls"]),
  grains: () => Promise.resolve(new Map([["os", new Set(["Debian", "Alpine"])], ["osrelease", new Set(["12"])]])),
  nodegroups: () => ["shop", "edge"],
  functions: (family) => Promise.resolve(FUNCTIONS[family]!),
  values: (dest) => dest === "output" ? ["json", "yaml"] : dest === "return" ? ["redis", "postgres"] : undefined,
};

const words = async (...line: string[]) => {
  const [program, ...rest] = line;
  const { also, candidates } = await complete(program as "salt", rest.slice(0, -1), rest.at(-1)!, known);
  return [...also === "nothing" ? [] : [also], ...candidates.map(({ word }) => word)];
};

describe("completion", () => {
  for (
    const [line, expected] of [
      [["salt", "w"], ["web1", "web2"]],
      [["salt", ""], ["db1", "web1", "web2"]],
      [["salt", "-L", "web1,w"], ["web1,web2"]],
      [["salt", "-vL", "d"], ["db1"]],
      [["salt", "-N", ""], ["shop", "edge"]],
      [["salt", "-G", "os"], ["os:", "osrelease:"]],
      [["salt", "-G", "os:D"], ["os:Debian"]],
      [["salt", "-G", "nosuch:"], []],
      [["salt", "-C", ""], []],
      [["salt", "*", "state.apply", "web"], ["web", "web.tls"]],
      [["salt", "*", "state.apply", "common,web.t"], ["common,web.tls"]],
      [["salt", "*", "state.apply", "mods=web.t"], ["mods=web.tls"]],
      [["salt", "*", "state.apply", "web", ""], ["files", "mods="]],
      [["salt-call", "state.apply", "c"], ["common"]],
      [["salt", "*", "test."], ["test.echo", "test.ping"]],
      [["salt", "*", "test.ping,c"], ["test.ping,cmd.run"]],
      [["salt", "*", "cmd.run", "c"], ["files", "cmd=", "cwd="]],
      [["salt", "*", "cmd.run", "cmd=ls", "c"], ["files", "cwd="]],
      [["salt", "-t", ""], []],
      [["salt", "-t", "5", "d"], ["db1"]],
      [["salt", "--out", ""], ["json", "yaml"]],
      [["salt", "--out=j"], ["--out=json"]],
      [["salt", "--return", "redis,p"], ["redis,postgres"]],
      [["salt", "--log-lev"], ["--log-level"]],
      [["salt", "-l", "de"], ["debug"]],
      [["salt", "-c", "/e"], ["directories"]],
      [["salt", "--", "-"], []],
      [["salt-key", "-a", ""], ["new1"]],
      [["salt-key", "-d", ""], ["bad1", "db1", "new1", "web1", "web2"]],
      [["salt-key", "--accept="], ["--accept=new1"]],
      [["salt-run", "jobs."], ["jobs.list_job"]],
      [["salt-run", "jobs.list_job", ""], ["files", "jid=", "ext_source="]],
      [["salt-call", "--local", "test.p"], ["test.ping"]],
      [["salt-cp", "web1", ""], ["files"]],
      [["salt-master", ""], []],
    ] as const
  ) {
    test(line.map((word) => word === "" ? "<tab>" : word).join(" "), async () => {
      assert.deepEqual(await words(...line), expected);
    });
  }

  test("every option of every program is offered, with what it means", async () => {
    for (const [program, table] of Object.entries(PROGRAMS)) {
      const { candidates } = await complete(program as "salt", [], "-", known);
      const names = table({}).groups.flatMap(({ options }) => options.flatMap((option) => option.names));
      assert.deepEqual(candidates.map(({ word }) => word).sort(), [...new Set(names)].sort(), program);
      assert.ok(candidates.every(({ help }) => help !== undefined && help !== ""), program);
    }
  });
});

test("a line is cut into words as a shell does it", () => {
  const texts = (line: string) => shellWords(line).map(({ text }) => text);
  assert.deepEqual(texts("salt '*' cmd.run "), ["salt", "*", "cmd.run", ""]);
  assert.deepEqual(texts(`salt "a b" c\\ d e'f g`), ["salt", "a b", "c d", "ef g"]);
  assert.deepEqual(texts(""), [""]);
  assert.deepEqual(texts("salt\\"), ["salt\\"]);
});
