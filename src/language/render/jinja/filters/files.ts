import { asInt } from "../../../python/arithmetic.ts";
import { PythonError, typeError } from "../../../python/python_error.ts";
import { str, truthy, typeName } from "../../../python/values.ts";
import { findAccount } from "../../../../runtime/accounts.ts";
import type { HashName } from "../../../../runtime/crypto.ts";
import type { Runtime } from "../../../../runtime/runtime.ts";
import { type Filter, filter } from "../../../jinja/mod.ts";
import { hex } from "../../../../protocol/crypto/hex.ts";

/** The number of bytes at the start of a file that decide whether it is text. */
const SAMPLE = 512;
/** The most entries that a filter may list. */
const MAX_FILES = 100_000;

/** True if a file begins as text does: without zero bytes, and mostly with printable ones. */
function isText(start: Uint8Array): boolean {
  if (start.length === 0) return true;
  if (start.includes(0)) return false;
  const odd = start.filter((byte) => byte < 0x20 && !"\n\r\t\f\b".includes(String.fromCharCode(byte)) || byte === 0x7f);
  return odd.length / start.length <= 0.3;
}

/** Returns a path. @throws {PythonError} for a value that Python does not accept as a path */
function pathOf(value: unknown): string {
  if (typeof value === "string" || asInt(value) !== undefined) return str(value);
  throw typeError(`stat: path should be string, bytes, os.PathLike or integer, not ${typeName(value)}`);
}

/** Salt's filters that read files of the host. */
export function fileFilters(
  runtime: Pick<Runtime, "clock" | "fs" | "crypto" | "process">,
): Readonly<Record<string, Filter>> {
  const { fs, crypto, process } = runtime;
  const isFile = (path: string) => fs.stat(path)?.kind === "file";
  const startOf = (path: string) => fs.read(path).subarray(0, SAMPLE);
  const missing = (path: string) =>
    new PythonError("FileNotFoundError", `[Errno 2] No such file or directory: '${path}'`);
  const list = (top: string): string[] => {
    const found: string[] = [];
    const below = (directory: string): void => {
      for (const name of fs.list(directory).sort()) {
        if (found.length >= MAX_FILES) {
          throw new PythonError("ValueError", `list_files lists ${MAX_FILES} files at most`);
        }
        const path = `${directory}/${name}`;
        found.push(path);
        if (fs.stat(path, { follow: false })?.kind === "directory") below(path);
      }
    };
    found.push(top);
    if (fs.stat(top)?.kind === "directory") below(top.replace(/\/+$/, ""));
    return found;
  };
  const which = (name: string): string | null => {
    if (name === "") return null;
    const isProgram = (path: string) => {
      const stat = fs.stat(path);
      return stat?.kind === "file" && (stat.mode & 0o111) !== 0;
    };
    if (name.includes("/")) return isProgram(name) ? name : null;
    const folders = (process.env("PATH") ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").split(":");
    const folder = folders.find((one) => isProgram(`${one}/${name}`));
    return folder === undefined ? null : `${folder}/${name}`;
  };
  return {
    get_uid: filter("get_uid", [["user", null]], ({ user }) => {
      if (user === null) return process.uid() ?? null;
      if (typeof user === "string") return findAccount(runtime, user)?.uid ?? null;
      throw new PythonError("TypeError", `getpwnam() argument must be str, not ${typeName(user)}`);
    }),
    is_empty: filter("is_empty", ["filename"], ({ filename }) => fs.stat(pathOf(filename))?.size === 0),
    is_text_file: filter(
      "is_text",
      ["fp_", ["blocksize", SAMPLE]],
      ({ fp_ }) => isFile(pathOf(fp_)) && isText(startOf(pathOf(fp_))),
    ),
    is_bin_file: filter("is_binary", ["path"], ({ path }) => isFile(pathOf(path)) && startOf(pathOf(path)).includes(0)),
    file_hashsum: filter("get_hash", ["path", ["form", "sha256"], ["chunk_size", 65536]], ({ path, form }) => {
      const name = str(path);
      if (fs.stat(name) === undefined) throw missing(name);
      return hex(crypto.hash(str(form) as HashName, isFile(name) ? fs.read(name) : new Uint8Array()));
    }),
    list_files: filter("list_files", ["directory"], ({ directory }) => list(pathOf(directory))),
    which: filter("which", ["exe"], ({ exe }) => which(truthy(exe) ? pathOf(exe) : "")),
  };
}
