import { isWithin, joinPath } from "../../../base/paths.ts";
import { bytesOf } from "../../../protocol/wire/payload.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = Pick<MasterServices, "cache" | "log" | "opts" | "runtime" | "files" | "heavyFiles">;

/** `_file_recv`: a minion pushes a part of a file; only with `file_recv`, and only below its own directory. */
export function fileReceive(services: Services, load: Load): boolean {
  const { opts, cache, log, runtime: { fs } } = services;
  const { id, path, loc } = load;
  if (!opts.file_recv || typeof id !== "string" || !Array.isArray(path) || path.length === 0) return false;
  if (typeof loc !== "number" || !Number.isInteger(loc) || loc < 0) return false;
  if (!(typeof load.data === "string" || load.data instanceof Uint8Array)) return false;
  if (!path.every((part) => typeof part === "string" && part !== "" && !part.includes("\0"))) return false;
  const parts = (path as string[]).flatMap((part) => part.split("/"));
  if ((path as string[]).some((part) => part.startsWith("/")) || parts.includes("..") || parts.includes(".")) {
    return false;
  }
  const data = bytesOf(load.data);
  if (loc + data.length > opts.file_recv_max_size * 1024 * 1024) {
    log.warning("pushed file refused: larger than file_recv_max_size", { id, path: parts.join("/") });
    return false;
  }
  const base = cache.filesDirectory(id);
  const target = joinPath(base, ...parts);
  if (!isWithin(base, target)) return false;
  // An existing path may have been made by another program: a link would lead outside, and a pipe would block for ever.
  // The check comes before anything is created, because a directory is created through a link, too.
  for (let count = 1; count <= parts.length; count++) {
    const kind = fs.stat(joinPath(base, ...parts.slice(0, count)), { follow: false })?.kind;
    if (kind === undefined) break;
    if (kind !== (count < parts.length ? "directory" : "file")) {
      log.warning("pushed file refused: part of its path has another file type", { id, path: parts.join("/"), kind });
      return false;
    }
  }
  fs.mkdir(target.slice(0, target.lastIndexOf("/")), 0o755);
  fs.writeAt(target, loc, data, { truncate: loc === 0 });
  return true;
}

/** The command `_master_opts`: returns the part of the master's configuration that a minion needs for states and files. */
export function masterOpts(services: Services, load: Load): unknown {
  const { opts } = services;
  const environments = Object.fromEntries(Object.keys(opts.file_roots).map((name) => [name, []]));
  const shared = {
    file_roots: environments,
    top_file_merging_strategy: opts.top_file_merging_strategy,
    env_order: opts.env_order,
    default_top: opts.default_top,
  };
  if (load.env_only) return shared;
  return {
    ...shared,
    renderer: opts.renderer,
    failhard: opts.failhard,
    state_top: opts.state_top,
    state_top_saltenv: opts.state_top_saltenv,
    nodegroups: isRecord(opts.nodegroups) ? opts.nodegroups : {},
    state_auto_order: opts.state_auto_order,
    state_events: opts.state_events,
    state_aggregate: opts.state_aggregate,
    jinja_env: opts.jinja_env,
    jinja_sls_env: opts.jinja_sls_env,
    jinja_lstrip_blocks: opts.jinja_lstrip_blocks,
    jinja_trim_blocks: opts.jinja_trim_blocks,
  };
}
