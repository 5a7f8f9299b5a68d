import { messageOf } from "../../base/errors.ts";
import { dictGet, MISSING } from "../../language/python/dict.ts";
import { isMap, repr, str, truthy, typeName } from "../../language/python/values.ts";
import { PythonError, typeError } from "../../language/python/python_error.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction } from "../../model/loader/family.ts";
import type { VaultAnswer } from "../vault/http.ts";
import { openVault } from "../vault/open.ts";
import { ownKeywords } from "../keywords.ts";

/** What `default` is where it is not given: any value may be one. */
const NO_DEFAULT = "NOT_SET";

export function itemOf(data: unknown, key: unknown): unknown {
  if (!isMap(data)) throw typeError(`'${typeName(data)}' object is not subscriptable`);
  const found = dictGet(data, key);
  if (found === MISSING) throw new PythonError("KeyError", repr(key));
  return found;
}

/** The class and the text of an error, as Salt puts them into its own. */
const shown = (error: unknown): string =>
  `${
    error instanceof CommandExecutionError ? "CommandExecutionError" : error instanceof Error ? error.name : "Error"
  }: ${messageOf(error)}`;

/** A value, or `fallback` if it cannot be had. @throws {CommandExecutionError} without one */
async function orDefault(what: string, fallback: unknown, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (fallback !== NO_DEFAULT) return fallback;
    throw new CommandExecutionError(`Failed to ${what}! ${shown(error)}`, { cause: error });
  }
}

/** True for a change that Vault accepted, or what it returned of it; false, with a line in the log, for one that failed. */
async function changed(context: JobContext, what: string, run: () => Promise<VaultAnswer>): Promise<unknown> {
  try {
    const answer = await run();
    if (answer.status === 200) return itemOf(answer.json(), "data");
    if (answer.status !== 204) answer.raise();
    return true;
  } catch (error) {
    context.log.error(`vault: failed to ${what}`, { error: shown(error) });
    return false;
  }
}

async function write(context: JobContext, path: unknown, data: unknown): Promise<unknown> {
  const vault = openVault(context);
  const { v2, data: place } = await vault.place(str(path));
  return await changed(
    context,
    "write secret",
    () => vault.request("POST", `v1/${place}`, v2 ? new Map([["data", data]]) : data),
  );
}

/** Sends a request of any kind. @returns the answer's map, or true if there is none */
async function query(context: JobContext, method: unknown, endpoint: unknown, payload?: unknown): Promise<unknown> {
  const path = str(endpoint).replace(/^\/+/, "");
  const answer = await openVault(context).request(str(method).toUpperCase(), `v1/${path}`, payload ?? undefined);
  answer.raise();
  return answer.status === 204 ? true : answer.json();
}

/** Secrets and policies of HashiCorp Vault. The option `vault` says how it is reached. */
export const module: ExecutionModule = {
  functions: {
    read_secret: executionFunction({
      signature: `path, key=None, metadata=False, default='${NO_DEFAULT}'`,
      doc: "A secret: all of it, or the value of a key.\n\n    salt web1 vault.read_secret secret/web password\n\n" +
        "metadata: with what a store of version 2 says of it. default: returned if the secret cannot be read",
      run(context, { path, key, metadata, default: fallback }) {
        return orDefault("read secret", fallback, async () => {
          const vault = openVault(context);
          const { v2, data: place } = await vault.place(str(path));
          const answer = await vault.request("GET", `v1/${place}`);
          if (answer.status !== 200) answer.raise();
          const data = itemOf(answer.json(), "data");
          if (key !== null) return itemOf(v2 ? itemOf(data, "data") : data, key);
          return v2 && !truthy(metadata) ? itemOf(data, "data") : data;
        });
      },
    }),
    write_secret: executionFunction({
      signature: "path, **kwargs",
      doc:
        "Stores a secret of keys and values.\n\n    salt web1 vault.write_secret secret/web user=web password=secret",
      run(context, { path, kwargs }) {
        const data = Object.entries(ownKeywords(kwargs));
        return write(context, path, new Map<unknown, unknown>(data));
      },
    }),
    write_raw: executionFunction({
      signature: "path, raw",
      doc: "Stores a map as a secret.\n\n    salt web1 vault.write_raw secret/web '{user: web}'",
      run: (context, { path, raw }) => write(context, path, raw),
    }),
    delete_secret: executionFunction({
      signature: "path",
      doc:
        "Deletes a secret; of a store of version 2 its latest version.\n\n    salt web1 vault.delete_secret secret/web",
      async run(context, { path }) {
        const vault = openVault(context);
        const { data: place } = await vault.place(str(path));
        return await changed(context, "delete secret", () => vault.request("DELETE", `v1/${place}`));
      },
    }),
    destroy_secret: executionFunction({
      signature: "path, *args",
      doc: "Destroys versions of a secret, for good. Only in a store of version 2.\n\n" +
        "    salt web1 vault.destroy_secret secret/web 1 2",
      async run(context, { path, args }) {
        const vault = openVault(context);
        const { v2, destroy } = await vault.place(str(path));
        if (!v2) {
          context.log.error("vault: only stores of version 2 can destroy", { path: str(path) });
          return false;
        }
        const body = new Map([["versions", args]]);
        return await changed(context, "destroy secret", () => vault.request("POST", `v1/${destroy}`, body));
      },
    }),
    list_secrets: executionFunction({
      signature: `path, default='${NO_DEFAULT}'`,
      doc: "The names below a path: `{keys: […]}`.\n\n    salt web1 vault.list_secrets secret/\n\n" +
        "default: returned if they cannot be listed",
      run(context, { path, default: fallback }) {
        return orDefault("list secrets", fallback, async () => {
          const vault = openVault(context);
          const { metadata } = await vault.place(str(path));
          const answer = await vault.request("LIST", `v1/${metadata}`);
          if (answer.status !== 200) answer.raise();
          return itemOf(answer.json(), "data");
        });
      },
    }),
    clear_token_cache: executionFunction({
      signature: "",
      doc:
        "Deletes the token that is kept on the disk. False if there is none.\n\n    salt web1 vault.clear_token_cache",
      run: (context) => openVault(context).forget(),
    }),
    policies_list: executionFunction({
      signature: "",
      doc: "The names of all policies.\n\n    salt web1 vault.policies_list",
      run: async (context) => itemOf(await query(context, "GET", "sys/policy"), "policies"),
    }),
    policy_fetch: executionFunction({
      signature: "policy",
      doc: "The rules of a policy; None if there is no such policy.\n\n    salt web1 vault.policy_fetch salt_minion",
      async run(context, { policy }) {
        const answer = await openVault(context).request("GET", `v1/sys/policy/${str(policy)}`);
        if (answer.status === 404) return null;
        answer.raise();
        return itemOf(answer.json(), "rules");
      },
    }),
    policy_write: executionFunction({
      signature: "policy, rules",
      doc: "Stores the rules of a policy.\n\n    salt web1 vault.policy_write salt_minion 'path \"secret/web\" {…}'",
      async run(context, { policy, rules }) {
        await query(context, "POST", `sys/policy/${str(policy)}`, new Map([["policy", rules]]));
        return true;
      },
    }),
    policy_delete: executionFunction({
      signature: "policy",
      doc: "Deletes a policy. False if there is no such policy.\n\n    salt web1 vault.policy_delete salt_minion",
      async run(context, { policy }) {
        const answer = await openVault(context).request("DELETE", `v1/sys/policy/${str(policy)}`);
        if (answer.status === 404) return false;
        answer.raise();
        return true;
      },
    }),
    query: executionFunction({
      signature: "method, endpoint, payload=None",
      doc:
        "Sends any request to Vault and returns its answer.\n\n    salt web1 vault.query GET auth/token/lookup-self\n\n" +
        "endpoint: without /v1/. payload: a map, sent as JSON",
      run: (context, { method, endpoint, payload }) => query(context, method, endpoint, payload),
    }),
  },
};
