import type { Clock } from "../../base/async/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { BusEvent, EventBus } from "../../model/event/bus.ts";
import { newJid } from "../../model/job/jid.ts";
import type { Logger } from "../../base/log.ts";
import { repr } from "../../language/python/values.ts";
import type { MinionGrains } from "./grains.ts";
import type { Masters } from "./masters.ts";
import type { MinionContext } from "./minion_context.ts";
import type { PillarRefresh } from "./pillar_refresh.ts";
import type { Refreshes } from "./refreshes.ts";
import type { Execution } from "./processes/execution.ts";
import { inProcess } from "./processes/choose_process.ts";

export interface LocalCommandsOptions {
  clock: Clock;
  log: Logger;
  bus: EventBus;
  masters: Masters;
  grains: MinionGrains;
  pillar: PillarRefresh;
  refreshes: Refreshes;
  context: MinionContext;
  execution: Execution;
  /** Changes the minion's key. */
  rotate(): Promise<void>;
  /** Set for a minion with `master_type: failover` or the like. */
  failover?: { suspect(host: unknown): void; tryFirst(host: unknown): void } | undefined;
  /** Commands of further parts of the minion, and what others of the same name do besides. */
  parts?: readonly LocalCommands[];
}

type Data = Record<string, unknown>;

/** Does what an event asks for. @param data of the event, which any job and program of this host may have sent */
type LocalCommand = (data: Data, tag: string) => Promise<void> | void;

/** Commands by how the tags of their events begin: `manage_beacons`. */
export type LocalCommands = Readonly<Record<string, LocalCommand>>;

/**
 * Serves the commands that reach a minion as events on its own bus: from its jobs, from `salt-call` and from real Salt's
 * programs. This is the one place where their tags are dispatched: a part of the minion with commands of its own gives a table of them.
 * Where several tables have a command, all of them run, one after the other.
 *
 * @returns stops serving them
 * @see salt/minion.py Minion.handle_event
 */
export function serveLocalCommands(options: LocalCommandsOptions): () => void {
  const { bus, log, parts = [] } = options;
  const tables = [localCommands(options), ...parts];
  const prefixes = [...new Set(tables.flatMap((table) => Object.keys(table)))];
  const run = async (prefix: string, { data, tag }: BusEvent) => {
    for (const table of tables) if (Object.hasOwn(table, prefix)) await table[prefix]!(data, tag);
  };
  return bus.on((event) => {
    const { tag } = event;
    const prefix = prefixes.find((prefix) => tag.startsWith(prefix));
    if (prefix === undefined) return;
    run(prefix, event).catch((error) => {
      log.error("command on the local bus failed", { tag, error: messageOf(error) });
    });
  });
}

/**
 * Refreshes the grains, and with them the pillar, which the masters compile from them. @param force even if none has
 * changed
 * @returns whether the pillar was refreshed
 */
async function refreshGrains(
  { grains, context: { functions }, pillar }: Pick<LocalCommandsOptions, "grains" | "context" | "pillar">,
  force: boolean,
): Promise<boolean> {
  const before = repr(grains.current);
  await grains.gather(true);
  if (!force && repr(grains.current) === before) return false;
  functions.reload();
  await pillar.refreshAll();
  return true;
}

function localCommands(options: LocalCommandsOptions): LocalCommands {
  const { bus, masters, grains, pillar, refreshes, context: { functions }, failover } = options;
  const pillarIsNew = () => bus.fire("/salt/minion/minion_pillar_refresh_complete", { complete: true });
  return {
    // From `status.master` and `status.ping_master`, which real Salt's minions run as scheduled jobs.
    __master_disconnected: ({ master }) => Promise.resolve(failover?.suspect(master)),
    __master_failback: ({ master }) => Promise.resolve(failover?.tryFirst(master)),
    fire_master: async ({ tag, data, events, pretag }) => {
      const fired = events ? { events } : { tag, data };
      await masters.sendToAll({ cmd: "_minion_event", pretag: pretag ?? null, ...fired });
    },
    _minion_mine: async (data) => void await masters.sendToAll(data),
    grains_refresh: (data) =>
      refreshes.run(async () => {
        if (await refreshGrains(options, data.force_refresh === true)) pillarIsNew();
      }),
    module_refresh: (data) =>
      refreshes.run(async () => {
        functions.reload();
        await grains.gather(data.force_refresh === true);
        if (data.notify === true) bus.fire("/salt/minion/minion_mod_refresh_complete", { complete: true });
      }),
    pillar_refresh: (data) =>
      refreshes.run(async () => {
        // After a sync this is the only command: synced modules and grains can both change the pillar.
        functions.reload();
        await grains.gather(data.force_refresh === true);
        await pillar.refreshAll({ cleanCache: data.clean_cache === true });
        pillarIsNew();
      }),
    // Matchers are part of the program, and custom ones are not loaded.
    matchers_refresh: () => {},
    _salt_error: async (data, tag) => void await masters.sendToAll({ cmd: "_minion_event", pretag: null, tag, data }),
    key_rotate: () => options.rotate(),
    environ_setenv: (data) => setEnvironment(options, data),
    "__master_req_channel_payload/": (data, tag) => relayRequest(options, data, tag),
  };
}

/** Changes the environment of this process, which the processes of jobs inherit. */
async function setEnvironment({ log, clock, context, execution }: LocalCommandsOptions, data: Data): Promise<void> {
  const { environ, false_unsets, clear_all } = data;
  if (environ === undefined || environ === null) return;
  const { success, return: reason } = await inProcess({ functions: context.functions, context: () => context.of() })
    .run({
      load: {
        fun: "environ.setenv",
        arg: [environ, { __kwarg__: true, false_unsets, clear_all }],
        jid: newJid(clock),
      },
      signal: new AbortController().signal,
      ownProcess: () => {},
      output: undefined,
    });
  if (success === false) log.error("the environment could not be changed", { reason });
  execution.renew();
}

/** Sends a request for a job of real Salt, or another program on this host, and fires the master's reply on the bus. */
async function relayRequest({ bus, masters }: LocalCommandsOptions, data: Data, tag: string): Promise<void> {
  const [, uuid, address] = /^__master_req_channel_payload\/([^/]+)\/(.*)$/s.exec(tag) ?? [];
  const connection = masters.all.find((one) => one.address.includes(String(address))) ?? masters.of();
  const ret = await connection.requests.send(data).catch(() => null);
  bus.fire(`__master_req_channel_return/${uuid}`, { ret });
}
