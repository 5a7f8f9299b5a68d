import { fromHex, hex } from "../../../protocol/crypto/hex.ts";
import { fnmatch } from "../../../model/event/tag.ts";
import type { Crypto } from "../../../runtime/crypto.ts";
import type { ApiKeySetting } from "../settings.ts";
import { HttpError } from "../wire/errors.ts";
import type { Identity } from "./permissions.ts";

/** The prefix of the gateway's API keys, which distinguishes them from tokens. */
export const API_KEY_PREFIX = "brine_";

/**
 * A new API key for the configuration: the key itself, which is kept nowhere, and the hash to configure.
 *
 * @example
 * ```ts
 * import { currentRuntime, newApiKey } from "brine/gateway";
 *
 * const { key, sha256 } = newApiKey((await currentRuntime()).crypto);
 * console.log(key.startsWith("brine_"), sha256.length); // true 64
 * ```
 */
export function newApiKey(crypto: Crypto): { key: string; sha256: string } {
  const key = `${API_KEY_PREFIX}${hex(crypto.randomBytes(32))}`;
  return { key, sha256: hex(hashOf(crypto, key)) };
}

/** The configured key with the hash of a presented key. All keys are compared, so that the time reveals nothing about a match. */
export function apiKeyOf(crypto: Crypto, configured: readonly ApiKeySetting[], key: string): ApiKeySetting | undefined {
  const hash = hashOf(crypto, key);
  let found: ApiKeySetting | undefined;
  for (const setting of configured) if (crypto.equal(hash, fromHex(setting.sha256))) found = setting;
  return found;
}

const hashOf = (crypto: Crypto, key: string) => crypto.hash("sha256", new TextEncoder().encode(key));

/**
 * True if an API key's scopes include something; other callers have no scopes and are not limited by them.
 *
 * @param wanted `client:function`, `events` or `hook`
 */
export function inScope({ scopes }: Identity, wanted: string): boolean {
  return scopes === undefined || scopes.some((scope) => fnmatch(scope)(wanted));
}

/** Refuses a command that an API key's scopes do not include. @throws {HttpError} 401 */
export function checkScope(identity: Identity | undefined, { client, fun }: { client?: unknown; fun?: unknown }): void {
  if (identity?.scopes === undefined) return;
  for (const name of [fun].flat()) {
    if (!inScope(identity, `${client}:${name}`)) throw new HttpError(401, `The API key does not cover ${name}`);
  }
}
