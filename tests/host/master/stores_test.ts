/** The master's files: minion keys, session keys, autosign lists, client keys, cached data of minions. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Autosign, type AutosignOptions } from "../../../src/host/master/keys/autosign.ts";
import { ClientKeys } from "../../../src/host/master/access/client_keys.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { MinionCache } from "../../../src/host/master/minion_cache.ts";
import { SessionKeys } from "../../../src/host/master/keys/session_keys.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { PAIRS } from "../../support/start_cluster.ts";

const { crypto } = await currentRuntime();

function host() {
  const clock = new FakeClock();
  return { ...memoryRuntime({ clock, crypto }), clock, ...captureLog() };
}

describe("KeyDirectories", () => {
  test("list() returns files without a leading dot, sorted without regard to case", () => {
    const { fs, clock } = host();
    const keys = new KeyDirectories(fs, crypto, "/pki", clock);
    keys.prepare();
    for (const id of ["web2", "Web1", "DB1", ".hidden", "app"]) fs.write(`/pki/minions/${id}`, "x");
    assert.deepEqual(keys.list("accepted"), ["app", "DB1", "Web1", "web2"]);
    assert.deepEqual(keys.list("pre"), []);
  });

  test("list() misses no change, not even within one tick of the file system's clock", () => {
    const { fs, clock } = host();
    const keys = new KeyDirectories(fs, crypto, "/pki", clock);
    keys.prepare();
    for (const pass of [0, 1, 5000]) {
      clock.advance(pass);
      const before = fs.stat("/pki/minions")!;
      keys.list("accepted");
      fs.write(`/pki/minions/after-${pass}`, "x");
      // As if both changes had happened within one tick.
      if (pass < 5000) fs.utimes("/pki/minions", before.atimeMs, before.mtimeMs);
      assert.ok(keys.list("accepted").includes(`after-${pass}`), String(pass));
    }
  });

  test("list() does not read a large directory again while it is unchanged", () => {
    const { fs, clock } = host();
    let reads = 0;
    const counting = { ...fs, list: (path: string) => (reads++, fs.list(path)) };
    const keys = new KeyDirectories(counting, crypto, "/pki", clock);
    keys.prepare();
    fs.write("/pki/minions/web1", "x");
    clock.advance(60_000);
    for (let n = 0; n < 10; n++) keys.list("accepted");
    assert.equal(reads, 1);
  });

  test("prepare() makes a directory private that others could read, and keeps one that a group may read", () => {
    for (const [before, after] of [[0o755, 0o700], [0o777, 0o700], [0o750, 0o750], [0o700, 0o700]] as const) {
      const { fs } = host();
      fs.mkdir("/pki", before);
      new KeyDirectories(fs, crypto, "/pki").prepare();
      assert.equal(fs.stat("/pki")!.mode, after);
    }
  });

  test("one look serves all requests of a turn, and what is removed, replaced or accepted shows in the next", () => {
    const { fs, clock } = host();
    const looks: string[] = [];
    const counting = { ...fs, stat: (path: string) => (looks.push(path), fs.stat(path)) };
    const due: (() => void)[] = [];
    const keys = new KeyDirectories(counting, crypto, "/pki", clock, (call) => void due.push(call));
    keys.prepare();
    const [first, second] = [PAIRS.minion.publicPem, PAIRS.master.publicPem];
    const ids = ["web1", "web2", "web3"];
    for (const id of ids) fs.write(`/pki/minions/${id}`, first);
    const turn = () => {
      for (const call of due.splice(0)) call();
      looks.length = 0;
    };
    const pems = () => ids.map((id) => keys.accepted(id)?.pem);
    turn();
    assert.deepEqual(pems(), [first, first, first]);
    pems();
    assert.equal(looks.length, 1 + 6, "what has changed a moment ago may change again unseen");
    clock.advance(60_000);
    turn();
    pems();
    turn();
    for (let at = 0; at < 100; at++) assert.deepEqual(pems(), [first, first, first]);
    assert.deepEqual(looks, ["/pki/minions"]);

    fs.remove("/pki/minions/web2");
    turn();
    assert.deepEqual(pems(), [first, undefined, first]);
    clock.advance(60_000);
    turn();
    pems();
    fs.write("/pki/minions_pre/web3", second);
    fs.rename("/pki/minions_pre/web3", "/pki/minions/web3");
    turn();
    assert.deepEqual(pems(), [first, undefined, second]);
    clock.advance(60_000);
    turn();
    pems();
    keys.write("accepted", "web2", second);
    assert.deepEqual(pems(), [first, second, second], "in the same turn, by this process");
    keys.remove("accepted", "web1");
    assert.deepEqual(pems(), [undefined, second, second]);
  });

  test("a key file that was written over in place is read anew within a second", () => {
    const { fs, clock } = host();
    const due: (() => void)[] = [];
    const keys = new KeyDirectories(fs, crypto, "/pki", clock, (call) => void due.push(call));
    keys.prepare();
    fs.write("/pki/minions/web1", PAIRS.minion.publicPem);
    clock.advance(60_000);
    keys.accepted("web1");
    const before = fs.stat("/pki/minions")!;
    fs.write("/pki/minions/web1", PAIRS.master.publicPem);
    // As when the file itself is opened and written.
    fs.utimes("/pki/minions", before.atimeMs, before.mtimeMs);
    clock.advance(1000);
    for (const call of due.splice(0)) call();
    assert.equal(keys.accepted("web1")!.pem, PAIRS.master.publicPem);
  });

  test("a key file of absurd size is ignored", () => {
    const { fs } = host();
    const keys = new KeyDirectories(fs, crypto, "/pki");
    keys.prepare();
    fs.write("/pki/minions/web1", PAIRS.minion.publicPem + "\n".repeat(100_000));
    assert.equal(keys.accepted("web1"), undefined);
  });
});

describe("SessionKeys", () => {
  const PEM = PAIRS.minion.publicPem;
  const scene = () => {
    const { fs, clock, log } = host();
    fs.mkdir("/cache");
    return {
      fs,
      clock,
      open: (masterPem = PAIRS.master.publicPem) =>
        new SessionKeys({ fs, crypto, clock, log, cacheDir: "/cache", masterPem, lifetimeSeconds: 3600 }),
    };
  };

  test("a key survives an orderly restart, but not its expiry", () => {
    const { clock, open } = scene();
    const first = open();
    const key = first.get("web1", PEM);
    assert.equal(key.length, 76);
    assert.equal(first.get("web1", `${PEM.trim()}\r\n`), key, "the same key, otherwise written");
    assert.notEqual(first.get("web2", PEM), key);
    assert.equal(first.floor("web1"), undefined);
    clock.advance(3_500_000);
    first.save((id) => id === "web1" ? 1200 : undefined);
    const second = open();
    assert.deepEqual([second.get("web1", PEM), second.floor("web1"), second.floor("web2")], [key, 1200, undefined]);
    second.save(() => undefined);
    const third = open();
    assert.deepEqual([third.get("web1", PEM), third.floor("web1")], [key, 1200], "though it was not used in between");
    clock.advance(200_000);
    assert.notEqual(third.get("web1", PEM), key);
    assert.equal(third.floor("web1"), undefined);
  });

  test("saved keys are for the next run alone, and a killed process leaves none", () => {
    const { fs, open } = scene();
    const first = open();
    const key = first.get("web1", PEM);
    first.save(() => 1200);
    assert.equal(fs.stat("/cache/.sessions")!.mode, 0o600);
    assert.equal(open().get("web1", PEM), key);
    assert.equal(fs.stat("/cache/.sessions"), undefined);
    assert.notEqual(open().get("web1", PEM), key);
  });

  test("another public key has another session key, at once and after a restart", () => {
    const { open } = scene();
    const first = open();
    const key = first.get("web1", PEM);
    const other = first.get("web1", PAIRS.other.publicPem);
    assert.notEqual(other, key);
    first.save(() => 1200);
    const second = open();
    assert.ok(![key, other].includes(second.get("web1", PEM)));
  });

  test("a master with another key uses no session of the last one, which its minions would keep for ever", () => {
    const { fs, open } = scene();
    const first = open();
    const key = first.get("web1", PEM);
    first.save(() => 1200);
    assert.notEqual(open(PAIRS.other.publicPem).get("web1", PEM), key);
    assert.equal(fs.stat("/cache/.sessions"), undefined);
    assert.notEqual(open().get("web1", PEM), key, "nor when the first key is back");
  });

  test("rotate() discards a key, and a key without its replay guard is not saved", () => {
    const { open } = scene();
    const first = open();
    const keys = ["web1", "web2"].map((id) => first.get(id, PEM));
    first.rotate("web1");
    assert.notEqual(first.get("web1", PEM), keys[0]);
    first.save(() => "unknown");
    assert.notEqual(open().get("web2", PEM), keys[1]);
  });

  test("a malformed file is ignored; an invalid id is refused", () => {
    const { fs, open } = scene();
    open().save(() => 1200);
    const head = fs.readText("/cache/.sessions");
    const lines = ["", "x", "{}", '["web1",7,0,"",null]', '["../x","A",0,"",null]', '["web1","A",0,"x",{}]'];
    for (const content of [...lines, ...lines.map((line) => `${head}\n${line}`)]) {
      fs.write("/cache/.sessions", content);
      assert.match(open().get("web1", PEM), /^[A-Za-z0-9+/]{75}=$/);
    }
    for (const id of ["..", "a/b", ""]) assert.throws(() => open().get(id, PEM), RangeError);
  });
});

describe("Autosign", () => {
  const make = (options: Partial<AutosignOptions> = {}) => {
    const scene = host();
    const { fs, clock, log } = scene;
    fs.mkdir("/pki/minions_autosign", 0o700);
    const policy = new Autosign({
      fs,
      clock,
      log,
      pkiDir: "/pki",
      autoAccept: false,
      autosignFile: "/etc/autosign",
      autorejectFile: "/etc/autoreject",
      autosignTimeout: 120,
      autosignGrainsDir: "/etc/grains",
      autosignGrains: [],
      permissivePkiAccess: false,
      ...options,
    });
    fs.mkdir("/etc/grains");
    return { ...scene, policy };
  };

  test("a stub is valid once, and until it expires", () => {
    const { fs, clock, policy } = make();
    fs.write("/pki/minions_autosign/web1", "");
    fs.write("/pki/minions_autosign/web2", "");
    assert.equal(policy.autoSign("web1", undefined), true);
    assert.equal(policy.autoSign("web1", undefined), false);
    clock.advance(121 * 60_000);
    assert.equal(policy.autoSign("web2", undefined), false);
    assert.deepEqual(fs.list("/pki/minions_autosign"), []);
  });

  test("with autosign_timeout 0 a stub never expires", () => {
    const { fs, clock, policy } = make({ autosignTimeout: 0 });
    fs.write("/pki/minions_autosign/web1", "");
    clock.advance(365 * 86_400_000);
    assert.equal(policy.autoSign("web1", undefined), true);
  });

  test("lists are read again when they change, and ignored when other users may write to them", () => {
    const { fs, clock, policy, complaints } = make();
    assert.equal(policy.autoReject("web1"), false);
    fs.write("/etc/autoreject", "# nobody\nweb[0-9]\n", { mode: 0o644 });
    assert.equal(policy.autoReject("web1"), true);
    assert.equal(policy.autoReject("web12"), false);
    clock.advance(1000);
    fs.write("/etc/autoreject", "db.*\n", { mode: 0o644 });
    assert.equal(policy.autoReject("web1"), false);
    assert.equal(policy.autoReject("db12"), true);
    fs.chmod("/etc/autoreject", 0o646);
    assert.equal(policy.autoReject("db12"), false);
    assert.ok(complaints().some((message) => message.includes("other users may write")));
  });

  test("a list that its group may write is used only with permissive_pki_access", () => {
    for (const permissivePkiAccess of [false, true]) {
      const { fs, policy } = make({ permissivePkiAccess });
      fs.write("/etc/autosign", "*\n", { mode: 0o660 });
      assert.equal(policy.autoSign("web1", undefined), permissivePkiAccess);
    }
  });

  test("grains are compared as text, and never with inherited properties", () => {
    const { fs, policy } = make();
    for (const name of ["serial", "flag", "toString", "__proto__"]) {
      fs.write(`/etc/grains/${name}`, "7\nTrue\nabc\n[object Object]\n");
    }
    for (
      const [grains, want] of [
        [{ serial: "abc" }, true],
        [{ serial: 7 }, true],
        [{ flag: true }, true],
        [{ serial: "ABC" }, false],
        [{ serial: null }, false],
        [{ other: "abc" }, false],
        [{}, false],
        [["abc"], false],
        ["abc", false],
        [null, false],
      ] as const
    ) assert.equal(policy.autoSign("web1", grains), want, JSON.stringify(grains));
  });
});

describe("ClientKeys", () => {
  test("a key is readable by its user only, new with every start, and valid for root and the master's user", () => {
    const { fs } = host();
    fs.mkdir("/cache");
    const start = () => new ClientKeys({ fs, crypto, log: silentLogger, cacheDir: "/cache", masterUser: "salt" });
    const keys = start();
    const key = fs.readText("/cache/.salt_key");
    assert.equal(fs.stat("/cache/.salt_key")!.mode, 0o600);
    for (const user of ["root", "salt", "sudo_ann", "ann"]) {
      assert.equal(keys.authenticate(user, key)!.privileged, true);
    }
    assert.deepEqual(["root", "sudo_ann"].map((user) => keys.authenticate(user, key)!.sudo), [false, true]);
    for (const wrong of ["", key.slice(1), `${key} `, null, 7, [key]]) {
      assert.equal(keys.authenticate("root", wrong), undefined);
    }
    for (const user of [null, 7, ["root"]]) assert.equal(keys.authenticate(user, key), undefined);
    assert.equal(keys.authenticate(undefined, key)!.user, "salt", "a load without a user is from the master's own");
    assert.equal(keys.authenticate(undefined, "x"), undefined);
    assert.equal(start().authenticate("root", key), undefined);
  });

  test("the name of a domain user is not a path", () => {
    const { fs } = host();
    fs.mkdir("/cache");
    new ClientKeys({ fs, crypto, log: silentLogger, cacheDir: "/cache", masterUser: "DOMAIN\\ann/../x" });
    assert.deepEqual(fs.list("/cache"), [".DOMAIN_ann_.._x_key"]);
  });
});

describe("MinionCache", () => {
  test("a file that cannot be read is ignored and logged", () => {
    const { fs, log, complaints } = host();
    const cache = new MinionCache(fs, log, "/cache");
    cache.saveData("web1", { grains: { os: "x" }, pillar: {} });
    fs.write("/cache/minions/web1/data.p", Uint8Array.of(0xc1));
    assert.equal(cache.data("web1"), undefined);
    assert.equal(complaints().length, 1);
    assert.deepEqual(cache.ids(), ["web1"]);
  });

  test("what is there already is not written again, and what is damaged or gone is", () => {
    const { fs, log } = host();
    const written: string[] = [];
    const cache = new MinionCache(
      { ...fs, write: (path, ...rest) => (written.push(path), fs.write(path, ...rest)) },
      log,
      "/cache",
    );
    const data = { grains: { os: "x" }, pillar: { a: 1 } };
    cache.saveData("web1", data);
    cache.saveData("web1", data);
    cache.saveMine("web1", data);
    assert.deepEqual(written, ["/cache/minions/web1/data.p", "/cache/minions/web1/mine.p"]);
    cache.saveData("web1", { ...data, grains: { os: "y" } });
    assert.equal(written.length, 3);
    assert.deepEqual(cache.data("web1")?.grains, { os: "y" });
    fs.remove("/cache/minions/web1", { recursive: true });
    cache.saveData("web1", data);
    assert.deepEqual(cache.data("web1"), data);
  });

  test("ids are not paths", () => {
    const { fs, log } = host();
    const cache = new MinionCache(fs, log, "/cache");
    for (const id of ["..", "../x", "/x", ""]) {
      assert.throws(() => cache.saveMine(id, {}), RangeError);
      assert.throws(() => cache.data(id), RangeError);
      assert.throws(() => cache.filesDirectory(id), RangeError);
    }
    assert.deepEqual(fs.list("/cache/minions"), []);
  });
});
