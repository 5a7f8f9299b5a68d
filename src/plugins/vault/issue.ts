import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { asInt } from "../../language/python/arithmetic.ts";
import { str } from "../../language/python/values.ts";
import { askVault, type VaultCaller } from "./http.ts";
import { filledPatterns } from "./policies.ts";
import { ownSettings, vaultSettings } from "./settings.ts";
import { ownToken } from "./token.ts";

/** What a master knows of the minion that a token is for. */
export interface TokenMinion {
  id: string;
  grains: unknown;
  pillar: unknown;
}

/** The policies of a minion: lower case, as Vault wants them. */
export function policiesOf(caller: VaultCaller & { readonly log: Logger }, minion: TokenMinion): string[] {
  const names = new Map<string, unknown>([["minion", minion.id], ["grains", minion.grains], ["pillar", minion.pillar]]);
  const patterns = vaultSettings(caller.opts)?.policies ?? [];
  return filledPatterns(patterns, names, caller.log).map((name) => name.toLowerCase());
}

/**
 * Has Vault make a token for a minion, by the master's own token.
 *
 * @returns what the minion needs to use it, or `{error}`
 * @see salt/runners/vault.py generate_token
 */
export async function issueToken(
  caller: VaultCaller & { readonly log: Logger },
  minion: () => TokenMinion | Promise<TokenMinion>,
  asked: { ttl?: unknown; uses?: unknown; jid?: string },
): Promise<Record<string, unknown>> {
  try {
    const settings = ownSettings(caller.opts);
    const { auth, url, verify, namespace, roleName } = settings;
    const given = (value: unknown) => auth.allowOverride && value !== undefined && value !== null;
    const uses = given(asked.uses) ? asked.uses : auth.uses ?? 1;
    const ttl = given(asked.ttl) ? asked.ttl : auth.ttl;
    const target = await minion();
    const policies = policiesOf(caller, target);
    if (policies.length === 0) return { error: "No policies matched minion" };
    const answer = await askVault(
      caller,
      settings,
      "POST",
      `v1/auth/token/create${roleName === undefined ? "" : `/${roleName.replace(/^\/+|\/+$/g, "")}`}`,
      {
        token: await ownToken(caller, settings),
        body: {
          policies,
          num_uses: uses,
          meta: {
            "saltstack-jid": asked.jid ?? "<no jid set>",
            "saltstack-minion": target.id,
            "saltstack-user": "<no user set>",
          },
          ...(ttl === undefined || ttl === null ? {} : { explicit_max_ttl: str(ttl) }),
        },
      },
    );
    if (answer.status !== 200) return { error: answer.reason };
    return {
      token: answer.at("auth", "client_token"),
      lease_duration: answer.at("auth", "lease_duration"),
      renewable: answer.at("auth", "renewable"),
      issued: Math.round(caller.runtime.clock.now() / 1000),
      url,
      verify: verify ?? null,
      token_backend: auth.backend,
      namespace: namespace ?? null,
      ...(Number(asInt(uses) ?? -1) >= 0 ? { uses } : {}),
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
