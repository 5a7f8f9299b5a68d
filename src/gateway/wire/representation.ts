import { dump } from "../../yaml/dump.ts";
import { HttpError } from "./errors.ts";
import type { Flavour } from "../settings.ts";
import { json } from "./json.ts";

/** What an answer carries. */
export type Body = string | Uint8Array<ArrayBuffer>;
/** How a value becomes the body of an answer. */
type Writer = (value: unknown, flavour: Flavour) => Body | Promise<Body>;

/** What the answer would say in JSON: the library knows none of the values that Python has beside those. */
const msgpack: Writer = async (value) => {
  const { encode } = await import("@msgpack/msgpack");
  return Uint8Array.from(encode(JSON.parse(json(value))));
};

/** Media types of answers, best first. */
const WRITERS: Record<string, Writer> = {
  "application/json": json,
  "application/x-yaml": (value, flavour) => dump(value, { flow: flavour === "rest_tornado" ? "leaves" : false }),
  // Beyond the original. `application/x-msgpack`, which clients try and fall back from, stays refused.
  "application/vnd.msgpack": msgpack,
  "application/msgpack": msgpack,
};

/** What an answer may be written as. */
export const OFFERED: readonly string[] = Object.keys(WRITERS);
/** The two that real servers name when they have to refuse. */
export const CLASSIC: readonly string[] = ["application/json", "application/x-yaml"];

/**
 * The body of an answer.
 *
 * @param type one of {@link OFFERED}
 * @throws {HttpError} 500 if the value cannot be written so
 */
export async function represent(value: unknown, type: string, flavour: Flavour): Promise<Body> {
  try {
    return await WRITERS[type]!(value, flavour);
  } catch {
    throw new HttpError(500, "Could not serialize the return data from Salt.");
  }
}
