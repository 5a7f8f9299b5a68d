/** Which minions the master would expect to answer: looked up in its files, without sending anything. */
import type { MasterOpts } from "../../model/config/master_opts.ts";
import { KeyDirectories } from "./keys/key_directories.ts";
import { MinionCache } from "./minion_cache.ts";
import { type ExpandOptions, expandTarget } from "../../model/target/expand.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Ids that a target expands to, in the order of the keys. */
export function previewTarget(
  { runtime, log, delimiter }: { runtime: Runtime; log: Logger; delimiter: string },
  opts: MasterOpts,
  target: { tgt: unknown; tgt_type: string },
  options: ExpandOptions = {},
): string[] {
  const keys = new KeyDirectories(runtime.fs, runtime.crypto, opts.pki_dir);
  const cache = new MinionCache(runtime.fs, log, opts.cachedir);
  return expandTarget({ ...target, delimiter }, {
    accepted: () => keys.list("accepted"),
    cached: () => cache.ids(),
    data: (id) => cache.data(id),
    countsOn: () => false,
    cacheEnabled: opts.minion_data_cache,
    nodegroups: opts.nodegroups,
  }, options).minions;
}
