import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  executionFunction,
  executionFunctions,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { type Args, str, typeName } from "../../language/python/values.ts";
import { programPath, run, runAll } from "../commands.ts";
import { exists, isDirectory, isFile } from "../linux/paths.ts";
import { strftime } from "../../language/python/strftime.ts";
import { replaceContent } from "../host_files.ts";

/** Minutes that an offset such as `+0130` or `-05:00` is ahead of UTC; undefined for local time. */
function offsetOf(offset: unknown): number | undefined {
  if (offset === null) return undefined;
  if (typeof offset !== "string") {
    throw new InvalidArgumentsError(`expected string or bytes-like object, got '${typeName(offset)}'`);
  }
  const match = /^([+-]?)(\d{2}):?(\d{2})$/.exec(offset);
  if (match === null) throw new SaltInvocationError("Invalid UTC offset");
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  if (minutes > 14 * 60) throw new SaltInvocationError("Invalid UTC offset");
  return match[1] === "-" ? -minutes : minutes;
}

/** The time of day as a date whose local fields are those of the requested zone. */
function timeIn({ runtime }: JobContext, offset: unknown): Date {
  const now = new Date(runtime.clock.now());
  const minutes = offsetOf(offset);
  return minutes === undefined ? now : new Date(now.getTime() + (minutes + now.getTimezoneOffset()) * 60_000);
}

const teller = (name: string, what: string, format: string) =>
  executionFunction({
    signature: "utc_offset=None",
    doc: `${what}, here or at an offset from UTC.\n\n    salt '*' system.${name} "'-0500'"`,
    run: (context, { utc_offset: offset }) => strftime(timeIn(context, offset), format),
  });

/** Sets the clock, and the hardware clock if possible. */
async function setClock(context: JobContext, time: Date, offset: unknown): Promise<boolean> {
  const minutes = offsetOf(offset);
  const real = minutes === undefined ? time : new Date(time.getTime() - (minutes + time.getTimezoneOffset()) * 60_000);
  const { retcode } = await runAll(context, ["date", "-s", `@${Math.floor(real.getTime() / 1000)}`]);
  if (retcode !== 0) return false;
  if (await settableHardwareClock(context)) await runAll(context, ["hwclock", "--systohc"]);
  return true;
}

async function settableHardwareClock(context: JobContext): Promise<boolean> {
  if (programPath(context, "hwclock") === undefined || !exists(context.runtime.fs, "/dev/rtc")) return false;
  const argv = ["hwclock", "--test", "--systohc"];
  return (await runAll(context, argv, { ignore_retcode: true })).retcode === 0;
}

const FIELDS = ["years", "months", "days", "hours", "minutes", "seconds"] as const;

function setDateTime(context: JobContext, args: Args): Promise<boolean> {
  const now = timeIn(context, args.utc_offset);
  const parts = [
    now.getFullYear(),
    now.getMonth() + 1,
    now.getDate(),
    now.getHours(),
    now.getMinutes(),
    now.getSeconds(),
  ].map((part, at) => {
    const given = args[FIELDS[at]!];
    return given === null || given === undefined ? part : Number(given);
  });
  const [year = 0, month = 0, day = 0, ...time] = parts;
  return setClock(context, new Date(year, month - 1, day, ...time as [number, number, number]), args.utc_offset);
}

/** A file that is gone after the next boot. */
const WITNESS = { directory: "/run/salt", file: "/run/salt/reboot_witnessed" };

const command = (name: string, doc: string, argv: (args: Args) => string[], signature = "") =>
  executionFunction({
    signature,
    doc: `${doc}\n\n    salt '*' system.${name}`,
    run: (context, args) => run(context, argv(args)),
  });

const when = (args: Args) => args.at_time === null ? "now" : str(args.at_time);

/** Clock, name, reboot and shutdown of the system. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The system module calls programs of Linux, and this is another system" },
  functions: executionFunctions({
    halt: command("halt", "Stops the system.", () => ["halt"]),
    init: command(
      "init",
      "Changes the level that the system runs in.",
      (args) => ["init", str(args.runlevel)],
      "runlevel",
    ),
    poweroff: command("poweroff", "Turns the system off.", () => ["poweroff"]),
    reboot: command(
      "reboot",
      "Reboots the system, now or in some minutes.",
      (args) => ["shutdown", "-r", when(args)],
      "at_time=None",
    ),
    shutdown: command(
      "shutdown",
      "Ends the system: now, or in some minutes.",
      (args) => ["shutdown", "-h", when(args)],
      "at_time=None",
    ),
    get_system_time: teller("get_system_time", "The time of day", "%I:%M:%S %p"),
    get_system_date: teller("get_system_date", "The date", "%a %m/%d/%Y"),
    get_system_date_time: teller("get_system_date_time", "Date and time", "%Y-%m-%d %H:%M:%S"),
    "set_system_time(newtime: str, utc_offset=None)": {
      doc: "Sets the time of day.\n\n    salt '*' system.set_system_time '11:31 AM'",
      async run(context, args): Promise<boolean> {
        const match = /^(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AP]M)?$/i.exec(args.newtime.trim());
        if (match === null) return false;
        const [, hour, minutes, seconds = "0", half] = match;
        const hours = half === undefined ? Number(hour) : Number(hour) % 12 + (half.toUpperCase() === "PM" ? 12 : 0);
        return await setDateTime(context, { hours, minutes, seconds, utc_offset: args.utc_offset });
      },
    },
    "set_system_date(newdate: str, utc_offset=None)": {
      doc: "Sets the date.\n\n    salt '*' system.set_system_date 2026-03-28",
      async run(context, args): Promise<boolean> {
        const text = args.newdate;
        const byYear = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text);
        const byMonth = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4}|\d{2})$/.exec(text);
        if (byYear === null && byMonth === null) throw new SaltInvocationError("Invalid date format");
        const [years, months, days] = byYear === null
          ? [Number(byMonth![3]) + (byMonth![3]!.length === 2 ? 2000 : 0), byMonth![1], byMonth![2]]
          : byYear.slice(1);
        return await setDateTime(context, { years, months, days, utc_offset: args.utc_offset });
      },
    },
    set_system_date_time: executionFunction({
      signature: "years=None, months=None, days=None, hours=None, minutes=None, seconds=None, utc_offset=None",
      doc:
        "Sets date and time; what is not given stays.\n\n    salt '*' system.set_system_date_time 2026 3 28 11 37 53",
      run: setDateTime,
    }),
    "has_settable_hwclock()": {
      doc: "True if the clock of the hardware can be set.\n\n    salt '*' system.has_settable_hwclock",
      run: settableHardwareClock,
    },
    "get_computer_name()": {
      doc: "The name of the computer.\n\n    salt '*' system.get_computer_name",
      run: ({ runtime }) => runtime.host.hostname(),
    },
    "set_computer_name(hostname)": {
      doc: "Changes the name of the computer.\n\n    salt '*' system.set_computer_name web1",
      run: (context, { hostname }) => context.call("network.mod_hostname", [hostname]),
    },
    /** The description of the computer that systemd stores. */
    "get_computer_desc()": {
      doc: "The words that describe the computer.\n\n    salt '*' system.get_computer_desc",
      run({ runtime: { fs } }): string {
        if (!isFile(fs, "/etc/machine-info")) return "";
        const line = splitLines(fs.readText("/etc/machine-info")).find((text) => text.startsWith("PRETTY_HOSTNAME="));
        return (line ?? "").replace(/^PRETTY_HOSTNAME=/, "").replace(/^(["'])(.*)\1$/, "$2");
      },
    },
    "set_computer_desc(desc)": {
      doc: "Sets the words that describe the computer.\n\n    salt '*' system.set_computer_desc \"Ada's laptop\"",
      run({ runtime: { fs } }, { desc }): boolean {
        const text = str(desc).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
        const before = isFile(fs, "/etc/machine-info") ? splitLines(fs.readText("/etc/machine-info")) : [];
        const lines = [...before.filter((line) => !line.startsWith("PRETTY_HOSTNAME=")), `PRETTY_HOSTNAME="${text}"`];
        replaceContent({ fs }, "/etc/machine-info", `${lines.join("\n")}\n`);
        return true;
      },
    },
    "get_reboot_required_witnessed()": {
      doc: "True if system.set_reboot_required_witnessed was called since the last boot.\n\n" +
        "    salt '*' system.get_reboot_required_witnessed",
      run: ({ runtime }) => exists(runtime.fs, WITNESS.file),
    },
    "set_reboot_required_witnessed()": {
      doc: "Notes that the system must be rebooted.\n\n    salt '*' system.set_reboot_required_witnessed",
      run({ runtime: { fs } }) {
        if (!isDirectory(fs, WITNESS.directory)) fs.mkdir(WITNESS.directory);
        fs.write(WITNESS.file, "");
        return true;
      },
    },
  }),
};
