import type { EventBatch, ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { utf8 } from "../../protocol/wire/utf8.ts";
import { toJson } from "./json.ts";
import { returnerOptions } from "./options.ts";

/** The file that `rawfile_json.filename` names. @throws {TypeError} if there is something else */
function fileOf(context: ReturnerContext): string {
  const { filename } = returnerOptions(context, "rawfile_json", { filename: "/var/log/salt/events" });
  const path = String(filename);
  const kind = context.runtime.fs.stat(path)?.kind;
  if (kind === undefined || kind === "file") return path;
  throw new TypeError(`Cannot add to "${path}": it is a ${kind}; set rawfile_json.filename to the path of a file`);
}

/** How much of these lines the file ends with already: a process that was killed has written them, or the first of them. */
function written({ runtime: { fs } }: ReturnerContext, path: string, lines: Uint8Array): number {
  const size = fs.stat(path)?.size ?? 0;
  const length = Math.min(size, lines.length);
  const end = fs.readAt(path, size - length, length);
  // What was written began with a line.
  const isStart = (at: number) =>
    at > 0 ? end[at - 1] === 0x0a : size === length || fs.readAt(path, size - length - 1, 1)[0] === 0x0a;
  for (let at = 0; at < length; at++) {
    if (!isStart(at)) continue;
    let same = 0;
    while (at + same < length && end[at + same] === lines[same]) same++;
    if (at + same === length) return same;
  }
  return 0;
}

/** Adds each return, and each event of a master, to a file, one line of JSON. Option: `rawfile_json.filename`. */
export const returner: ReturnerModule = {
  async returner(context, ret) {
    context.runtime.fs.append(fileOf(context), `${toJson(ret)}\n`, 0o600);
  },
  async eventReturn(context, { events, again }: EventBatch) {
    const path = fileOf(context);
    const { fs } = context.runtime;
    // The order of keys is that of Salt's events.
    const lines = utf8(events.map(({ tag, data }) => `${toJson({ data, tag })}\n`).join(""));
    const left = again ? lines.subarray(written(context, path, lines)) : lines;
    if (left.length > 0) fs.append(path, left, 0o600);
    if (context.opts.durability !== "process") await fs.sync(path);
  },
};
