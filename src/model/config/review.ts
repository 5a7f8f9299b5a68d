/** Reviews the options that a configuration sets: those that must stop a daemon, and those without effect. */
import { ConfigError } from "../../base/errors.ts";
import { nearestName } from "../../base/nearest_name.ts";
import type { Logger } from "../../base/log.ts";
import { equal } from "../../language/python/values.ts";
import { MASTER_OPTIONS } from "./master_opts.ts";
import { MINION_OPTIONS } from "./minion_opts.ts";
import type { OptionTable } from "./option.ts";
import { type NarrowPattern, narrowPatterns } from "./review_permissions.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOption, type SaltOptions } from "./salt_options.ts";

/** The kind of daemon that the configuration is for. */
export type Host = "master" | "minion";

/** A configuration after reading. */
interface GivenOptions {
  opts: Record<string, unknown>;
  /** Names of the options that files or the command line set. */
  given: Iterable<string>;
  /** Option → file and line, for options that a file sets. */
  places?: ReadonlyMap<string, string>;
}

/** The findings of {@link reviewOptions}. */
export interface OptionReview {
  /** Options without effect whose values ask for something, grouped by what to do instead. */
  ineffective: { options: string[]; instead: string }[];
  /** Options without effect that can be removed. */
  unneeded: string[];
  mistyped: { option: string; meant: string; place: string | undefined }[];
  /** Names that are not options of Salt: custom modules may read them. */
  unknown: string[];
  /** Patterns of permissions that match less than in real Salt. */
  narrow: NarrowPattern[];
}

interface Tables {
  own: OptionTable;
  /** Salt's options that have no effect. */
  salt: SaltOptions;
}

const TABLES: Record<Host, Tables> = {
  master: { own: MASTER_OPTIONS, salt: SALT_MASTER_OPTIONS },
  minion: { own: MINION_OPTIONS, salt: SALT_MINION_OPTIONS },
};

const OTHER: Record<Host, Host> = { master: "minion", minion: "master" };

/** The remedy for an option that only the other daemon obeys. */
const ELSEWHERE: Record<Host, string> = {
  master: "set it in the minions' configuration",
  minion: "set it in the master's configuration",
};

const isOn = (value: unknown) =>
  value !== null && value !== undefined && value !== false && value !== "" && value !== 0 &&
  !(typeof value === "string" && /^(false|no|off|none|0)$/i.test(value)) &&
  !(typeof value === "object" && Object.keys(value).length === 0);

/** True if a value differs from Salt's default: a default that is written down asks for nothing. */
function asks(value: unknown, usual: unknown): boolean {
  return usual === undefined ? isOn(value) : !equal(value, usual);
}

/** The row of an option without effect; undefined for an option with an effect, and for a name that Salt does not have. */
function ineffectiveOption(host: Host, option: string): Omit<SaltOption, "since"> | undefined {
  const [here, there] = [TABLES[host], TABLES[OTHER[host]]];
  if (Object.hasOwn(here.own, option)) return undefined;
  if (Object.hasOwn(here.salt, option)) return here.salt[option];
  if (Object.hasOwn(there.own, option)) {
    return { default: there.own[option]!.default, instead: ELSEWHERE[host], status: "none" };
  }
  return Object.hasOwn(there.salt, option) ? there.salt[option] : undefined;
}

/** The names of all options of both daemons. */
function optionNames(): string[] {
  return [...new Set(Object.values(TABLES).flatMap(({ own, salt }) => [...Object.keys(own), ...Object.keys(salt)]))];
}

/** Letters that may be wrong in a mistyped name: one in a short name, which may belong to a custom module, two in a longer one. */
const lettersOf = (name: string) => name.length >= 10 ? 2 : 1;

/**
 * Returns a function that finds the option that a mistyped name probably means; undefined for a known name or one unlike any
 * option.
 */
function nearestOption(): (name: string) => { known: boolean; meant: string | undefined } {
  const names = optionNames();
  const known = new Set(names);
  return (name) => {
    if (known.has(name)) return { known: true, meant: undefined };
    return {
      known: false,
      meant: name.length < 5 ? undefined : nearestName(name, names, { letters: lettersOf(name) }),
    };
  };
}

/**
 * Stops a daemon if its configuration sets an option that would do harm if it were ignored, such as TLS.
 *
 * @throws {ConfigError} naming the option, its value and what to do instead
 */
export function refuseHarmfulOptions(host: Host, { opts, given }: GivenOptions): void {
  for (const option of given) {
    const row = ineffectiveOption(host, option);
    const value = opts[option];
    if (row?.status !== "refused" || !isOn(value) || !asks(value, row.default)) continue;
    throw new ConfigError(
      `Cannot start with the option ${option}: ${JSON.stringify(value)} of the configuration: ${row.instead}`,
      { option },
    );
  }
}

/** Finds the options without effect, and the names that are not options. */
export function reviewOptions(host: Host, { opts, given, places }: GivenOptions): OptionReview {
  const narrow = host === "master" ? narrowPatterns(opts) : [];
  const review: OptionReview = { ineffective: [], unneeded: [], mistyped: [], unknown: [], narrow };
  const nearest = nearestOption();
  for (const option of given) {
    const row = ineffectiveOption(host, option);
    if (row !== undefined) {
      if (row.status === "refused" || !asks(opts[option], row.default)) continue;
      const group = review.ineffective.find(({ instead }) => instead === row.instead);
      if (row.status === "unneeded") review.unneeded.push(option);
      else if (group !== undefined) group.options.push(option);
      else review.ineffective.push({ options: [option], instead: row.instead });
      continue;
    }
    const { known, meant } = nearest(option);
    if (meant !== undefined) review.mistyped.push({ option, meant, place: places?.get(option) });
    else if (!known) review.unknown.push(option);
  }
  return review;
}

/** The first mistyped name, with the option that it probably means. */
export function firstMistyped(names: Iterable<string>): { option: string; meant: string } | undefined {
  const nearest = nearestOption();
  for (const option of names) {
    const { meant } = nearest(option);
    if (meant !== undefined) return { option, meant };
  }
  return undefined;
}

/** The remedy for a pattern that was perhaps written for Salt. */
export const NARROW_REMEDY = "end each pattern with $ to keep that meaning, or with .* to allow more";

/** Lines that name remedies; further options share the last one. The log drops repeats of one message after 20 lines. */
const MAX_LINES = 19;

/**
 * Logs the findings of a review: mistyped names first, then one line for each remedy with its options.
 *
 * @param quietly true for programs that run often and read a configuration that a daemon has already warned about
 */
export function logReview(log: Logger, review: OptionReview, quietly = false): void {
  const { ineffective, unneeded, mistyped, unknown, narrow } = review;
  const warn: Logger["warning"] = (message, fields) =>
    quietly ? log.debug(message, fields) : log.warning(message, fields);
  for (const { option, meant, place } of mistyped) {
    warn("unknown option", { option, "did you mean": meant, ...(place === undefined ? {} : { place }) });
  }
  if (narrow.length > 0) {
    warn("patterns of permissions match the whole text, but in Salt only its beginning", {
      patterns: narrow.slice(0, MAX_LINES).map(({ place, pattern }) => `${place}: ${pattern}`).join(", "),
      count: narrow.length,
      remedy: NARROW_REMEDY,
    });
  }
  const shown = ineffective.length > MAX_LINES ? ineffective.slice(0, MAX_LINES - 1) : ineffective;
  for (const { options, instead } of shown) {
    warn("no effect", { [options.length === 1 ? "option" : "options"]: options.join(", "), instead });
  }
  const rest = ineffective.slice(shown.length).flatMap(({ options }) => options);
  if (rest.length > 0) warn("no effect", { options: rest.join(", "), instead: "docs/options.md lists what to use" });
  if (unneeded.length > 0) warn("no effect, and not needed", { options: unneeded.join(", ") });
  if (unknown.length > 0) {
    log[quietly ? "debug" : "info"]("options that only custom modules could read", { options: unknown.join(", ") });
  }
}
