/** A Brine master with minions in memory, set up as tests/golden-api/README.md says, and a gateway's backend for it. */
import type { MasterRunnerJob } from "../../../src/host/master/jobs/runners.ts";
import { RUNNER_PLUGINS } from "../../../cli/runner_plugins.ts";
import { RunnerHost } from "../../../src/host/runner/runner_host.ts";
import { type Backend, masterBackend } from "../../../src/host/gateway/mod.ts";
import type { ExecutionModule } from "../../../src/model/loader/family.ts";
import { localCache } from "../../../src/plugins/job_caches/local_cache.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type Cluster, type ClusterOptions, PAIRS, startCluster } from "../../support/start_cluster.ts";
import type { GoldenMaster, KeyState } from "./golden_bed.ts";
import { EXTERNAL_AUTH, USERS } from "./users.ts";

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

const FOLDERS: Record<string, string> = { accepted: "minions", pre: "minions_pre", rejected: "minions_rejected" };
/** The clock runs ten times as fast as real time, so that no test waits long for a timeout. */
const STEP = { realMs: 1, fakeMs: 10 };

export interface Site extends AsyncDisposable {
  cluster: Cluster;
  backend: Backend;
  master: GoldenMaster;
}

/** There are no processes in memory: what the exchanges print is what `echo` would. */
const CMD: ExecutionModule = {
  functions: {
    run: {
      signature: "cmd, cwd=None",
      doc: "",
      run: (_context, { cmd }) => String(cmd).replace(/^echo /, ""),
    },
  },
};

/** What the master runs runners with: in this very process. */
function runners(cluster: () => Cluster) {
  return {
    async run({ fun, low, jid, user }: MasterRunnerJob) {
      const { runtime, masterOpts, captured } = cluster();
      const host = await RunnerHost.open({
        runtime,
        log: captured.log.child("runner"),
        opts: masterOpts,
        plugins: RUNNER_PLUGINS,
        isBrine: true,
        delimiter: ":",
        jid,
        screen: { quiet: true, show: async () => {}, line: () => {} },
      });
      await host.answer({ fun, low, user });
      await host.close();
      return { status: "exit code 0", printed: "" };
    },
    close: () => {},
  };
}

export async function startSite(options: Pick<ClusterOptions, "minions" | "master" | "modules"> = {}): Promise<Site> {
  const current = await currentRuntime();
  const started: { cluster?: Cluster } = {};
  const asked: ClusterOptions = {
    minions: options.minions ?? ["web1", "db1", "slow1"],
    grains: (id) => ({ role: id, kernel: "Linux" }),
    master: {
      external_auth: EXTERNAL_AUTH,
      sharedsecret: "open-sesame",
      timeout: 5,
      gather_job_timeout: 5,
      nodegroups: { webs: "web*", dbs: "L@db1" },
      master_job_cache: "local_cache",
      ...options.master,
    },
    modules: { cmd: () => Promise.resolve({ module: CMD }), ...options.modules },
    compilePillar: () => Promise.resolve({ color: "blue", nested: { a: 1, b: ["x", "y"] } }),
    runners: runners(() => started.cluster!),
    prepare(runtime, root) {
      const { fs, crypto, clock, later } = runtime;
      fs.write("/brine/users", USERS, { mode: 0o600 });
      asked.jobs = localCache({
        fs,
        crypto,
        clock,
        later,
        cacheDir: `${root}/cache`,
        hashName: "sha256",
        storeEndtime: false,
      });
    },
  };
  // The clock has to go on while the cluster starts, too.
  const cluster = await startCluster(asked);
  started.cluster = cluster;
  let timer: unknown;
  const tick = () => {
    cluster.clock.advance(STEP.fakeMs);
    timer = setTimeout(tick, STEP.realMs);
  };
  tick();
  const { runtime } = cluster;
  const backend = masterBackend({ runtime, log: cluster.captured.log.child("gateway"), opts: cluster.masterOpts });
  const { fs } = runtime;
  return {
    cluster,
    backend,
    master: {
      runtime,
      sockets: current,
      opts: cluster.masterOpts,
      backend,
      directory: "/brine/served",
      setKey(id: string, state: KeyState) {
        for (const folder of Object.values(FOLDERS)) fs.remove(`${cluster.root}/pki/${folder}/${id}`);
        if (state === "absent") return;
        const folder = `${cluster.root}/pki/${FOLDERS[state]}`;
        fs.mkdir(folder);
        fs.write(`${folder}/${id}`, PAIRS.other.publicPem, { mode: 0o644 });
      },
    },
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]();
      await cluster.close();
      clearTimeout(timer);
    },
  };
}
