import { AuthServer, type MasterIdentity } from "../../../protocol/channel/auth_server.ts";
import type { AcceptancePolicy, SessionKeyStore } from "../../../protocol/channel/key_store.ts";
import type { Logger } from "../../../base/log.ts";
import type { Meter } from "../../../base/telemetry/mod.ts";
import type { Pub } from "../../../protocol/zmtp/mod.ts";
import { hostOf } from "../../../protocol/zmtp/mod.ts";
import { Autosign } from "../keys/autosign.ts";
import type { RotatingMasterKey } from "../keys/publication_key.ts";
import { CountedStrangerKeys } from "../keys/stranger_keys.ts";
import type { Publisher } from "../publisher.ts";
import { EventRate } from "../event_rate.ts";
import type { MasterServices } from "../services.ts";

type Services = Pick<
  MasterServices,
  "audit" | "bus" | "cluster" | "keyAdmin" | "keys" | "log" | "opts" | "presence" | "rotations" | "runtime"
>;

interface SignInParts {
  identity: MasterIdentity;
  sessionKeys: SessionKeyStore;
  masterKey: RotatingMasterKey;
  publisher: Publisher;
  /** The publisher's socket: its connections say which minions are connected. */
  socket: Pub;
  publishPort(): number;
  /** The number of connections that have not been read yet. */
  unread(): number;
  meter: Meter;
}

/** The server of sign-ins (`_auth`), by the rules of the configuration. @param current asked for each sign-in */
export function makeAuthServer(current: () => Services, parts: SignInParts): AuthServer {
  const services = current();
  const { opts, keys, bus, presence, runtime } = services;
  const { crypto, clock } = runtime;
  const { identity, sessionKeys, masterKey, publisher, socket, publishPort, unread, meter } = parts;
  const log = services.log.child("auth");
  const elapsed = () => clock.elapsed();
  const accepted = new EventRate(elapsed, { one: 10, all: Infinity, sources: Infinity });
  const others = new EventRate(elapsed, { one: 600, all: 3000 });
  return new AuthServer({
    crypto,
    clock,
    random: () => runtime.random(),
    identity,
    keys: services.rotations.over(keys),
    strangers: new CountedStrangerKeys({ keys, clock, log, limit: opts.max_pending_keys }),
    sessionKeys,
    masterKey: () => masterKey.current,
    publishPort,
    unread,
    serial: () => services.cluster?.serial ?? publisher.serial,
    minimumVersion: opts.minimum_auth_version,
    openMode: opts.open_mode,
    maxMinions: opts.max_minions,
    connected: () => {
      const hosts = new Set([...socket.peers()].map((peer) => hostOf(peer.remote)));
      return new Set([...presence.remotes()].filter(([, remote]) => hosts.has(hostOf(remote))).map(([id]) => id));
    },
    onDecision({ act, id, was, pem, origin }) {
      const via = act === "accept" ? "autosign" as const : "autoreject" as const;
      const admin = services.keyAdmin.as({ user: opts.user, via, from: origin });
      admin.note(act, id, was, pem);
      void admin.saved().catch(() => {});
    },
    policy: currentPolicy(current),
    log,
    meter,
    onEvent: (event, origin) => {
      services.keyAdmin.senders.heard(event.act, event.id, origin);
      if (!event.result) services.audit?.signIn(event, origin);
      if (!opts.auth_events) return;
      // A known public key proves nothing yet, since it is no secret.
      const counted = event.result && event.act === "accept"
        ? [accepted, String(event.id)] as const
        : [others, origin] as const;
      if (counted[0].take(counted[1])) bus.fire("salt/auth", { ...event });
    },
  });
}

/** Returns a policy that follows the present configuration, also after it was read again. */
function currentPolicy(current: () => Services): AcceptancePolicy {
  let services: Services | undefined;
  let policy: Autosign;
  const now = () => {
    const latest = current();
    if (latest !== services) policy = autosignOf(services = latest, latest.log);
    return policy;
  };
  return {
    autoReject: (id) => now().autoReject(id),
    autoSign: (id, grains) => now().autoSign(id, grains),
  };
}

function autosignOf({ opts, runtime: { fs, clock } }: Services, log: Logger): Autosign {
  const path = (value: unknown) => typeof value === "string" ? value : "";
  return new Autosign({
    fs,
    clock,
    log,
    pkiDir: opts.pki_dir,
    autoAccept: opts.auto_accept,
    autosignFile: path(opts.autosign_file),
    autorejectFile: path(opts.autoreject_file),
    autosignTimeout: opts.autosign_timeout,
    autosignGrainsDir: path(opts.autosign_grains_dir),
    autosignGrains: opts.autosign_grains.map(String),
    permissivePkiAccess: opts.permissive_pki_access,
  });
}
