import type { Clock } from "../../base/async/clock.ts";
import { entriesOf } from "../../language/python/values.ts";
import { offsetText, strftime } from "../../language/python/strftime.ts";

/** The metadata of an entry, with the fields that Salt adds: `_TOS` offset of the zone, `_TS` local time, `_TT` time in UTC. */
export function scheduleMetadata(metadata: object, clock: Clock): Record<string, unknown> {
  const now = new Date(clock.now());
  const utc = new Date(now.getTime() + now.getTimezoneOffset() * 60_000);
  return {
    ...Object.fromEntries(entriesOf(metadata as Record<string, unknown>)),
    _TOS: offsetText(-now.getTimezoneOffset()),
    _TS: strftime(now, "%a %b %e %H:%M:%S %Y"),
    _TT: strftime(utc, "%Y %B %d %a %H %m"),
  };
}

/**
 * The returners of an entry, followed by those of `schedule_returner`, without duplicates. As in Salt, a text is one name; a
 * name with a comma matches no returner.
 *
 * @param unusable called with such a name
 */
export function scheduleReturners(own: unknown, ofAll: unknown, unusable: (name: string) => void): string[] {
  const names = [own, ofAll].flat().filter((name) => typeof name === "string" && name !== "") as string[];
  return [...new Set(names)].filter((name) => {
    if (name.includes(",")) unusable(name);
    return !name.includes(",");
  });
}
