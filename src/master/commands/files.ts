import { isWithin, joinPath, normalizePath } from "../../config/paths.ts";
import { hex } from "../../crypto/hex.ts";
import type { HashName } from "../../runtime/crypto.ts";
import type { FileStat, FileSystem } from "../../runtime/fs.ts";
import { octets } from "../../wire/payload.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

interface Found {
  /** On the master's disk. */
  path: string;
  /** Below its root. */
  rel: string;
  stat: FileStat;
}

const text = (value: unknown) => typeof value === "string" ? value : undefined;

/** Directories of one environment. */
function rootsOf(services: MasterServices, saltenv: string): string[] {
  const roots = services.opts.file_roots;
  if (!Object.hasOwn(roots, saltenv)) return [];
  return [roots[saltenv]].flat().filter((root): root is string => typeof root === "string");
}

/** Splits `path?saltenv=x`; a leading `|` switches the query off. */
function splitQuery(path: string): { path: string; saltenv?: string } {
  if (path.startsWith("|")) return { path: path.slice(1) };
  const at = path.indexOf("?");
  if (at < 0) return { path };
  const saltenv = new URLSearchParams(path.slice(at + 1)).get("saltenv");
  return { path: path.slice(0, at), ...(saltenv === null ? {} : { saltenv }) };
}

/** What stands at a path; nothing for names that are too long and links that go round in circles. */
function lookAt(fs: FileSystem, path: string): FileStat | undefined {
  try {
    return fs.stat(path);
  } catch {
    return undefined;
  }
}

/** Looks a file up; nothing outside the roots is ever found, through no symlink and no spelling. */
function find(services: MasterServices, load: Load): Found | undefined {
  const asked = text(load.path);
  if (asked === undefined) return undefined;
  const query = splitQuery(asked);
  const saltenv = query.saltenv ?? text(load.saltenv);
  const { path } = query;
  if (saltenv === undefined || path === "" || path.startsWith("/") || path.includes("\0")) return undefined;
  if (path.split("/").includes("..")) return undefined;
  const { fs } = services.runtime;
  for (const root of rootsOf(services, saltenv)) {
    const full = joinPath(root, path);
    const stat = lookAt(fs, full);
    if (stat?.kind !== "file") continue;
    if (!isWithin(fs.realpath(root), fs.realpath(full))) {
      services.log.warning("file not served: it lies outside its root", { path: full });
      continue;
    }
    return { path: full, rel: normalizePath(path), stat };
  }
  return undefined;
}

/** `_serve_file`: one piece of a file. */
export async function serveFile(services: MasterServices, load: Load): Promise<unknown> {
  const none = { data: "", dest: "" };
  const { loc } = load;
  if (typeof loc !== "number" || !Number.isInteger(loc) || loc < 0) return none;
  const found = find(services, load);
  if (found === undefined) return none;
  const piece = services.runtime.fs.readAt(found.path, loc, services.opts.file_buffer_size);
  const { gzip } = load;
  if (piece.length > 0 && typeof gzip === "number" && gzip >= 1 && gzip <= 9) {
    const packed = await new Response(
      new Blob([piece as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer();
    return { data: new Uint8Array(packed), dest: found.rel, gzip };
  }
  return { data: piece, dest: found.rel };
}

/** Hashes of large files are computed in pieces by callers that care; configuration trees are small. */
function hashOf(services: MasterServices, found: Found): { hash_type: string; hsum: string } {
  const name = services.opts.hash_type as HashName;
  return { hash_type: name, hsum: hex(services.runtime.crypto.hash(name, services.runtime.fs.read(found.path))) };
}

/** The ten numbers of Python's `os.stat`. */
function statList(stat: FileStat): number[] {
  const kind = stat.kind === "file" ? 0o100000 : stat.kind === "directory" ? 0o040000 : 0;
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return [
    kind | stat.mode,
    stat.ino,
    stat.dev,
    stat.nlink,
    stat.uid,
    stat.gid,
    stat.size,
    seconds(stat.atimeMs),
    seconds(stat.mtimeMs),
    seconds(stat.ctimeMs),
  ];
}

/** `_file_hash`. */
export function fileHash(services: MasterServices, load: Load): unknown {
  const found = find(services, load);
  return found === undefined ? "" : hashOf(services, found);
}

/** `_file_hash_and_stat`. */
export function fileHashAndStat(services: MasterServices, load: Load): unknown {
  const found = find(services, load);
  return found === undefined ? "" : [hashOf(services, found), statList(found.stat)];
}

/** `_file_find`. */
export function fileFind(services: MasterServices, load: Load): unknown {
  const found = find(services, { ...load, saltenv: load.saltenv ?? "base" });
  if (found === undefined) return { path: "", rel: "" };
  return { path: found.path, rel: found.rel, back: "roots", stat: statList(found.stat) };
}

interface Listing {
  files: string[];
  directories: string[];
  emptyDirectories: string[];
  links: Record<string, string>;
}

/** Everything below the roots of an environment whose path begins with `prefix`. */
function listing(services: MasterServices, load: Load): Listing {
  const result: Listing = { files: [], directories: [], emptyDirectories: [], links: {} };
  const saltenv = text(load.saltenv);
  if (saltenv === undefined) return result;
  const prefix = (text(load.prefix) ?? "").replace(/^\/+|\/+$/g, "");
  const { fs } = services.runtime;
  const seen = new Set<string>();
  const wanted = (rel: string) => prefix === "" || rel === prefix || rel.startsWith(`${prefix}/`);
  for (const root of rootsOf(services, saltenv)) {
    if (fs.stat(root)?.kind !== "directory") continue;
    const walk = (directory: string, rel: string, trail: ReadonlySet<string>) => {
      const real = fs.realpath(directory);
      // A link to a directory above would be walked for ever.
      if (trail.has(real) || !isWithin(fs.realpath(root), real)) return;
      const names = fs.list(directory);
      if (names.length === 0 && rel !== "" && wanted(rel)) result.emptyDirectories.push(rel);
      for (const name of names) {
        const below = rel === "" ? name : `${rel}/${name}`;
        const full = joinPath(directory, name);
        const isLink = fs.stat(full, { follow: false })?.kind === "symlink";
        if (isLink && wanted(below)) result.links[below] = fs.readlink(full);
        const stat = lookAt(fs, full);
        // What is not served is not listed.
        if (stat === undefined || (isLink && !isWithin(fs.realpath(root), fs.realpath(full)))) continue;
        if (stat.kind === "directory") {
          if (wanted(below)) result.directories.push(below);
          walk(full, below, new Set([...trail, real]));
        } else if (stat.kind === "file" && wanted(below) && !seen.has(below)) {
          seen.add(below);
          result.files.push(below);
        }
      }
    };
    walk(root, "", new Set());
  }
  return result;
}

const sorted = (names: string[]) => [...new Set(names)].sort();

/** `_file_list`. */
export const fileList = (services: MasterServices, load: Load): unknown => sorted(listing(services, load).files);
/** `_file_list_emptydirs`. */
export const emptyDirectoryList = (services: MasterServices, load: Load): unknown =>
  sorted(listing(services, load).emptyDirectories);
/** `_dir_list`. */
export const directoryList = (services: MasterServices, load: Load): unknown =>
  sorted(listing(services, load).directories);
/** `_symlink_list`. */
export const symlinkList = (services: MasterServices, load: Load): unknown => listing(services, load).links;
/** `_file_envs`. */
export const fileEnvironments = (services: MasterServices): unknown => Object.keys(services.opts.file_roots);

/** `_file_recv`: a minion pushes a piece of a file; only with `file_recv`, only below its own directory. */
export function fileReceive(services: MasterServices, load: Load): boolean {
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
  const data = octets(load.data);
  if (loc + data.length > opts.file_recv_max_size * 1024 * 1024) {
    log.warning("pushed file refused: larger than file_recv_max_size", { id, path: parts.join("/") });
    return false;
  }
  const base = cache.filesDirectory(id);
  const target = joinPath(base, ...parts);
  if (!isWithin(base, target)) return false;
  // What is there may have come from elsewhere: a link would lead outside, and a pipe would hold us up for ever. Looked
  // at before anything is made, for a directory is made through a link, too.
  for (let count = 1; count <= parts.length; count++) {
    const kind = fs.stat(joinPath(base, ...parts.slice(0, count)), { follow: false })?.kind;
    if (kind === undefined) break;
    if (kind !== (count < parts.length ? "directory" : "file")) {
      log.warning("pushed file refused: something else stands in its way", { id, path: parts.join("/"), kind });
      return false;
    }
  }
  fs.mkdir(target.slice(0, target.lastIndexOf("/")), 0o755);
  fs.writeAt(target, loc, data, { truncate: loc === 0 });
  return true;
}

/** `_master_opts`: what a minion needs of the master's configuration for states and files. */
export function masterOpts(services: MasterServices, load: Load): unknown {
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
