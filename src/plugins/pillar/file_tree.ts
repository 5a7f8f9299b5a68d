import { joinPath, normalizePath } from "../../base/paths.ts";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { isMinionId } from "../../base/minion_id.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import type { FileStat } from "../../runtime/fs.ts";
import { compileGlob } from "../../language/python/glob.ts";

/** The deepest nesting of directories: links may form a circle. */
const DEEPEST = 64;
/** The largest file. */
const MAX_BYTES = 64 * 1024 * 1024;

type Keeps = (path: string) => boolean;

/** The file's bytes, less the line feed at its end. */
function contentsOf(bytes: Uint8Array, keepsNewline: boolean): Uint8Array {
  return bytes.at(-1) === 0x0a && !keepsNewline ? bytes.subarray(0, -1) : bytes;
}

class Tree {
  readonly #context: PillarContext;
  readonly #args: Args;
  readonly #keeps: Keeps;

  constructor(context: PillarContext, args: Args, keeps: Keeps) {
    this.#context = context;
    this.#args = args;
    this.#keeps = keeps;
  }

  #stat(path: string, follow: boolean): FileStat | undefined {
    try {
      return this.#context.runtime.fs.stat(path, { follow });
    } catch (error) {
      if (["ENOTDIR", "ELOOP", "EACCES"].includes(codeOf(error))) return undefined;
      throw error;
    }
  }

  isDirectory(path: string): boolean {
    return this.#stat(path, true)?.kind === "directory";
  }

  /** Directories as maps, files as their bytes, or as what they render to. */
  async read(directory: string, prefix = ".", depth = 0): Promise<Map<unknown, unknown>> {
    const { runtime: { fs }, log } = this.#context;
    const node = new Map();
    const files: string[] = [];
    for (const name of fs.list(directory)) {
      const path = joinPath(directory, name);
      const isLink = this.#stat(path, false)?.kind === "symlink";
      const stat = this.#stat(path, true);
      if (stat?.kind === "directory") {
        const follows = !isLink || truthy(this.#args.follow_dir_links);
        const below = prefix === "." ? name : `${prefix}/${name}`;
        node.set(name, follows && depth < DEEPEST ? await this.read(path, below, depth + 1) : new Map());
      } else if (stat?.kind !== "file") log.error("file_tree: not a regular file", { path });
      else if (stat.size > MAX_BYTES) log.error("file_tree: file is too large", { path, size: stat.size });
      else files.push(name);
    }
    for (const name of files) {
      const path = joinPath(directory, name);
      try {
        const bytes = contentsOf(fs.read(path), this.#keeps(prefix === "." ? `./${name}` : `${prefix}/${name}`));
        node.set(name, truthy(this.#args.template) ? await this.#rendered(bytes, path) : bytes);
      } catch (error) {
        log.error("file_tree: file cannot be read", { path, error: messageOf(error) });
      }
    }
    return node;
  }

  #rendered(bytes: Uint8Array, path: string): Promise<unknown> {
    const { render_default: pipeline } = this.#args;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return this.#context.render(text, path, truthy(pipeline) ? str(pipeline) : undefined);
  }
}

/** Maps are joined at every level; of files, the second counts. */
function join(under: Map<unknown, unknown>, over: Map<unknown, unknown>): Map<unknown, unknown> {
  const joined = new Map(under);
  for (const [key, value] of over) {
    const before = joined.get(key);
    joined.set(key, before instanceof Map && value instanceof Map ? join(before, value) : value);
  }
  return joined;
}

/** `hosts/<id>` over `nodegroups/<name>` for the groups that the minion is in. */
async function readRoot(context: PillarContext, tree: Tree, root: string): Promise<Map<unknown, unknown>> {
  const { log, nodegroups, id, runtime: { fs } } = context;
  if (!tree.isDirectory(root)) {
    log.error("file_tree: root_dir is not a directory", { root_dir: root });
    return new Map();
  }
  let found = new Map();
  const groups = joinPath(root, "nodegroups");
  for (const name of tree.isDirectory(groups) ? fs.list(groups) : []) {
    const path = joinPath(groups, name);
    if (!Object.hasOwn(nodegroups, name) || !tree.isDirectory(path) || !context.matches(name, "nodegroup")) continue;
    found = join(found, await tree.read(path));
  }
  const own = `${joinPath(root, "hosts")}/${id}`;
  // The id is part of a path: it must be a name and nothing else.
  return isMinionId(id) && tree.isDirectory(own) ? join(found, await tree.read(own)) : found;
}

/** Files as values: `<root_dir>/hosts/<id>` and `<root_dir>/nodegroups/<name>`, directories as maps. */
export const pillar: ExtPillar = {
  signature: "root_dir=None, follow_dir_links=False, debug=False, keep_newline=False, render_default=None, " +
    "renderer_blacklist=None, renderer_whitelist=None, template=False",
  neverOnDemand: "it reads any file of the master",
  async run(context, args) {
    const { root_dir: given, keep_newline: keep } = args;
    const { log, roots } = context;
    if (!truthy(given)) {
      log.error("file_tree: root_dir is not set");
      return {};
    }
    if (typeof keep !== "boolean" && !Array.isArray(keep)) {
      throw new Error("keep_newline must be True, False or a list of globs");
    }
    const globs = Array.isArray(keep) ? keep.map((glob) => compileGlob(str(glob))) : [];
    const keeps: Keeps = (path) => keep === true || globs.some((matches) => matches(path));
    const root = str(given);
    let directories = [root];
    if (!root.startsWith("/")) {
      if (roots === undefined) {
        log.error("file_tree: root_dir is relative, but the minion has no pillarenv with pillar_roots", {
          root_dir: root,
        });
        return {};
      }
      directories = [...new Set(roots.map((dir) => normalizePath(`${dir}/${root}`)))];
    }
    const tree = new Tree(context, args, keeps);
    let found = new Map();
    for (const directory of directories) found = join(found, await readRoot(context, tree, directory));
    return found;
  },
};
