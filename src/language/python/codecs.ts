/** Python's `str.encode` and `bytes.decode`: encodings by Python's names, with its error handlers. */
import { codecName } from "./codecs/names.ts";
import type { CodecTable } from "./codecs/multibyte.ts";
import { tableOf } from "./codecs/tables.ts";
import { markOf, orderOf, readUnit, unitBytes, UNITS, type Units } from "./codecs/unicode.ts";
import { PythonError } from "./python_error.ts";
import { cannotDecode, decodeUtf8, readUtf8 } from "./utf8.ts";

const utf8 = new TextEncoder();
const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** Python's codecs that convert bytes to bytes. */
const NO_TEXT = [
  "base64",
  "base64_codec",
  "bz2",
  "bz2_codec",
  "hex",
  "hex_codec",
  "quopri",
  "quopri_codec",
  "rot13",
  "rot_13",
  "uu",
  "uu_codec",
  "zip",
  "zlib",
  "zlib_codec",
];

type Codec = { kind: "utf-8"; mark: boolean } | { kind: "units"; units: Units } | { kind: "table"; table: CodecTable };

function codecOf(encoding: string, way: "encode" | "decode"): Codec {
  const name = codecName(encoding);
  if (name === "utf_8" || name === "utf_8_sig") return { kind: "utf-8", mark: name === "utf_8_sig" };
  if (Object.hasOwn(UNITS, name)) return { kind: "units", units: UNITS[name]! };
  if (NO_TEXT.includes(name)) {
    throw new PythonError(
      "LookupError",
      `'${encoding}' is not a text encoding; use codecs.${way}() to handle arbitrary codecs`,
    );
  }
  const table = tableOf(name);
  if (table === undefined) throw new PythonError("LookupError", `unknown encoding: ${encoding}`);
  return { kind: "table", table };
}

const unknownHandler = (errors: string) => new PythonError("LookupError", `unknown error handler name '${errors}'`);

const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

/** A character as Python's error messages and `backslashreplace` write it. */
function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** How one codec writes a character, and its error for a character that it does not have. */
interface Writer {
  name: string;
  why: string;
  /** True if consecutive characters that the codec does not have are reported as one error. */
  runs: boolean;
  bytes(character: string): readonly number[] | undefined;
}

function writerOf(codec: Codec): Writer {
  if (codec.kind === "table") {
    const { name, noCharacter, write } = codec.table;
    return { name, why: noCharacter, runs: noCharacter !== "illegal multibyte sequence", bytes: write };
  }
  const why = "surrogates not allowed";
  const unless = (write: (character: string) => readonly number[]) => (character: string) =>
    isSurrogate(character.codePointAt(0)!) ? undefined : write(character);
  return codec.kind === "utf-8"
    ? { name: "utf-8", why, runs: true, bytes: unless((character) => [...utf8.encode(character)]) }
    : {
      name: codec.units.name,
      why,
      runs: false,
      bytes: unless((character) => unitBytes(codec.units, character.codePointAt(0)!)),
    };
}

/** The replacement for a character that the encoding does not have. */
function standIn(codec: Codec, code: number, errors: string): string | readonly number[] | undefined {
  switch (errors) {
    case "ignore":
      return [];
    case "replace":
      return "?";
    case "xmlcharrefreplace":
      return `&#${code};`;
    case "backslashreplace":
      return escaped(code);
    case "surrogateescape":
      return codec.kind !== "units" && code >= 0xdc80 && code <= 0xdcff ? [code - 0xdc00] : undefined;
    case "surrogatepass":
      if (!isSurrogate(code) || codec.kind === "table") return undefined;
      return codec.kind === "units"
        ? unitBytes(codec.units, code)
        : [0xe0 | code >> 12, 0x80 | code >> 6 & 0x3f, 0x80 | code & 0x3f];
    case "strict":
      return undefined;
    default:
      throw unknownHandler(errors);
  }
}

/**
 * Python's `str.encode`.
 *
 * @param errors one of Python's error handlers, but `namereplace`
 * @throws {PythonError} LookupError for an unknown encoding or handler, UnicodeEncodeError for a character that the encoding does
 *   not have
 */
export function encodeText(text: string, encoding: string, errors = "strict"): Uint8Array {
  const codec = codecOf(encoding, "encode");
  const mark = codec.kind === "units" ? markOf(codec.units) : codec.kind === "utf-8" && codec.mark ? UTF8_MARK : [];
  if (codec.kind === "utf-8" && text.isWellFormed()) return Uint8Array.from([...mark, ...utf8.encode(text)]);
  const writer = writerOf(codec);
  const characters = Array.from(text);
  const out: number[] = [...mark];
  for (const [at, character] of characters.entries()) {
    const bytes = writer.bytes(character);
    if (bytes !== undefined) {
      out.push(...bytes);
      continue;
    }
    const stands = standIn(codec, character.codePointAt(0)!, errors);
    if (stands === undefined) throw cannotEncode(writer, characters, at);
    if (typeof stands === "string") { for (const one of stands) out.push(...writer.bytes(one) ?? []); }
    else out.push(...stands);
  }
  return Uint8Array.from(out);
}

function cannotEncode({ name, why, runs, bytes }: Writer, characters: readonly string[], at: number): PythonError {
  let end = at + 1;
  while (runs && end < characters.length && bytes(characters[end]!) === undefined) end += 1;
  const what = end === at + 1
    ? `character '${escaped(characters[at]!.codePointAt(0)!)}' in position ${at}`
    : `characters in position ${at}-${end - 1}`;
  return new PythonError("UnicodeEncodeError", `'${name}' codec can't encode ${what}: ${why}`);
}

/**
 * The text of a file in an encoding, as Python's `open()` reads it.
 *
 * @throws {PythonError} also UnicodeError for UTF-16 and UTF-32 without the mark that says in which order the bytes are
 */
export function decodeFile(bytes: Uint8Array, encoding: string): string {
  const codec = codecOf(encoding, "decode");
  if (codec.kind === "units" && bytes.length >= codec.units.size && orderOf(codec.units, bytes).from === 0) {
    const { name, little } = codec.units;
    if (little === undefined) {
      throw new PythonError("UnicodeError", `${name.toUpperCase()} stream does not start with BOM`);
    }
  }
  return decodeText(bytes, encoding);
}

/** One character, or invalid bytes. */
type Piece = { character: string; length: number } | { wrong: string; length: number };

function readerOf(codec: Codec): { name: string; read(bytes: Uint8Array, at: number): Piece } {
  if (codec.kind === "table") {
    const { name, noBytes, read } = codec.table;
    return { name, read: (bytes, at) => read(bytes, at) ?? { wrong: noBytes, length: 1 } };
  }
  if (codec.kind === "utf-8") {
    return {
      name: "utf-8",
      read(bytes, at) {
        const { length, wrong } = readUtf8(bytes, at);
        return wrong === undefined
          ? { character: decodeUtf8(bytes.subarray(at, at + length)), length }
          : { wrong, length };
      },
    };
  }
  const { units } = codec;
  return {
    name: `utf-${8 * units.size}-${units.little === false ? "be" : "le"}`,
    read(bytes, at) {
      const { code, length, wrong } = readUnit(units, bytes, at);
      return wrong === undefined ? { character: String.fromCodePoint(code), length } : { wrong, length };
    },
  };
}

/** The replacement for invalid bytes; undefined for an error. */
function decodedAnyway(codec: Codec, bytes: Uint8Array, errors: string): string | undefined {
  switch (errors) {
    case "ignore":
      return "";
    case "replace":
      return "\ufffd";
    case "backslashreplace":
      return Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
    case "surrogateescape":
      return bytes.every((byte) => byte >= 0x80)
        ? String.fromCharCode(...Array.from(bytes, (byte) => 0xdc00 + byte))
        : undefined;
    case "surrogatepass":
      return codec.kind === "units" && bytes.length === codec.units.size
        ? String.fromCharCode(readUnit(codec.units, bytes, 0).code)
        : undefined;
    case "strict":
      return undefined;
    default:
      throw unknownHandler(errors);
  }
}

/**
 * Python's `bytes.decode`. A byte order mark stays in the text, except in `utf-8-sig`, `utf-16` and `utf-32`, whose names say that
 * there is one.
 *
 * @param errors one of Python's error handlers
 * @throws {PythonError} LookupError for an unknown encoding or handler
 * @throws {UnicodeDecodeError} for invalid bytes
 */
export function decodeText(bytes: Uint8Array, encoding: string, errors = "strict"): string {
  let codec = codecOf(encoding, "decode");
  let from = 0;
  if (codec.kind === "utf-8") {
    if (codec.mark && UTF8_MARK.every((byte, at) => bytes[at] === byte)) from = UTF8_MARK.length;
    if (errors === "strict") return decodeUtf8(bytes.subarray(from));
    if (errors === "replace") return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from));
  } else if (codec.kind === "units") {
    const order = orderOf(codec.units, bytes);
    codec = { kind: "units", units: order.units };
    from = order.from;
  }
  const { name, read } = readerOf(codec);
  const pieces: string[] = [];
  for (let at = from; at < bytes.length;) {
    const piece = read(bytes, at);
    if ("character" in piece) pieces.push(piece.character);
    else {
      const text = decodedAnyway(codec, bytes.subarray(at, at + piece.length), errors);
      if (text === undefined) throw cannotDecode(name, bytes, { at, ...piece });
      pieces.push(text);
    }
    at += piece.length;
  }
  return pieces.join("");
}
