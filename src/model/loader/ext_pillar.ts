import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/containers.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { FunctionTable } from "../../language/render/jinja/salt_functions.ts";
import type { Args, Signature } from "./signature.ts";

/** What an external pillar is called with: the minion that the pillar is for, and the host that compiles it. */
export interface PillarContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Of the master, or of a minion without one. */
  readonly opts: Record<string, unknown>;
  /** The minion whose pillar it is. */
  readonly id: string;
  readonly grains: Record<string, unknown>;
  /** The pillar so far; not to be changed. */
  readonly pillar: AnyMap;
  /** Options that the minion passes on (`pass_to_ext_pillars`). */
  readonly extraMinionData: Record<string, unknown>;
  /** Directories of the one environment that the minion asks for; undefined if it asks for none. */
  readonly roots: readonly string[] | undefined;
  /** The environment of the minion's files, and the one that its pillar is confined to; undefined for none. */
  readonly saltenv: string | undefined;
  readonly pillarenv: string | undefined;
  /** Compiles the pillar of this minion from other directories, without external pillars. @param roots environment → directories */
  compile(roots: Record<string, readonly string[]>, saltenv: string): Promise<AnyMap>;
  /** Merges as `pillar_source_merging_strategy` says. */
  merge(before: AnyMap, over: AnyMap): AnyMap;
  readonly nodegroups: Record<string, unknown>;
  /** The execution functions that templates of this pillar may call; undefined if there are none. */
  readonly functions: FunctionTable | undefined;
  /** True if a target matches this minion. */
  matches(tgt: unknown, type: string): boolean;
  /** Renders a text to data; its first line may name a pipeline, as may the caller. */
  render(text: string, path: string, pipeline?: string): Promise<unknown>;
  /** Renders a text by Jinja alone, as it comes without Salt: what is not defined is empty, and the last line feed is dropped. */
  template(text: string, path: string, scope: TemplateScope): Promise<string>;
}

/** What a template of an external pillar sees. */
export interface TemplateScope {
  /** Besides `pillar` and `__salt__`. */
  names: Readonly<Record<string, unknown>>;
  /** Finds templates that are imported and included. */
  load(name: string): { path: string; name: string; source: string } | undefined;
}

/** What a file under `plugins/pillar/` exports as `pillar`. */
export interface ExtPillar {
  /** In Python's notation, as of an {@link ExecutionFunction}: a list in the configuration is positional, a map keywords. */
  signature: string | Signature;
  /** Why a minion may not request it, even with `on_demand_ext_pillar`. @default it may */
  neverOnDemand?: string;
  /**
   * Returns the pillar that it adds: a map, or nothing.
   *
   * @throws any error, with a message without secrets: minions read it
   */
  run(context: PillarContext, args: Args): Promise<unknown>;
}

/** External pillars by name → how to load them. */
export type ExtPillarRegistry = Record<string, () => Promise<{ pillar: ExtPillar }>>;
