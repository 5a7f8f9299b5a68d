/** The history of keys: who decided what, also where no operator did. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideAuth, type KeyRuling } from "../../../../src/protocol/channel/auth_server.ts";
import { silentLogger } from "../../../../src/base/log.ts";
import { KeyDirectories } from "../../../../src/host/master/keys/key_directories.ts";
import { KeyHistory } from "../../../../src/host/master/keys/key_history.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { PAIRS } from "../../../support/start_cluster.ts";

const { crypto } = await currentRuntime();
const ANN = { user: "ann", via: "salt-key" } as const;

function site() {
  const clock = new FakeClock();
  const { fs } = memoryRuntime({ clock, crypto });
  fs.mkdir("/pki");
  const captured = captureLog();
  return { fs, clock, ...captured, history: new KeyHistory({ fs, clock, log: captured.log, pkiDir: "/pki" }) };
}

describe("KeyHistory", () => {
  test("is on the disk once saved() resolves, and leaves out a torn line", async () => {
    const { fs, history } = site();
    history.note("accept", "web1", ANN, { was: "pre", finger: "aa:bb" });
    history.note("delete", "db1", { ...ANN, from: "10.0.0.7" }, {});
    await history.saved();
    fs.append("/pki/key_history", '{"id":"web1","act":"del');
    assert.deepEqual(history.read("*", 10).map(({ act, id, from }) => [act, id, from]), [
      ["accept", "web1", undefined],
      ["delete", "db1", "10.0.0.7"],
    ]);
    assert.deepEqual(history.read("w*,x*", 10).map(({ id }) => id), ["web1"]);
  });

  test("takes two files of bounded size", async () => {
    const { fs, history } = site();
    fs.write("/pki/key_history", `${"x".repeat(1023)}\n`.repeat(8 * 1024), { mode: 0o600 });
    history.note("accept", "web1", ANN, {});
    await history.saved();
    assert.equal(fs.stat("/pki/key_history.1")!.size, 8 * 2 ** 20);
    assert.ok(fs.stat("/pki/key_history")!.size < 500);
    assert.equal(history.read("*", 10).length, 1);
  });

  test("a full disk is logged, and undoes no change of a key", async () => {
    const { fs, clock, log, text } = site();
    const full = { ...fs, append: () => assert.fail("ENOSPC") };
    const history = new KeyHistory({ fs: full, clock, log, pkiDir: "/pki" });
    history.note("accept", "web1", ANN, {});
    await history.saved();
    assert.match(text(), /key history cannot be written/);
  });
});

describe("a rule that decides on a key is reported", () => {
  const pem = PAIRS.minion.publicPem;
  const rulingsOf = (policy: { reject?: boolean; sign?: boolean }, lay: (keys: KeyDirectories) => void = () => {}) => {
    const { fs } = memoryRuntime({ clock: new FakeClock(), crypto });
    const keys = new KeyDirectories(fs, crypto, "/pki");
    keys.prepare();
    lay(keys);
    const rulings: KeyRuling[] = [];
    const rules = {
      crypto,
      keys,
      strangers: { admit: () => true, stored: () => {} },
      policy: { autoReject: () => policy.reject === true, autoSign: () => policy.sign === true },
      openMode: false,
      maxMinions: 0,
      connected: () => new Set<string>(),
      onDecision: (ruling: KeyRuling) => void rulings.push(ruling),
      log: silentLogger,
    };
    for (let time = 0; time < 3; time++) decideAuth({ id: "web1", pub: pem }, rules, "10.0.0.7");
    return rulings.map(({ act, was, origin }) => [act, was, origin]);
  };

  test("once, however often the minion signs in", () => {
    assert.deepEqual(rulingsOf({ sign: true }), [["accept", undefined, "10.0.0.7"]]);
    assert.deepEqual(rulingsOf({ sign: true }, (keys) => keys.write("pre", "web1", pem)), [[
      "accept",
      "pre",
      "10.0.0.7",
    ]]);
    assert.deepEqual(rulingsOf({ reject: true }), [["reject", undefined, "10.0.0.7"]]);
    assert.deepEqual(rulingsOf({ reject: true }, (keys) => keys.write("pre", "web1", pem)), [[
      "reject",
      "pre",
      "10.0.0.7",
    ]]);
    assert.deepEqual(rulingsOf({}), []);
  });
});
