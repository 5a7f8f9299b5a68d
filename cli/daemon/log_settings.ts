/** Reads the log options of a configuration: formats, levels, and where lines go. */
import { LOG_LEVELS, type LogLevel, passes } from "../../src/base/log.ts";
import { compileLogFormat, type LogFormat } from "./log_format.ts";

/** Salt's defaults, for programs without these options in their tables. */
const DEFAULTS = {
  log_fmt_console: "[%(levelname)-8s] %(message)s",
  log_datefmt: "%H:%M:%S",
  log_fmt_logfile: "%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s",
  log_datefmt_logfile: "%Y-%m-%d %H:%M:%S",
  log_fmt_jid: "[JID: %(jid)s]",
  log_fmt_minion_id: "[%(minion_id)s]",
} as const;

/** The formats of both kinds of lines. */
export interface LogFormats {
  console: LogFormat;
  file: LogFormat;
}

/** @throws {ConfigError} naming an invalid format */
export function logFormats(opts: Record<string, unknown>): LogFormats {
  const of = (option: keyof typeof DEFAULTS) => {
    const value = opts[option];
    return typeof value === "string" && value !== "" ? value : DEFAULTS[option];
  };
  // As in Salt, the console's format decides about colors in the file, too.
  const colors = of("log_fmt_console").includes("%(color");
  const compiled = (option: "log_fmt_console" | "log_fmt_logfile", date: "log_datefmt" | "log_datefmt_logfile") =>
    compileLogFormat(of(option), {
      option,
      date: of(date),
      jid: of("log_fmt_jid"),
      minionId: of("log_fmt_minion_id"),
      colors,
    });
  return {
    console: compiled("log_fmt_console", "log_datefmt"),
    file: compiled("log_fmt_logfile", "log_datefmt_logfile"),
  };
}

/** A level by its name; `warning` for an unknown one. */
export function levelNamed(name: unknown): LogLevel {
  const word = String(name ?? "").toLowerCase();
  return (LOG_LEVELS as readonly string[]).includes(word) ? word as LogLevel : "warning";
}

export interface LogLevels {
  console: LogLevel;
  file: LogLevel;
  /** `log_granular_levels`: levels for single parts, which replace both other levels; longest names first. */
  granular: readonly (readonly [name: string, level: LogLevel])[];
}

/** The levels in `log_granular_levels`. The name of a part may begin with Salt's `salt.`. */
export function granularLevels(opts: Record<string, unknown>): LogLevels["granular"] {
  const { log_granular_levels: given } = opts;
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).map(([name, level]) => [name.replace(/^salt(\.|$)/, ""), levelNamed(level)] as const)
    .toSorted(([a], [b]) => b.length - a.length);
}

/** The level for a part of the program, on the console or in the file. */
export function levelFor(levels: LogLevels, name: string, where: "console" | "file"): LogLevel {
  if (levels[where] === "quiet") return "quiet";
  for (const [part, level] of levels.granular) {
    if (part === "" || name === part || name.startsWith(`${part}.`)) return level;
  }
  return levels[where];
}

/** The lowest level that is needed anywhere. */
export function leastLevel({ console, file, granular }: LogLevels): LogLevel {
  return [console, file, ...granular.map(([, level]) => level)].reduce((least, level) =>
    passes(least, level) ? level : least
  );
}
