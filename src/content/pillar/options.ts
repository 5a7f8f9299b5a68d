import { entriesOf, isMap, str, textsOf, truthy } from "../../language/python/values.ts";
import { type EncryptedKeys, encryptedKeysOf } from "./decrypt.ts";
import { type MergeRules, mergeRulesOf } from "../../language/python/merge_strategy.ts";

/** The pillar options of a master, or of a minion without a master. */
export interface PillarOptions {
  /** Environment → directories, in the order of the configuration. */
  roots: ReadonlyMap<string, readonly string[]>;
  saltenv: string | undefined;
  pillarenv: string | undefined;
  pillarenvFromSaltenv: boolean;
  /** The top file, relative to each root. */
  top: string;
  envOrder: readonly string[];
  nodegroups: Record<string, unknown>;
  rules: MergeRules;
  includesOverride: boolean;
  safeErrors: boolean;
  /** The option as configured: its user checks whether it is a list. */
  extPillar: unknown;
  extPillarFirst: boolean;
  excludedExtPillars: readonly string[];
  onDemand: readonly string[];
  /** Add the options as the key `master` to every pillar. */
  showOpts: boolean;
  /** Salt's `ssh_merge_pillar`: the pillar that a minion compiles of its own files is merged over the one that it has. */
  mergesInUse: boolean;
  encrypted: EncryptedKeys;
  renderer: string;
  rendererWhitelist: readonly string[];
  rendererBlacklist: readonly string[];
  /** Globs of directory names to skip. */
  ignoreGlobs: readonly string[];
  ignoreRegexps: readonly string[];
}

const given = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : str(value);

/** Reads the options of pillar. Many of them have no default in a minion's options. */
export function readPillarOptions(opts: Record<string, unknown>): PillarOptions {
  const roots = isMap(opts.pillar_roots) ? entriesOf(opts.pillar_roots) : [];
  const rules = mergeRulesOf(opts);
  const { renderer } = rules;
  return {
    roots: new Map(roots.map(([env, dirs]) => [str(env), typeof dirs === "string" ? [dirs] : textsOf(dirs)])),
    saltenv: given(opts.saltenv),
    pillarenv: given(opts.pillarenv),
    pillarenvFromSaltenv: truthy(opts.pillarenv_from_saltenv ?? false),
    top: (given(opts.state_top) ?? "top.sls").replace(/^salt:\/\//, "").replace(/^\/+/, ""),
    envOrder: textsOf(opts.env_order),
    nodegroups: isMap(opts.nodegroups) ? opts.nodegroups as Record<string, unknown> : {},
    rules,
    includesOverride: truthy(opts.pillar_includes_override_sls ?? false),
    safeErrors: truthy(opts.pillar_safe_render_error ?? true),
    extPillar: opts.ext_pillar ?? [],
    extPillarFirst: truthy(opts.ext_pillar_first ?? false),
    excludedExtPillars: textsOf(opts.exclude_ext_pillar),
    onDemand: textsOf(opts.on_demand_ext_pillar),
    showOpts: truthy(opts.pillar_opts ?? false),
    mergesInUse: truthy(opts.ssh_merge_pillar ?? true),
    encrypted: encryptedKeysOf(opts),
    renderer,
    rendererWhitelist: textsOf(opts.renderer_whitelist),
    rendererBlacklist: textsOf(opts.renderer_blacklist),
    ignoreGlobs: textsOf(opts.file_ignore_glob),
    ignoreRegexps: textsOf(opts.file_ignore_regex),
  };
}

/** An environment's name that may replace `__env__`: as part of a path it must not lead to another directory. */
const ENVIRONMENT = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\0\\]{1,255}$/s;

/** The environments of one request, among them the one that `__env__` stands for. */
export function rootsFor(
  roots: PillarOptions["roots"],
  pillarenv: string | undefined,
  saltenv: string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const pattern = roots.get("__env__");
  if (pattern === undefined) return roots;
  const found = new Map(roots);
  found.delete("__env__");
  const env = pillarenv ?? saltenv ?? "base";
  // The environment's name comes from the minion: as part of a path it must not lead out of the directories.
  if (!found.has(env) && ENVIRONMENT.test(env)) found.set(env, pattern.map((dir) => dir.replaceAll("__env__", env)));
  return found;
}
