import type { AuthServer } from "../../../protocol/channel/auth_server.ts";
import type { BusServer } from "../../../model/event/bus_server.ts";
import type { PartStatus } from "../../../feature/supervise/restarts.ts";
import type { Supervisor } from "../../../feature/supervise/supervisor.ts";
import { type Meter, METRICS, type Reading } from "../../../base/telemetry/mod.ts";
import type { Pub, Router } from "../../../protocol/zmtp/mod.ts";
import type { PillarCompiles } from "../commands/pillar.ts";
import type { RequestIntake } from "../request_intake.ts";
import type { MasterServices } from "../services.ts";
import type { Runners } from "../jobs/runners.ts";

/** Counts the pillars that a compiler makes, and how long each takes. */
export function countedPillar(compile: PillarCompiles, meter: Meter): PillarCompiles {
  if (!meter.enabled) return compile;
  const seconds = meter.histogram(METRICS.pillarSeconds);
  const failed = meter.counter(METRICS.pillarFailed);
  return async (request) => {
    const began = meter.now();
    try {
      return await compile(request);
    } catch (error) {
      failed.add(1);
      throw error;
    } finally {
      seconds.observe(meter.now() - began);
    }
  };
}

export function countedRunners(runners: Runners, meter: Meter): Runners {
  if (!meter.enabled) return runners;
  const ended = meter.counter(METRICS.runners);
  let running = 0;
  meter.read(METRICS.runnersRunning, () => running);
  return {
    async run(job) {
      running++;
      let result = "failed";
      try {
        const end = await runners.run(job);
        if (end.status === "exit code 0") result = "ended";
        return end;
      } finally {
        running--;
        ended.add(1, result);
      }
    },
    close: () => runners.close(),
  };
}

/** The parts of a master that are read when metrics are requested. */
interface ObservedMaster {
  services: MasterServices;
  publications: Pub;
  requests: Router;
  intake: RequestIntake;
  busServer: BusServer;
  auth: AuthServer;
  /** The limit of waiting publications: `pub_hwm`. */
  publishLimit: number;
}

/** Makes the meter read counts that the parts of a master keep. */
export function observeMaster(meter: Meter, master: ObservedMaster): void {
  if (!meter.enabled) return;
  const { services, intake } = master;
  const { ledger, presence, keys, store, refused, bus } = services;
  meter.read(METRICS.jobsOpen, () => ledger.size);
  meter.read(METRICS.returnsRefused, () => readings(refused));
  meter.read(METRICS.requestsInProgress, () => intake.inProgress);
  meter.read(METRICS.minionsConnected, () => [...presence.ids()].length);
  meter.read(METRICS.jobCachePending, () => store.pending);
  meter.read(METRICS.keys, () =>
    (["accepted", "pre", "rejected", "denied"] as const).map((state) => ({
      value: keys.list(state).length,
      values: [state],
    })));
  meter.read(METRICS.connections, () => readings(connectionsOf(master)));
  observeQueues(meter, master);
  const events = meter.counter(METRICS.eventsFired);
  bus.on(() => events.add(1));
}

/** Makes the meter read the state of a master's supervised parts. */
export function observeParts(meter: Meter, supervisor: Pick<Supervisor, "status">): void {
  const of = (field: (part: PartStatus) => number) => () =>
    supervisor.status().map((part) => ({ value: field(part), values: [part.name] }));
  meter.read(METRICS.partProcesses, of(({ processes }) => processes.length));
  meter.read(METRICS.partRestarts, of(({ restarts }) => restarts));
}

/** The status that the process of event returns reports. */
interface EventReturnFields {
  spool?: { bytes: number; limit: number; lost: number };
  returners?: Record<string, { stored: number; refused: number; lost: number; failures: number }>;
}

/** Makes the meter read the state of the stores of events. */
export function observeEventReturns(meter: Meter, supervisor: Pick<Supervisor, "status">): void {
  const fields = () => (supervisor.status().find(({ name }) => name === "event_return") ?? {}) as EventReturnFields;
  const stores = () => Object.entries(fields().returners ?? {});
  meter.read(
    METRICS.eventReturns,
    () =>
      stores().flatMap(([name, counts]) =>
        (["stored", "refused", "lost"] as const).map((result) => ({ value: counts[result], values: [name, result] }))
      ),
  );
  meter.read(
    METRICS.eventReturnFailures,
    () => stores().map(([name, { failures }]) => ({ value: failures, values: [name] })),
  );
  const queue = (field: "bytes" | "limit" | "lost") => () => {
    const { spool } = fields();
    return spool === undefined ? [] : [{ value: spool[field], values: ["event_return_bytes"] }];
  };
  meter.read(METRICS.queueLength, queue("bytes"));
  meter.read(METRICS.queueLimit, queue("limit"));
  meter.read(METRICS.queueDropped, queue("lost"));
}

/** A bounded queue: how much waits in it, how much may wait, and how much was dropped. */
interface Queue {
  length: number;
  limit: number;
  dropped: number;
}

/** The queues of a master that have a bound, under the names of the metrics. */
function queuesOf({ publications, intake, busServer, auth, publishLimit }: ObservedMaster): Record<string, Queue> {
  const { line } = auth;
  const { waiting } = intake;
  const { backlog } = busServer;
  return {
    sign_ins: { length: line.waiting, limit: line.limit, dropped: line.dropped },
    request_bytes: { length: waiting.bytes, limit: waiting.limit, dropped: 0 },
    publications: { length: longest(publications), limit: publishLimit, dropped: publications.dropped ?? 0 },
    event_bytes: { length: backlog.bytes, limit: backlog.limit, dropped: busServer.dropped },
  };
}

function observeQueues(meter: Meter, master: ObservedMaster): void {
  const of = (field: keyof Queue) => () =>
    Object.entries(queuesOf(master)).map(([name, queue]) => ({ value: queue[field], values: [name] }));
  meter.read(METRICS.queueLength, of("length"));
  meter.read(METRICS.queueLimit, of("limit"));
  meter.read(METRICS.queueDropped, of("dropped"));
}

function connectionsOf({ requests, publications, busServer }: ObservedMaster): Record<string, number> {
  return {
    requests: [...requests.peers()].length,
    publisher: [...publications.peers()].length,
    events: busServer.listeners,
  };
}

/** The master's own part of the status report. */
export function masterStatus(master: ObservedMaster): Record<string, unknown> {
  const { services, intake, auth } = master;
  const { presence, keys, ledger, refused, store } = services;
  return {
    minions: { connected: [...presence.ids()].length, accepted: keys.list("accepted").length },
    connections: connectionsOf(master),
    queues: queuesOf(master),
    jobs: { open: ledger.size },
    sign_ins: { ...auth.counts },
    requests_in_progress: intake.inProgress,
    returns_refused: { ...refused },
    job_cache: { saves_pending: store.pending },
    ...(services.cluster === undefined ? {} : { cluster: services.cluster.status() }),
  };
}

function readings(values: Readonly<Record<string, number>>): Reading[] {
  return Object.entries(values).map(([label, value]) => ({ value, values: [label] }));
}

/** Returns how many publications wait for the slowest minion. */
function longest(publications: Pub): number {
  let most = 0;
  for (const { waiting = 0 } of publications.peers()) most = Math.max(most, waiting);
  return most;
}
