import type { Crypto } from "../../runtime/crypto.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { hex } from "../../protocol/crypto/hex.ts";

/** What `salt-run reactor.*` asks the running reactor, by events. */
export type ManageOperation = "list" | "add" | "delete" | "is_leader" | "set_leader" | "status";

const OPERATIONS: readonly ManageOperation[] = ["list", "add", "delete", "is_leader", "set_leader", "status"];

/** A request, without what its tag begins with: a runner puts its own job before it. */
export const requestTag = (operation: ManageOperation): string => `salt/reactors/manage/${operation}`;

/** Under which tag the reactor answers. */
export const ANSWERS: Readonly<Record<ManageOperation, string>> = {
  list: "salt/reactors/manage/list-results",
  add: "salt/reactors/manage/add-complete",
  delete: "salt/reactors/manage/delete-complete",
  is_leader: "salt/reactors/manage/leader/value",
  set_leader: "salt/reactors/manage/leader/value",
  status: "salt/reactors/manage/status-results",
};

const REQUEST = /^(?:salt\/run\/(?<jid>\d{20}(?:_[0-9A-Za-z]+)?)\/)?salt\/reactors\/manage\/(?<operation>[a-z_]+)$/;

/** True for requests to the reactor and its answers, whatever they begin with: no SLS reacts to them as to other events. */
export const isManageTag = (tag: string): boolean => tag.includes("salt/reactors/manage");

/** The request that an event is; undefined for any other. */
export function requestOf(tag: string): { operation: ManageOperation; jid: string | undefined } | undefined {
  const { jid, operation } = REQUEST.exec(tag)?.groups ?? {};
  const known = OPERATIONS.find((one) => one === operation);
  return known === undefined ? undefined : { operation: known, jid };
}

/**
 * The proof that a request is from who may read the master's key, without the key itself: everybody who listens to the bus would see it. It
 * is for this one request, and counts for a minute.
 *
 * @param key of the master's user, as in `<cachedir>/.root_key`
 * @param tag of the request, with the runner's job before it
 * @param fields what is asked for
 */
export function proofOf(
  crypto: Pick<Crypto, "hmac">,
  key: string,
  tag: string,
  fields: Record<string, unknown>,
): string {
  const { _stamp, proof: _, key: __, ...rest } = fields;
  return hex(crypto.hmac("sha256", utf8(key), utf8(JSON.stringify([tag, Object.entries(rest).sort()]))));
}
