/** Which events a minion may fire on the bus of its master, and in whose name: the one rule for all of them. */

/** Matches the tags that only masters and their clients may fire, since the listeners of these events act on them. */
const MASTERS =
  /^(?:salt\/(?:job|auth|audit|key|presence|run|wheel|cloud|cluster|stats|fileserver|event|event_listen|netapi|reactors|reactor|engines|engine)(?:\/.*)?|cluster\/.*|key|rotate_cluster_aes_key|\d{20}(?:_.*)?)$/s;

/** The part of a tag that asks something of the reactor, wherever in the tag it stands. */
const REACTORS = "salt/reactors/manage";

/** Matches the prefixes of tags that name the minion which fires them. */
const NAMED =
  /^(?:salt\/job\/[^/]+\/(?:prog|out)|salt\/minion|salt\/syndic|salt\/beacon|salt\/state_result\/[^/]+|minion\/refresh|syndic)\/(?<rest>.*)$/s;

/** Tags whose data names the minion which fires them. */
const SIGNED = new Set(["minion_start", "syndic_start", "minion_ping"]);

/** The most characters of a tag: every listener matches its patterns with it. */
const MAX_TAG_CHARACTERS = 1024;

/**
 * True if a minion may fire this tag. Stricter than Salt: where a tag or its data names a minion, it must be the sender. A syndic may
 * name the minions that it may speak for.
 */
export function mayFire(
  tag: string,
  data: Record<string, unknown>,
  minion: string | undefined,
  speaksFor: (id: unknown) => boolean,
): boolean {
  if (tag === "" || tag.length > MAX_TAG_CHARACTERS || tag.includes("\n\n") || tag.includes(REACTORS)) return false;
  const named = NAMED.exec(tag);
  if (named === null && MASTERS.test(tag)) return false;
  if (named === null && !SIGNED.has(tag)) return true;
  if (minion === undefined || (data.id !== undefined && !speaksFor(data.id))) return false;
  const rest = named?.groups?.rest;
  if (rest === undefined) return true;
  // After its own id a minion may write anything; an id has no slash.
  const slash = rest.indexOf("/");
  return speaksFor(slash < 0 ? rest : rest.slice(0, slash));
}

/**
 * The data of an event with the id of the minion that fired it, whatever the minion wrote there. A syndic keeps the ids that it may
 * speak for, and events without one.
 *
 * @param minion undefined if the channel does not prove who sent the event
 * @param syndic whether the minion is a syndic
 */
export function inOwnName(
  data: Record<string, unknown>,
  minion: string | undefined,
  syndic: boolean,
  speaksFor: (id: unknown) => boolean,
): Record<string, unknown> {
  if (minion === undefined || data.id === minion) return data;
  if (syndic && (data.id === undefined || speaksFor(data.id))) return data;
  return { ...data, id: minion };
}
