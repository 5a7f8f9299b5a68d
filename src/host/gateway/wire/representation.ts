import { encode } from "../../../protocol/wire/msgpack.ts";
import { dump } from "../../../language/yaml/dump.ts";
import { HttpError } from "./errors.ts";
import { jsonAnswer } from "./json.ts";

export interface RepresentationRules {
  /** The flow style of YAML: for lists and maps of scalars, or never. */
  yamlFlow: "leaves" | false;
}

type WrittenBody = string | Uint8Array<ArrayBuffer>;
type Writer = (value: unknown, rules: RepresentationRules) => WrittenBody | Promise<WrittenBody>;

/** Writes the same values as JSON, as msgpack. */
const msgpack: Writer = (value) => Uint8Array.from(encode(JSON.parse(jsonAnswer(value)), "bin"));

/** Media types of answers, best first. */
const WRITERS: Record<string, Writer> = {
  "application/json": jsonAnswer,
  "application/x-yaml": (value, { yamlFlow }) => dump(value, { flow: yamlFlow }),
  // Salt does not have this type. `application/x-msgpack` is refused as in Salt: clients that try it fall back to JSON.
  "application/vnd.msgpack": msgpack,
  "application/msgpack": msgpack,
};

/** The media types that an answer can have, best first. */
export const WRITABLE_TYPES: readonly string[] = Object.keys(WRITERS);
/** The media types that Salt's servers list when they refuse a request. */
export const DOCUMENTED_TYPES: readonly string[] = ["application/json", "application/x-yaml"];

/**
 * The body of an answer.
 *
 * @param type one of {@link WRITABLE_TYPES}
 * @throws {HttpError} 500 if the value cannot be written in that format
 */
export async function represent(value: unknown, type: string, rules: RepresentationRules): Promise<WrittenBody> {
  try {
    return await WRITERS[type]!(value, rules);
  } catch {
    throw new HttpError(500, "Could not serialize the return data from Salt.");
  }
}
