import { hex } from "../../protocol/crypto/hex.ts";
import { isMinionId } from "../../base/minion_id.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";
import {
  type KeyAdministration,
  type KeyDetails,
  type KeyDirectory,
  type KeyMatches,
  type WheelContext,
  wheelFunctions,
  type WheelModule,
} from "../../model/loader/wheel.ts";
import { entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { findAccount } from "../../runtime/accounts.ts";
import { matchExpression } from "../../model/target/expression.ts";

const STATUSES: readonly KeyDirectory[] = ["minions", "minions_pre", "minions_rejected", "minions_denied"];
/** What the words of `key.list` begin with. */
const WORDS: Record<string, KeyDirectory> = {
  acc: "minions",
  pre: "minions_pre",
  un: "minions_pre",
  rej: "minions_rejected",
  den: "minions_denied",
};
/** Bits of the smallest key that can be generated. */
const LEAST_BITS = 2048;
const MOST_BITS = 16_384;

function bitsOf(value: unknown): number {
  const bits = Number(value);
  if (!Number.isInteger(bits) || bits > MOST_BITS) {
    throw new SaltInvocationError(`keysize is ${repr(value)}: expected bits, ${LEAST_BITS} to ${MOST_BITS}`);
  }
  return Math.max(LEAST_BITS, bits);
}

/** Keys whose details are looked up in one call: each is a look at a file. */
const MOST_DETAILS = 2000;

/** Lines of history in one return. */
const MOST_LINES = 10_000;

function pathOf(name: string, value: unknown): string {
  if (typeof value === "string" && !value.includes("\0")) return value;
  throw new SaltInvocationError(`${name} is ${repr(value)}: expected a path`);
}

/** Gives files to a user of this host. */
function giveTo(runtime: WheelContext["runtime"], user: string, paths: readonly string[]): void {
  const account = findAccount(runtime, user);
  if (account === undefined) throw new SaltInvocationError(`user is ${repr(user)}: there is no such user on this host`);
  if (runtime.host.user().name === user) return;
  for (const path of paths) runtime.fs.chown(path, account.uid, account.gid);
}

function globOf(match: unknown): string {
  if (typeof match !== "string") {
    throw new SaltInvocationError(`match is ${repr(match)}: expected a glob of minion ids`);
  }
  return match;
}

/** Ids by status, as the caller passed them. */
function matchesOf(match: unknown): KeyMatches {
  const problem = () =>
    new SaltInvocationError(`match is ${repr(match)}: expected a map of ${STATUSES.join(", ")} to lists of minion ids`);
  if (!isMap(match)) throw problem();
  const found: KeyMatches = {};
  for (const [status, ids] of entriesOf(match)) {
    if (!STATUSES.includes(status as KeyDirectory) || !Array.isArray(ids) || !ids.every(isMinionId)) throw problem();
    found[status as KeyDirectory] = ids;
  }
  return found;
}

function only(matches: KeyMatches, statuses: readonly KeyDirectory[]): KeyMatches {
  return Object.fromEntries(Object.entries(matches).filter(([status]) => statuses.includes(status as KeyDirectory)));
}

/** The current status of the ids in a map. */
function found(keys: KeyAdministration, matches: KeyMatches): KeyMatches {
  const all = keys.list();
  const left = STATUSES.map((status): [KeyDirectory, string[]] => {
    const known = new Set(all[status]);
    return [status, (matches[status] ?? []).filter((id) => known.has(id))];
  });
  return Object.fromEntries(left.filter(([, ids]) => ids.length > 0));
}

/** Changes the keys of a glob or a map. @returns their status afterwards */
async function act(
  { keys }: WheelContext,
  action: "accept" | "reject" | "delete",
  match: { glob: string } | { ids: KeyMatches },
  from: readonly KeyDirectory[],
): Promise<KeyMatches> {
  const byGlob = "glob" in match;
  await keys.change(action, only(byGlob ? keys.match(match.glob) : found(keys, match.ids), from));
  return byGlob ? keys.match(match.glob) : found(keys, match.ids);
}

function statusesFor(own: KeyDirectory, extra: readonly [wanted: unknown, status: KeyDirectory][]): KeyDirectory[] {
  return [own, ...extra.filter(([wanted]) => truthy(wanted)).map(([, status]) => status)];
}

/** The description of each key that matches a glob. */
function describe({ keys }: WheelContext, glob: string, what: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(keys.match(glob)).map(([status, ids]) => [
      status,
      Object.fromEntries(ids.map((id) => [id, what(keys.text(status as KeyDirectory, id))])),
    ]),
  );
}

export const wheel: WheelModule = {
  functions: wheelFunctions({
    "list(match)": {
      doc: "The ids of one status: accepted, pre, rejected, denied, or all.",
      run({ keys }, { match }) {
        const all = keys.list();
        const word = Object.keys(WORDS).find((start) => globOf(match).startsWith(start));
        if (word !== undefined) return { [WORDS[word]!]: all[WORDS[word]!] };
        return globOf(match).startsWith("all") ? { ...all, local: keys.local() } : {};
      },
    },
    "list_all()": {
      doc: "The ids of every status, and the master's own key files.",
      run: ({ keys }) => ({ ...keys.list(), local: keys.local() }),
    },
    "name_match(match)": {
      doc: "The ids that match a glob, by status.",
      run: ({ keys }, { match }) => keys.match(globOf(match)),
    },
    "glob_match(match)": {
      doc: "The ids that match a glob, by status.",
      run: ({ keys }, { match }) => keys.match(globOf(match)),
    },
    "accept(match, include_rejected=False, include_denied=False)": {
      doc: "Accepts the keys that match a glob.",
      run: (context, { match, include_rejected, include_denied }) =>
        act(
          context,
          "accept",
          { glob: globOf(match) },
          statusesFor("minions_pre", [[include_rejected, "minions_rejected"], [include_denied, "minions_denied"]]),
        ),
    },
    "accept_dict(match, include_rejected=False, include_denied=False)": {
      doc: "Accepts the keys of a map of status to ids.",
      run: (context, { match, include_rejected, include_denied }) =>
        act(
          context,
          "accept",
          { ids: matchesOf(match) },
          statusesFor("minions_pre", [[include_rejected, "minions_rejected"], [include_denied, "minions_denied"]]),
        ),
    },
    "reject(match, include_accepted=False, include_denied=False)": {
      doc: "Rejects the keys that match a glob.",
      run: (context, { match, include_accepted, include_denied }) =>
        act(
          context,
          "reject",
          { glob: globOf(match) },
          statusesFor("minions_pre", [[include_accepted, "minions"], [include_denied, "minions_denied"]]),
        ),
    },
    "reject_dict(match, include_accepted=False, include_denied=False)": {
      doc: "Rejects the keys of a map of status to ids.",
      run: (context, { match, include_accepted, include_denied }) =>
        act(
          context,
          "reject",
          { ids: matchesOf(match) },
          statusesFor("minions_pre", [[include_accepted, "minions"], [include_denied, "minions_denied"]]),
        ),
    },
    "delete(match)": {
      doc: "Deletes the keys that match a glob, whatever their status.",
      run: (context, { match }) => act(context, "delete", { glob: globOf(match) }, STATUSES),
    },
    "delete_dict(match)": {
      doc: "Deletes the keys of a map of status to ids.",
      run: (context, { match }) => act(context, "delete", { ids: matchesOf(match) }, STATUSES),
    },
    "finger(match, hash_type=None)": {
      doc: "The fingerprints of the keys that match a glob.",
      run(context, { match, hash_type }) {
        const { keys } = context;
        const finger = (pem: string) => keys.fingerprint(pem, (hash_type ?? undefined) as string | undefined);
        const glob = globOf(match);
        const local = keys.local().filter((name) => glob.split(",").some((part) => matchExpression(name, part)));
        const described = describe(context, glob, finger);
        return local.length === 0
          ? described
          : { ...described, local: Object.fromEntries(local.map((name) => [name, finger(keys.localText(name))])) };
      },
    },
    "details(match)": {
      doc:
        "When the keys that match a glob came, from which address, and since when the minions are up. Brine's own.\n\n" +
        "Times are seconds since the epoch. The address is known once a minion has signed in since the master started. " +
        `At most ${MOST_DETAILS} keys, those that are not accepted first.\n\n    key.details '*'`,
      run({ keys }, { match }) {
        const found = keys.match(globOf(match));
        const described: Record<string, Record<string, KeyDetails>> = {};
        let left = MOST_DETAILS;
        for (const status of ["minions_denied", "minions_pre", "minions_rejected", "minions"] as const) {
          const ids = (found[status] ?? []).slice(0, left);
          left -= ids.length;
          if (ids.length > 0) described[status] = Object.fromEntries(ids.map((id) => [id, keys.details(status, id)]));
        }
        return described;
      },
    },
    "finger_master(hash_type=None)": {
      doc: "The fingerprint of the master's own key.",
      run: ({ keys }, { hash_type }) => ({
        local: {
          "master.pub": keys.fingerprint(keys.localText("master.pub"), (hash_type ?? undefined) as string | undefined),
        },
      }),
    },
    "key_str(match)": {
      doc: "The texts of the keys that match a glob.",
      run: (context, { match }) => describe(context, globOf(match), (pem) => pem),
    },
    "print(match)": {
      doc: "The texts of the keys that match a glob.",
      run: (context, { match }) => describe(context, globOf(match), (pem) => pem),
    },
    "master_key_str()": {
      doc: "The text of the master's own public key.",
      run: ({ keys }) => ({ local: { "master.pub": keys.localText("master.pub") } }),
    },
    "gen(id_=None, keysize=2048)": {
      doc: "Generates a pair of keys without saving it.",
      secret: true,
      async run({ keys, runtime }, { id_, keysize }) {
        const id = id_ ?? hex(runtime.crypto.randomBytes(64));
        if (!isMinionId(id)) throw new SaltInvocationError(`id_ is ${repr(id)}: expected a minion id`);
        return await keys.generate(bitsOf(keysize));
      },
    },
    "gen_accept(id_, keysize=2048, force=False)": {
      doc: "Generates a pair of keys and accepts the public one for a minion; empty if the minion has a key already.",
      secret: true,
      async run({ keys }, { id_, keysize, force }) {
        if (!isMinionId(id_)) throw new SaltInvocationError(`id_ is ${repr(id_)}: expected a minion id`);
        if (!truthy(force) && keys.list().minions.includes(id_)) return {};
        const pair = await keys.generate(bitsOf(keysize));
        return await keys.accept(id_, pair.pub, truthy(force)) ? pair : {};
      },
    },
    "gen_keys(keydir=None, keyname=None, keysize=None, user=None)": {
      doc: "Generates a pair of key files on the master; the return is the fingerprint of the public key.",
      async run({ keys, opts, runtime }, { keydir, keyname, keysize, user }) {
        const directory = pathOf("keydir", keydir ?? opts.pki_dir);
        const name = keyname ?? "minion";
        if (!isMinionId(name)) throw new SaltInvocationError(`keyname is ${repr(name)}: expected a file name`);
        const finger = await keys.generateFiles(directory, name, bitsOf(keysize ?? opts.keysize));
        if (user !== null) giveTo(runtime, str(user), [`${directory}/${name}.pem`, `${directory}/${name}.pub`]);
        return finger;
      },
    },
    "gen_signature(priv, pub, signature_path, auto_create=False, keysize=None)": {
      doc: "Signs the master's public key with its signing key, for `master_use_pubkey_signature`.",
      run: ({ keys, opts }, { priv, pub, signature_path, auto_create, keysize }) =>
        keys.signPublicKey({
          priv: pathOf("priv", priv ?? ""),
          pub: pathOf("pub", pub ?? ""),
          target: pathOf("signature_path", signature_path ?? ""),
          create: truthy(auto_create),
          bits: bitsOf(keysize ?? opts.keysize),
        }),
    },
    "rotate(match)": {
      doc:
        "Asks the minions of a glob to change their keys; both are good until each has used its new one. Brine's own.",
      async run({ keys }, { match }) {
        const ids = await keys.rotateKeys(globOf(match));
        return ids.length === 0 ? {} : { minions: ids };
      },
    },
    "history(match='*', limit=1000)": {
      doc: "Who accepted, rejected, deleted or rotated the keys of a glob, oldest first. Brine's own.",
      run({ keys }, { match, limit }) {
        const most = Number(limit);
        if (!Number.isInteger(most) || most < 1) {
          throw new SaltInvocationError(`limit is ${repr(limit)}: expected a number of lines, 1 or more`);
        }
        return keys.history(globOf(match), Math.min(most, MOST_LINES));
      },
    },
  }),
};
