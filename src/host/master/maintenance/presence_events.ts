import { PRESENCE_CHANGE, PRESENCE_PRESENT } from "../../../model/event/tag.ts";
import { presentMinions } from "../presence.ts";
import type { MasterServices } from "../services.ts";

type Parts = Pick<MasterServices, "bus" | "keys" | "presence">;

/**
 * The events of `presence_events`: who is present, and before it, if anybody came or went since the last look, who that was.
 *
 * @see salt/master.py handle_presence
 */
export class PresenceEvents {
  readonly #parts: Parts;
  #before: ReadonlySet<string> = new Set();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  fire(): void {
    const { bus } = this.#parts;
    const present = presentMinions(this.#parts);
    const now = new Set(present);
    const added = present.filter((id) => !this.#before.has(id));
    const lost = [...this.#before].filter((id) => !now.has(id));
    this.#before = now;
    if (added.length > 0 || lost.length > 0) bus.fire(PRESENCE_CHANGE, { new: added, lost });
    bus.fire(PRESENCE_PRESENT, { present });
  }
}
