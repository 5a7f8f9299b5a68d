import type { KeyStatus } from "../../protocol/channel/key_store.ts";
import { joinPath } from "../../base/paths.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import { isMinionId } from "../../base/minion_id.ts";
import { isRecord } from "../../base/record.ts";
import type { Crypto } from "../../runtime/crypto.ts";
import type { FileSystem } from "../../runtime/fs.ts";
import type { MirroredFiles } from "./mirror.ts";

/** The directories of `pki_dir` under Salt's names, in the order of changes: accepted keys first, so that no revoked key stays valid longer. */
const DIRECTORIES: Record<KeyStatus, string> = {
  accepted: "minions",
  pre: "minions_pre",
  rejected: "minions_rejected",
  denied: "minions_denied",
};
const STATES = Object.keys(DIRECTORIES) as KeyStatus[];
/** The limit of a key file in the key directories, in bytes. */
const MAX_KEY_BYTES = 64 * 1024;

type Keys = { [State in KeyStatus]?: string };

/** The stamp of a minion without a key. */
const NONE = ";;;";

const text = new TextEncoder();

function keysOf(value: Uint8Array | undefined): Keys {
  if (value === undefined) return {};
  const keys: unknown = JSON.parse(new TextDecoder().decode(value));
  const pems = isRecord(keys) ? STATES.map((state) => [state, keys[state]] as const) : [];
  return Object.fromEntries(pems.filter(([, pem]) => typeof pem === "string"));
}

function valueOf(keys: Keys): Uint8Array | undefined {
  const there = STATES.filter((state) => keys[state] !== undefined);
  return there.length === 0 ? undefined : text.encode(JSON.stringify(keys, there));
}

/** The keys that decide the state of a minion: all except denied ones. */
const standing = ({ accepted, pre, rejected }: Keys): Keys => ({
  ...(rejected !== undefined ? { rejected } : {}),
  ...(accepted !== undefined ? { accepted } : {}),
  ...(pre !== undefined ? { pre } : {}),
});

/** A number that is higher the less a state trusts: of two decisions at once, the one that trusts less wins. */
function refusal({ accepted, pre, rejected }: Keys): number {
  return rejected !== undefined ? 3 : accepted === undefined && pre === undefined ? 2 : accepted === undefined ? 1 : 0;
}

const isSame = (a: Keys, b: Keys) => STATES.every((state) => a[state] === b[state]);

/**
 * Merges the keys of two masters. A change of only one master wins. If both have changed the keys, a rejection wins over a removal, a
 * removal over a pending key, and a pending key over an accepted one; of two keys of the same state, theirs wins.
 */
export function mergeKeys(mine: Keys, theirs: Keys, base: Keys | undefined): Keys {
  const [own, other] = [standing(mine), standing(theirs)];
  const before = base && standing(base);
  let now = refusal(own) > refusal(other) ? own : other;
  if (before !== undefined && isSame(other, before)) now = own;
  else if (before !== undefined && isSame(own, before)) now = other;
  const denied = base !== undefined && theirs.denied === base.denied ? mine.denied : theirs.denied ?? mine.denied;
  return { ...now, ...(denied === undefined ? {} : { denied }) };
}

/** The keys of minions in `pki_dir`: one record for each minion, so that a decision is one change. */
export function mirroredKeys(fs: FileSystem, pkiDir: string): MirroredFiles {
  // Lists of keys leave out names that begin with a dot.
  const isId = (id: string) => isMinionId(id) && !id.startsWith(".");
  const path = (state: KeyStatus, id: string) => joinPath(pkiDir, DIRECTORIES[state], id);
  const stampIn = (state: KeyStatus, id: string) => {
    const stat = fs.stat(path(state, id));
    return stat?.kind === "file" ? `${state} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
  };
  const stamp = (id: string) => {
    const whole = STATES.map((state) => stampIn(state, id)).join(";");
    return whole === NONE ? undefined : whole;
  };
  const read = (id: string): Keys => {
    if (!isId(id)) return {};
    const pems = STATES.flatMap((state): [KeyStatus, string][] => {
      const stat = fs.stat(path(state, id));
      return stat?.kind === "file" && stat.size > 0 && stat.size <= MAX_KEY_BYTES
        ? [[state, fs.readText(path(state, id))]]
        : [];
    });
    return Object.fromEntries(pems);
  };
  return {
    kind: "key",
    keepsBase: true,
    scan() {
      const found = new Map<string, string[]>();
      for (const [at, state] of STATES.entries()) {
        const directory = joinPath(pkiDir, DIRECTORIES[state]);
        for (const id of fs.stat(directory)?.kind === "directory" ? fs.list(directory) : []) {
          if (!isId(id)) continue;
          const stamps = found.get(id) ?? STATES.map(() => "");
          stamps[at] = stampIn(state, id);
          found.set(id, stamps);
        }
      }
      const stamps = [...found].map(([id, each]): [string, string] => [id, each.join(";")]);
      return new Map(stamps.filter(([, whole]) => whole !== NONE));
    },
    overview: () => overviewOf(fs, STATES.map((state) => joinPath(pkiDir, DIRECTORIES[state]))),
    stamp: (id) => isId(id) ? stamp(id) : undefined,
    read: (id) => valueOf(read(id)),
    apply(id, value) {
      if (!isId(id)) throw new RangeError(`Cannot keep a key: "${id}" is not a minion id`);
      const [now, next] = [read(id), keysOf(value)];
      for (const pem of Object.values(next)) {
        if (pem.length > MAX_KEY_BYTES) throw new RangeError(`Cannot keep a key of ${pem.length} characters`);
      }
      // A key that is no longer trusted is removed first; a rejected key is written before the pending one is removed.
      if (next.accepted !== now.accepted) {
        fs.remove(path("accepted", id), { sync: true });
        fs.remove(joinPath(pkiDir, "minions_rotating", id));
      }
      for (const state of STATES) {
        const pem = next[state];
        if (pem === undefined || pem === now[state]) continue;
        fs.mkdir(joinPath(pkiDir, DIRECTORIES[state]), 0o700);
        fs.write(path(state, id), pem, { mode: 0o644, sync: state === "accepted" || state === "rejected" });
      }
      for (const state of STATES) if (next[state] === undefined) fs.remove(path(state, id));
    },
    merge: (mine, theirs, base) => valueOf(mergeKeys(keysOf(mine), keysOf(theirs), base && keysOf(base))),
    isDecision: (value) => {
      const { accepted, rejected } = keysOf(value);
      return accepted !== undefined || rejected !== undefined;
    },
  };
}

function overviewOf(fs: FileSystem, directories: readonly string[]): string {
  return directories.map((directory) => {
    const stat = fs.stat(directory);
    return stat === undefined ? "" : `${stat.ino} ${stat.nlink} ${stat.mtimeMs} ${stat.ctimeMs}`;
  }).join(";");
}

function stampOf(fs: FileSystem, path: string): string | undefined {
  const stat = fs.stat(path, { follow: false });
  return stat?.kind === "file" ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : undefined;
}

function readFile(fs: FileSystem, path: string): Uint8Array | undefined {
  return fs.stat(path, { follow: false })?.kind === "file" ? fs.read(path) : undefined;
}

/** Grains, pillar and mine of minions as the master saw them last: `<cachedir>/minions/<id>/data.p` and `mine.p`. */
export function mirroredData(fs: FileSystem, cacheDir: string): MirroredFiles {
  const directory = joinPath(cacheDir, "minions");
  const NAMES = ["data.p", "mine.p"];
  const pathOf = (name: string): string | undefined => {
    const [id = "", file = "", ...more] = name.split("/");
    return more.length === 0 && isMinionId(id) && NAMES.includes(file) ? joinPath(directory, id, file) : undefined;
  };
  return {
    kind: "data",
    keepsBase: false,
    scan() {
      const found = new Map<string, string>();
      for (const id of fs.stat(directory)?.kind === "directory" ? fs.list(directory) : []) {
        for (const file of NAMES) {
          const path = pathOf(`${id}/${file}`);
          const stamp = path === undefined ? undefined : stampOf(fs, path);
          if (stamp !== undefined) found.set(`${id}/${file}`, stamp);
        }
      }
      return found;
    },
    stamp: (name) => stampOf(fs, pathOf(name) ?? "/"),
    read: (name) => readFile(fs, pathOf(name) ?? "/"),
    apply(name, value) {
      const path = pathOf(name);
      if (path === undefined) throw new RangeError(`Cannot keep data of a minion: "${name}" is not a minion id`);
      if (value === undefined) return fs.remove(path);
      fs.mkdir(joinPath(directory, name.split("/")[0]!), 0o755);
      fs.write(path, value, { mode: 0o600 });
    },
    // A minion talks to one master at a time: local data is what the minion sent to this master.
    merge: (mine) => mine,
    isDecision: () => false,
  };
}

const TOKEN = /^[0-9a-f]{32,128}$/;

/** Tokens of external authentication: `<token_dir>/<token>`. Names of records are hashes, since a token is a secret. */
export function mirroredTokens(fs: FileSystem, crypto: Pick<Crypto, "hash">, directory: string): MirroredFiles {
  const pathOf = (token: string) => TOKEN.test(token) ? joinPath(directory, token) : undefined;
  return {
    kind: "token",
    keepsBase: false,
    scan() {
      const names = fs.stat(directory)?.kind === "directory" ? fs.list(directory) : [];
      const all = names.filter((name) => TOKEN.test(name)).map((
        name,
      ) => [name, stampOf(fs, joinPath(directory, name))]);
      return new Map(all.filter(([, stamp]) => stamp !== undefined) as [string, string][]);
    },
    overview: () => overviewOf(fs, [directory]),
    stamp: (token) => stampOf(fs, pathOf(token) ?? "/"),
    read: (token) => readFile(fs, pathOf(token) ?? "/"),
    apply(token, value) {
      const path = pathOf(token);
      if (path === undefined) throw new RangeError("Cannot keep a token: expected the hex digits of a hash");
      if (value === undefined) return fs.remove(path);
      fs.mkdir(directory, 0o700);
      fs.write(path, value, { mode: 0o600 });
    },
    // A token never changes, so a difference is a removal: if one side has removed the token, it stays removed.
    merge: (mine, theirs) => mine === undefined || theirs === undefined ? undefined : theirs,
    isDecision: () => false,
    sharedName: (token) => hex(crypto.hash("sha256", text.encode(`brine token ${token}`))),
  };
}
