import { CHARMAPS } from "./charmaps.ts";
import { type CodecTable, multibyteTable } from "./multibyte.ts";

const UNDEFINED = "\ufffe";

function below(limit: number, name: string): CodecTable {
  const why = `ordinal not in range(${limit})`;
  return {
    name,
    noCharacter: why,
    noBytes: why,
    read: (bytes, at) => bytes[at]! < limit ? { character: String.fromCharCode(bytes[at]!), length: 1 } : undefined,
    write: (character) => character.codePointAt(0)! < limit ? [character.codePointAt(0)!] : undefined,
  };
}

function charmap(codec: string): CodecTable | undefined {
  if (!Object.hasOwn(CHARMAPS, codec)) return undefined;
  const own = CHARMAPS[codec]!;
  const lower = own.length < 256 ? Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte)) : [];
  const characters = [...lower, ...own];
  const bytes = new Map(characters.map((character, byte) => [character, [byte]]));
  bytes.delete(UNDEFINED);
  return {
    name: "charmap",
    noCharacter: "character maps to <undefined>",
    noBytes: "character maps to <undefined>",
    read(from, at) {
      const character = characters[from[at]!]!;
      return character === UNDEFINED ? undefined : { character, length: 1 };
    },
    write: (character) => bytes.get(character),
  };
}

const made = new Map<string, CodecTable | undefined>();

/** The table of an encoding whose bytes need no state, by Python's name; undefined if there is none. */
export function tableOf(codec: string): CodecTable | undefined {
  // Tables never change: one of each is enough for the whole process.
  if (!made.has(codec)) {
    made.set(
      codec,
      codec === "ascii" ? below(0x80, "ascii") : codec === "latin_1" ? below(0x100, "latin-1") : charmap(codec) ??
        multibyteTable(codec),
    );
  }
  return made.get(codec);
}
