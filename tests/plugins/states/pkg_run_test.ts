import assert from "node:assert/strict";
import { test } from "node:test";
import type { LowChunk, StateReturn } from "../../../src/model/loader/states.ts";
import { states } from "../../../src/plugins/states/pkg.ts";
import { fakeStateHost } from "../../support/recorded_states.ts";

const chunk = (id: string, fun: string, more: Record<string, unknown> = {}): LowChunk => ({
  state: "pkg",
  name: id,
  __id__: id,
  fun,
  ...more,
});

async function folded(low: LowChunk, others: LowChunk[], ran: string[] = []): Promise<LowChunk> {
  const { context } = await fakeStateHost({}, {});
  const running = new Map(ran.map((tag) => [tag, {} as StateReturn]));
  return await states.modAggregate!(context, low, [low, ...others], running);
}

test("pkg aggregate: takes the packages of later states of the same function and repository, once", async () => {
  const others = [
    chunk("b", "installed", { version: "2" }),
    chunk("c", "installed", { pkgs: ["d", { e: "1" }] }),
    chunk("f", "installed", { hold: true }),
    chunk("g", "installed", { fromrepo: "other" }),
    chunk("h", "removed"),
    chunk("i", "installed", { sources: [{ i: "/i.deb" }] }),
    chunk("j", "installed"),
    chunk("k", "installed"),
    { ...chunk("l", "installed"), state: "pip" },
  ];
  const low = await folded(chunk("a", "installed"), others, ["pkg_|-k_|-k_|-installed"]);
  assert.deepEqual(low.pkgs, ["a", { b: "2" }, "d", { e: "1" }, "j"]);
  assert.deepEqual(others.filter((one) => one.__agg__ === true).map((one) => one.__id__), ["b", "c", "j"]);
  assert.equal("version" in others[0]!, false);
});

test("pkg aggregate: a list of packages grows, and so does one of sources", async () => {
  const low = await folded(chunk("a", "removed", { pkgs: ["x"] }), [chunk("b", "removed")]);
  assert.deepEqual(low.pkgs, ["x", "b"]);
  const files = await folded(chunk("a", "installed", { sources: [{ a: "/a" }] }), [
    chunk("b", "installed", { sources: [{ b: "/b" }] }),
    chunk("c", "installed"),
  ]);
  assert.deepEqual([files.sources, files.pkgs], [[{ a: "/a" }, { b: "/b" }], undefined]);
});

test("pkg aggregate: nothing to take, or a function of another kind, leaves the state as it is", async () => {
  const alone = chunk("a", "installed");
  assert.deepEqual(await folded(alone, [chunk("b", "latest")]), chunk("a", "installed"));
  assert.deepEqual(await folded(chunk("a", "uptodate"), [chunk("b", "uptodate")]), chunk("a", "uptodate"));
});

test("pkg: the first state that installs has the lists refreshed in this run", async () => {
  const host = await fakeStateHost({}, {});
  const exists = () => host.context.runtime.fs.stat("/var/cache/salt/minion/pkg_refresh") !== undefined;
  assert.equal(await states.modInit!(host.context, chunk("a", "removed")), false);
  assert.equal(exists(), false);
  assert.equal(await states.modInit!(host.context, chunk("a", "installed")), true);
  assert.equal(exists(), true);
  const own = await fakeStateHost({}, { "pkg.ex_mod_init": [false] });
  assert.equal(await states.modInit!(own.context, chunk("a", "latest")), false);
});

test("pkg.installed: refreshes if the run has not yet, unless it is told not to", async () => {
  const refreshes = async (refresh: unknown, tagged: boolean) => {
    const host = await fakeStateHost({}, {
      "pkg.list_pkgs": [{}, {}, { a: ["1"] }],
      "pkg.install": [{ a: { old: "", new: "1" } }],
    });
    if (tagged) await states.modInit!(host.context, chunk("a", "installed"));
    const kwargs = { saltenv: "base" };
    await states.functions.installed!.run(host.context, {
      name: "a",
      version: null,
      refresh,
      pkgs: null,
      sources: null,
      pkg_verify: false,
      kwargs,
    });
    const [, given] = host.calls.find(([fun]) => fun === "pkg.install")!;
    return (given as { kwargs: { refresh: boolean } }).kwargs.refresh;
  };
  assert.equal(await refreshes(null, true), true);
  assert.equal(await refreshes(null, false), false);
  assert.equal(await refreshes(false, true), false);
  assert.equal(await refreshes(true, false), true);
});

test("pkg beacon: watches the packages of a state that asks for it", async () => {
  const called: [string, unknown][] = [];
  const host = await fakeStateHost({}, {}, {}, {
    callState: (fun, keyword) => {
      called.push([fun, keyword]);
      return Promise.resolve({ name: "x", changes: {}, result: true, comment: "" });
    },
  });
  await states.modBeacon!(host.context, { name: "a", sfun: "installed", beacon: true });
  assert.deepEqual(called, [["beacon.present", {
    name: "beacon_pkg_a",
    pkgs: ["a"],
    interval: 60,
    beacon_module: "pkg",
  }]]);
  assert.equal((await states.modBeacon!(host.context, { name: "a", sfun: "latest", beacon: true })).result, false);
  const none = await states.modBeacon!(host.context, { name: "a", sfun: "removed", beacon: false });
  assert.equal(none.comment, "Not adding beacon.");
});
