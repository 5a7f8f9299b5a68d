/** Which events a listener may see. */
import type { BusEvent } from "../../../model/event/bus.ts";

/** Jobs whose user is remembered; beyond that the oldest is forgotten, and its events go to those who see all. */
const MAX_JOBS = 20_000;
/** What says which minions are connected: their ids and nothing else. */
const PRESENCE = /^salt\/presence\/(?:present|change)$/;
/** The events of a job, a runner or a wheel function; the last has no suffix when it ends. */
const OF_A_JOB = /^salt\/(?:job|run|wheel)\/([^/]+)(\/new$)?/;

/** Whom an event is for, beside those who may read every event: everybody, the user of a job, or nobody. */
export type Audience = "everybody" | { user: string } | "nobody";

/** A listener, as far as it decides what it may see. */
export interface Sight {
  /** The name of the user. */
  readonly user: string;
  /** Whether the user may read every event. The hub asks the master again and again. */
  all: boolean;
}

/** True if an event for that audience may be sent to that listener. */
export function maySee({ user, all }: Sight, audience: Audience): boolean {
  if (all || audience === "everybody") return true;
  return audience !== "nobody" && user !== "" && audience.user === user;
}

/** Finds whom events are for. It has to take every event: which user a job is of stands only in its first one. */
export class Audiences {
  readonly #most: number;
  /** Job id → user. The first that says it counts: a later event cannot make a job another user's. */
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
