/**
 * Formats log lines by Python's %-formats (`log_fmt_console`, `log_fmt_logfile`), with the attributes of Python's log records
 * and of Salt.
 */
import { ConfigError } from "../../src/base/errors.ts";
import { formatText, type LogLevel, type LogRecord } from "../../src/base/log.ts";
import { printable } from "../../src/base/printable.ts";
import { strftime } from "../../src/language/python/strftime.ts";

/** Formats one record, without a line feed. */
export type LogFormat = (record: LogRecord, time: Date, pid: number) => string;

interface LogFormatOptions {
  option: string;
  /** Format of `%(asctime)s`: `log_datefmt` or `log_datefmt_logfile`. */
  date: string;
  /** Format of `%(jid)s` in records of a job: `log_fmt_jid`. @default "[JID: %(jid)s]" */
  jid?: string;
  /** Format of `%(minion_id)s` in records of a minion: `log_fmt_minion_id`. @default "[%(minion_id)s]" */
  minionId?: string;
  /** True for colors in attributes such as `%(colormsg)s`; false formats them like `%(bracketlevel)s` and the like. */
  colors: boolean;
}

/** Python's numbers of levels, and those of Salt's own levels. */
const NUMBERS: Record<LogLevel, number> = {
  all: 0,
  garbage: 1,
  trace: 5,
  debug: 10,
  profile: 15,
  info: 20,
  warning: 30,
  error: 40,
  critical: 50,
  quiet: 1000,
};

const COLORS: Record<LogLevel, [level: string, message: string]> = {
  all: ["", ""],
  quiet: ["", ""],
  critical: [";1;31", ";1;31"],
  error: [";1;31", ";31"],
  warning: [";1;33", ";33"],
  info: [";1;32", ";32"],
  profile: [";1;36", ";1;36"],
  debug: [";1;36", ";36"],
  trace: [";1;35", ";35"],
  garbage: [";1;34", ";34"],
};

const painted = (code: string, text: string) => `\x1b[0${code}m${text}\x1b[0m`;

interface Line {
  record: LogRecord;
  time: Date;
  pid: number;
  options: LogFormatOptions;
}

/** The message with its fields, without the level in front. */
const messageOf = ({ record }: Line) => formatText(record).replace(/^\[[^\]]*\] /, "");
const levelOf = ({ record }: Line) => `[${record.level.toUpperCase().padEnd(8)}]`;
const nameOf = ({ record }: Line) => printable(record.name, 200) || "salt";
const bracketName = (line: Line) => `[${nameOf(line).padEnd(17)}]`;
const bracketProcess = ({ pid }: Line) => `[${String(pid).padStart(5)}]`;

/** Formats a field that only records of a job or minion have, by `log_fmt_jid` or the like. */
function optional(line: Line, field: string, format: string): string {
  const value = line.record.fields[field];
  return typeof value === "string" || typeof value === "number"
    ? format.replaceAll(`%(${field})s`, () => printable(String(value), 200))
    : "";
}

/** Time at which this module was loaded, shortly after the start of the program. */
const STARTED = Date.now();

/** Attributes by name. Brine's records have no file and no line number: these are empty, or 0. */
const ATTRIBUTES: Readonly<Record<string, (line: Line) => string | number>> = {
  asctime: ({ time, options }) => strftime(time, options.date),
  created: ({ time }) => time.getTime() / 1000,
  msecs: ({ time }) => time.getMilliseconds(),
  relativeCreated: ({ time }) => time.getTime() - STARTED,
  name: nameOf,
  levelname: ({ record }) => record.level.toUpperCase(),
  levelno: ({ record }) => NUMBERS[record.level],
  message: messageOf,
  process: ({ pid }) => pid,
  processName: () => "MainProcess",
  thread: () => 0,
  threadName: () => "MainThread",
  taskName: () => "None",
  module: (line) => nameOf(line).split(".").at(-1)!,
  pathname: () => "",
  filename: () => "",
  funcName: () => "",
  lineno: () => 0,
  bracketname: bracketName,
  bracketlevel: levelOf,
  bracketprocess: bracketProcess,
  colorname: (line) => line.options.colors ? painted(";1;32", bracketName(line)) : bracketName(line),
  colorlevel: (line) => line.options.colors ? painted(COLORS[line.record.level][0], levelOf(line)) : levelOf(line),
  colorprocess: (line) => line.options.colors ? painted(";1;34", bracketProcess(line)) : bracketProcess(line),
  colormsg: (line) => line.options.colors ? painted(COLORS[line.record.level][1], messageOf(line)) : messageOf(line),
  jid: (line) => optional(line, "jid", line.options.jid ?? "[JID: %(jid)s]"),
  minion_id: (line) => optional(line, "minion_id", line.options.minionId ?? "[%(minion_id)s]"),
};

const NUMERIC = new Set(["created", "msecs", "relativeCreated", "levelno", "process", "thread", "lineno"]);

/** Maximum width and precision of an attribute, in characters. */
const MAX_WIDTH = 1000;

/** The conversion of one attribute: the part after the name in `%(name)-17s`. */
interface Conversion {
  flags: string;
  width: number;
  precision: number | undefined;
  type: string;
}

/** Formats a value like Python's `%` operator. */
function written(value: string | number, { flags, width, precision, type }: Conversion): string {
  const left = flags.includes("-");
  if (typeof value === "string" || "sra".includes(type)) {
    const text = String(value);
    const cut = precision === undefined ? text : text.slice(0, precision);
    return left ? cut.padEnd(width) : cut.padStart(width);
  }
  const absolute = Math.abs(value);
  const digits = "diu".includes(type)
    ? String(Math.trunc(absolute)).padStart(precision ?? 0, "0")
    : type === "o"
    ? Math.trunc(absolute).toString(8)
    : "xX".includes(type)
    ? Math.trunc(absolute).toString(16)
    : "eE".includes(type)
    ? absolute.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2")
    : "gG".includes(type)
    ? String(Number(absolute.toPrecision(Math.max(precision ?? 6, 1))))
    : absolute.toFixed(precision ?? 6);
  const sign = value < 0 ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if (left) return (sign + digits).padEnd(width);
  if (flags.includes("0")) return sign + digits.padStart(width - sign.length, "0");
  return (sign + digits).padStart(width);
}

const PIECE = /%(?:%|\((\w*)\)([#0\- +]*)(\d*)(?:\.(\d+))?([a-zA-Z]))/y;

/** Compiles a format of the configuration. @throws {ConfigError} naming the option, the invalid part, and what is allowed */
export function compileLogFormat(format: string, options: LogFormatOptions): LogFormat {
  const wrong = (why: string) => new ConfigError(`The option ${options.option} is ${JSON.stringify(format)}: ${why}`);
  const pieces: (string | ((line: Line) => string))[] = [];
  let found = false;
  for (let at = 0; at < format.length;) {
    if (format[at] !== "%") {
      const next = format.indexOf("%", at);
      pieces.push(format.slice(at, next < 0 ? undefined : next));
      at = next < 0 ? format.length : next;
      continue;
    }
    PIECE.lastIndex = at;
    const match = PIECE.exec(format);
    const rest = JSON.stringify(format.slice(at, at + 20));
    if (match === null) {
      throw wrong(`${rest} is not an attribute. Write %(message)s, %(levelname)-8s or the like, and %% for %`);
    }
    at = PIECE.lastIndex;
    const [, name, flags = "", width = "", precision, type = ""] = match;
    if (name === undefined) {
      pieces.push("%");
      continue;
    }
    const attribute = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name]! : undefined;
    if (attribute === undefined) {
      throw wrong(`"${name}" is not an attribute. Use one of ${Object.keys(ATTRIBUTES).join(", ")}`);
    }
    if (!(NUMERIC.has(name) ? "diuoxXeEfFgGsra" : "sra").includes(type)) {
      throw wrong(`%(${name})${type} is not supported. Write %(${name})s`);
    }
    const conversion = { flags, width: Number(width), precision: precision ? Number(precision) : undefined, type };
    if (conversion.width > MAX_WIDTH || (conversion.precision ?? 0) > 100 && NUMERIC.has(name)) {
      throw wrong(`${rest} is too wide: at most ${MAX_WIDTH} characters`);
    }
    found = true;
    pieces.push((line) => written(attribute(line), conversion));
  }
  if (!found) throw wrong("it has no attribute, so all lines would be equal. Add %(message)s");
  return (record, time, pid) => {
    const line: Line = { record, time, pid, options };
    return pieces.map((piece) => typeof piece === "string" ? piece : piece(line)).join("");
  };
}

/** A destination for log lines. After opening, its functions must not throw: a log must not stop the program. */
export interface LogTarget {
  /** @param text a line, with its line feed */
  write(text: string, level: LogLevel): void;
  /** Opens the destination again, after a rotation or as another user. */
  reopen(): void;
  close(): void;
}
