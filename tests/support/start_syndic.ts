/** A syndic in this process: below one cluster, or several, and beside the master of another. */
import { MINION_OPTIONS, type MinionOpts } from "../../src/model/config/minion_opts.ts";
import { startSyndic, type Syndic } from "../../src/host/syndic/syndic.ts";
import { type Cluster, PAIRS } from "./start_cluster.ts";

export interface SyndicStart {
  id: string;
  /** The masters above. */
  above: readonly Cluster[];
  /** The cluster whose master it is beside; its job cache must outlive the master for a test that restarts that. */
  beside: Cluster;
  /** Options of the local master that the syndic obeys. */
  master?: Record<string, unknown>;
  /** Options of how it connects. */
  minion?: Record<string, unknown>;
}

const defaults = (table: Record<string, { default: unknown }>) =>
  Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, structuredClone(spec.default)]));

/** Starts a syndic whose key the masters above have accepted; its directories are those of `beside`. */
export async function startTestSyndic({ id, above, beside, master, minion }: SyndicStart): Promise<Syndic> {
  const { runtime, root, captured } = beside;
  const pki = `${root}/syndic-${id}/pki`;
  runtime.fs.mkdir(pki, 0o700);
  runtime.fs.write(`${pki}/minion.pem`, PAIRS.minion.privatePem, { mode: 0o400 });
  runtime.fs.write(`${pki}/minion.pub`, PAIRS.minion.publicPem, { mode: 0o644 });
  for (const cluster of above) cluster.acceptKey(id);
  const minionOpts = {
    ...defaults(MINION_OPTIONS),
    id,
    pki_dir: pki,
    cachedir: `${root}/syndic-${id}/cache`,
    sock_dir: `${root}/syndic-${id}/sock`,
    recon_default: 50,
    recon_max: 200,
    return_retry_timer: 1,
    return_retry_timer_max: 2,
    ...minion,
  } as unknown as MinionOpts;
  const masterOpts = {
    ...beside.masterOpts,
    syndic_master: above.map(({ requestPort }) => `127.0.0.1:${requestPort}`),
    syndic_event_forward_timeout: 0.05,
    ...master,
  } as typeof beside.masterOpts;
  return await startSyndic({
    runtime,
    log: captured.log.child(id),
    masterOpts,
    minionOpts,
    given: new Set(Object.keys(minion ?? {})),
    openJobs: () => Promise.resolve({ ...beside.master.services.jobs, close: () => {} }),
  });
}
