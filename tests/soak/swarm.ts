/**
 * Many minions in one process, each of them whole: journal, spool, pillar, files. One after the other is closed and started again,
 * so that what a minion leaves behind shows. `swarm.ts COUNT MASTER_PORT DIRECTORY RENEW_SECONDS`
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type ExecutionModule, type Minion, startMinion } from "../../cli/embed/minion.ts";

const [count, port, directory, renewSeconds] = process.argv.slice(2) as [string, string, string, string];

/** A function that leaves a mark of each run. */
const soak: ExecutionModule = {
  functions: {
    leave: {
      signature: "token",
      doc: "Leaves a token where the soak counts it, and returns it.",
      run({ grains }, { token }) {
        appendFileSync(path.join(directory, "runs", String(grains.id)), `${token}\n`);
        return token;
      },
    },
  },
};

/** The status report of a daemon, as far as the soak reads it. */
process.on("SIGUSR1", () => {
  const resources: Record<string, number> = {};
  for (const one of process.getActiveResourcesInfo?.() ?? []) resources[one] = (resources[one] ?? 0) + 1;
  const report = { pid: process.pid, memory: process.memoryUsage(), resources };
  writeFileSync(path.join(directory, "swarm.status.json"), JSON.stringify(report));
});

const ids = Array.from({ length: Number(count) }, (_, at) => `s${String(at).padStart(3, "0")}`);
const minions = new Map<string, Minion>();

async function start(id: string): Promise<void> {
  const rootDir = path.join(directory, "swarm", id);
  mkdirSync(rootDir, { recursive: true });
  const opts = {
    id,
    master: "127.0.0.1",
    master_port: Number(port),
    keysize: 2048,
    acceptance_wait_time: 1,
    random_reauth_delay: 1,
    recon_default: 200,
    recon_max: 2000,
    return_retry_timer: 1,
    return_retry_timer_max: 3,
    mine_enabled: false,
  };
  const grains = () => Promise.resolve({ id, os: "Debian", os_family: "Debian", kernel: "Linux", roles: ["swarm"] });
  minions.set(id, await startMinion({ rootDir, opts, grains, modules: { soak } }));
}

async function end(): Promise<never> {
  await Promise.all([...minions.values()].map((one) => one.close().catch(() => {})));
  process.exit(0);
}
process.on("SIGTERM", () => void end());

for (const id of ids) await start(id);
await Promise.all([...minions.values()].map((one) => one.ready));
console.log("minion is ready");

for (let at = 0;; at++) {
  await new Promise((resolve) => setTimeout(resolve, Number(renewSeconds) * 1000));
  const id = ids[at % ids.length]!;
  await minions.get(id)!.close();
  await start(id);
}
