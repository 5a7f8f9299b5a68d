import type { Crypto } from "../../runtime/crypto.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { hex } from "../../protocol/crypto/hex.ts";

/** The operations of `salt-run reactor.*` on the running reactor, which are requested by events. */
export type ManageOperation = "list" | "add" | "delete" | "is_leader" | "set_leader" | "status";

const OPERATIONS: readonly ManageOperation[] = ["list", "add", "delete", "is_leader", "set_leader", "status"];

/** The end of a request's tag; the runner's job comes before it. */
export const requestTag = (operation: ManageOperation): string => `salt/reactors/manage/${operation}`;

/** The tags of the reactor's answers. */
export const ANSWERS: Readonly<Record<ManageOperation, string>> = {
  list: "salt/reactors/manage/list-results",
  add: "salt/reactors/manage/add-complete",
  delete: "salt/reactors/manage/delete-complete",
  is_leader: "salt/reactors/manage/leader/value",
  set_leader: "salt/reactors/manage/leader/value",
  status: "salt/reactors/manage/status-results",
};

const REQUEST = /^(?:salt\/run\/(?<jid>\d{20}(?:_[0-9A-Za-z]+)?)\/)?salt\/reactors\/manage\/(?<operation>[a-z_]+)$/;

/** True for the tags of requests to the reactor and of its answers: no SLS reacts to them. */
export const isManageTag = (tag: string): boolean => tag.includes("salt/reactors/manage");

/** Reads a request from an event's tag; undefined for any other event. */
export function managedRequest(tag: string): { operation: ManageOperation; jid: string | undefined } | undefined {
  const { jid, operation } = REQUEST.exec(tag)?.groups ?? {};
  const known = OPERATIONS.find((one) => one === operation);
  return known === undefined ? undefined : { operation: known, jid };
}

/**
 * The proof that the sender of a request can read the master's key. The key itself is not sent: every listener of the bus would see
 * it. A proof is for one request, and valid for a minute.
 *
 * @param key the key of the master's user, as in `<cachedir>/.root_key`
 * @param tag the tag of the request, including the runner's job
 * @param fields the fields of the request
 */
export function requestProof(
  crypto: Pick<Crypto, "hmac">,
  key: string,
  tag: string,
  fields: Record<string, unknown>,
): string {
  const { _stamp, proof: _, key: __, ...rest } = fields;
  return hex(crypto.hmac("sha256", utf8(key), utf8(JSON.stringify([tag, Object.entries(rest).sort()]))));
}
