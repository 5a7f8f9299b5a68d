/** The filters dns_check and http_query. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import type { RenderJob } from "../../../src/language/render/renderer.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

const runtime = await currentRuntime();
const job = { path: "/t", saltenv: "base", argline: "", log: silentLogger, globals: {} };

/** A runtime with these names, on which these addresses take connections. */
function network(names: Record<string, string[]>, answering: string[]) {
  const dialled: string[] = [];
  const made: Runtime = {
    ...runtime,
    host: {
      ...runtime.host,
      addresses: (name, family) =>
        Promise.resolve((names[name] ?? []).filter((address) => address.includes(":") === (family === 6))),
    },
    net: {
      ...runtime.net,
      dial(to) {
        const address = "host" in to ? to.host : "";
        dialled.push(address);
        return answering.includes(address)
          ? Promise.resolve({ destroy() {} } as Awaited<ReturnType<Runtime["net"]["dial"]>>)
          : Promise.reject(new Error("refused"));
      },
    },
  };
  return { dialled, render: (text: string) => jinja(made)(text, job) };
}

describe("dns_check", () => {
  const names = { web: ["10.0.0.1", "10.0.0.2", "fd00::1"], six: ["fd00::6"] };
  for (
    const { name, answering, template, wants } of [
      {
        name: "gives the first that answers",
        answering: ["10.0.0.2"],
        template: "{{ 'web'|dns_check(80) }}",
        wants: "10.0.0.2",
      },
      {
        name: "gives IPv6 in brackets",
        answering: ["fd00::1"],
        template: "{{ 'web'|dns_check(80) }}",
        wants: "[fd00::1]",
      },
      {
        name: "gives the first where none answers",
        answering: [],
        template: "{{ 'web'|dns_check(80) }}",
        wants: "10.0.0.1",
      },
      {
        name: "keeps to IPv4",
        answering: ["fd00::1"],
        template: "{{ 'web'|dns_check(80, ipv6=False) }}",
        wants: "10.0.0.1",
      },
      {
        name: "keeps to IPv6",
        answering: ["10.0.0.1"],
        template: "{{ 'web'|dns_check(80, ipv6=True) }}",
        wants: "[fd00::1]",
      },
      { name: "takes an address", answering: [], template: "{{ '::1'|dns_check(80) }}", wants: "[::1]" },
    ]
  ) {
    test(name, async () => assert.equal(await network(names, answering).render(template), wants));
  }

  test("fails for a name that is not there", async () => {
    const { render, dialled } = network(names, []);
    await assert.rejects(
      async () => await render("{{ 'none'|dns_check(80) }}"),
      /DNS lookup or connection check of 'none' failed\./,
    );
    assert.deepEqual(dialled, []);
  });
});

describe("http_query", () => {
  const calls: unknown[] = [];
  const functions: NonNullable<RenderJob["functions"]> = {
    has: () => true,
    hasModule: () => true,
    call(name, args, keywords) {
      calls.push([name, args, Object.fromEntries(keywords)]);
      return Promise.resolve(new Map([["body", "hello"]]));
    },
  };

  test("calls http.query", async () => {
    const text = "{{ ('http://x/' | http_query('POST', data='a', status=True)).body }}";
    assert.equal(await jinja(runtime)(text, { ...job, functions }), "hello");
    assert.deepEqual(calls, [["http.query", ["http://x/"], { method: "POST", data: "a", status: true }]]);
  });

  test("fails where there are no functions, whatever a template calls salt", () => {
    for (const text of ["{{ 'http://x/' | http_query }}", "{% set salt = {} %}{{ 'http://x/' | http_query }}"]) {
      assert.throws(() => jinja(runtime)(text, job), /http_query needs execution functions/);
    }
  });
});
