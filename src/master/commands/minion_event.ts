import { isReservedTag } from "../../event/tag.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";

/** Beyond what Salt keeps back: tags by which one minion could answer for another, or for the master itself. */
const FORGEABLE = /^(?:salt\/job\/[^/]*\/(?:ret|sub|out)\/(?<id>.*)|salt\/(?:auth|presence\/.*)|\d{20}(?:_\d+)?|key)$/s;

/** True if a minion may speak under this tag. */
function allowed(tag: string, minion: string | undefined): boolean {
  if (tag === "" || tag.includes("\n\n") || isReservedTag(tag)) return false;
  const match = FORGEABLE.exec(tag);
  if (match === null) return true;
  const id = match.groups?.id;
  return id !== undefined && minion !== undefined && (id === minion || id.startsWith(`${minion}/`));
}

/**
 * The command `_minion_event`: events of a minion for the master's bus. Tags that only a master speaks under are refused:
 * whoever listens to them would take a minion for the master.
 *
 * @see salt/master.py AESFuncs._minion_event
 */
export function minionEvent(services: MasterServices, load: Load, minion: string | undefined): null {
  const { bus, log } = services;
  const fire = (tag: string, data: Record<string, unknown>) => {
    if (!allowed(tag, minion)) log.warning("event of a minion refused: its tag is the master's", { minion, tag });
    else bus.fire(tag, data);
  };
  const prefix = typeof load.pretag === "string" && load.pretag !== "" ? load.pretag : undefined;
  if (Array.isArray(load.events)) {
    for (const event of load.events) {
      if (!isRecord(event) || typeof event.tag !== "string") continue;
      const data = isRecord(event.data) ? event.data : event;
      fire(event.tag, data);
      if (prefix !== undefined) fire(`${prefix}/${event.tag}`, data);
    }
  } else if (typeof load.tag === "string") {
    const { tok: _tok, nonce: _nonce, ...data } = load;
    fire(load.tag, data);
    if (prefix !== undefined) fire(`${prefix}/${load.tag}`, data);
  }
  return null;
}
