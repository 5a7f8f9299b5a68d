import type { Runtime } from "../runtime/runtime.ts";

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
