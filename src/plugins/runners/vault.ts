import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { decodeBase64 } from "../../language/python/binascii.ts";
import { joinPath } from "../../base/paths.ts";
import { AuthenticationError } from "../../base/errors.ts";
import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunction, SaltInvocationError } from "../../model/loader/family.ts";
import { rsaVerify } from "../../protocol/crypto/rsa.ts";
import { askVault } from "../vault/http.ts";
import { issueToken, policiesOf, type TokenMinion } from "../vault/issue.ts";
import { ownSettings, vaultSettings } from "../vault/settings.ts";

/** True for what only the pillar can fill in. */
const usesPillar = (pattern: unknown): boolean => /\{pillar\b/.test(str(pattern));

/**
 * What is known of a minion. Its pillar is compiled only where a policy uses it and none is cached.
 *
 * @param compile false where a pillar asks for the token: compiling it would ask again
 */
async function minionOf(
  context: RunnerContext,
  id: string,
  compile: boolean,
  refresh: boolean | null | undefined = vaultSettings(context.opts)?.refreshPillar,
): Promise<TokenMinion> {
  const known = context.minions.data(id);
  const grains = known?.grains ?? { id };
  const patterns = vaultSettings(context.opts)?.policies ?? [];
  const cached = known !== undefined && Object.keys(known.pillar).length > 0 ? known.pillar : undefined;
  const isWanted = refresh === true || (refresh !== false && cached === undefined);
  if (!compile || !isWanted || !patterns.some(usesPillar)) return { id, grains, pillar: cached ?? {} };
  if (context.pillar === undefined) throw new SaltInvocationError("Pillar cannot be compiled here");
  return { id, grains, pillar: await context.pillar.compile({ id, grains }) };
}

/** @throws {AuthenticationError} unless the minion, or the master itself, has signed the id */
function checkSignature({ runtime, opts, accepted }: RunnerContext, id: string, signature: string, byMaster: boolean) {
  const { crypto, fs } = runtime;
  const refuse = () => new AuthenticationError(`Could not validate token request from ${id}`);
  // Only an accepted id is the name of a file.
  if (!byMaster && !accepted().includes(id)) throw refuse();
  const file = joinPath(str(opts.pki_dir), byMaster ? "master.pub" : `minions/${id}`);
  const key = crypto.loadPublicKey(fs.readText(file));
  const text = new TextEncoder().encode(id);
  const bytes = decodeBase64(new TextEncoder().encode(signature));
  if (!rsaVerify(crypto, "PKCS1v15-SHA1", key, text, bytes)) throw refuse();
}

/** Tokens of Vault for minions, by the token of the master. */
export const runner: RunnerModule = {
  functions: {
    generate_token: runnerFunction({
      signature: "minion_id, signature, impersonated_by_master=False, ttl=None, uses=None",
      doc:
        "A token of Vault with the policies of a minion. Minions ask for it: `peer_run: {'.*': [vault.generate_token]}`.\n\n" +
        "signature: the id, signed with the minion's key. ttl, uses: only with allow_minion_override",
      async run(context, { minion_id, signature, impersonated_by_master, ttl, uses }) {
        const id = str(minion_id);
        const byMaster = truthy(impersonated_by_master);
        checkSignature(context, id, str(signature), byMaster);
        return await issueToken(context, () => minionOf(context, id, !byMaster), { ttl, uses, jid: context.jid });
      },
    }),
    show_policies: runnerFunction({
      signature: "minion_id, refresh_pillar='NOT_SET', expire=None",
      doc: "The policies of Vault that a minion gets.\n\n    salt-run vault.show_policies web1\n\n" +
        "refresh_pillar: True compiles the pillar, False takes the cached one",
      async run(context, { minion_id, refresh_pillar: refresh }) {
        const asked = typeof refresh === "boolean" ? [refresh] : [];
        return policiesOf(context, await minionOf(context, str(minion_id), true, ...asked));
      },
    }),
    unseal: runnerFunction({
      signature: "",
      doc:
        "Unseals Vault with the `keys` of the option `vault`. True once it is unsealed.\n\n    salt-run vault.unseal",
      async run(context) {
        const settings = ownSettings(context.opts);
        for (const key of settings.keys) {
          const answer = await askVault(context, settings, "PUT", "v1/sys/unseal", { body: new Map([["key", key]]) });
          const state = answer.json();
          if (isMap(state) && lookup(state, "sealed") === false) return true;
        }
        return false;
      },
    }),
  },
};
