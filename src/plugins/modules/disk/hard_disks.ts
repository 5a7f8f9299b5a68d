import { CommandExecutionError, executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str } from "../../../language/python/values.ts";
import { needProgram, runAll } from "../../commands.ts";
import { numberOrText } from "./iostat.ts";

/** A value of `hdparm`: a number with its meaning, or parts between slashes and commas. */
function parameterOf(text: string): unknown {
  const both = /^(\d+) \((.*)\)/.exec(text);
  if (both !== null) return [Number(both[1]), both[2]!.split(" ")[0]!.replace(/^[()]+|[()]+$/g, "")];
  const values: unknown[] = [];
  const named: [string, string][] = [];
  for (const part of text.split(/[/,]/).map((piece) => piece.trim())) {
    const at = part.indexOf("=");
    if (/^[+-]?\d+$/.test(part)) values.push(Number(part));
    else if (at >= 0) {
      const value = part.slice(at + 1).trim();
      if (value !== "") named.push([part.slice(0, at).trim(), value]);
    } else if (part !== "") values.push(part);
  }
  if (named.length > 0) values.push(Object.fromEntries(named));
  return values.length === 0 ? undefined : values.length === 1 ? values[0] : values;
}

const ALL_PARAMETERS = "aAbBcCdgHiJkMmNnQrRuW";

export async function hdparms(context: JobContext, disks: unknown, args: unknown): Promise<Record<string, unknown>> {
  needProgram(context, "hdparm");
  const letters = args === null ? ALL_PARAMETERS : Array.isArray(args) ? args.map(str).join("") : str(args);
  const out: [string, unknown][] = [];
  for (const name of [disks].flat().map(str)) {
    const disk = name.startsWith("/dev") ? name : `/dev/${name}`;
    const { stdout } = await runAll(context, ["hdparm", `-${letters}`, disk]);
    const data: [string, unknown][] = [];
    for (const line of splitLines(stdout).map((text) => text.trim())) {
      if (line === "" || line === `${disk}:`) continue;
      const at = line.includes(":") ? line.indexOf(":") : line.indexOf("=");
      if (at < 0) continue;
      const value = parameterOf(line.slice(at + 1).trim());
      const key = line.slice(0, at).replace(/ is$/, "").trim().toLowerCase().replaceAll(" ", "_");
      if (value !== undefined) data.push([key, value]);
    }
    out.push([disk, Object.fromEntries(data)]);
  }
  return Object.fromEntries(out);
}

/** Sectors of disks that are shown and hidden; with a size, hides all but that. */
export async function hpa(context: JobContext, disks: unknown, size: unknown): Promise<unknown> {
  const all: Record<string, { total: number; visible?: number; hidden?: number }> = {};
  for (const [disk, data] of Object.entries(await hdparms(context, disks, "N"))) {
    const [visible = 0, total = 0, status] = [Object.values(data as Record<string, unknown>)[0]].flat() as unknown[];
    const [shown, whole] = [Number(visible), Number(total)];
    all[disk] = shown === whole || str(status).includes("disabled")
      ? { total: whole }
      : { total: whole, visible: shown, hidden: whole - shown };
  }
  if (size === null) return all;
  for (const [disk, { total }] of Object.entries(all)) {
    const text = str(size);
    let sectors = text.endsWith("%") ? (100 - Number(text.slice(0, -1))) * total / 100 : total - Number(text);
    if (!(sectors > 0)) sectors = total;
    await runAll(context, ["hdparm", "--yes-i-know-what-i-am-doing", `-Np${Math.trunc(sectors)}`, disk]);
  }
  return null;
}

export const smartAttributes = executionFunction({
  signature: "dev: str, attributes=None, values=None",
  doc: "The SMART attributes of a disk.\n\n    salt '*' disk.smart_attributes /dev/sda",
  async run(context, args): Promise<unknown> {
    const name = args.dev;
    const device = name.startsWith("/dev/") ? name : `/dev/${name}`;
    const { retcode, stdout, stderr } = await runAll(context, ["smartctl", "--attributes", device]);
    if (retcode !== 0) throw new CommandExecutionError(stderr);
    const lines = splitLines(stdout);
    const head = lines.findIndex((line) => line.startsWith("ID#"));
    const fields = splitWords(lines[head] ?? "").slice(1).map((field) => field.toLowerCase());
    const wanted = Array.isArray(args.values) ? args.values.map(str) : undefined;
    const numbers = Array.isArray(args.attributes) ? args.attributes.map(Number) : undefined;
    const found = new Map<number, Record<string, unknown>>();
    for (const line of lines.slice(head + 1)) {
      if (!/^\s*\d/.test(line)) break;
      const words = splitWords(line);
      const id = Number(words[0]);
      if (numbers !== undefined && !numbers.includes(id)) continue;
      const values = [...words.slice(1, fields.length), words.slice(fields.length).join(" ")];
      const entries = fields.map((field, at) => [field, numberOrText(values[at] ?? "")] as const)
        .filter(([field]) => wanted === undefined || wanted.includes(field));
      found.set(id, Object.fromEntries(entries));
    }
    return found;
  },
});
