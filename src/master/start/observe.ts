import type { AuthServer } from "../../channel/auth_server.ts";
import type { BusServer } from "../../event/bus_server.ts";
import { type Meter, METRICS, type Reading } from "../../telemetry/mod.ts";
import type { Pub, Router } from "../../zmtp/mod.ts";
import type { PillarCompiler } from "../commands/pillar.ts";
import type { RequestIntake } from "../request_intake.ts";
import type { MasterServices, Runners } from "../services.ts";

/** Counts the pillars that a compiler makes, and how long each takes. */
export function countedPillar(compile: PillarCompiler, meter: Meter): PillarCompiler {
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

/** Counts the runners that are run. */
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

/** The parts of a master that are looked at when metrics are asked for. */
export interface ObservedMaster {
  services: MasterServices;
  publications: Pub;
  requests: Router;
  intake: RequestIntake;
  busServer: BusServer;
  auth: AuthServer;
  /** `pub_hwm`. */
  publishLimit: number;
}

/** Has the meter read what a master knows anyway. */
export function observeMaster(meter: Meter, master: ObservedMaster): void {
  if (!meter.enabled) return;
  const { services, publications, requests, intake, busServer } = master;
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
  meter.read(METRICS.connections, () =>
    readings({
      requests: [...requests.peers()].length,
      publisher: [...publications.peers()].length,
      events: busServer.listeners,
    }));
  observeQueues(meter, master);
  const events = meter.counter(METRICS.eventsFired);
  bus.on(() => events.add(1));
}

function observeQueues(meter: Meter, master: ObservedMaster): void {
  const { publications, intake, busServer, auth, publishLimit } = master;
  meter.read(METRICS.queueLength, () =>
    readings({
      sign_ins: auth.line.waiting,
      request_bytes: intake.waiting.bytes,
      publications: longest(publications),
      event_bytes: busServer.backlog.bytes,
    }));
  meter.read(METRICS.queueLimit, () =>
    readings({
      sign_ins: auth.line.limit,
      request_bytes: intake.waiting.limit,
      publications: publishLimit,
      event_bytes: busServer.backlog.limit,
    }));
  meter.read(METRICS.queueDropped, () =>
    readings({
      sign_ins: auth.line.dropped,
      publications: publications.dropped ?? 0,
      event_bytes: busServer.dropped,
    }));
}

function readings(values: Readonly<Record<string, number>>): Reading[] {
  return Object.entries(values).map(([label, value]) => ({ value, values: [label] }));
}

/** Publications that wait for the slowest minion. */
function longest(publications: Pub): number {
  let most = 0;
  for (const { waiting = 0 } of publications.peers()) most = Math.max(most, waiting);
  return most;
}
