import { isRecord } from "../../base/record.ts";
import { ClientError } from "../client_error.ts";
import { textList } from "../publish_request.ts";
import type { CallOptions, KeyFingerprint, Keys, KeyStatus } from "../salt.ts";
import type { SaltLink } from "../job_run.ts";
import { plainReport } from "./job_report.ts";

/** The status of a key → the name of Salt's directory. */
const DIRECTORIES: Record<KeyStatus, string> = {
  accepted: "minions",
  pre: "minions_pre",
  rejected: "minions_rejected",
  denied: "minions_denied",
};
const STATUSES = Object.keys(DIRECTORIES) as KeyStatus[];

const idsOf = (value: unknown, status: KeyStatus): string[] =>
  textList(isRecord(value) ? value[DIRECTORIES[status]] : undefined).sort();

/** Implements {@link Salt.keys} with the wheel functions `key.*`. */
export function keysOf(link: SaltLink): Keys {
  const call = (fun: string, kwarg: Record<string, unknown>, { signal, timeoutMs }: CallOptions = {}) =>
    link.wheel({ fun, kwarg }, { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) });
  return {
    async list(options) {
      const all = await call("key.list_all", {}, options);
      return Object.fromEntries(STATUSES.map((status) => [status, idsOf(all, status)])) as Record<KeyStatus, string[]>;
    },
    async accept(match, options = {}) {
      const { rejected = false, denied = false } = options;
      const kwarg = { match: glob(match), include_rejected: rejected, include_denied: denied };
      return idsOf(await call("key.accept", kwarg, options), "accepted");
    },
    async reject(match, options = {}) {
      const { accepted = false, denied = false } = options;
      const kwarg = { match: glob(match), include_accepted: accepted, include_denied: denied };
      return idsOf(await call("key.reject", kwarg, options), "rejected");
    },
    async delete(match, options) {
      // The keys are read before, since the function reports the remaining keys.
      const found = await call("key.name_match", { match: glob(match) }, options);
      await call("key.delete", { match }, options);
      return [...new Set(STATUSES.flatMap((status) => idsOf(found, status)))].sort();
    },
    fingerprint: async (match, options) =>
      fingerprintsOf(match, await call("key.finger", { match: glob(match) }, options)),
  };
}

/** Checks a glob. @throws {TypeError} for any other value: a missing value must not mean all keys */
function glob(match: unknown): string {
  if (typeof match === "string" && match !== "") return match;
  throw new TypeError(`Cannot use ${JSON.stringify(match) ?? match} for keys: expected a minion id or a glob of ids`);
}

function fingerprintsOf(match: string, value: unknown): KeyFingerprint[] {
  const found = STATUSES.flatMap((status) => {
    const keys = isRecord(value) ? value[DIRECTORIES[status]] : undefined;
    return Object.entries(isRecord(keys) ? keys : {})
      .map(([id, fingerprint]): KeyFingerprint => ({ id, status, fingerprint: plainReport(fingerprint) }));
  });
  if (found.length === 0 && !/[*?[,]/.test(match)) {
    throw new ClientError("UNKNOWN_KEY", `The master has no key of "${match}": list them with keys.list()`, { match });
  }
  return found.sort((one, other) => one.id < other.id ? -1 : 1);
}
