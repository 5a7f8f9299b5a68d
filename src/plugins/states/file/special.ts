import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { traverse } from "../../../language/python/traverse.ts";
import { mknod as makeNode } from "../../modules/file/nodes.ts";
import { checkPerms } from "../../modules/file/perms.ts";
import { deviceNumbers, isKind, modeComplaint, pathOf } from "../../modules/file/stats.ts";
import { commentFirst, failed, type FileReturn, newRet } from "./ret.ts";

/** Letter → what such a node is called, and the kind of file that it is. */
const NODES = {
  c: { name: "Character device", plain: "a character device", kind: "character" },
  b: { name: "Block device", plain: "a block device", kind: "block" },
  p: { name: "Fifo pipe", plain: "a fifo pipe", kind: "fifo" },
} as const;

/** `file.mknod`: a device or a named pipe. */
export async function mknod(context: StateContext, args: Args): Promise<StateReturn> {
  const name = pathOf(context, args.name);
  const ret: FileReturn = { ...commentFirst(name), result: false };
  if (name === "") return failed(ret, "Must provide name to file.mknod");
  const type = str(args.ntype);
  if (!Object.hasOwn(NODES, type)) {
    ret.comment =
      `Node type unavailable: '${type}'. Available node types are character ('c'), block ('b'), and pipe ('p')`;
    return ret;
  }
  const node = NODES[type as keyof typeof NODES];
  const complaint = modeComplaint(args.mode);
  if (complaint !== undefined) return failed(ret, complaint);
  if (isFile(context.runtime.fs, name)) {
    return Object.assign(ret, { comment: `File ${name} exists and is not ${node.plain}. Refusing to continue` });
  }
  if (!isKind(context, name, node.kind)) {
    if (context.test) return Object.assign(ret, { result: null, comment: `${node.name} ${name} is set to be created` });
    return await makeNode(context, args) as StateReturn;
  }
  const [major, minor] = deviceNumbers(context, name);
  if (type !== "p" && (major !== args.major || minor !== args.minor)) {
    ret.comment = `${node.name} ${name} exists and has a different major/minor ${major}/${minor}. Refusing to continue`;
    return ret;
  }
  const { user, group, mode } = args;
  const [done] = await checkPerms(context, name, null, { user, group, mode });
  if (Object.keys(done.changes).length === 0) done.comment = `${node.name} ${name} is in the correct state`;
  return done as unknown as StateReturn;
}

function encodedData(context: StateContext, { encoded_data: data, contents_pillar: path }: Args): unknown {
  if (!truthy(data) && !truthy(path)) {
    throw new CommandExecutionError("Specify either the 'encoded_data' or 'contents_pillar' argument.");
  }
  if (truthy(data) && truthy(path)) {
    throw new CommandExecutionError("Specify only one 'encoded_data' or 'contents_pillar' argument.");
  }
  if (truthy(data)) return data;
  const found = traverse(context.pillar, path);
  if (found === undefined || found === false) throw new CommandExecutionError("Pillar data not found.");
  return found;
}

/** `file.decode`: a file with the bytes that a base64 text encodes. */
export async function decode(context: StateContext, args: Args): Promise<StateReturn> {
  const name = str(args.name);
  const ret = newRet(name, false);
  const content = encodedData(context, args);
  const sumOfFile = () => context.call("hashutil.digest_file", [name, args.checksum]);
  // A text that is no base64, and an unknown checksum, fail before anything is written.
  const wanted = await context.call("hashutil.digest", [
    await context.call("hashutil.base64_decodestring", [content]),
    args.checksum,
  ]);
  if (isFile(context.runtime.fs, name)) {
    const old = await sumOfFile();
    if (wanted === old) return Object.assign(ret, { result: true, comment: "File is in the correct state." });
    ret.changes = { old, new: wanted };
  }
  if (context.test) return Object.assign(ret, { result: null, comment: "File is set to be updated." });
  ret.result = truthy(await context.call("hashutil.base64_decodefile", [content, name]));
  ret.comment = "File was updated.";
  if (Object.keys(ret.changes).length === 0) ret.changes = { old: null, new: await sumOfFile() };
  return ret;
}

/** What states do that are to be watched by a beacon: `file.managed` and `file.directory`. */
export async function watchedByBeacon(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, sfun, beacon, beacon_data: given } = args;
  if (sfun !== "managed" && sfun !== "directory") {
    const comment = `file.${str(sfun ?? null)} does not work with the beacon state function`;
    return { name, changes: {}, comment, result: false };
  }
  if (!truthy(beacon)) return { name, changes: {}, comment: "Not adding beacon.", result: true };
  const options = isMap(given) ? given : {};
  const option = (key: string, fallback: unknown) => lookup(options, key) ?? fallback;
  const watched: Args = { mask: option("mask", ["create", "delete", "modify"]) };
  if (sfun === "directory") {
    Object.assign(watched, {
      auto_add: option("auto_add", true),
      recurse: option("recurse", true),
      exclude: option("exclude", []),
    });
  }
  return await context.callState("beacon.present", {
    name: `beacon_inotify_${str(name)}`,
    files: { [str(name)]: watched },
    interval: option("interval", 60),
    coalesce: option("coalesce", false),
    beacon_module: "inotify",
  });
}
