import { entriesOf, isMap, str, textsOf, truthy } from "../../../language/python/values.ts";
import type { TopFileOptions } from "./top_files.ts";

/** Options of a minion and its master that concern the compilation of states. */
export interface CompileOptions {
  tops: TopFileOptions;
  autoOrder: boolean;
  /** Environments that have `file_roots`. */
  environments: readonly string[];
  envOrder: readonly string[];
  masterTopsFirst: boolean;
  disabledRequisites: readonly unknown[];
}

const given = (value: unknown): string | undefined => truthy(value ?? null) ? str(value) : undefined;

/** Reads the options for compiling; the options may lack defaults. */
export function readCompileOptions(opts: Record<string, unknown>): CompileOptions {
  const disabled = opts.disabled_requisites ?? [];
  return {
    tops: {
      top: (given(opts.state_top) ?? "top.sls").replace(/^salt:\/\//, "").replace(/^\/+/, ""),
      saltenv: given(opts.saltenv),
      topSaltenv: given(opts.state_top_saltenv),
      strategy: given(opts.top_file_merging_strategy) ?? "merge",
      defaultTop: opts.default_top === undefined ? "base" : given(opts.default_top),
    },
    autoOrder: truthy(opts.state_auto_order ?? true),
    environments: isMap(opts.file_roots) ? entriesOf(opts.file_roots).map(([env]) => str(env)) : [],
    envOrder: textsOf(opts.env_order),
    masterTopsFirst: truthy(opts.master_tops_first ?? false),
    disabledRequisites: Array.isArray(disabled) ? disabled : [disabled],
  };
}
