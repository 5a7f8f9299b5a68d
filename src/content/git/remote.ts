import { ConfigError } from "../../base/errors.ts";
import { entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import type { GitAuth } from "./command.ts";
import { parseGitUrl, shownRemote } from "./url.ts";
import { REFSPECS } from "../../model/config/git_opts.ts";

/** What a repository is for: the prefix of its options. */
type GitRole = "gitfs" | "git_pillar";

export interface SavedEnvironment {
  ref?: string;
  root?: string;
  mountpoint?: string;
}

/** One remote with its options: the remote's own options override those for all remotes. */
export interface GitRemote {
  role: GitRole;
  /** The address as configured, without a password: for messages, results and directories. */
  id: string;
  url: string;
  name: string | undefined;
  /** For `git_pillar`: the branch before the address, or else `git_pillar_branch`. */
  branch: string;
  base: string;
  root: string;
  mountpoint: string;
  fallback: string;
  /** For `git_pillar`: the environment that the files belong to. */
  env: string;
  refTypes: readonly string[];
  refspecs: readonly string[];
  whitelist: readonly string[];
  blacklist: readonly string[];
  allSaltenvs: string | undefined;
  disableMapping: boolean;
  saltenvs: ReadonlyMap<string, SavedEnvironment>;
  globalSaltenvs: ReadonlyMap<string, SavedEnvironment>;
  updateIntervalMs: number;
  auth: GitAuth;
}

const PER_REMOTE: Record<GitRole, readonly string[]> = {
  gitfs: [
    ..."base fallback mountpoint root ssl_verify saltenv_whitelist saltenv_blacklist refspecs".split(" "),
    ..."disable_saltenv_mapping ref_types update_interval all_saltenvs name saltenv".split(" "),
    ..."user password pubkey privkey passphrase insecure_auth".split(" "),
  ],
  git_pillar: [
    ..."base env root ssl_verify refspecs fallback name mountpoint all_saltenvs update_interval".split(" "),
    ..."user password pubkey privkey passphrase insecure_auth".split(" "),
  ],
};

/** Option of one remote → the option for all remotes. */
const NAMES: Record<GitRole, Record<string, string>> = {
  gitfs: {
    base: "gitfs_base",
    disable_saltenv_mapping: "gitfs_disable_saltenv_mapping",
    fallback: "gitfs_fallback",
    insecure_auth: "gitfs_insecure_auth",
    mountpoint: "gitfs_mountpoint",
    passphrase: "gitfs_passphrase",
    password: "gitfs_password",
    privkey: "gitfs_privkey",
    ref_types: "gitfs_ref_types",
    refspecs: "gitfs_refspecs",
    root: "gitfs_root",
    saltenv: "gitfs_saltenv",
    saltenv_blacklist: "gitfs_saltenv_blacklist",
    saltenv_whitelist: "gitfs_saltenv_whitelist",
    ssl_verify: "gitfs_ssl_verify",
    update_interval: "gitfs_update_interval",
    user: "gitfs_user",
  },
  git_pillar: {
    base: "git_pillar_base",
    branch: "git_pillar_branch",
    env: "git_pillar_env",
    fallback: "git_pillar_fallback",
    insecure_auth: "git_pillar_insecure_auth",
    passphrase: "git_pillar_passphrase",
    password: "git_pillar_password",
    privkey: "git_pillar_privkey",
    refspecs: "git_pillar_refspecs",
    root: "git_pillar_root",
    ssl_verify: "git_pillar_ssl_verify",
    update_interval: "git_pillar_update_interval",
    user: "git_pillar_user",
  },
};

const REF_TYPES = ["branch", "tag", "sha"];

const text = (value: unknown): string => value === null || value === undefined ? "" : str(value);
const words = (value: unknown): string[] => !truthy(value) ? [] : (Array.isArray(value) ? value : [value]).map(text);
const strip = (path: string) => path.replace(/^salt:\/\//, "").replace(/^\/+|\/+$/g, "");

/** Joins a list of maps, or one map, to one map. */
function joined(value: unknown): Map<string, unknown> {
  const maps = Array.isArray(value) ? value : [value];
  return new Map(
    maps.flatMap((one) => isMap(one) ? entriesOf(one).map(([key, item]) => [str(key), item] as const) : []),
  );
}

function environments(value: unknown): Map<string, SavedEnvironment> {
  return new Map([...joined(value)].map(([name, given]) => {
    const fields = joined(given);
    const saved: SavedEnvironment = {};
    if (fields.has("ref")) saved.ref = text(fields.get("ref"));
    if (fields.has("root")) saved.root = strip(text(fields.get("root")));
    if (fields.has("mountpoint")) saved.mountpoint = strip(text(fields.get("mountpoint")));
    return [name, saved];
  }));
}

/** Reads an option of the remote, or else the option for all remotes. */
type Option = (name: string) => unknown;

function globalOf(role: GitRole, opts: Record<string, unknown>, name: string): unknown {
  const option = NAMES[role][name];
  return option === undefined ? undefined : opts[option];
}

function authOf(url: ReturnType<typeof parseGitUrl>, option: Option, shown: string): GitAuth {
  const some = (name: string) => text(option(name)) || undefined;
  const user = some("user") ?? url.user;
  // If the address has a user and no password, the user may be a token.
  const password = some("password") ?? url.password ?? (url.user === undefined ? undefined : "");
  if (url.scheme === "http" && password !== undefined && !truthy(option("insecure_auth"))) {
    throw new ConfigError(
      `Cannot use the git remote "${shown}": its password would be sent without TLS; use https, or set insecure_auth: True`,
    );
  }
  const ssl = option("ssl_verify");
  return {
    user,
    password: url.scheme === "ssh" ? undefined : password,
    privateKey: some("privkey"),
    passphrase: some("passphrase"),
    sslVerify: ssl === undefined || ssl === null || truthy(ssl),
  };
}

/** Checks refspecs, which become arguments of git. @throws {ConfigError} for a refspec not of the form `refs/…:refs/…` */
function checkedRefspecs(given: string[], shown: string): string[] {
  for (const refspec of given) {
    // deno-lint-ignore no-control-regex
    if (!/^\+?refs\/[^\x00-\x20:-][^\x00-\x20:]*:refs\/[^\x00-\x20:]+$/.test(refspec)) {
      throw new ConfigError(
        `Cannot use the refspec "${refspec}" of the git remote "${shown}": expected one such as +refs/heads/*:refs/remotes/origin/*`,
      );
    }
  }
  return given.length === 0 ? REFSPECS : given;
}

function remoteOf(role: GitRole, opts: Record<string, unknown>, key: string, own: Map<string, unknown>): GitRemote {
  const parts = /^(\S+)\s+(\S.*)$/.exec(key);
  const address = role === "git_pillar" && parts !== null ? parts[2]! : key;
  const shown = shownRemote(key);
  const option: Option = (name) => own.has(name) ? own.get(name) : globalOf(role, opts, name);
  const url = parseGitUrl(address, shown);
  for (const name of own.keys()) {
    if (!PER_REMOTE[role].includes(name)) {
      throw new ConfigError(
        `Unknown option "${name}" of the ${role} remote "${shown}": expected one of ${PER_REMOTE[role].join(", ")}`,
      );
    }
  }
  const name = own.has("name") ? text(own.get("name")) : undefined;
  if (name !== undefined && !/^[\w.+-]*\w[\w.+-]*$/.test(name)) {
    throw new ConfigError(
      `Cannot use the name "${name}" of the ${role} remote "${shown}": expected letters, digits, . and -`,
    );
  }
  const refTypes = words(option("ref_types")).map((type) => type.toLowerCase());
  const unknown = refTypes.find((type) => !REF_TYPES.includes(type));
  if (unknown !== undefined) {
    throw new ConfigError(
      `Unknown type "${unknown}" in ref_types of the ${role} remote "${shown}": expected ${REF_TYPES.join(", ")}`,
    );
  }
  const saltenvs = environments(own.get("saltenv"));
  const base = saltenvs.get("base")?.ref ?? (text(option("base")) || "master");
  return {
    role,
    id: shown,
    url: url.url,
    name,
    branch: role === "git_pillar" && parts !== null ? parts[1]! : text(globalOf(role, opts, "branch")) || "master",
    base,
    root: strip(text(option("root"))),
    mountpoint: strip(text(option("mountpoint"))),
    fallback: text(option("fallback")),
    env: text(option("env")),
    refTypes: refTypes.length === 0 ? REF_TYPES : refTypes,
    refspecs: checkedRefspecs(words(option("refspecs")), shown),
    whitelist: words(option("saltenv_whitelist")),
    blacklist: words(option("saltenv_blacklist")),
    allSaltenvs: own.has("all_saltenvs") ? text(own.get("all_saltenvs")) : undefined,
    disableMapping: truthy(option("disable_saltenv_mapping")),
    saltenvs,
    globalSaltenvs: environments(globalOf(role, opts, "saltenv")),
    updateIntervalMs: 1000 * (Number(option("update_interval")) || 60),
    auth: authOf(url, option, shown),
  };
}

/**
 * Reads a list of remotes: addresses, or maps of one address to the options of that remote.
 *
 * @throws {ConfigError} naming the remote, without its password
 */
export function gitRemotes(role: GitRole, opts: Record<string, unknown>, listed: unknown): GitRemote[] {
  const items = Array.isArray(listed) ? listed : listed === undefined || listed === null ? [] : [listed];
  const remotes = items.flatMap((item) => {
    if (!isMap(item)) return [remoteOf(role, opts, text(item).trim(), new Map())];
    return entriesOf(item).map(([key, own]) => remoteOf(role, opts, str(key).trim(), joined(own)));
  });
  const places = new Map<string, GitRemote>();
  for (const remote of remotes) {
    const other = places.get(remotePlace(remote));
    if (other !== undefined) {
      throw new ConfigError(
        `The ${role} remotes "${other.id}" and "${remote.id}" would share a directory: give one of them another name`,
      );
    }
    places.set(remotePlace(remote), remote);
  }
  return remotes;
}

/** The text that the directory of a remote is named after. */
export function remotePlace({ name, id }: Pick<GitRemote, "name" | "id">): string {
  return name ?? id;
}

/** The branches and tags of a remote, each name → hash of its commit or tag object. */
export interface Refs {
  branches: ReadonlyMap<string, string>;
  tags: ReadonlyMap<string, string>;
  /** Time of the last fetch, in milliseconds since the epoch; 0 if there was none. */
  atMs: number;
}

/** The refs of a remote that was never fetched. */
export const NO_REFS: Refs = { branches: new Map(), tags: new Map(), atMs: 0 };

/** True if `a` was fetched, and both have the same branches and tags. */
export function sameRefs(a: Refs, b: Refs): boolean {
  const same = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    one.size === other.size && [...one].every(([name, sha]) => other.get(name) === sha);
  return a.atMs !== 0 && same(a.branches, b.branches) && same(a.tags, b.tags);
}
