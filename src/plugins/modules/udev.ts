import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { integerOf, toFloat, toInteger } from "../../language/python/values.ts";
import { floatOfText, splitLines } from "../../language/python/text.ts";
import { operand, programPath, runAll } from "../commands.ts";

/** What udev knows of a device by letter: properties under `E`, otherwise one text or several. */
type Device = Record<string, unknown>;

function propertyOf(text: string): unknown {
  if (/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(text)) return toInteger(integerOf(text));
  const number = floatOfText(text);
  return number === undefined ? text : toFloat(number);
}

function deviceOf(lines: readonly string[]): Device {
  const texts: Record<string, string[]> = {};
  const properties: Record<string, unknown> = {};
  for (const line of lines) {
    const at = line.indexOf(":");
    if (at < 0) continue;
    const [letter, text] = [line.slice(0, at), line.slice(at + 1).trim()];
    const equals = text.indexOf("=");
    if (letter !== "E") (texts[letter] ??= []).push(text);
    else if (equals >= 0) properties[text.slice(0, equals)] = propertyOf(text.slice(equals + 1));
  }
  return {
    ...Object.fromEntries(Object.entries(texts).map(([letter, all]) => [letter, all.length === 1 ? all[0] : all])),
    ...(Object.keys(properties).length === 0 ? {} : { E: properties }),
  };
}

/** The devices in what udevadm prints: an empty line ends each. */
const devicesOf = (text: string): Device[] =>
  splitLines(text).map((line) => line.trim()).join("\n").split(/\n{2,}/)
    .map((part) => deviceOf(part.split("\n"))).filter((device) => Object.keys(device).length > 0);

async function udevadm(context: JobContext, ...words: string[]): Promise<Device[]> {
  const { retcode, stdout, stderr } = await runAll(context, ["udevadm", "info", ...words], {
    output_loglevel: "quiet",
  });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return devicesOf(stdout);
}

async function info(context: JobContext, value: unknown): Promise<Device> {
  const dev = operand(value, "a device");
  const kind = dev.includes("sys") ? "path" : "name";
  const [device] = await udevadm(context, "--export", "--query=all", `--${kind}=${dev}`);
  if (device === undefined) throw new CommandExecutionError(`udevadm knows nothing about ${dev}`);
  return device;
}

const part = (name: string, letter: string, doc: string) =>
  executionFunction({
    signature: "dev",
    doc: `${doc}\n\n    salt '*' udev.${name} /dev/sda\n\ndev: a device, or a path of /sys`,
    run: async (context, { dev }) => (await info(context, dev))[letter] ?? null,
  });

/** What udev knows of devices. */
export const module: ExecutionModule = {
  virtual: (context) => programPath(context, "udevadm") !== undefined || { unavailable: "" },
  functions: executionFunctions({
    "info(dev)": {
      doc: "All that udev knows of a device.\n\n    salt '*' udev.info /dev/sda\n\ndev: a device, or a path of /sys",
      run: (context, { dev }) => info(context, dev),
    },
    env: part("env", "E", "The properties of a device."),
    name: part("name", "N", "The kernel's name of a device."),
    path: part("path", "P", "The path of a device below /sys."),
    links: part("links", "S", "The links to a device: one text or a list."),
    "exportdb()": {
      doc: "All that udev knows of all devices.\n\n    salt '*' udev.exportdb",
      run: (context) => udevadm(context, "--export-db"),
    },
  }),
};
