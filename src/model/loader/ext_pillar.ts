import type { Logger } from "../../base/log.ts";
import type { AnyMap, Args } from "../../language/python/values.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { TemplateFunctionTable } from "../../language/render/jinja/salt_functions.ts";
import type { Signature } from "./signature.ts";

/** What an external pillar receives: the minion that the pillar is for, and functions of the host that compiles it. */
export interface PillarContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** Options of the master, or of a minion without a master. */
  readonly opts: Record<string, unknown>;
  readonly id: string;
  readonly grains: Record<string, unknown>;
  /** The pillar so far; it must not be changed. */
  readonly pillar: AnyMap;
  /** Options that the minion sends for external pillars (`pass_to_ext_pillars`). */
  readonly extraMinionData: Record<string, unknown>;
  /** Directories of the only environment that the minion asks for; undefined if it asks for none. */
  readonly roots: readonly string[] | undefined;
  /** The environment of the minion's files, and the only environment of its pillar; undefined if there is none. */
  readonly saltenv: string | undefined;
  readonly pillarenv: string | undefined;
  /** Compiles the pillar of this minion from other directories, without external pillars. @param roots environment → directories */
  compile(roots: Record<string, readonly string[]>, saltenv: string): Promise<AnyMap>;
  /** Merges two pillars by `pillar_source_merging_strategy`. */
  merge(before: AnyMap, over: AnyMap): AnyMap;
  readonly nodegroups: Record<string, unknown>;
  /** The execution functions that templates of this pillar may call; undefined if there are none. */
  readonly functions: TemplateFunctionTable | undefined;
  matches(tgt: unknown, type: string): boolean;
  /** Renders a text to data. The text's first line, or the caller, may name a pipeline. */
  render(text: string, path: string, pipeline?: string): Promise<unknown>;
  /** Renders a text with Jinja as it is without Salt: an undefined name is empty, and the last line feed is dropped. */
  template(text: string, path: string, scope: TemplateScope): Promise<string>;
}

/** The names and files that a template of an external pillar can use. */
export interface TemplateScope {
  names: Readonly<Record<string, unknown>>;
  /** Finds a template to import or include. */
  load(name: string): { path: string; name: string; source: string } | undefined;
}

/** The export `pillar` of a file under `plugins/pillar/`. */
export interface ExtPillar {
  /** In Python's notation, as of an {@link ExecutionFunction}: a list in the configuration is positional, a map keywords. */
  signature: string | Signature;
  /** Why a minion may not request it, even with `on_demand_ext_pillar`. @default it may */
  neverOnDemand?: string;
  /**
   * Returns the pillar to add: a map, or nothing.
   *
   * @throws any error; its message must not have secrets, because minions read it
   */
  run(context: PillarContext, args: Args): Promise<unknown>;
}

/** External pillars: name → function that loads it. */
export type ExtPillarRegistry = Record<string, () => Promise<{ pillar: ExtPillar }>>;
