import { joinPath } from "../base/paths.ts";
import type { Runtime } from "../runtime/runtime.ts";

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
  const prefix = joinPath(directoryOf(runtime), PREFIX);
  if (path.startsWith(prefix) && /^[0-9a-f]+$/.test(path.slice(prefix.length))) runtime.fs.remove(path);
}
