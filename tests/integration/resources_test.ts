/** A master whose disk is full, or that has no file descriptors left: it goes on, says why once, and it is over when the cause is. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../bench/bed/until.ts";
import { SystemError } from "../../src/base/errors.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { type Cluster, PAIRS, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 60_000 };

/** What the system says, and which calls it says it to. */
const FAULTS = {
  "a full disk": {
    code: "ENOSPC",
    calls: ["write", "append", "writeAt", "mkdir", "symlink", "link"],
  },
  "no file descriptors": {
    code: "EMFILE",
    calls: ["read", "readText", "readAt", "list", "write", "append", "writeAt"],
  },
} as const;

/** A master whose files fail while the switch is down. */
async function faulty(fault: (typeof FAULTS)[keyof typeof FAULTS], master: Record<string, unknown> = {}) {
  let down = false;
  const cluster = await startCluster({
    master: { loop_interval: 5, ...master },
    prepare({ fs }) {
      for (const name of fault.calls) {
        const call = fs[name] as (...args: unknown[]) => unknown;
        (fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
          if (down) throw new SystemError(fault.code, `${fault.code}: cannot use "${args[0]}"`);
          return call.apply(fs as FileSystem, args);
        };
      }
    },
  });
  return { cluster, fail: () => void (down = true), mend: () => void (down = false) };
}

/** Lets the master live through some time, second by second. */
async function live({ clock }: Cluster, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    clock.advance(1000);
    await turns(2);
  }
}

/** Lets it live until something has happened. */
async function liveUntil(cluster: Cluster, event: Promise<unknown>): Promise<void> {
  let over = false;
  const end = event.finally(() => over = true);
  while (!over) await live(cluster, 1);
  await end;
}

for (const [name, fault] of Object.entries(FAULTS)) {
  describe(name, TIMEOUT, () => {
    test("a minion that is there is asked and answers, before, meanwhile and afterwards", async () => {
      const { cluster, fail, mend } = await faulty(fault);
      await using _cluster = cluster;
      const client = await cluster.client();
      const ping = async () => {
        const { jid } = (await client.publish({ tgt: "*", fun: "test.ping" }))!;
        await cluster.event(`salt/job/${jid}/ret/web1`);
      };
      await live(cluster, 5);
      await ping();
      fail();
      await live(cluster, 10);
      await ping();
      mend();
      await live(cluster, 10);
      await ping();
    });

    test("a duty that cannot be done is named once, and done when it can be", async () => {
      const { cluster, fail, mend } = await faulty(fault, { key_cache: "sched", presence_events: true });
      await using _cluster = cluster;
      await live(cluster, 10);
      fail();
      cluster.runtime.fs.rename(`${cluster.root}/pki/minions/.key_cache`, `${cluster.root}/gone`);
      await live(cluster, 60);
      const told = () => cluster.captured.records.filter(({ fields }) => fields.duty === "write the key cache");
      assert.equal(told().length, 1);
      assert.match(String(told()[0]!.fields.error), new RegExp(fault.code));
      mend();
      await live(cluster, 10);
      assert.deepEqual(told().map(({ message }) => message), ["maintenance failed", "maintenance works again"]);
      assert.ok(cluster.runtime.fs.stat(`${cluster.root}/pki/minions/.key_cache`));
    });

    test("a minion that signs in anew is let in when it is over, at the latest", async () => {
      const { cluster, fail, mend } = await faulty(fault);
      await using _cluster = cluster;
      cluster.acceptKey("web2", PAIRS.other);
      await live(cluster, 5);
      fail();
      const minion = await cluster.startMinion("web2", { pair: PAIRS.other, accept: false });
      await live(cluster, 30);
      mend();
      await liveUntil(cluster, minion.ready);
    });
  });
}

test(
  "a minion whose master has no pillar to give at first asks again until it has, and is ready then",
  TIMEOUT,
  async () => {
    let trouble = true;
    const answered: unknown[] = [];
    await using cluster = await startCluster({ minions: [] });
    const { services } = cluster.master;
    // What a handler throws is answered by an empty reply.
    Object.defineProperty(services.opts, "minion_data_cache", {
      get() {
        answered.push(trouble);
        if (trouble) throw new SystemError("EIO", "EIO: the disk is broken");
        return true;
      },
    });
    const minion = await cluster.startMinion("web1");
    const told = () => cluster.captured.complaints().filter((text) => text.startsWith("no pillar from the master"));
    await until(() => answered.length > 0 && told().length > 0, { clock: cluster.clock, stepMs: 1000 });
    await live(cluster, 10);
    trouble = false;
    await liveUntil(cluster, minion.ready);
    assert.equal(told().length, 1);
  },
);

test("that no file can be opened is logged once, and once that it is over", TIMEOUT, async () => {
  const { cluster, fail, mend } = await faulty(FAULTS["no file descriptors"]);
  await using _cluster = cluster;
  const told = () =>
    cluster.captured.records.filter(({ message }) => /file descriptors/.test(message)).map(({ level, message }) =>
      `${level}: ${message.split(":")[0]}`
    );
  await live(cluster, 10);
  assert.deepEqual(told(), []);
  fail();
  await live(cluster, 60);
  assert.deepEqual(told(), ["error: no file descriptors left"]);
  mend();
  await live(cluster, 30);
  assert.deepEqual(told(), ["error: no file descriptors left", "info: file descriptors are available again"]);
});

for (
  const [limit, want] of [[100, []], [14, ["warning"]], [11, ["critical"]]] as [number, string[]][]
) {
  test(
    `six accepted minions and a limit of ${limit} open files: ${want.join() || "nothing to say"}`,
    TIMEOUT,
    async () => {
      await using cluster = await startCluster({
        minions: [],
        prepare({ fs }, root) {
          fs.mkdir("/proc/self");
          fs.write(
            "/proc/self/limits",
            `Limit  Soft Limit  Hard Limit  Units\nMax open files  ${limit}  4096  files\n`,
          );
          for (let at = 0; at < 6; at++) fs.write(`${root}/pki/minions/m${at}`, "a key");
        },
      });
      await live(cluster, 2);
      const told = () =>
        cluster.captured.records.filter(({ message }) => message.startsWith("the open-file limit is too low"));
      assert.deepEqual(told().map(({ level }) => level), want);
      for (const { fields } of told()) assert.deepEqual(fields, { accepted_minions: 6, open_files: limit, wanted: 24 });
    },
  );
}
