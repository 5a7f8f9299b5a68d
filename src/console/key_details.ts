import { isRecord } from "../base/record.ts";
import { agoText } from "./text.ts";

/** A Brine master's data about a key, in addition to its text. */
export interface ShownKeyDetails {
  /** Since when the key has its state, in milliseconds since the epoch. */
  sinceMs?: number;
  /** The address from which a key that is not accepted was last sent. */
  address?: string;
  /** Since when the minion of an accepted key is connected, in milliseconds since the epoch. */
  upSinceMs?: number;
}

export interface ShownDecision {
  atMs?: number;
  act: string;
  id: string;
  user: string;
  via: string;
  from: string;
  finger: string;
  /** The fingerprint of the accepted key that this key has replaced. */
  replaced: string;
}

const text = (value: unknown): string => typeof value === "string" ? value.slice(0, 300) : "";

/** Reads the result of wheel `key.details`: state of the key → id → details. */
export function readKeyDetails(found: unknown): ReadonlyMap<string, ShownKeyDetails> {
  const details = new Map<string, ShownKeyDetails>();
  for (const [state, keys] of Object.entries(isRecord(found) ? found : {})) {
    for (const [id, key] of Object.entries(isRecord(keys) ? keys : {})) {
      if (!isRecord(key)) continue;
      const { since, address, up_since: up } = key;
      details.set(`${state}/${id}`, {
        ...(typeof since === "number" ? { sinceMs: since * 1000 } : {}),
        ...(typeof address === "string" ? { address: text(address) } : {}),
        ...(typeof up === "number" ? { upSinceMs: up * 1000 } : {}),
      });
    }
  }
  return details;
}

/** Reads the result of wheel `key.history`, the latest first. */
export function readKeyHistory(found: unknown): ShownDecision[] {
  return (Array.isArray(found) ? found : []).filter(isRecord).map(
    ({ time, act, id, user, via, from, finger, replaced }) => {
      const atMs = Date.parse(text(time));
      return {
        ...(Number.isNaN(atMs) ? {} : { atMs }),
        act: text(act),
        id: text(id),
        user: text(user),
        via: text(via),
        from: text(from),
        finger: text(finger),
        replaced: text(replaced),
      };
    },
  ).reverse();
}

/** The state of a host with an accepted key: `up for 3 h`, `up`, `down, last seen 5 min ago`. */
export function hostText(
  { presence, seen, details, nowMs }: {
    presence: "up" | "down" | "unknown";
    /** When the minion was last heard from, in words; empty if unknown. */
    seen: string;
    details: ShownKeyDetails | undefined;
    nowMs: number;
  },
): string {
  const since = details?.upSinceMs;
  if (presence === "up") {
    return since === undefined ? "up now" : `up for ${agoText(nowMs - since).replace("now", "seconds")}`;
  }
  return seen === "" ? presence : `${presence}, last seen ${seen}`;
}
