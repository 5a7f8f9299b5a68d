import type { MasterOpts } from "../../model/config/master_opts.ts";
import { expandTarget } from "../../model/target/expand.ts";
import type { PatternCache } from "../../model/target/patterns.ts";
import type { KeyDirectories } from "./keys/key_directories.ts";
import type { MinionCache } from "./minion_cache.ts";
import type { Presence } from "./presence.ts";
import type { AccessServices } from "./access/access_services.ts";

/** Expands targets to the ids of accepted minions, by what the master has cached of their grains and pillar. */
export function minionExpansion(
  { opts, keys, cache, presence, patterns }: {
    opts: MasterOpts;
    keys: KeyDirectories;
    cache: MinionCache;
    presence: Presence;
    patterns: PatternCache;
  },
): AccessServices["expand"] {
  return (target, { greedy = true } = {}) =>
    expandTarget(
      target,
      {
        accepted: () => keys.list("accepted"),
        cached: () => cache.ids(),
        data: (id) => cache.data(id),
        // A minion that has just connected for the first time has not sent its grains yet.
        countsOn: (id) => presence.connected(id),
        cacheEnabled: opts.minion_data_cache,
        nodegroups: opts.nodegroups,
      },
      { greedy, patterns },
    );
}
