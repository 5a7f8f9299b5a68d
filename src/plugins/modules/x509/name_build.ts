import { CommandExecutionError, SaltInvocationError } from "../../../model/loader/family.ts";
import { isMap, lookup } from "../../../language/python/values.ts";
import { pythonError } from "../../python_errors.ts";
import { derSequence, derSet, ia5, oid as oidOf, printableString, utf8String } from "./der_write.ts";
import { ATTRIBUTES, SHORT_NAMES } from "./names.ts";

const COUNTRY = ATTRIBUTES.C!;
const COMMON_NAME = ATTRIBUTES.CN!;
const JURISDICTION_COUNTRY = "1.3.6.1.4.1.311.60.2.1.3";
/** Kinds of text where it is not UTF8String. */
const TEXTS: Record<string, (text: string) => Uint8Array> = {
  [COUNTRY]: printableString,
  [JURISDICTION_COUNTRY]: printableString,
  "2.5.4.5": printableString,
  "2.5.4.46": printableString,
  "1.2.840.113549.1.9.1": ia5,
  "0.9.2342.19200300.100.1.25": ia5,
};
/** Bytes that a value may have. */
const LENGTHS: Record<string, [least: number, most: number]> = {
  [COUNTRY]: [2, 2],
  [JURISDICTION_COUNTRY]: [2, 2],
  [COMMON_NAME]: [1, 64],
};
const OF_SHORT = new Map(Object.entries(SHORT_NAMES).map(([oid, short]) => [short, oid]));

function attribute(oid: string, value: unknown): Uint8Array {
  if (typeof value !== "string") throw pythonError("TypeError", "value argument must be a str");
  const [least, most] = LENGTHS[oid] ?? [0, Infinity];
  const length = new TextEncoder().encode(value).length;
  if (length < least || length > most) {
    throw pythonError("ValueError", `Attribute's length must be >= ${least} and <= ${most}, but it was ${length}`);
  }
  return derSequence(oidOf(oid), (TEXTS[oid] ?? utf8String)(value));
}

const HEX_STRING = /#(?:[\da-fA-F]{2})+/y;
const STRING =
  // deno-lint-ignore no-control-regex
  /(?:(?:[\x01-\x1f\x21\x24-\x2a\x2d-\x3a\x3d\x3f-\x5b\x5d-\x7f]|[^\x00-\x7f]|\\(?:[\\ #="+,;<>]|[\da-fA-F]{2}))(?:[\x01-\x21\x23-\x2a\x2d-\x3a\x3d\x3f-\x5b\x5d-\x7f]|[^\x00-\x7f]|\\(?:[\\ #="+,;<>]|[\da-fA-F]{2}))*)?/uy;

/** What an escaped value says: `\\,` is a comma, `\\C3\\A9` two bytes of UTF-8. */
function unescaped(text: string): string {
  return text.replace(
    /((?:\\[\da-fA-F]{2})+)|\\(.)/gu,
    (_, bytes: string | undefined, character: string) =>
      bytes === undefined ? character : new TextDecoder("utf-8", { fatal: true }).decode(
        Uint8Array.from(bytes.slice(1).split("\\"), (pair) => parseInt(pair, 16)),
      ),
  );
}

/** Reads names in the notation of RFC 4514. */
class NameText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The parts in the order of the certificate: the last comes first in the text. @throws {SyntaxError} */
  parts(): Uint8Array[] {
    const parts: Uint8Array[] = [];
    while (this.#at < this.#text.length) {
      if (parts.length > 0) this.#take(/,/y);
      parts.unshift(this.#part());
    }
    return parts;
  }

  #part(): Uint8Array {
    const attributes = [this.#attribute()];
    while (this.#text[this.#at] === "+") {
      this.#at += 1;
      attributes.push(this.#attribute());
    }
    return derSet(...attributes);
  }

  #attribute(): Uint8Array {
    const kind = this.#take(/(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+|[a-zA-Z][a-zA-Z\d-]*/y);
    const oid = /^\d/.test(kind) ? kind : OF_SHORT.get(kind);
    if (oid === undefined) throw new SyntaxError(`Unknown attribute ${kind}`);
    this.#take(/=/y);
    if (this.#text[this.#at] !== "#") return attribute(oid, unescaped(this.#value()));
    const digits = this.#take(HEX_STRING).slice(1).match(/../g)!;
    const bytes = Uint8Array.from(digits, (pair) => parseInt(pair, 16));
    return attribute(oid, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  }

  /** A value does not end in a blank that is not escaped. */
  #value(): string {
    const text = this.#take(STRING);
    const kept = text.replace(/ +$/, (_, at: number) => text[at - 1] === "\\" ? " " : "");
    this.#at -= text.length - kept.length;
    return kept;
  }

  #take(pattern: RegExp): string {
    const sticky = new RegExp(pattern.source, pattern.flags);
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    if (found === undefined) throw new SyntaxError("Unexpected character");
    this.#at += found.length;
    return found;
  }
}

const LONGEST_NAME = 16_384;

function partsOfText(text: string): Uint8Array[] | undefined {
  if (text.length > LONGEST_NAME) return undefined;
  try {
    return new NameText(text).parts();
  } catch {
    // Whatever is wrong with it, the caller has one word for it.
    return undefined;
  }
}

/** One part of a name. @throws {CommandExecutionError} if the text is none */
export function namePart(text: unknown): Uint8Array {
  const parts = typeof text === "string" ? partsOfText(text) : undefined;
  if (parts === undefined || parts.length === 0) {
    throw new CommandExecutionError(`Failed parsing rdn string: ${String(text)}`);
  }
  if (parts.length > 1) {
    throw new SaltInvocationError(
      "Specified string is not a Relative Distinguished Name, but a Distinguished Name.",
    );
  }
  return parts[0]!;
}

/**
 * A name as DER: from a text of RFC 4514, from a list of its parts, or from a map of attributes by their short names.
 *
 * @throws {CommandExecutionError} in Salt's words if it cannot be read
 */
export function builtName(dn: unknown): Uint8Array {
  if (typeof dn === "string") {
    const parts = partsOfText(dn);
    if (parts === undefined) throw new CommandExecutionError("Failed parsing rfc4514 dirName string");
    return derSequence(...parts);
  }
  if (Array.isArray(dn)) return derSequence(...dn.map(namePart));
  if (isMap(dn)) {
    const found = Object.entries(ATTRIBUTES).map(([short, oid]) => [oid, lookup(dn, short)] as const);
    return derSequence(
      ...found.filter(([, value]) => value !== undefined).map(([oid, value]) => derSet(attribute(oid, value))),
    );
  }
  throw new SaltInvocationError("Need string, list or dict to parse distinguished names");
}
