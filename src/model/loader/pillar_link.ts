import { type AnyMap, truthy } from "../../language/python/values.ts";

/**
 * How a pillar that is compiled for one call may differ from the minion's own.
 *
 * @internal
 */
export interface PillarCall {
  pillarenv?: string | null;
  saltenv?: string | null;
  /** Values of the call, merged over everything else. */
  override?: AnyMap;
  /** The pillar of the job that calls, if the minion compiles its own: see {@link pillarInUse}. */
  inUse?: AnyMap;
  /** An external pillar for this call only: a map with one entry, name → arguments. */
  ext?: unknown;
  /** Have the master delete its cached pillar of this minion. @default false */
  cleanCache?: boolean;
  /** Options of the call in place of the minion's; the connection to the master is still the minion's. @default the minion's */
  opts?: Record<string, unknown>;
  /** Grains of the call in place of the minion's. @default the minion's */
  grains?: Record<string, unknown>;
}

/** Compiles the minion's pillar, on the master or without a master from own files. The pillar in use does not change. */
export type CompilePillar = (call: PillarCall) => Promise<AnyMap>;

/** True if a minion compiles its own pillar: it has no master, or takes no files from it. */
export const hasOwnPillar = ({ file_client, use_master_when_local }: Record<string, unknown>): boolean =>
  file_client === "local" && !truthy(use_master_when_local ?? false);

/** What a job adds to its call for a pillar: nothing where a master compiles it. */
export const pillarInUse = ({ opts, pillar }: { opts: Record<string, unknown>; pillar: AnyMap }): PillarCall =>
  hasOwnPillar(opts) ? { inUse: pillar } : {};

export interface RunnerPillar {
  compile(request: RunnerPillarRequest): Promise<AnyMap>;
  /** The merged top: environment → target → names, and the errors in the top files. */
  top(request: RunnerPillarRequest): Promise<{ top: AnyMap; errors: string[] }>;
  /** The master's cache of compiled pillars; undefined without a cache. */
  readonly cache: {
    get(id: string, pillarenv: string | null): AnyMap | undefined;
    clear(id: string): void;
  } | undefined;
}

interface RunnerPillarRequest {
  id: string;
  grains: Record<string, unknown>;
  saltenv?: unknown;
  pillarenv?: unknown;
  /** Values of the call, merged over everything else. */
  override?: AnyMap;
  /** An external pillar for this call only: a map with one entry, name → arguments. */
  ext?: unknown;
}
