import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bindArguments, parseSignature } from "../../../src/model/loader/signature.ts";
import type { StateContext } from "../../../src/model/loader/states.ts";
import { states } from "../../../src/plugins/states/salt.ts";
import { testMinion } from "../../support/context.ts";
import { FakeClock } from "../../support/fake_clock.ts";

interface Case {
  fun: string;
  args: Record<string, unknown>;
  test: boolean;
  opts: Record<string, unknown>;
  /** What each function that is called returns. */
  returned: unknown;
  calls: unknown[];
  result: Record<string, unknown>;
}

const { cases } = JSON.parse(readFileSync(new URL("salt_cases.json", import.meta.url), "utf8")) as { cases: Case[] };

const JID = "20260101000000000001";

/** A state's context on a master's host. Only what these states use is there. */
async function stateContext(given: Partial<StateContext>): Promise<StateContext> {
  const { context } = await testMinion({ master: null });
  const low = { __orchestration_jid__: JID };
  const base = { retcode: 0, jid: JID, signal: new AbortController().signal, saltenv: "base", low, test: false };
  return { ...context, ...base, ...given } as StateContext;
}

async function run(fun: string, args: Record<string, unknown>, context: StateContext): Promise<unknown> {
  const { signature, run } = states.functions[fun]!;
  return await run(context, bindArguments(fun, parseSignature(signature), [], new Map(Object.entries(args))));
}

describe("the states of salt return what Salt's return", () => {
  for (const [at, { fun, args, opts, returned, calls, result, ...given }] of cases.entries()) {
    test(`${at + 1}: ${fun} ${JSON.stringify(args)}`, async () => {
      const made: unknown[] = [];
      const context = await stateContext({
        opts: { ...opts, test: given.test, id: "m_master", user: "root", file_client: "local" },
        test: given.test,
        call(name, positional = [], keyword = {}) {
          made.push([name, positional, keyword]);
          return Promise.resolve(structuredClone(returned));
        },
        hostMaster: {
          isOwn: true,
          fire(tag: string, data: unknown) {
            assert.equal(tag, `salt/run/${JID}/args`);
            made.push(["fire", data]);
            return Promise.resolve();
          },
        } as never,
      });
      assert.deepEqual(await run(fun, args, context), result);
      assert.deepEqual(made, calls);
    });
  }
});

describe("salt.wait_for_event", () => {
  const waiting = async (events: { tag: string; data: Record<string, unknown> }[], args: Record<string, unknown>) => {
    const clock = new FakeClock();
    const { context } = await testMinion({ runtime: { clock }, master: null });
    const state = await stateContext({
      ...context,
      hostMaster: {
        async *events(_choice: unknown, wants: (tag: string) => boolean, signal: AbortSignal) {
          yield* events.filter(({ tag }) => wants(tag));
          const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          clock.advance(10_000);
          await ended;
        },
      } as never,
    });
    return await run("wait_for_event", { name: "salt/minion/*/start", timeout: 10, ...args }, state);
  };
  const start = (id: unknown) => ({ tag: `salt/minion/${id}/start`, data: { id } });

  test("ends with the last of its ids; other tags and ids do not count", async () => {
    const got = await waiting([start("c"), start("b"), { tag: "x", data: { id: "a" } }, start("a")], {
      id_list: ["a", "b"],
    });
    assert.deepEqual(got, {
      name: "salt/minion/*/start",
      result: true,
      changes: { minions_seen: ["b", "a"] },
      comment: "All events seen in 0.0 seconds.",
    });
  });

  test("finds its field in the data of an event within the event, and in a list", async () => {
    const event = { tag: "salt/minion/x/start", data: { data: { who: ["b", "a"] } } };
    const { result } = await waiting([event], { id_list: ["a", "b"], event_id: "who" }) as { result: unknown };
    assert.equal(result, true);
  });

  test("fails when its time is over, and names those that it has seen", async () => {
    assert.deepEqual(await waiting([start("b")], { id_list: ["a", "b"] }), {
      name: "salt/minion/*/start",
      result: false,
      changes: { minions_seen: ["b"] },
      comment: "Timeout value reached.",
    });
  });
});
