import { type AnyMap, isMap, mapOf, str, truthy } from "../../language/python/values.ts";
import { merge } from "../../language/python/merge_strategy.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { VaultClient, type VaultConnection } from "../vault/client.ts";
import { issueToken } from "../vault/issue.ts";
import { filledPatterns } from "../vault/policies.ts";
import { ownSettings, vaultSettings } from "../vault/settings.ts";
import { ownToken } from "../vault/token.ts";

/** A token for the minion: made by the master, unless its configuration says that its own is to be used. */
async function connection(context: PillarContext): Promise<VaultConnection> {
  const { opts, id, grains, pillar } = context;
  if (opts.__role === "master" && vaultSettings(opts)?.location !== "local") {
    const issued = await issueToken(context, () => ({ id, grains, pillar }), {});
    if (issued.error !== undefined) throw new Error(`no token of Vault for this minion: ${str(issued.error)}`);
    return issued as unknown as VaultConnection;
  }
  const settings = ownSettings(opts);
  const { url, namespace, verify } = settings;
  return { url, namespace: namespace ?? null, verify, token: await ownToken(context, settings), issued: 0, ttl: 0 };
}

/**
 * Secrets of Vault, with the rights of the minion. `path=secret/{minion}`; `{pillar[role]}` is the pillar before it.
 *
 * @see salt/pillar/vault.py
 */
export const pillar: ExtPillar = {
  signature: "conf, nesting_key=None, merge_strategy=None, merge_lists=None",
  neverOnDemand: "it reads secrets",
  async run(context, { conf, nesting_key: nesting, merge_strategy: strategy, merge_lists: lists }) {
    const { opts, id, pillar: before, log } = context;
    const pattern = str(conf).split(/\s+/).find((word) => word.startsWith("path="))?.slice("path=".length);
    if (pattern === undefined) {
      log.error("vault: no path=… in the configuration of the external pillar", { conf: str(conf) });
      return {};
    }
    const rules = {
      strategy: truthy(strategy) ? str(strategy) : str(opts.pillar_source_merging_strategy ?? "smart"),
      mergeLists: truthy(truthy(lists) ? lists : opts.pillar_merge_lists ?? false),
      renderer: str(opts.renderer ?? "jinja|yaml"),
    };
    const vault = new VaultClient(context, async () => ({ ...await connection(context), keep: false }), undefined);
    let found: AnyMap = mapOf([]);
    for (const path of filledPatterns([pattern], new Map<string, unknown>([["minion", id], ["pillar", before]]), log)) {
      const { v2, data: place } = await vault.place(path);
      const answer = await vault.request("GET", `v1/${place}`);
      if (!answer.ok) {
        log.info("vault: a secret is not there, or not for this minion", { path, status: answer.status });
        continue;
      }
      const data = v2 ? answer.at("data", "data") : answer.at("data");
      if (isMap(data)) found = merge(found, data, rules);
    }
    return truthy(nesting) ? mapOf([[str(nesting), found]]) : found;
  },
};
