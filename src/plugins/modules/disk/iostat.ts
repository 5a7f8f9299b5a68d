import { executionFunction } from "../../../model/loader/family.ts";
import { str, toFloat } from "../../../language/python/values.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { needProgram } from "../../commands.ts";

export function numberOrText(text: string): unknown {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const parts = text.split(" ");
  return parts.every((part) => /^[+-]?\d+$/.test(part)) ? parts.map(Number) : text;
}

/** Means of columns, to two digits. */
function means(header: string[], rows: number[][]): Record<string, unknown> {
  return Object.fromEntries(header.map((name, at) => {
    const sum = rows.reduce((total, row) => total + (row[at] ?? 0), 0);
    return [name, toFloat(Math.round(sum / rows.length * 100) / 100)];
  }));
}

export const iostat = executionFunction({
  signature: "interval: str=1, count: str=5, disks=None",
  doc: "The activity of disks, as the mean of several samples.\n\n    salt '*' disk.iostat 1 5 disks=sda",
  async run(context, args): Promise<Record<string, unknown>> {
    needProgram(context, "iostat");
    const disks = args.disks === null ? [] : [args.disks].flat().map(str);
    const words = ["iostat", disks.length === 0 ? "-x" : "-xd", args.interval, args.count, ...disks];
    const lines = splitLines(str(await context.call("cmd.run_stdout", [words], { python_shell: false })));
    const headers = new Map<string, string[]>();
    const rows = new Map<string, number[][]>();
    const add = (name: string, header: string[], values: string[]) => {
      if (!headers.has(name)) headers.set(name, header);
      rows.set(name, [...rows.get(name) ?? [], values.map(Number)]);
    };
    for (let at = 0; at < lines.length; at++) {
      const words = splitWords(lines[at]!);
      if (words[0] === "avg-cpu:") add("sys", words.slice(1), splitWords(lines[++at] ?? ""));
      else if (/^Device:?$/.test(words[0] ?? "")) {
        while (/^[A-Za-z0-9]/.test(lines[at + 1] ?? "")) {
          const [disk = "", ...values] = splitWords(lines[++at]!);
          add(disk, words.slice(1), values);
        }
      }
    }
    return Object.fromEntries([...rows].map(([name, values]) => [name, means(headers.get(name)!, values)]));
  },
});
