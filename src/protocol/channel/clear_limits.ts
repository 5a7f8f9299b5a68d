import { isRecord } from "../../base/record.ts";
import { decode, type Packed, pick } from "../wire/msgpack.ts";
import { RequestTooLargeError } from "../wire/payload.ts";

interface ClearLimit {
  /** The callers that the limit applies to, as the error names them. */
  of: string;
  /** The most bytes of the load. */
  bytes: number;
  /** The most values of the load: keys, values and items of all maps and lists together. */
  values: number;
  remedy: string;
}

/** The limit for a sign-in, which has a public key and a few grains. */
const SIGN_IN: ClearLimit = { of: "a sign-in", bytes: 2 ** 16, values: 4000, remedy: "" };
/** The limit for a caller with a password, or without credentials: a target that lists a large fleet fits in. */
const STRANGER: ClearLimit = {
  of: "a caller without a token or a key of this host",
  bytes: 2 ** 20,
  values: 20_000,
  remedy: ". Get a token first (salt -T), or call as a user of the master's host",
};
/** The limit for a caller with a valid key or token, who may send files to minions. The transport bounds the bytes. */
const VOUCHED: ClearLimit = { of: "any caller", bytes: Infinity, values: 2 ** 20, remedy: "" };

/** The most bytes of a load that is decoded without a search for credentials: a small load cannot expand to much. */
const ALWAYS = 4096;
/** The fields with the command and the credentials, which are read first. */
const LOOK_AHEAD = ["cmd", "user", "key", "token", "eauth"] as const;

/**
 * Decodes a clear load. Anyone can send one, so a large load is first searched for a credential, which takes no memory, and
 * decoded only if its sender may send a load of that size.
 *
 * @param vouched whether the credential among these fields is valid, by a cheap check
 * @param room reserves memory for the load of a caller without a valid credential; false if there is none left
 * @throws {RequestTooLargeError} naming the bound
 */
export function readClear(
  load: Packed,
  vouched: (fields: Record<string, unknown>) => boolean,
  room: (bytes: number) => boolean = () => true,
): unknown {
  const { bytes } = load;
  if (bytes.length <= ALWAYS) {
    const value = decode(bytes, { mode: "wire" });
    const fields = isRecord(value) ? value : {};
    if (fields.cmd !== "_auth" && !room(costOf(bytes)) && !vouched(fields)) throw noRoom();
    return value;
  }
  const fields = pick(bytes, LOOK_AHEAD, { mode: "wire", maxValues: 1000, maxKept: VOUCHED.values });
  const limit = fields.cmd === "_auth" ? SIGN_IN : vouched(fields) ? VOUCHED : STRANGER;
  if (bytes.length > limit.bytes) throw tooLarge(limit, `${limit.bytes} bytes`, `this request has ${bytes.length}`);
  if (limit === STRANGER && !room(costOf(bytes))) throw noRoom();
  try {
    return decode(bytes, { mode: "wire", maxValues: limit.values });
  } catch (cause) {
    throw tooLarge(limit, `${limit.values} values`, "this request has more", cause);
  }
}

function tooLarge(limit: ClearLimit, most: string, found: string, cause?: unknown): RequestTooLargeError {
  const message = `Cannot take a request: ${limit.of} may send at most ${most}, and ${found}${limit.remedy}`;
  // The command line shows an error with a message; a minion expects Salt's reply.
  const reply = limit === SIGN_IN ? "bad load" : { error: { name: "RequestTooLarge", message } };
  return new RequestTooLargeError(message, reply, { cause });
}

/** An upper bound of the memory that a decoded load takes, in bytes: each byte may be an empty map. */
function costOf({ length }: Uint8Array): number {
  return length + 64 * Math.min(length, STRANGER.values);
}

function noRoom(): RequestTooLargeError {
  const message =
    "Cannot take a request: too many requests of callers without a token or a key of this host are waiting. Try again later";
  return new RequestTooLargeError(message, { error: { name: "RequestTooLarge", message } });
}
