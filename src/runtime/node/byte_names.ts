/**
 * Paths of the system are bytes. Those that are not UTF-8 stand in texts as Python has them (`surrogateescape`): the byte 0xE4 is
 * U+DCE4, which no UTF-8 decodes to. So a name that was listed leads back to its file. Deno's `node:fs` has only U+FFFD for such a byte.
 */
import { builtin } from "./builtin.ts";

const real = builtin("node:fs");

/** The code unit of a byte that is not UTF-8 is this number plus the byte. */
const ESCAPE = 0xdc00;
/** The character that decoders put in the place of a byte that is not UTF-8. */
const REPLACED = "\ufffd";

const utf8 = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** The text for the bytes of a name. */
export function nameOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    // The bytes are not UTF-8: the loop below decodes them one by one.
  }
  let name = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((length) => isCharacter(bytes.subarray(at, at + length)));
    name += length === undefined
      ? String.fromCharCode(ESCAPE + bytes[at]!)
      : decoder.decode(bytes.subarray(at, at + length));
    at += length ?? 1;
  }
  return name;
}

function isCharacter(bytes: Uint8Array): boolean {
  const text = decoder.decode(bytes);
  return [...text].length === 1 && (text !== REPLACED || (bytes.length === 3 && bytes[0] === 0xef));
}

/** The form of a path that `node:fs` takes: text, or bytes if the name is not UTF-8. */
export function systemPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  const bytes = [...path].flatMap((character) => {
    const code = character.charCodeAt(0);
    const escaped = character.length === 1 && code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff;
    return escaped ? [code - ESCAPE] : [...utf8.encode(character)];
  });
  return builtin("node:buffer").Buffer.from(bytes);
}

/** The directory that a path is in. Bun's `node:path` damages names that are not UTF-8. */
export function directoryOf(path: string): string {
  if (path.isWellFormed()) return builtin("node:path").dirname(path);
  const trimmed = path.replace(/(?<=.)\/+$/, "");
  return trimmed.includes("/") ? trimmed.replace(/\/[^/]*$/, "") || "/" : ".";
}

type Call = (...args: unknown[]) => unknown;
type Name = keyof typeof real;

const given = (path: unknown) => typeof path === "string" ? systemPath(path) : path;

/** Wraps a function of `node:fs` whose first argument is a path. None takes more than two others; a list of them would cost more. */
const onPath = (name: Name): [Name, Call] => {
  const call = real[name] as Call;
  return [name, (path, second, third) => call(given(path), second, third)];
};

/** Wraps a function of `node:fs` whose first two arguments are paths. */
const onPaths = (name: Name): [Name, Call] => {
  const call = real[name] as Call;
  return [name, (one, other, third) => call(given(one), given(other), third)];
};

const ON_PATH: readonly Name[] = [
  "accessSync",
  "chmodSync",
  "chownSync",
  "lchownSync",
  "lstatSync",
  "mkdirSync",
  "openSync",
  "rmSync",
  "rmdirSync",
  "statSync",
  "statfsSync",
  "truncateSync",
  "unlinkSync",
  "utimesSync",
];
const ON_PATHS: readonly Name[] = ["linkSync", "renameSync", "symlinkSync"];

/** Returns a name that the system gave as text; a name that is not UTF-8 is read again as bytes. */
const faithful = (text: string, bytes: () => Uint8Array): string => text.includes(REPLACED) ? nameOf(bytes()) : text;

const BYTES = { encoding: "buffer" } as const;

function namesIn(path: string): string[] {
  const names = real.readdirSync(systemPath(path));
  const whole = !names.some((name) => name.includes(REPLACED));
  return whole ? names : real.readdirSync(systemPath(path), BYTES).map(nameOf);
}

function target(path: string): string {
  return faithful(real.readlinkSync(systemPath(path)), () => real.readlinkSync(systemPath(path), BYTES));
}

function resolved(path: string): string {
  const resolve = real.realpathSync.native;
  return faithful(resolve(systemPath(path)), () => resolve(systemPath(path), BYTES));
}

/** `node:fs`, with names of any bytes in the calls that take a path and have no callback. */
export const fs: Omit<typeof real, "readdirSync" | "readlinkSync" | "realpathSync"> & {
  readdirSync(path: string): string[];
  readlinkSync(path: string): string;
  realpathSync: { native(path: string): string };
} = Object.assign(Object.create(real), Object.fromEntries([...ON_PATH.map(onPath), ...ON_PATHS.map(onPaths)]), {
  readdirSync: namesIn,
  readlinkSync: target,
  realpathSync: { native: resolved },
});
