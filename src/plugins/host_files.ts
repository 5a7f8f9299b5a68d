import type { Runtime } from "../runtime/runtime.ts";
import { joinPath } from "../base/paths.ts";

/**
 * Replaces the content of a file of the host, or creates it; it is never there in part. What is there keeps its owner, its mode, its
 * access control list, its extended attributes and its label. A link to it stays.
 *
 * @param options `mode` of a new file; without `follow` a link is replaced, as below another root, where it would lead out
 */
export function replaceContent(
  { fs }: Pick<Runtime, "fs">,
  path: string,
  content: string | Uint8Array,
  { mode = 0o644, follow = true }: { mode?: number; follow?: boolean } = {},
): void {
  const place = follow ? fs.placeOf(path) : path;
  const before = fs.stat(place, { follow: false });
  const kept = before?.kind === "file"
    ? { mode: before.mode, owner: { uid: before.uid, gid: before.gid }, like: place }
    : { mode };
  fs.write(place, content, kept);
}

type Host = Pick<Runtime, "fs" | "process" | "crypto">;

const PREFIX = "__salt.tmp.";

const directoryOf = ({ process }: Pick<Host, "process">) => process.env("TMPDIR") ?? "/tmp";

/** A path for a file that nobody can guess, in the directory of temporary files. */
export function temporaryPath(runtime: Pick<Host, "process" | "crypto">, suffix = ""): string {
  const random = Array.from(runtime.crypto.randomBytes(12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return joinPath(directoryOf(runtime), `${PREFIX}${random}${suffix}`);
}

/** A temporary file that only we can read. */
export function temporaryFile(runtime: Host, content: Uint8Array | string): string {
  const path = temporaryPath(runtime);
  runtime.fs.write(path, content, { how: "create", mode: 0o600 });
  return path;
}

/** Removes a file if it is one of {@link temporaryFile}. */
export function removeTemporary(runtime: Host, path: string): void {
  if (!path.includes(PREFIX)) return;
  const prefix = joinPath(directoryOf(runtime), PREFIX);
  if (path.startsWith(prefix) && /^[0-9a-f]+$/.test(path.slice(prefix.length))) runtime.fs.remove(path);
}
