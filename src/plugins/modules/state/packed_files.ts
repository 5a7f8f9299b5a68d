import { joinPath } from "../../../base/paths.ts";
import { messageOf } from "../../../base/errors.ts";
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";

/** A file in the cache directory. @throws {SaltInvocationError} for a name that leads out of it */
export function cacheFile({ opts }: JobContext, name: string): string {
  if (name === "" || name.includes("/") || name.includes("\0") || name.startsWith(".")) {
    throw new SaltInvocationError(
      `Cannot use "${name}" as the name of a file in the cache: expected a name without a path`,
    );
  }
  return joinPath(str(opts.cachedir), name);
}

/** The value of a file of msgpack; undefined if there is none. */
export function readPacked({ runtime: { fs } }: JobContext, path: string): unknown {
  return fs.stat(path)?.kind === "file" ? decode(fs.read(path), { mode: "bin" }) : undefined;
}

/** Writes a file of msgpack that only we can read, with its directory. */
export function writePacked(context: JobContext, path: string, value: unknown): void {
  writeOwn(context, path, encode(value, "bin"));
}

function writeOwn({ runtime: { fs } }: JobContext, path: string, packed: Uint8Array): void {
  fs.mkdir(path.slice(0, path.lastIndexOf("/")), 0o700);
  fs.write(path, packed, { mode: 0o600 });
}

/** The same for what is only there to be looked at later: that it cannot be written is logged. */
export function keepPacked(context: JobContext, name: string, value: unknown): void {
  packedFor(context, name, value)();
}

/** Packs a value as it is now. @returns what writes the file, as {@link keepPacked} does */
export function packedFor(context: JobContext, name: string, value: unknown): () => void {
  const path = cacheFile(context, name);
  const logged = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      context.log.error("Unable to write to cache file", { path, error: messageOf(error) });
      return undefined;
    }
  };
  const packed = logged(() => encode(value, "bin"));
  return () => packed === undefined ? undefined : logged(() => writeOwn(context, path, packed));
}
