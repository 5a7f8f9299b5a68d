/** What parted prints of a disk for programs to read. */
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";

const INFO = [
  "disk",
  "size",
  "interface",
  "logical sector",
  "physical sector",
  "partition table",
  "model",
  "disk flags",
];

interface Listing {
  info: Record<string, string>;
  partitions: Record<string, Record<string, string>>;
}

const problem = () => new CommandExecutionError("Problem encountered while parsing output from parted");

const zip = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(values.map((value, at) => [names[at]!, value]));

/** @param unit with `chs`, there are no sizes */
export function parsePartedListing(text: string, unit: string | undefined): Listing {
  const rows = splitLines(text).filter((line) => !["BYT;", "CHS;", "CYL;"].includes(line))
    .map((line) => line.replace(/;+$/, "").split(":"));
  const [head, ...others] = rows;
  if (head === undefined) return { info: {}, partitions: {} };
  // Older ones tell no flags of the disk.
  if (head.length !== 7 && head.length !== 8) throw problem();
  const partitions: Listing["partitions"] = {};
  for (const row of others) {
    const free = row.at(-1) === "free";
    const fields = ["number", "start", "end", ...(unit === "chs" ? [] : ["size"])];
    if (free) row.pop();
    else fields.push("file system", "name", "flags");
    if (fields.length !== row.length) throw problem();
    partitions[row[0]!] = zip(fields, row);
  }
  return { info: zip(INFO, head), partitions };
}
