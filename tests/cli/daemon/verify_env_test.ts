/** The directories of a daemon: made, closed where they hold secrets, and named with a remedy where that cannot be. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { verifyEnv } from "../../../cli/daemon/verify_env.ts";
import { masterOptions, minionOptions } from "../../../src/model/config/given.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

async function bed(kind: "master" | "minion" = "master") {
  const runtime = await currentRuntime();
  const root = mkdtempSync(path.join(tmpdir(), "brine-env-"));
  const opts = (kind === "master" ? masterOptions : minionOptions)({ root_dir: root });
  const uid = runtime.process.uid();
  const at = (name: string) => path.join(root, name);
  return {
    root,
    at,
    mode: (name: string) => statSync(at(name)).mode & 0o777,
    verify: (more: { mend?: boolean; uid?: number | undefined; runtime?: typeof runtime } = {}) =>
      verifyEnv({ runtime, kind, opts, uid, mend: true, ...more }),
    runtime,
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

describe("verify_env", () => {
  test("makes what a master needs, its keys and tokens for its user alone", async () => {
    using place = await bed();
    assert.deepEqual(place.verify(), []);
    for (const name of ["", "/minions", "/minions_pre", "/minions_rejected", "/minions_denied", "/minions_autosign"]) {
      assert.equal(place.mode(`etc/salt/pki/master${name}`), 0o700, name);
    }
    assert.equal(place.mode("var/cache/salt/master/tokens"), 0o700);
    for (const name of ["var/cache/salt/master", "var/run/salt/master", "var/log/salt"]) {
      assert.equal(place.mode(name), 0o755, name);
    }
    assert.deepEqual(place.verify(), []);
  });

  test("makes what a minion needs", async () => {
    using place = await bed("minion");
    assert.deepEqual(place.verify(), []);
    assert.equal(place.mode("etc/salt/pki/minion"), 0o700);
    assert.equal(place.mode("var/cache/salt/minion/extmods"), 0o755);
  });

  test("as root changes nothing behind a link that the daemon's user has put in the place of a directory", async () => {
    using place = await bed();
    place.verify();
    const { runtime } = place;
    const link = place.at("etc/salt/pki/master/minions");
    rmSync(link, { recursive: true });
    mkdirSync(place.at("victim"), { mode: 0o755 });
    chmodSync(place.at("victim"), 0o755);
    symlinkSync(place.at("victim"), link);
    const stat: typeof runtime.fs.stat = (file, options) => {
      const found = runtime.fs.stat(file, options);
      return found?.kind === "symlink" ? { ...found, uid: 1234 } : found;
    };
    const asRoot = {
      ...runtime,
      fs: { ...runtime.fs, stat },
      process: { ...runtime.process, uid: () => 0 },
    };
    const problems = place.verify({ runtime: asRoot });
    assert.deepEqual(
      problems.filter(({ path: at }) => at === link).map(({ problem, mended }) => [problem, mended]),
      [["it is a link that user 1234 created", false]],
    );
    assert.equal(place.mode("victim"), 0o755);
  });

  test("says that no custom modules are loaded from below a directory that a stranger has made in an open place", async () => {
    using place = await bed("minion");
    place.verify();
    const { runtime } = place;
    const stat: typeof runtime.fs.stat = (file, options) => {
      const found = runtime.fs.stat(file, options);
      return file === place.root && found !== undefined ? { ...found, uid: 1234 } : found;
    };
    const problems = place.verify({ runtime: { ...runtime, fs: { ...runtime.fs, stat } }, mend: false });
    const stranger = `custom modules are not loaded from it: "${place.root}" belongs to user 1234`;
    assert.deepEqual(problems.map(({ path: at, problem, severe }) => [at, problem, severe]), [
      [place.at("var/cache/salt/minion"), stranger, true],
      [place.at("var/cache/salt/minion/extmods"), stranger, true],
    ]);
  });

  test("closes the directory of keys and a private key that others may read, and leaves what a group may read", async () => {
    using place = await bed();
    place.verify();
    const key = place.at("etc/salt/pki/master/master.pem");
    writeFileSync(key, "-----BEGIN PRIVATE KEY-----\n");
    writeFileSync(place.at("etc/salt/pki/master/master.pub"), "");
    chmodSync(key, 0o644);
    chmodSync(place.at("etc/salt/pki/master"), 0o755);
    assert.deepEqual(
      place.verify({ mend: false }).map(({ path: at, problem, remedy, mended }) => [at, problem, remedy, mended]),
      [
        [
          place.at("etc/salt/pki/master"),
          "its mode is 0755, which gives other users access",
          "nothing to do: the daemon sets it to 0700 at startup",
          false,
        ],
        [key, "its mode is 0644, which gives other users access", `run: chmod 0600 ${key}`, false],
      ],
    );
    assert.equal(place.mode("etc/salt/pki/master"), 0o755);
    assert.deepEqual(place.verify().map(({ mended }) => mended), [true, true]);
    assert.deepEqual([statSync(key).mode & 0o777, place.mode("etc/salt/pki/master")], [0o600, 0o700]);
    chmodSync(place.at("etc/salt/pki/master"), 0o750);
    chmodSync(key, 0o440);
    assert.deepEqual(place.verify(), []);
  });

  test("closes the cache directory to writers, and follows no link to a secret", async () => {
    using place = await bed();
    place.verify();
    chmodSync(place.at("var/cache/salt/master"), 0o777);
    writeFileSync(place.at("elsewhere"), "");
    chmodSync(place.at("elsewhere"), 0o644);
    symlinkSync(place.at("elsewhere"), place.at("var/cache/salt/master/.root_key"));
    assert.deepEqual(place.verify().map(({ mended }) => mended), [true]);
    assert.deepEqual([place.mode("var/cache/salt/master"), place.mode("elsewhere")], [0o775, 0o644]);
  });

  test("names a file in place of a directory, and a directory of another user", async () => {
    using place = await bed();
    mkdirSync(place.at("var/cache/salt"), { recursive: true });
    writeFileSync(place.at("var/cache/salt/master"), "");
    const [problem] = place.verify();
    assert.match(`${problem!.path}: ${problem!.problem}`, /master: it is a file, not a directory/);
    rmSync(place.at("var/cache/salt/master"));
    place.verify();
    const { runtime } = place;
    // Whoever runs the tests may write there.
    const stranger = {
      ...runtime,
      fs: { ...runtime.fs, access: () => false },
      process: { ...runtime.process, uid: () => 12_345 },
    };
    const [first] = place.verify({ runtime: stranger, uid: 12_345, mend: false });
    assert.match(first!.problem, /^it belongs to user \d+, not to user 12345 of the daemon$/);
    assert.match(first!.remedy, /^if this daemon alone uses it, run: chown -R 12345 .*Else set \w+ to/);
  });

  test("warns of what a start as root will give to the daemon's user, and not of the directory of logs", async () => {
    using place = await bed();
    place.verify();
    const { runtime } = place;
    const root = { ...runtime, process: { ...runtime.process, uid: () => 0 } };
    const found = place.verify({ runtime: root, uid: 12_345, mend: false });
    assert.ok(found.length > 0 && found.every(({ severe }) => !severe));
    assert.deepEqual(found.filter(({ path: at }) => at === place.at("var/log/salt")), []);
  });

  test("only looks at missing directories without making them", async () => {
    using place = await bed();
    assert.deepEqual(place.verify({ mend: false }), []);
    assert.throws(() => place.mode("var"));
  });
});
