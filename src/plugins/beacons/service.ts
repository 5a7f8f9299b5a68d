import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { isMap } from "../../language/python/values.ts";
import { exists } from "../linux/paths.ts";

interface ServiceSettings {
  uncleanshutdown?: string;
  emitatstartup?: boolean;
  onchangeonly?: boolean;
  /** Seconds for which a change has to last. */
  delay?: number;
}

/** What is known of a service since the last look. */
interface Known {
  running: unknown;
  /** Milliseconds at which it changed, until that was told. */
  changedAt?: number;
}

/** Whether a service is worth an event now. */
function isTold(known: Known | undefined, now: Known, at: number, settings: ServiceSettings): boolean {
  const { emitatstartup = true, delay = 0 } = settings;
  if (known === undefined ? !emitatstartup : known.running === now.running) {
    if (known?.changedAt === undefined) return false;
    now.changedAt = known.changedAt;
  } else if (delay > 0) {
    now.changedAt = at;
  } else return true;
  if (Math.round((at - now.changedAt) / 1000) <= delay) return false;
  delete now.changedAt;
  return true;
}

/** Services that run or do not, each time or when that changes. */
export const beacon: BeaconModule = {
  validate(config) {
    const { services } = settingsOf(config);
    if (services === undefined) return [false, "Configuration for service beacon requires services."];
    if (!isMap(services)) return [false, "Services configuration item for service beacon must be a dictionary."];
    return Object.values(services).every(isMap)
      ? VALID
      : [false, "Configuration for service beacon must be a list of dictionaries."];
  },
  async beacon(_config, { settings, context, memory }) {
    const found: BeaconEvent[] = [];
    for (const [name, own] of Object.entries(settings.services as Record<string, ServiceSettings>)) {
      const running = await context.call("service.status", [name]);
      const status: Record<string, unknown> = { running };
      if (own.uncleanshutdown !== undefined && running === false) {
        status.uncleanshutdown = exists(context.runtime.fs, own.uncleanshutdown);
      }
      if (own.onchangeonly === true) {
        const now: Known = { running };
        const told = isTold(memory.get(name) as Known | undefined, now, context.runtime.clock.now(), own);
        memory.set(name, now);
        if (!told) continue;
      }
      found.push({ [name]: status, service_name: name, tag: name });
    }
    return found;
  },
};
