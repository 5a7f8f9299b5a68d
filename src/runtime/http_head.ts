import { ProtocolError } from "../base/errors.ts";

/** The most bytes of the head of a request or reply. */
const MAX_HEAD = 8192;
const END = [13, 10, 13, 10];

/** The first line and the fields of an HTTP message. */
export interface HttpHead {
  first: string;
  /** The fields by name in lower case; several of the same name are joined by commas. */
  fields: ReadonlyMap<string, string>;
}

/** Reads the head of an HTTP/1.1 message that arrives in pieces. */
export class HttpHeadReader {
  readonly #bytes = new Uint8Array(MAX_HEAD);
  #filled = 0;
  #matched = 0;

  /** The number of bytes read so far. */
  get size(): number {
    return this.#filled;
  }

  /** The bytes read so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#filled);
  }

  /**
   * Takes bytes; returns the head and what follows it in this chunk once it is complete.
   *
   * @throws {ProtocolError} if the head is larger than {@link MAX_HEAD}, or malformed
   */
  push(chunk: Uint8Array): { head: HttpHead; rest: Uint8Array } | undefined {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#filled === MAX_HEAD) {
        throw new ProtocolError(`Cannot read HTTP: its head has more than ${MAX_HEAD} bytes`);
      }
      this.#bytes[this.#filled++] = byte;
      // A peer of another protocol is refused at its first byte: a request begins with a method, a reply with HTTP.
      if (this.#filled === 1 && (byte < 0x41 || byte > 0x5a)) {
        throw new ProtocolError("Cannot read HTTP: the peer speaks another protocol");
      }
      this.#matched = byte === END[this.#matched] ? this.#matched + 1 : byte === END[0] ? 1 : 0;
      if (this.#matched === END.length) return { head: parse(this.bytes), rest: chunk.subarray(at + 1) };
    }
    return undefined;
  }
}

function parse(bytes: Uint8Array): HttpHead {
  const [first = "", ...lines] = String.fromCharCode(...bytes).split("\r\n");
  const fields = new Map<string, string>();
  for (const line of lines) {
    if (line === "") continue;
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) throw new ProtocolError("Cannot read HTTP: a line of its head is not a field");
    const key = name.toLowerCase();
    fields.set(key, fields.has(key) ? `${fields.get(key)}, ${value}` : value!);
  }
  return { first, fields };
}

/** True if a list of words separated by commas contains a word, in upper or lower case. */
export function listHas(list: string | undefined, word: string): boolean {
  return list !== undefined && list.toLowerCase().split(",").some((one) => one.trim() === word);
}

/** The value of `Authorization` and `Proxy-Authorization` for a user (RFC 7617), in UTF-8. */
export function basicAuth(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** Decodes `%40` and the like. A text with a `%` that encodes nothing stays as it is: somebody has written a password literally. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Removes user and password from an address: they are sent in a header, and no log shows them.
 *
 * @returns the value of `Authorization`; undefined if the address has no user
 */
export function takeUser(url: URL): string | undefined {
  const { username, password } = url;
  url.username = url.password = "";
  return username === "" && password === "" ? undefined : basicAuth(decodedPart(username), decodedPart(password));
}
