/** Which minions of a swarm behave how: shares of the fleet, drawn by a seed, so that a run can be had again. */

/** Every behaviour; `behaviours.ts` says what each does. */
export const BEHAVIOURS = [
  "honest",
  "slow",
  "flapping",
  "lying",
  "replaying",
  "silent",
  "huge",
  "wrong_id",
] as const;

export type BehaviourName = typeof BEHAVIOURS[number];

/** Percent of the fleet for each behaviour; the rest is honest. */
export type Mix = Partial<Record<BehaviourName, number>>;

/** A little of everything. */
export const FULL_MIX = "slow=5,flapping=2,lying=1,replaying=1,silent=1,huge=1,wrong_id=1";

/**
 * Reads `slow=5,lying=0.5`, in percent.
 *
 * @throws {RangeError} for an unknown behaviour, a share that is no number, or more than 100 percent
 */
export function parseMix(text: string): Mix {
  const mix: Mix = {};
  let sum = 0;
  for (const part of text.split(",").filter((word) => word.trim() !== "")) {
    const [name = "", value = ""] = part.trim().split("=");
    const behaviour = BEHAVIOURS.find((known) => known === name && known !== "honest");
    if (behaviour === undefined) {
      throw new RangeError(`Unknown behaviour "${name}": expected some of ${BEHAVIOURS.slice(1).join(", ")}`);
    }
    const percent = Number(value);
    if (value.trim() === "" || !(percent >= 0)) {
      throw new RangeError(`Invalid share "${value}" of ${name}: expected percent, as in ${name}=5`);
    }
    mix[behaviour] = percent;
    sum += percent;
  }
  if (sum > 100) throw new RangeError(`The shares are ${sum} percent: expected 100 at most`);
  return mix;
}

/** Numbers from 0 to 1 by a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** The behaviour of each minion: the same for the same numbers. A behaviour with a share has at least one minion. */
export function behavioursOf(count: number, mix: Mix, seed: number): BehaviourName[] {
  const all: BehaviourName[] = [];
  for (const name of BEHAVIOURS) {
    const percent = mix[name] ?? 0;
    if (percent <= 0) continue;
    const some = Math.max(1, Math.round(count * percent / 100));
    for (let made = 0; made < some && all.length < count; made++) all.push(name);
  }
  while (all.length < count) all.push("honest");
  const random = seededRandom(seed);
  for (let last = all.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [all[last], all[other]] = [all[other]!, all[last]!];
  }
  return all;
}

/** The id of a minion of a swarm of that size. */
export function swarmId(index: number, count: number): string {
  return `swarm${String(index).padStart(String(count - 1).length, "0")}`;
}
