import { messageOf } from "../../base/errors.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { SdbContext, SdbDriver } from "../../model/loader/sdb.ts";
import type { VaultAnswer } from "../vault/http.ts";
import { openVault } from "../vault/open.ts";

/** `secret/web?password` and `secret/web/password`: the path and the key. */
function partsOf(address: string): [path: string, key: string] {
  const mark = address.includes("?") ? "?" : "/";
  const at = address.lastIndexOf(mark);
  const [path, key] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  if (path !== "" && key !== "" && !path.includes("?")) return [path, key];
  throw new CommandExecutionError("Cannot use an sdb address of vault: expected sdb://profile/path?key");
}

const failed = (error: unknown) => new CommandExecutionError(messageOf(error), { cause: error });

/** Secrets of Vault. The option `vault` says how it is reached; the profile has no options but its driver. */
export const sdb: SdbDriver = {
  async get(context: SdbContext, address: string) {
    const [path, key] = partsOf(address);
    try {
      const vault = openVault(context);
      const place = await vault.place(path);
      let answer: VaultAnswer = await vault.request("GET", `v1/${place.data}`);
      if (answer.status === 404 && place.v2) answer = await vault.request("GET", `v1/${place.data}/${key}`);
      if (answer.status === 404) return null;
      if (answer.status !== 200) answer.raise();
      const data = answer.at("data");
      const values = place.v2 && isMap(data) ? lookup(data, "data") : data;
      const value = isMap(values) ? lookup(values, key) : undefined;
      return value ?? (place.v2 ? values ?? null : null);
    } catch (error) {
      throw failed(error);
    }
  },
  async set(context: SdbContext, address: string, value: unknown) {
    const [path, key] = partsOf(address);
    try {
      const vault = openVault(context);
      const { v2, data: place } = await vault.place(path);
      const data = new Map([[key, value]]);
      const answer = await vault.request("POST", `v1/${place}`, v2 ? new Map([["data", data]]) : data);
      if (answer.status !== 204) answer.raise();
      return true;
    } catch (error) {
      throw failed(error);
    }
  },
};
