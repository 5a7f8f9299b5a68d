/** firewall-cmd, and what it lists. */
import { CommandExecutionError, CommandNotFoundError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { programPath, runAll } from "../../commands.ts";

/** Runs it. @returns what it prints @throws {CommandExecutionError} if it fails */
export async function firewall(context: JobContext, words: readonly string[]): Promise<string> {
  const program = programPath(context, "firewall-cmd");
  if (program === undefined) throw new CommandNotFoundError("The 'firewall-cmd' binary was not found in $PATH.");
  const { retcode, stdout, stderr } = await runAll(context, [program, ...words]);
  if (retcode !== 0) throw new CommandExecutionError(`firewall-cmd failed: ${stderr === "" ? stdout : stderr}`);
  return stdout;
}

/** Words with the zone before them, and behind them whether it is for later starts. */
export function firewallWords(words: readonly string[], zone: unknown, permanent: unknown): string[] {
  return [
    ...(zone === undefined ? [] : [`--zone=${str(zone)}`]),
    ...words,
    ...(truthy(permanent) ? ["--permanent"] : []),
  ];
}

export const listedZones = async (context: JobContext, words: readonly string[]): Promise<string[]> =>
  splitWords(await firewall(context, words));

export type Zones = Record<string, Record<string, string[]>>;

/** Zones: a line with the name, then indented lines `what: value`, and below some of them lines with a tab. */
export function parseZones(text: string): Zones {
  const zones: Zones = {};
  let fields: Record<string, string[]> = {};
  let values: string[] = [];
  for (const line of splitLines(text)) {
    if (line.trim() === "") continue;
    if (/^[a-z0-9]/i.test(line)) {
      fields = {};
      zones[line.trimEnd()] = fields;
    } else if (line.startsWith("\t")) values.push(line.trim());
    else {
      const at = line.indexOf(":");
      if (at < 0) continue;
      values = [line.slice(at + 1).trim()];
      fields[line.slice(0, at).trim()] = values;
    }
  }
  return zones;
}

interface Forward {
  "Source port": string;
  Protocol: string;
  "Destination port": string;
  "Destination address": string;
}

/** Forwarded ports: `port=22:proto=tcp:toport=2222:toaddr=10.0.0.1`. */
export function parseForwards(text: string): Forward[] {
  return splitLines(text).map((line) => /^port=([^:]*):proto=([^:]*):toport=([^:]*):toaddr=(.*)$/.exec(line)).filter((
    found,
  ) => found !== null).map(([, source = "", proto = "", port = "", address = ""]) => ({
    "Source port": source,
    Protocol: proto,
    "Destination port": port,
    "Destination address": address,
  }));
}
