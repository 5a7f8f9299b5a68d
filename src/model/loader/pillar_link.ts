import type { AnyMap } from "../../language/python/containers.ts";

/**
 * How a pillar that is compiled for one call differs from the minion's own.
 *
 * @internal
 */
export interface PillarCall {
  pillarenv?: string | null;
  saltenv?: string | null;
  /** Merged over everything else. */
  override?: AnyMap;
  /** An external pillar for this call alone: one map of name → arguments. */
  ext?: unknown;
  /** Has the master delete its cached pillar of this minion. @default false */
  cleanCache?: boolean;
  /** The options of the call, in place of the minion's; how a master is reached is the minion's. @default the minion's */
  opts?: Record<string, unknown>;
  /** The grains of the call, in place of the minion's. @default the minion's */
  grains?: Record<string, unknown>;
}

/** Compiles the minion's pillar: on the master, or without one from its own files. The pillar in use does not change. */
export type CompilePillar = (call: PillarCall) => Promise<AnyMap>;

/** What a runner asks of pillar. */
export interface RunnerPillar {
  compile(request: RunnerPillarRequest): Promise<AnyMap>;
  /** Environment → target → names, and the errors in the top files. */
  top(request: RunnerPillarRequest): Promise<{ top: AnyMap; errors: string[] }>;
  /** Compiled pillars that the master has cached; undefined without a cache. */
  readonly cache: {
    get(id: string, pillarenv: string | null): AnyMap | undefined;
    clear(id: string): void;
  } | undefined;
}

/** The minion that a runner asks about. */
export interface RunnerPillarRequest {
  id: string;
  grains: Record<string, unknown>;
  saltenv?: unknown;
  pillarenv?: unknown;
  /** Merged over everything else. */
  override?: AnyMap;
  /** An external pillar for this call alone: one map of name → arguments. */
  ext?: unknown;
}
