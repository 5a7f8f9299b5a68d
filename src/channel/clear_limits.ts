import { isRecord } from "../record.ts";
import { decode, type Packed, pick } from "../wire/msgpack.ts";
import { RequestTooLargeError } from "../wire/payload.ts";

/** What one request in clear may cost. */
interface ClearLimit {
  /** Whom it holds for, as the refusal calls them. */
  of: string;
  /** Bytes of the load. */
  bytes: number;
  /** Values that are built of it: keys, values and items of all maps and lists together. */
  values: number;
  /** What the sender can do about it. */
  remedy: string;
}

/** A sign-in carries a public key and a few grains. */
const SIGN_IN: ClearLimit = { of: "a sign-in", bytes: 2 ** 16, values: 4000, remedy: "" };
/** Somebody who brings a password, or nothing: a target that lists a large fleet fits in. */
const STRANGER: ClearLimit = {
  of: "a caller without a key of this host or a token",
  bytes: 2 ** 20,
  values: 20_000,
  remedy: ". Get a token first (salt -T), or call as a user of the master's host",
};
/** Somebody whose key or token is good: files are sent to minions in this way. Bytes are bounded by the transport. */
const VOUCHED: ClearLimit = { of: "any caller", bytes: Infinity, values: 2 ** 20, remedy: "" };

/** A load of so many bytes cannot stand for much, and is read without a look ahead. */
const ALWAYS = 4096;
/** What says who sends it, and what for. */
const LOOK_AHEAD = ["cmd", "user", "key", "token", "eauth"] as const;

/**
 * Reads a load that came in clear. Anybody can send one, so that a large one is first looked at for a credential, which costs
 * no memory, and read only if its sender may send as much.
 *
 * @param vouched whether the credential among these fields is good, by a look that costs little
 * @param room takes room in memory for what somebody sends whose credential is not known to be good; false if there is none
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
  if (bytes.length > limit.bytes) throw tooLarge(limit, `${limit.bytes} bytes`, `this one has ${bytes.length}`);
  if (limit === STRANGER && !room(costOf(bytes))) throw noRoom();
  try {
    return decode(bytes, { mode: "wire", maxValues: limit.values });
  } catch (cause) {
    throw tooLarge(limit, `${limit.values} values`, "this one has more", cause);
  }
}

function tooLarge(limit: ClearLimit, most: string, found: string, cause?: unknown): RequestTooLargeError {
  const message = `Cannot take a request: ${limit.of} may send at most ${most}, and ${found}${limit.remedy}`;
  // A command line shows the one, a minion the other.
  const reply = limit === SIGN_IN ? "bad load" : { error: { name: "RequestTooLarge", message } };
  return new RequestTooLargeError(message, reply, { cause });
}

/** Bytes of memory that a load takes once it is read, or more: a byte may be an empty map. */
function costOf({ length }: Uint8Array): number {
  return length + 64 * Math.min(length, STRANGER.values);
}

function noRoom(): RequestTooLargeError {
  const message = "Cannot take a request: too many of callers without a key of this host or a token wait for their " +
    "answers. Ask again later";
  return new RequestTooLargeError(message, { error: { name: "RequestTooLarge", message } });
}
