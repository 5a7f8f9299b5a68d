/** Functions that a master does to itself, over key directories and roots in memory. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MASTER_OPTIONS, type MasterOpts } from "../../src/model/config/master_opts.ts";
import { rsaVerify } from "../../src/protocol/crypto/rsa.ts";
import { cleanPem } from "../../src/protocol/crypto/rsa_key.ts";
import { bindArguments, parseSignature } from "../../src/model/loader/signature.ts";
import type { WheelContext } from "../../src/model/loader/wheel.ts";
import { KeyAdmin } from "../../src/host/master/keys/key_admin.ts";
import { KeyDirectories } from "../../src/host/master/keys/key_directories.ts";
import { WHEELS } from "../../src/plugins/wheel/mod.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { PAIRS } from "../support/start_cluster.ts";
import type { Json } from "../support/vectors.ts";

const { crypto } = await currentRuntime();
const PEM = PAIRS.minion.publicPem;
const FINGER = /^([0-9a-f]{2}:){31}[0-9a-f]{2}$/;

interface Site {
  fs: FileSystem;
  opts: MasterOpts;
  events: [string, Json][];
  rotations: () => number;
  call(fun: string, named?: Record<string, unknown>): Promise<Json>;
}

function site(more: Record<string, unknown> = {}): Site {
  const runtime = memoryRuntime({ clock: new FakeClock(), crypto, hostname: "salt" });
  const { fs } = runtime;
  const { log } = captureLog();
  const defaults = Object.fromEntries(
    Object.entries(MASTER_OPTIONS).map(([name, spec]) => [name, structuredClone(spec.default)]),
  );
  const opts = {
    ...defaults,
    conf_file: "/etc/salt/master",
    pki_dir: "/pki",
    cachedir: "/cache",
    file_roots: { base: ["/srv/a", "/srv/b"], dev: ["/srv/dev"] },
    pillar_roots: { base: ["/srv/pillar"] },
    ...more,
  } as unknown as MasterOpts;
  const keys = new KeyDirectories(fs, crypto, opts.pki_dir);
  keys.prepare();
  fs.write("/pki/master.pem", PAIRS.master.privatePem);
  fs.write("/pki/master.pub", PAIRS.master.publicPem);
  for (
    const [directory, ids] of Object.entries({
      minions: ["web1"],
      minions_pre: ["new1", "new2"],
      minions_rejected: ["old1"],
      minions_denied: ["bad1"],
    })
  ) {
    for (const id of ids) fs.write(`/pki/${directory}/${id}`, PEM);
  }
  for (const directory of ["/srv/a/sub", "/srv/b", "/srv/dev", "/srv/pillar", "/cache/minions/web1"]) {
    fs.mkdir(directory);
  }
  fs.write("/srv/a/top.sls", "base: {}\n");
  fs.write("/srv/b/top.sls", "other: {}\n");
  fs.write("/srv/a/sub/blob", Uint8Array.of(0, 255, 1));
  fs.write("/secret", "root:x");
  fs.symlink("/secret", "/srv/a/link");
  const events: [string, Json][] = [];
  let rotations = 0;
  const admin = new KeyAdmin({
    runtime,
    log,
    opts,
    keys,
    fire: (tag, data) => void events.push([tag, data]),
    rotate: () => void rotations++,
    actor: { user: "ann", via: "wheel" },
    presence: { upSince: (id) => id === "web1" ? 5000 : undefined },
  });
  admin.senders.heard("pend", "new1", "10.0.0.7");
  admin.senders.heard("denied", "bad1", "10.0.0.8");
  admin.senders.heard("accept", "new2", "10.0.0.9");
  const lost = () => ({ sinceMs: 1000, lostMs: new Map([["db1", 2500]]), unnamed: 3 });
  const context: WheelContext = { runtime, log, opts, keys: admin, connected: () => ["web1"], lost };
  return {
    fs,
    opts,
    events,
    rotations: () => rotations,
    async call(fun, named = {}) {
      const [module = "", name = ""] = fun.split(".");
      const found = (await WHEELS[module]!()).wheel.functions[name]!;
      const bound = bindArguments(name, parseSignature(found.signature), [], new Map(Object.entries(named)));
      return await found.run(context, bound);
    },
  };
}

describe("key", () => {
  test("lists keys by status and by glob", async () => {
    const { call } = site();
    assert.deepEqual(await call("key.list_all"), {
      minions: ["web1"],
      minions_pre: ["new1", "new2"],
      minions_rejected: ["old1"],
      minions_denied: ["bad1"],
      local: ["master.pem", "master.pub"],
    });
    for (
      const [word, status] of [
        ["acc", "minions"],
        ["accepted", "minions"],
        ["un", "minions_pre"],
        ["pre", "minions_pre"],
        ["rej", "minions_rejected"],
        ["denied", "minions_denied"],
      ] as const
    ) assert.deepEqual(Object.keys(await call("key.list", { match: word })), [status], word);
    assert.deepEqual(await call("key.list", { match: "all" }), await call("key.list_all"));
    assert.deepEqual(await call("key.list", { match: "nonsense" }), {});
    assert.deepEqual(await call("key.name_match", { match: "*1" }), {
      minions: ["web1"],
      minions_pre: ["new1"],
      minions_rejected: ["old1"],
      minions_denied: ["bad1"],
    });
  });

  test("details are when a key came, from which address, and since when its minion is up", async () => {
    const { call, fs } = site();
    for (const path of ["minions/web1", "minions_pre/new1", "minions_denied/bad1"]) {
      fs.utimes(`/pki/${path}`, 1, 90_000);
    }
    assert.deepEqual(await call("key.details", { match: "*1" }), {
      minions: { web1: { since: 90, up_since: 5 } },
      minions_pre: { new1: { since: 90, address: "10.0.0.7" } },
      minions_denied: { bad1: { since: 90, address: "10.0.0.8" } },
      minions_rejected: { old1: { since: fs.stat("/pki/minions_rejected/old1")!.mtimeMs / 1000 } },
    });
    assert.equal((await call("key.details", { match: "new2" })).minions_pre.new2.address, undefined);
  });

  test("details of thousands of keys are bounded, and those that are not accepted come first", async () => {
    const { call, fs } = site();
    for (let at = 0; at < 2100; at++) fs.write(`/pki/minions/m${at}`, PEM);
    const found = await call("key.details", { match: "*" });
    assert.deepEqual(Object.keys(found.minions_pre), ["new1", "new2"]);
    const counts = Object.values(found as Record<string, Json>).map((keys) => Object.keys(keys).length);
    assert.equal(counts.reduce((sum, count) => sum + count, 0), 2000);
  });

  test("accepts pending keys, and others only on request", async () => {
    const { call, events, rotations } = site();
    assert.deepEqual(await call("key.accept", { match: "*1" }), {
      minions: ["new1", "web1"],
      minions_rejected: ["old1"],
      minions_denied: ["bad1"],
    });
    assert.deepEqual(events, [["salt/key", { result: true, act: "accept", id: "new1" }]]);
    assert.equal(rotations(), 0);
    assert.deepEqual(await call("key.accept", { match: "old1", include_rejected: true }), { minions: ["old1"] });
    assert.deepEqual(await call("key.accept", { match: "zz*" }), {});
    assert.deepEqual(await call("key.accept_dict", { match: { minions_pre: ["new2", "nobody"] } }), {});
    assert.deepEqual((await call("key.list", { match: "acc" })).minions, ["new1", "new2", "old1", "web1"]);
  });

  test("rejects and deletes keys, with what belongs to them", async () => {
    const { call, fs, rotations } = site();
    assert.deepEqual(await call("key.reject", { match: "new*" }), { minions_rejected: ["new1", "new2"] });
    assert.deepEqual(await call("key.reject", { match: "web1" }), { minions: ["web1"] });
    assert.deepEqual(await call("key.delete", { match: "web1" }), {});
    assert.equal(fs.stat("/cache/minions/web1"), undefined);
    assert.equal(rotations(), 2);
    assert.deepEqual(await call("key.delete_dict", { match: { minions_rejected: ["new1"], minions: ["old1"] } }), {});
    assert.deepEqual((await call("key.list", { match: "rej" })).minions_rejected, ["new2", "old1"]);
  });

  test("preserve_minion_cache and rotate_aes_key have their effect", async () => {
    const { call, fs, rotations } = site({ preserve_minion_cache: true, rotate_aes_key: false });
    await call("key.delete", { match: "web1" });
    assert.ok(fs.stat("/cache/minions/web1"));
    assert.equal(rotations(), 0);
  });

  test("an invalid key is not accepted", async () => {
    const { call, fs, events } = site();
    fs.write("/pki/minions_pre/new1", "nonsense");
    assert.deepEqual(await call("key.accept", { match: "new*" }), { minions: ["new2"], minions_pre: ["new1"] });
    assert.deepEqual(events.map(([, { id }]) => id), ["new2"]);
  });

  test("fingerprints and texts", async () => {
    const { call } = site();
    const { minions, local } = await call("key.finger", { match: "*" });
    assert.match(minions.web1, FINGER);
    assert.deepEqual(Object.keys(local), ["master.pem", "master.pub"]);
    assert.match(
      (await call("key.finger", { match: "web1", hash_type: "md5" })).minions.web1,
      /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/,
    );
    await assert.rejects(call("key.finger", { match: "web1", hash_type: "rot13" }), /"rot13"/);
    assert.deepEqual(await call("key.finger", { match: "nobody" }), {});
    assert.match((await call("key.finger_master")).local["master.pub"], FINGER);
    assert.deepEqual(await call("key.print", { match: "web1" }), { minions: { web1: PEM } });
    // Never the master's private key.
    assert.equal(JSON.stringify(await call("key.key_str", { match: "*" })).includes("PRIVATE"), false);
    assert.deepEqual(await call("key.master_key_str"), { local: { "master.pub": PAIRS.master.publicPem } });
  });

  test("generates pairs, and accepts them", async () => {
    const { call, fs } = site();
    const made = await call("key.gen_accept", { id_: "edge1" });
    assert.match(made.priv, /PRIVATE KEY/);
    assert.equal(fs.readText("/pki/minions/edge1"), made.pub);
    assert.deepEqual(await call("key.gen_accept", { id_: "edge1" }), {});
    assert.equal(fs.readText("/pki/minions/edge1"), made.pub);
    const forced = await call("key.gen_accept", { id_: "edge1", force: true });
    assert.equal(fs.readText("/pki/minions/edge1"), forced.pub);
    assert.match((await call("key.gen", { keysize: "512" })).pub, /PUBLIC KEY/);
    for (const keysize of ["many", 1e9]) {
      await assert.rejects(call("key.gen", { keysize }), /keysize is/, String(keysize));
    }
  });

  test("gen_keys writes a pair, keeps one that exists, and takes no path for a name", async () => {
    const { call, fs } = site();
    assert.match(await call("key.gen_keys", { keydir: "/made", keyname: "edge1" }), FINGER);
    assert.match(fs.readText("/made/edge1.pem"), /PRIVATE KEY/);
    assert.equal(fs.stat("/made/edge1.pem")!.mode, 0o400);
    await call("key.gen_keys", { keydir: "/pki", keyname: "master" });
    assert.equal(fs.readText("/pki/master.pem"), PAIRS.master.privatePem);
    for (const keyname of ["../evil", "a/b", "", 7]) {
      await assert.rejects(call("key.gen_keys", { keydir: "/made", keyname }), /keyname is/, String(keyname));
    }
    await assert.rejects(call("key.gen_keys", { keydir: ["x"] }), /keydir is/);
  });

  test("gen_signature signs the master's key, or says which key is missing", async () => {
    const { call, fs } = site();
    const files = { priv: "", pub: "", signature_path: "" };
    assert.equal(await call("key.gen_signature", files), "No usable private-key found");
    assert.equal(await call("key.gen_signature", { ...files, priv: "/none" }), "Private-key /none does not exist");
    fs.write("/pki/master_sign.pem", PAIRS.minion.privatePem);
    assert.equal(await call("key.gen_signature", { ...files, pub: "/none" }), "Public-key /none does not exist");
    assert.equal(await call("key.gen_signature", files), true);
    const signature = Uint8Array.from(atob(fs.readText("/pki/master_pubkey_signature")), (one) => one.charCodeAt(0));
    const key = crypto.loadPublicKey(PAIRS.minion.publicPem);
    const text = new TextEncoder().encode(cleanPem(PAIRS.master.publicPem));
    assert.ok(rsaVerify(crypto, "PKCS1v15-SHA1", key, text, signature));
    // Real Salt takes the path for a directory.
    fs.mkdir("/elsewhere");
    assert.equal(await call("key.gen_signature", { ...files, signature_path: "/elsewhere" }), true);
    assert.ok(fs.stat("/elsewhere/master_pubkey_signature"));
  });

  test("history has each decision with its user, the newest of a glob", async () => {
    const { call, fs } = site();
    await call("key.accept", { match: "new1" });
    await call("key.reject", { match: "new2" });
    await call("key.delete", { match: "web1" });
    const shown = (await call("key.history")).map((one: Json) => [one.act, one.id, one.was, one.user, one.via]);
    assert.deepEqual(shown, [
      ["accept", "new1", "pre", "ann", "wheel"],
      ["reject", "new2", "pre", "ann", "wheel"],
      ["delete", "web1", "accepted", "ann", "wheel"],
    ]);
    assert.match((await call("key.history", { match: "web*" }))[0].finger, FINGER);
    assert.deepEqual((await call("key.history", { limit: 1 })).map((one: Json) => one.id), ["web1"]);
    assert.equal(fs.stat("/pki/key_history")!.mode, 0o600);
    for (const limit of [0, -1, "many"]) await assert.rejects(call("key.history", { limit }), /limit is/);
  });

  test("an accepted key that another one replaces is named in event and history, and the master key is rotated", async () => {
    const ways: [fun: string, named: Record<string, unknown>, state: string][] = [
      ["key.accept", { match: "web1", include_denied: true }, "minions_denied"],
      ["key.accept_dict", { match: { minions_denied: ["web1"] }, include_denied: true }, "minions_denied"],
      ["key.accept", { match: "web1", include_rejected: true }, "minions_rejected"],
      ["key.accept", { match: "web1" }, "minions_pre"],
      ["key.gen_accept", { id_: "web1", force: true }, ""],
    ];
    for (const [fun, named, state] of ways) {
      const { call, fs, events, rotations } = site();
      const old = (await call("key.finger", { match: "web1" })).minions.web1;
      if (state !== "") fs.write(`/pki/${state}/web1`, PAIRS.other.publicPem);
      await call(fun, named);
      const [decision] = await call("key.history", { match: "web1" });
      assert.equal(decision.replaced, old, fun);
      assert.notEqual(decision.finger, old);
      assert.equal((await call("key.finger", { match: "web1" })).minions.web1, decision.finger);
      assert.equal(events.find(([tag, { id }]) => tag === "salt/key" && id === "web1")![1].replaced, old);
      assert.equal(rotations(), 1, "the holder of the key before cannot open publications any more");
    }
  });

  test("accepting what replaces nothing names nothing", async () => {
    const { call, fs, events, rotations } = site();
    fs.write("/pki/minions_denied/web1", PEM);
    await call("key.accept", { match: "web1,bad1,new1", include_denied: true });
    await call("key.reject", { match: "new2" });
    assert.deepEqual((await call("key.history")).map((one: Json) => one.replaced).filter(Boolean), []);
    assert.deepEqual(events.filter(([, { act, replaced }]) => act === "accept" && replaced !== undefined), []);
    assert.equal(rotations(), 1, "for the rejected one alone");
  });

  test("ids never lead out of the key directories", async () => {
    const { call, fs } = site();
    for (const id_ of ["../evil", "a/b", "", "..", "a\0", 7, null]) {
      await assert.rejects(call("key.gen_accept", { id_ }), /expected a minion id/, String(id_));
    }
    for (
      const match of [
        { minions: ["../../secret"] },
        { minions: "web1" },
        { "../srv": ["a"] },
        { local: ["master.pem"] },
        "web1",
        null,
      ]
    ) {
      for (const fun of ["key.delete_dict", "key.accept_dict", "key.reject_dict"]) {
        await assert.rejects(call(fun, { match }), /match is .*expected a map/, JSON.stringify(match));
      }
    }
    assert.equal(fs.readText("/secret"), "root:x");
    assert.equal(fs.readText("/pki/master.pem"), PAIRS.master.privatePem);
  });
});

describe("config", () => {
  test("values has the options, and hides what is secret in them", async () => {
    const { call } = site({
      sharedsecret: "open-sesame",
      timeout: 7,
      saltgui_templates: { a: 1 },
      ext_pillar: [{ pg: { host: "db", password: "hunter2" } }],
      key_pass: "hunter2",
      "auth.ldap.bindpw": "hunter2",
    });
    const values = await call("config.values");
    assert.equal(values.timeout, 7);
    assert.deepEqual(values.saltgui_templates, { a: 1 });
    assert.equal(values.ext_pillar[0].pg.host, "db");
    assert.doesNotMatch(JSON.stringify(values), /hunter2|open-sesame/);
  });

  test("update_config writes a file of its own, only in the included directory", async () => {
    const { call, fs } = site();
    assert.equal(
      await call("config.update_config", { file_name: "gui", yaml_contents: { timeout: 9 } }),
      "Wrote gui.conf",
    );
    assert.equal(fs.readText("/etc/salt/master.d/gui.conf").trim(), "timeout: 9");
    for (const file_name of ["../../etc/passwd", "/etc/x", "a/b", "", "..", null]) {
      assert.equal(
        await call("config.update_config", { file_name, yaml_contents: {} }),
        "Invalid path",
        String(file_name),
      );
    }
    assert.deepEqual(fs.list("/etc/salt/master.d"), ["gui.conf"]);
    const wrote = await call("config.update_config", { file_name: "text", yaml_contents: "timeout: 9\nwin: true" });
    assert.equal(wrote, "Wrote text.conf");
    assert.equal(fs.readText("/etc/salt/master.d/text.conf").trim(), "timeout: 9\nwin: true");
    for (const yaml_contents of ["just words", "[1, 2]", "a: b: c", 5, null]) {
      const said = await call("config.update_config", { file_name: "x", yaml_contents });
      assert.match(said, /expected a map|mapping values/, String(yaml_contents));
    }
    assert.equal(fs.stat("/etc/salt/master.d/x.conf"), undefined);
  });
});

describe("file_roots and pillar_roots", () => {
  test("find, read and list files", async () => {
    const { call } = site();
    assert.deepEqual(await call("file_roots.find", { path: "top.sls" }), [{ "/srv/a/top.sls": "txt" }, {
      "/srv/b/top.sls": "txt",
    }]);
    assert.deepEqual(await call("file_roots.find", { path: "sub/blob" }), [{ "/srv/a/sub/blob": "bin" }]);
    assert.deepEqual(await call("file_roots.read", { path: "top.sls" }), [{ "/srv/a/top.sls": "base: {}\n" }, {
      "/srv/b/top.sls": "other: {}\n",
    }]);
    assert.deepEqual(await call("file_roots.read", { path: "sub/blob" }), []);
    assert.deepEqual(await call("file_roots.list_env"), {
      "/srv/a": { link: "f", sub: { blob: "f" }, "top.sls": "f" },
      "/srv/b": { "top.sls": "f" },
    });
    assert.deepEqual(Object.keys(await call("file_roots.list_roots")), ["base", "dev"]);
    assert.deepEqual(await call("file_roots.find", { path: "top.sls", saltenv: "none" }), []);
    assert.deepEqual(await call("pillar_roots.list_env"), { "/srv/pillar": {} });
  });

  test("write to the given directory", async () => {
    const { call, fs } = site();
    assert.equal(
      await call("pillar_roots.write", { data: "a: 1\n", path: "deep/x.sls" }),
      "Wrote data to file /srv/pillar/deep/x.sls",
    );
    assert.equal(fs.readText("/srv/pillar/deep/x.sls"), "a: 1\n");
    assert.equal(await call("file_roots.write", { data: "x", path: "y", index: 1 }), "Wrote data to file /srv/b/y");
    assert.equal(
      await call("file_roots.write", { data: "x", path: "y", saltenv: "no" }),
      "Named environment no is not present",
    );
    assert.equal(
      await call("file_roots.write", { data: "x", path: "y", index: 9 }),
      "Specified index 9 in environment base is not present",
    );
    assert.match(await call("file_roots.write", { data: { a: 1 }, path: "y" }), /data is/);
  });

  test("never leave their directories", async () => {
    const { call, fs } = site();
    for (const path of ["../../secret", "/secret", "link", "sub/../../../secret", "..", "", "a\0b", null, ["x"]]) {
      assert.deepEqual(await call("file_roots.find", { path }), [], String(path));
      assert.deepEqual(await call("file_roots.read", { path }), [], String(path));
      const answer = await call("file_roots.write", { data: "evil", path });
      assert.match(answer, /Invalid path|is not relative/, String(path));
    }
    fs.symlink("/pki", "/srv/a/keys");
    assert.match(await call("file_roots.write", { data: "evil", path: "keys/minions/evil" }), /Invalid path/);
    assert.equal(fs.readText("/secret"), "root:x");
    assert.equal(fs.stat("/pki/minions/evil"), undefined);
  });
});

describe("minions and error", () => {
  test("the connected minions, and an error on request", async () => {
    const { call } = site();
    assert.deepEqual(await call("minions.connected"), ["web1"]);
    assert.deepEqual(await call("minions.presence"), { connected: ["web1"], lost: { db1: 2.5 }, since: 1, unnamed: 3 });
    assert.deepEqual(await call("error.error"), {});
    await assert.rejects(call("error.error", { name: "Boom", message: "hey" }), { name: "Boom", message: "hey" });
  });
});
