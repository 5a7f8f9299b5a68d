import { joinPath } from "../../../base/paths.ts";
import type { StateContext } from "../../../model/loader/states.ts";
import { dirname, relpath } from "../../../language/python/posixpath.ts";
import { str } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { hashFile } from "../../modules/file/hash.ts";

const hashType = (context: StateContext) => str(context.opts.hash_type ?? "sha256");

/** Where the hash of an archive stands that was unpacked before. */
function noteOf({ opts }: StateContext, archive: string): string {
  const cache = str(opts.cachedir ?? "/var/cache/salt/minion");
  const relative = `${relpath(archive, cache)}.hash`;
  const inside = relative.startsWith("../") ? joinPath("local", archive.replace(/^\/+/, "")) : relative;
  return joinPath(cache, "archive_hash", inside);
}

/** The hash that an archive had when it was unpacked last, of the minion's type. */
export function notedHash(context: StateContext, archive: string): string | undefined {
  const { fs } = context.runtime;
  const path = noteOf(context, archive);
  if (!isFile(fs, path)) return undefined;
  const line = fs.readText(path).split("\n").find((one) => one.startsWith(`${hashType(context)}:`));
  return line?.slice(line.indexOf(":") + 1);
}

export function noteHash(context: StateContext, archive: string): void {
  const { fs } = context.runtime;
  const type = hashType(context);
  const path = noteOf(context, archive);
  const lines = isFile(fs, path) ? fs.readText(path).split("\n").filter((line) => line !== "") : [];
  const others = lines.filter((line) => !line.startsWith(`${type}:`));
  fs.mkdir(dirname(path));
  fs.write(path, [...others, `${type}:${hashFile(context, archive, type)}`, ""].join("\n"), { mode: 0o644 });
}
