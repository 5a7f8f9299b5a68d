import { CommandExecutionError } from "../../model/loader/family.ts";
import { askVault, type VaultCaller } from "./http.ts";
import { missingSettings, type VaultSettings } from "./settings.ts";

/**
 * The token of a host's own configuration: as it is written there, by a role, or wrapped.
 *
 * @throws {CommandExecutionError} naming what is missing or refused
 */
export async function ownToken(caller: VaultCaller, settings: VaultSettings & { url: string }): Promise<string> {
  const { auth } = settings;
  const ask = (path: string, method: string, given: Parameters<typeof askVault>[4]) =>
    askVault(caller, settings, method, path, given);
  if (auth.method === "approle") {
    const known = auth.token;
    if (known !== undefined && (await ask("v1/auth/token/lookup-self", "GET", { token: known })).status === 200) {
      return known;
    }
    if (auth.roleId === undefined) throw missingSettings("role_id");
    const secret = auth.secretId === undefined ? {} : { secret_id: auth.secretId };
    const answer = await ask("v1/auth/approle/login", "POST", { body: { role_id: auth.roleId, ...secret } });
    if (answer.status !== 200) {
      throw new CommandExecutionError("An error occurred while getting a token from approle");
    }
    return String(answer.at("auth", "client_token"));
  }
  if (auth.token === undefined) throw missingSettings("token");
  if (auth.method !== "wrapped_token") return auth.token;
  const { token } = auth;
  if ((await ask("v1/sys/wrapping/lookup", "POST", { token })).status !== 200) return token;
  const answer = await ask("v1/sys/wrapping/unwrap", "POST", { token });
  if (answer.status !== 200) throw new CommandExecutionError("An error occured while unwrapping vault token");
  return String(answer.at("auth", "client_token"));
}
