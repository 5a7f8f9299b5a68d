/** A master that starts before its servers, as a process of its own. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { doctorMain } from "../../../cli/programs/doctor.ts";
import { runInProcess } from "../../support/program.ts";
import { freePort, RunningProgram } from "../../support/running_program.ts";
import { noNats, noPostgres, startNats, startPostgres } from "../../support/servers.ts";

const TIMEOUT = { timeout: 120_000 };
const WAITS = "waiting for a server of the cluster";

/** A directory with the configuration of a master of a cluster. */
class Place implements Disposable {
  readonly root = mkdtempSync(path.join(tmpdir(), "brine-waiting-"));
  readonly etc = path.join(this.root, "etc");

  async configure(postgres: string, nats: string): Promise<void> {
    mkdirSync(this.etc, { recursive: true });
    const user = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
    const ports = { publish_port: await freePort(), ret_port: await freePort() };
    const own = { root_dir: this.root, user, id: "a", interface: "127.0.0.1", log_level: "info", ...ports };
    writeFileSync(path.join(this.etc, "master"), JSON.stringify({ ...own, cluster: { postgres, nats } }));
  }

  start(): RunningProgram {
    return new RunningProgram("salt-master", ["-c", this.etc]);
  }

  get waitingFile(): string {
    return path.join(this.root, "var/cache/salt/master/cluster/waiting");
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function ended(master: RunningProgram): Promise<number | null | undefined> {
  await until(`the master ends: ${master.said}`, () => master.ended);
  return master.code;
}

describe(
  "a master of a cluster whose servers are away",
  { ...TIMEOUT, skip: noNats() ?? noPostgres() ?? false },
  () => {
    test("waits, is named by salt-doctor, and ends at once by SIGTERM", TIMEOUT, async () => {
      using place = new Place();
      await place.configure(`postgres://salt@127.0.0.1:${await freePort()}/postgres`, "nats://127.0.0.1:4222");
      const master = place.start();
      try {
        await master.saying(WAITS);
        assert.match(master.said, /check that the server of cluster: postgres runs/);
        const { stdout } = await runInProcess("salt-doctor", doctorMain, [
          "--out=json",
          "-c",
          place.etc,
          "--as=master",
        ]);
        assert.match(
          stdout,
          /cluster: the master is waiting and does not serve yet: Cannot use the cluster's database at/,
        );
        master.kill("SIGTERM");
        assert.equal(await ended(master), 0, master.said);
      } finally {
        if (!master.ended) master.kill("SIGKILL");
      }
    });

    test("serves once PostgreSQL is there, and then NATS", TIMEOUT, async () => {
      using place = new Place();
      await using postgres = await startPostgres();
      await using nats = await startNats();
      await postgres.stop();
      await nats.stop();
      await place.configure(`postgres://salt@127.0.0.1:${postgres.port}/postgres`, `nats://127.0.0.1:${nats.port}`);
      const master = place.start();
      try {
        await master.saying("check that the server of cluster: postgres runs");
        await postgres.start();
        await master.saying("cluster: nats");
        assert.ok(existsSync(place.waitingFile));
        await nats.start();
        await master.saying("master is running");
        assert.equal(existsSync(place.waitingFile), false);
        master.kill("SIGTERM");
        assert.equal(await ended(master), 0, master.said);
      } finally {
        if (!master.ended) master.kill("SIGKILL");
      }
    });

    test("ends with a clear message where waiting would mend nothing", TIMEOUT, async () => {
      await using postgres = await startPostgres();
      await using nats = await startNats(["--user", "salt", "--pass", "right"]);
      const database = (name: string) => `postgres://salt@127.0.0.1:${postgres.port}/${name}`;
      const bus = (password: string) => `nats://salt:${password}@127.0.0.1:${nats.port}`;
      for (
        const [storage, server, said] of [
          [database("nosuch"), bus("right"), /create the database that cluster: postgres names/],
          [database("postgres"), bus("wrong"), /Cannot connect to .*: Authorization Violation/],
        ] as const
      ) {
        using place = new Place();
        await place.configure(storage, server);
        const master = place.start();
        assert.equal(await ended(master), 1, master.said);
        assert.match(master.said, said);
        assert.doesNotMatch(master.said, /wrong@|right@/);
        assert.equal(existsSync(place.waitingFile), false);
      }
    });
  },
);
