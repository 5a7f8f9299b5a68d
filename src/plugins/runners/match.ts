import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { isMinionId } from "../../base/minion_id.ts";
import { truthy } from "../../language/python/values.ts";

/** Asks what matches, from the master's point of view. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "compound_matches(expr: str, minion_id: str)": {
      doc:
        "Whether a minion is known to match a compound target: {res: its id}, or {res: False}. Pillar counts by exact values\n" +
        "alone, and a minion without cached data matches nothing that is asked of it.\n\n" +
        "    salt-run match.compound_matches 'G@os:Debian and not db*' web1\n\n" +
        "expr: the compound target\nminion_id: id of the minion",
      run({ opts, expandKnown }, { expr, minion_id }) {
        const id = minion_id;
        if (!truthy(opts.minion_data_cache ?? true) || !isMinionId(id)) return { res: false };
        const found = expandKnown({ tgt: expr, tgt_type: "compound_pillar_exact" });
        return { res: found.includes(id) ? id : false };
      },
    },
  }),
};
