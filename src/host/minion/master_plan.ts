import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { ConfigError } from "../../base/errors.ts";
import { type MasterAddress, mastersOf, printMaster } from "./master_address.ts";

/**
 * Which masters a minion serves. `all`: each of them at once. `one`: one of them, the first in order that lets the minion in,
 * and the next one when that is lost. `none`: it runs without a master.
 */
export interface MasterPlan {
  serve: "all" | "one" | "none";
  /** In the order in which they are tried; each once. */
  masters: MasterAddress[];
}

/** Which masters each value of `master_type` makes the minion serve. */
const TYPES: Readonly<Record<string, MasterPlan["serve"]>> = {
  str: "all",
  failover: "one",
  distributed: "one",
  disable: "none",
};

const FUNC =
  "Cannot start with master_type: func, because such functions are Python code. Write the address into the option master, for " +
  "example from a program that writes a file in minion.d";

/** The CRC-32 by which Salt distributes minions: of ZIP, over the UTF-8 of the id. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Brings items into random order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

/**
 * The masters of a minion, as `master`, `master_type`, `random_master` and `master_failback` say.
 *
 * @throws {ConfigError} for a value that cannot be obeyed
 * @see salt/minion.py MinionBase.eval_master
 */
export function masterPlan(opts: MinionOpts, random: () => number): MasterPlan {
  const type = String(opts.master_type);
  if (type === "func") throw new ConfigError(FUNC, { option: "master_type" });
  if (!Object.hasOwn(TYPES, type)) {
    throw new ConfigError(`Unknown master_type "${type}": expected one of ${Object.keys(TYPES).join(", ")}`, {
      option: "master_type",
    });
  }
  const format = String(opts.master_uri_format ?? "default");
  if (format !== "default" && format !== "ip_only") {
    throw new ConfigError(`Unknown master_uri_format "${format}": expected default or ip_only`, {
      option: "master_uri_format",
    });
  }
  const serve = TYPES[type]!;
  if (serve === "none") return { serve, masters: [] };
  let masters = mastersOf(opts);
  if (type === "distributed") {
    const own = masters[crc32(opts.id) % masters.length]!;
    masters = [own, ...masters.filter((one) => one !== own)];
  }
  return { serve, masters: opts.random_master || opts.master_shuffle ? mixed(masters, type, opts, random) : masters };
}

/** In random order; a minion that fails back, or has its own master by its id, keeps the first one. */
function mixed(masters: MasterAddress[], type: string, opts: MinionOpts, random: () => number): MasterAddress[] {
  const [first, ...others] = masters;
  const keeps = type === "distributed" || type === "failover" && opts.master_failback;
  return keeps ? [first!, ...shuffled(others, random)] : shuffled(masters, random);
}

/** `host:port, host:port`, for the log. */
export function printPlan({ masters }: MasterPlan): string {
  return masters.map(printMaster).join(", ");
}
