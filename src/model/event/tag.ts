/** Builds event tags, lists those that exist, and matches them by patterns. @see salt/utils/event.py */

/** Joins base, prefix and suffix parts by `/`, without the empty ones. @see salt/utils/event.py tagify */
export function tagify(
  suffix: string | number | readonly (string | number)[] = "",
  prefix = "",
  base = "salt",
): string {
  const parts = [base, prefix, ...(Array.isArray(suffix) ? suffix : [suffix])];
  return parts.map(String).filter((part) => part !== "").join("/");
}

/** A key was presented to the master. */
export const AUTH = "salt/auth";
/** A key was accepted, rejected or deleted by an operator. */
export const KEY = "salt/key";
export const PRESENCE_CHANGE = "salt/presence/change";
export const PRESENCE_PRESENT = "salt/presence/present";
export const LEGACY_SYNDIC_START = "syndic_start";

/** A job begins; the data has its targets. The bare jid is fired, too, with `{minions}`. */
export function jobNew(jid: string): string {
  return `salt/job/${jid}/new`;
}
/** The load of a publication, fired by Salt 3007. */
export function jobPublish(jid: string): string {
  return `salt/job/${jid}/publish`;
}
/**
 * A return of one minion.
 *
 * @example
 * ```ts
 * console.log(jobReturn("20261121101500000000", "web1")); // salt/job/20261121101500000000/ret/web1
 * ```
 */
export function jobReturn(jid: string, id: string): string {
  return `salt/job/${jid}/ret/${id}`;
}
/**
 * Prefix of the returns of a job.
 *
 * @example
 * ```ts
 * console.log(jobReturns("20261121101500000000")); // salt/job/20261121101500000000/ret/
 * ```
 */
export function jobReturns(jid: string): string {
  return `salt/job/${jid}/ret/`;
}
/**
 * Prefix of every event of a job.
 *
 * @example
 * ```ts
 * console.log(jobEvents("20261121101500000000")); // salt/job/20261121101500000000/
 * ```
 */
export function jobEvents(jid: string): string {
  return `salt/job/${jid}/`;
}
/**
 * A target of a job has reached another state, other than by a return; only Brine masters fire it.
 *
 * @example
 * ```ts
 * console.log(jobOutcome("20261121101500000000", "web1")); // salt/job/20261121101500000000/outcome/web1
 * ```
 */
export function jobOutcome(jid: string, id: string): string {
  return `salt/job/${jid}/outcome/${id}`;
}
/**
 * Output of a command while it runs.
 *
 * @example
 * ```ts
 * console.log(jobOutput("20261121101500000000", "web1")); // salt/job/20261121101500000000/out/web1
 * ```
 */
export function jobOutput(jid: string, id: string): string {
  return `salt/job/${jid}/out/${id}`;
}
/** Progress while a job runs; `step` is a number or the id of a state. */
export function jobProgress(jid: string, id: string, step: string | number): string {
  return `salt/job/${jid}/prog/${id}/${step}`;
}
export function minionStart(id: string): string {
  return `salt/minion/${id}/start`;
}
export function syndicStart(id: string): string {
  return `salt/syndic/${id}/start`;
}
/** The master's cached data of a minion was renewed; this tag has no prefix `salt/`. */
export function minionRefresh(id: string): string {
  return `minion/refresh/${id}`;
}
export function runNew(jid: string): string {
  return `salt/run/${jid}/new`;
}
export function runReturn(jid: string): string {
  return `salt/run/${jid}/ret`;
}
export function wheelNew(jid: string): string {
  return `salt/wheel/${jid}/new`;
}
export function wheelReturn(jid: string): string {
  return `salt/wheel/${jid}/ret`;
}
export function beaconTag(id: string, name: string, sub = ""): string {
  return tagify([id, name, sub], "beacon");
}
export function stateResultTag(jid: string, id: string, name: string): string {
  return `salt/state_result/${jid}/${id}/${name}`;
}
/** Tells a slow listener how many events it has missed: `{missed}`. */
export const EVENTS_MISSED = "salt/event/missed";
/** A master has lost events that it should have stored; the data says in which store, how many, and why. */
export const EVENT_RETURN_LOST = "salt/event_return/lost";

type Piece = { star: true } | { star: false; fits(character: string): boolean };

function glob(pattern: string): Piece[] {
  const characters = Array.from(pattern);
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") {
      if (!pieces.at(-1)?.star) pieces.push({ star: true });
    } else if (character === "?") {
      pieces.push({ star: false, fits: () => true });
    } else if (character === "[") {
      // A "]" right after the opening is a member; a bracket that is not closed stands for itself.
      const negated = characters[at + 1] === "!";
      const first = at + (negated ? 2 : 1);
      const close = characters.indexOf("]", first + 1);
      if (close < 0) {
        pieces.push({ star: false, fits: (other) => other === "[" });
      } else {
        const members = characters.slice(first, close);
        pieces.push({ star: false, fits: (other) => inSet(members, other) !== negated });
        at = close;
      }
    } else {
      pieces.push({ star: false, fits: (other) => other === character });
    }
  }
  return pieces;
}

function inSet(members: readonly string[], character: string): boolean {
  for (let at = 0; at < members.length; at++) {
    const member = members[at]!;
    if (members[at + 1] === "-" && at + 2 < members.length) {
      if (member <= character && character <= members[at + 2]!) return true;
      at += 2;
    } else if (member === character) {
      return true;
    }
  }
  return false;
}

/**
 * Python's `fnmatch` of the whole text: `*`, `?`, `[seq]`, `[!seq]`, where `*` crosses slashes. Takes time in proportion to
 * both lengths, whatever the pattern; a translation to `RegExp` would not.
 */
export function fnmatch(pattern: string): (text: string) => boolean {
  const pieces = glob(pattern);
  return (text) => {
    const characters = Array.from(text);
    let piece = 0;
    let at = 0;
    let star = -1;
    let starAt = 0;
    while (at < characters.length) {
      const current = pieces[piece];
      if (current?.star) {
        star = piece++;
        starAt = at;
      } else if (current !== undefined && !current.star && current.fits(characters[at]!)) {
        piece += 1;
        at += 1;
      } else if (star >= 0) {
        // Let the last star match one more character; earlier stars cannot help if it does not.
        piece = star + 1;
        at = ++starAt;
      } else {
        return false;
      }
    }
    while (pieces[piece]?.star) piece += 1;
    return piece === pieces.length;
  };
}

/**
 * Entries of `external_auth` that let a user read every event: the right itself, and the right to every function on every
 * minion.
 */
const EVERYTHING: readonly unknown[] = ["@events", ".*"];

/**
 * True if a user's permissions cover all events of the master: `@events`, `.*`, or `.*` on the target `*`.
 *
 * @param permissions as `external_auth` writes them
 */
export function coversAllEvents(permissions: readonly unknown[]): boolean {
  return permissions.some((rule) => {
    if (typeof rule !== "object" || rule === null) return EVERYTHING.includes(rule);
    const everywhere = rule instanceof Map ? rule.get("*") : (rule as Record<string, unknown>)["*"];
    return [everywhere].flat().includes(".*");
  });
}
