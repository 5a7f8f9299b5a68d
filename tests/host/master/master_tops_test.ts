/** What `master_tops` has for minions: the command of `ext_nodes`, and what a minion can do with it. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../../src/base/async/clock.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import type { TopsRegistry } from "../../../src/model/loader/custom_tops.ts";
import { createLogger, type LogRecord } from "../../../src/base/log.ts";
import { MasterTopsHost } from "../../../src/host/master/master_tops.ts";
import { TOPS } from "../../../src/plugins/tops/mod.ts";
import { entriesOf } from "../../../src/language/python/values.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { startCluster } from "../../support/start_cluster.ts";
import { inTemporary } from "../../plugins/temporary.ts";

const runtime = { ...await currentRuntime(), clock: systemClock };

function host(master_tops: unknown, registry: TopsRegistry = TOPS) {
  const records: LogRecord[] = [];
  const log = createLogger((record) => records.push(record), "all");
  const tops = new MasterTopsHost(runtime, log, { master_tops } as unknown as MasterOpts, registry);
  return {
    of: async (id: string) => Object.fromEntries(entriesOf(await tops.of(id, {}))),
    errors: () =>
      records.filter(({ level }) => level === "error").map(({ fields }) => String(fields.error ?? fields.module)),
  };
}

describe("ext_nodes", () => {
  // What 3006.28 makes of the same texts.
  for (
    const { name, prints, wants } of [
      { name: "a list of classes", prints: "classes: [a, b.c]", wants: { base: ["a", "b.c"] } },
      { name: "a map of classes", prints: "classes: {a: {x: 1}, b: null}", wants: { base: ["a", "b"] } },
      { name: "an environment", prints: "{environment: dev, classes: [a]}", wants: { dev: ["a"] } },
      { name: "no classes", prints: "parameters: {}", wants: {} },
      { name: "a text for classes", prints: "classes: a", wants: {} },
    ]
  ) {
    test(name, async () => {
      const { of, errors } = host({ ext_nodes: `echo '${prints}' '#'` });
      assert.deepEqual(await of("web1"), wants);
      assert.deepEqual(errors(), []);
    });
  }

  test("gets its words as a shell would split them, and then the id", async () => {
    await inTemporary(runtime, async (directory) => {
      const program = join(directory, "a program");
      writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > '${directory}/args'\necho 'classes: []'\n`);
      chmodSync(program, 0o755);
      await host({ ext_nodes: `'${program}' "x y" $HOME ; z` }).of("web1");
      assert.equal(readFileSync(join(directory, "args"), "utf8"), "x y|$HOME|;|z|web1|");
    });
  });

  for (
    const { name, command, id, says } of [
      { name: "a command that fails", command: "sh -c 'echo classes: [a]; exit 3'", id: "web1", says: /exit code 3/ },
      { name: "a command that is not there", command: "/nowhere/to/be/found", id: "web1", says: /cannot be started/ },
      { name: "what is no YAML", command: "echo 'a: ['", id: "web1", says: /did not return YAML/ },
      { name: "what is no map", command: "echo '[a] #'", id: "web1", says: /did not print a map/ },
      { name: "an id that is an option", command: "echo", id: "--help", says: /rename the minion/ },
      { name: "a quote without an end", command: "echo 'a", id: "web1", says: /No closing quotation/ },
    ]
  ) {
    test(`${name} says nothing of the minion, and the log says why`, async () => {
      const { of, errors } = host({ ext_nodes: command });
      assert.deepEqual(await of(id), {});
      assert.match(errors().join(), says);
    });
  }
});

describe("master_tops", () => {
  test("modules are merged in the order of their names, and those that are not here are refused by name", async () => {
    const made = (answer: Record<string, unknown>) => () => Promise.resolve({ tops: { run: async () => answer } });
    const registry = { b: made({ base: ["b"], dev: ["x"] }), a: made({ base: ["a"] }) };
    const { of, errors } = host({ b: 1, saltclass: { path: "/srv" }, a: 1, __proto__x: 1 }, registry);
    assert.deepEqual(await of("web1"), { base: ["a", "b"], dev: ["x"] });
    assert.deepEqual(errors().sort(), ["__proto__x", "saltclass"]);
  });

  test("a minion that asks a thousand times is looked up once, and few minions at the same time", async () => {
    const gate = deferred<void>();
    const asked: string[] = [];
    const registry: TopsRegistry = {
      slow: () =>
        Promise.resolve({
          tops: {
            run: async ({ id }) => {
              asked.push(id);
              await gate.promise;
              return {};
            },
          },
        }),
    };
    const { of } = host({ slow: 1 }, registry);
    const answers = Array.from({ length: 1000 }, () => of("web1"));
    answers.push(...Array.from({ length: 100 }, (_, at) => of(`x${at}`)));
    await Promise.resolve().then(() => {});
    assert.ok(asked.length <= 5);
    gate.resolve();
    await Promise.all(answers);
    assert.equal(asked.length, 101);
  });

  test("a minion gets its own, whatever id it says that it has", async () => {
    const registry: TopsRegistry = {
      mine: () => Promise.resolve({ tops: { run: ({ id }) => Promise.resolve({ base: [`of-${id}`] }) } }),
    };
    await using cluster = await startCluster({
      minions: ["web1"],
      master: { master_tops: { mine: 1 } },
      tops: registry,
    });
    const { master } = cluster.minions.get("web1")!.context;
    for (const opts of [{ id: "web1" }, { id: "db1", grains: {} }, "x", null]) {
      assert.deepEqual(await master!.request({ cmd: "_master_tops", id: "web1", opts }), { base: ["of-web1"] });
    }
  });
});
