/** Decides which events a listener may see. */
import type { BusEvent } from "../../../model/event/bus.ts";

/** The most jobs whose user is remembered; beyond that the oldest is forgotten, and only listeners who may see all get its events. */
const MAX_JOBS = 20_000;
/** Matches the events with the ids of the connected minions, which contain nothing else. */
const PRESENCE = /^salt\/presence\/(?:present|change)$/;
/** Matches the events of a job, a runner or a wheel function; the end of a wheel function has no suffix. */
const OF_A_JOB = /^salt\/(?:job|run|wheel)\/([^/]+)(\/new$)?/;

/** The audience of an event, in addition to users who may read every event: everybody, the user of a job, or nobody. */
export type Audience = "everybody" | { user: string } | "nobody";

/** The user of a listener, which decides what the listener may see. */
export interface Sight {
  readonly user: string;
  /** True if the user may read every event. The hub updates it regularly. */
  all: boolean;
}

/** True if a listener may get an event for an audience. */
export function maySee({ user, all }: Sight, audience: Audience): boolean {
  if (all || audience === "everybody") return true;
  return audience !== "nobody" && user !== "" && audience.user === user;
}

/** Finds the audience of events. It has to take every event: only the first event of a job names its user. */
export class Audiences {
  readonly #most: number;
  /** Job id → user. The first event that names the user counts: a later event cannot change it. */
  readonly #users = new Map<string, string>();

  constructor(most = MAX_JOBS) {
    this.#most = most;
  }

  of({ tag, data }: Pick<BusEvent, "tag" | "data">): Audience {
    if (PRESENCE.test(tag)) return "everybody";
    const [, jid, isNew] = OF_A_JOB.exec(tag) ?? [];
    if (jid === undefined) return "nobody";
    if (isNew !== undefined && !this.#users.has(jid) && typeof data.user === "string") this.#keep(jid, data.user);
    const user = this.#users.get(jid);
    return user === undefined ? "nobody" : { user };
  }

  #keep(jid: string, user: string): void {
    this.#users.set(jid, user);
    if (this.#users.size > this.#most) this.#users.delete(this.#users.keys().next().value!);
  }
}
