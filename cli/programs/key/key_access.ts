/** How `salt-key` accesses keys: in the master's directories, or through the running master for a user who logs in. */
import type { KeyStatus } from "../../../src/protocol/channel/key_store.ts";
import type { Credentials } from "../../../src/client/publish_request.ts";
import type { LocalClient } from "../../../src/client/local_client.ts";
import { callWheel } from "../../../src/client/wheel.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { joinPath } from "../../../src/base/paths.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { userOfProcess } from "../../../src/client/own_key.ts";
import { sendToMasterBus } from "../../../src/model/event/bus_client.ts";
import type { KeyDecision, KeyDirectory, KeyMatches, SignatureFiles } from "../../../src/model/loader/wheel.ts";
import { KEY_DIRECTORIES, KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { KEY_STATES, type KeyAction, KeyAdmin, type KeyProblem } from "../../../src/host/master/keys/key_admin.ts";
import { masterId } from "../../../src/host/master/master_id.ts";
import { matchExpression } from "../../../src/model/target/expression.ts";
import { packEvent } from "../../../src/protocol/wire/event_frame.ts";
import { Exit } from "../../program/exit.ts";
import type { ProgramContext } from "../../program/context.ts";

/** Texts or fingerprints of keys by status and id; the master's own keys are under `local`. */
type Described = Record<string, Record<string, string>>;

export interface KeyAccess {
  list(): Promise<Record<KeyDirectory, string[]>>;
  /** The keys of the given statuses whose ids match a glob. */
  matching(glob: string, states: readonly KeyStatus[]): Promise<KeyMatches>;
  fingerprints(glob: string): Promise<Described>;
  texts(glob: string): Promise<Described>;
  /** Moves or removes keys; resolves to the keys that failed. */
  move(action: KeyAction, from: KeyStatus, ids: readonly string[]): Promise<KeyProblem[]>;
  /** Makes a pair of key files; resolves to the fingerprint of the public key. */
  generate(directory: string, name: string, bits: number): Promise<string>;
  /** Signs the master's public key. */
  sign(how: SignatureFiles): Promise<true | string>;
  /** Asks minions with accepted keys to rotate them; resolves to their ids. */
  rotate(glob: string): Promise<string[]>;
  /** Decisions about the keys of a glob, oldest first. */
  history(glob: string): Promise<KeyDecision[]>;
  /** Called after all keys are done. */
  settle(action: KeyAction, ids: readonly string[]): Promise<void>;
}

/** Keys in one request to a master, at most. */
const AT_ONCE = 1000;
/** Lines of history that are requested from a master over the network, at most. */
const MAX_LINES = 10_000;

const statusOf = (state: KeyStatus) => KEY_DIRECTORIES[state] as KeyDirectory;

/** Access to the master's directories on this host. */
export function ownHands(context: ProgramContext, opts: MasterOpts): KeyAccess {
  const { runtime, log, options } = context;
  const { fs, clock, host } = runtime;
  const events: [tag: string, data: Record<string, unknown>][] = [];
  const admin = new KeyAdmin({
    runtime,
    log,
    opts,
    keys: new KeyDirectories(fs, runtime.crypto, opts.pki_dir),
    actor: { user: userOfProcess(runtime), via: "salt-key" },
    fire: (tag, data) => void events.push([tag, data]),
    rotate() {
      // Since 3007 a master ignores this file unless it contains the master's id; earlier masters do not read it.
      fs.mkdir(opts.cachedir);
      fs.write(joinPath(opts.cachedir, ".dfn"), masterId(opts, host.hostname()), { mode: 0o400 });
    },
  });
  const described = (glob: string, what: (pem: string) => string): Described =>
    Object.fromEntries(
      Object.entries(admin.match(glob)).map(([status, ids]) => [
        status,
        Object.fromEntries(ids.map((id) => [id, what(admin.text(status as KeyDirectory, id))])),
      ]),
    );
  const finger = (pem: string) => admin.fingerprint(pem);
  return {
    list: () => Promise.resolve(admin.list()),
    matching: (glob, states) => Promise.resolve(admin.matching(glob, states)),
    texts: (glob) => Promise.resolve(described(glob, (pem) => pem)),
    fingerprints(glob) {
      const local = admin.local().filter((name) => glob.split(",").some((part) => matchExpression(name, part)));
      const own = Object.fromEntries(local.map((name) => [name, finger(admin.localText(name))]));
      return Promise.resolve({ ...described(glob, finger), ...local.length === 0 ? {} : { local: own } });
    },
    move: (action, from, ids) =>
      Promise.resolve(ids.map((id) => admin.move(action, from, id)).filter((problem) => problem !== undefined)),
    generate: (directory, name, bits) => admin.generateFiles(directory, name, bits),
    sign: (how) => admin.signPublicKey(how),
    rotate: (glob) => admin.rotateKeys(glob),
    history: (glob) => Promise.resolve(admin.history(glob, Infinity)),
    async settle(action, ids) {
      await admin.settle(action, ids, {
        preserve: options.preserve_minions === true,
        rotate: options.rotate_aes_key !== false,
      });
      if (events.length === 0) return;
      try {
        using bus = await sendToMasterBus(runtime, log, opts);
        for (const [tag, data] of events) bus.send(packEvent(tag, data, { now: clock.now() }));
      } catch {
        // If no master is running, nobody needs these events.
      }
    },
  };
}

/** Access through the wheel functions of a running master, with the caller's credentials. */
export function throughMaster(client: LocalClient, credentials: Credentials): KeyAccess {
  const call = async <T>(fun: string, kwarg: Record<string, unknown> = {}): Promise<T> => {
    try {
      const { data } = await callWheel(client, { fun: `key.${fun}`, kwarg, credentials });
      if (data.success === false) throw new Error(String(data.return));
      return data.return as T;
    } catch (error) {
      throw new Exit(2, messageOf(error));
    }
  };
  return {
    list: () => call("list_all"),
    async matching(glob, states) {
      const all = await call<KeyMatches>("name_match", { match: glob });
      const wanted = states.map(statusOf).filter((status) => (all[status] ?? []).length > 0);
      return Object.fromEntries(wanted.map((status) => [status, all[status]!]));
    },
    texts: (glob) => call("key_str", { match: glob }),
    async fingerprints(glob) {
      const { local = {}, ...rest } = await call<Described>("finger", { match: glob });
      const own = Object.entries(local).filter(([name]) => name.endsWith(".pub"));
      return own.length === 0 ? rest : { ...rest, local: Object.fromEntries(own) };
    },
    async move(action, from, ids) {
      const include = action === "delete"
        ? {}
        : { [action === "accept" ? "include_rejected" : "include_accepted"]: true, include_denied: true };
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        await call(`${action}_dict`, { match: { [statusOf(from)]: ids.slice(at, at + AT_ONCE) }, ...include });
      }
      const left = new Set((await call<Record<KeyDirectory, string[]>>("list_all"))[statusOf(from)]);
      return ids.filter((id) => left.has(id))
        .map((id) => ({ id, reason: "failed", message: "the master did not move the key" }));
    },
    generate: (keydir, keyname, keysize) => call("gen_keys", { keydir, keyname, keysize }),
    sign: ({ priv, pub, target, create, bits }) =>
      call("gen_signature", { priv, pub, signature_path: target, auto_create: create, keysize: bits }),
    rotate: async (glob) => (await call<{ minions?: string[] }>("rotate", { match: glob })).minions ?? [],
    history: (glob) => call("history", { match: glob, limit: MAX_LINES }),
    settle: () => Promise.resolve(),
  };
}

/** All statuses in the order of listings, including those without keys. */
export const ALL_STATUSES: readonly KeyDirectory[] = KEY_STATES.map(statusOf);
