import type { JobServices } from "../jobs/job_services.ts";
import { messageOf } from "../../../base/errors.ts";
import { publishJob } from "../jobs/publication.ts";
import type { MasterServices } from "../services.ts";

type Services = JobServices & Pick<MasterServices, "rotations">;

/** How soon a minion that has not begun its rotation is told again, in milliseconds. */
const AGAIN_MS = 600_000;
/** The most minions that are told at a time: each makes a new key, and signs in. */
const AT_ONCE = 50;

/** Tells connected minions to change their keys, if they are marked for it. The others are told when they sign in. */
export class RotationCalls {
  readonly #services: Services;
  /** Minion → when it was told last. */
  readonly #told = new Map<string, number>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Tells some of the marked minions that were not told lately. */
  async look(): Promise<void> {
    const { rotations, presence, opts, log, runtime: { clock } } = this.#services;
    const now = clock.elapsed();
    for (const [id, at] of this.#told) if (now - at >= AGAIN_MS) this.#told.delete(id);
    const there = (id: string) => !this.#told.has(id) && presence.connected(id) && presence.isBrine(id);
    const ids = rotations.asked(there, AT_ONCE);
    if (ids.length === 0) return;
    for (const id of ids) this.#told.set(id, now);
    const job = {
      tgt: ids,
      tgt_type: "list",
      fun: "key.rotate",
      arg: [],
      ret: "",
      user: opts.user,
      jid: "",
      kwargs: {},
    };
    try {
      await publishJob(this.#services, job, ids, []);
    } catch (error) {
      log.warning("minions could not be told to change their keys", { minions: ids.length, error: messageOf(error) });
    }
  }
}
