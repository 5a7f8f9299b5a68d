import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { programPath, run } from "../../commands.ts";
import { addressText, netmask } from "../../linux/addresses.ts";

/** An interface and its addresses, in Salt's form. */
interface Interface {
  up: boolean;
  hwaddr?: string;
  inet?: { address: string; netmask: string; broadcast: string | null; label: string }[];
  inet6?: { address: string; prefixlen: string; scope: string }[];
  /** Further IPv4 addresses in a network that the interface is in already. */
  secondary?: { type: string; address: string; netmask: string; broadcast: string | null; label: string }[];
  parent?: string;
}

export type Interfaces = Record<string, Interface>;

const after = (words: string[], word: string): string | undefined => {
  const at = words.indexOf(word);
  return at < 0 ? undefined : words[at + 1];
};

/** Reads what `ip addr show` prints. */
function parseInterfaces(text: string): Interfaces {
  const all: Interfaces = {};
  let current: Interface = { up: false };
  for (const line of splitLines(text)) {
    const head = /^\d+:\s+([^:@\s]+)(?:@([^:\s]+))?:\s+<([^>]*)>/.exec(line);
    if (head !== null) {
      const [, name = "", parent, flags = ""] = head;
      current = all[name] = { up: flags.split(",").includes("UP") };
      if (parent !== undefined && parent !== "NONE") current.parent = parent;
      continue;
    }
    const words = splitWords(line);
    const [kind = "", value = ""] = words;
    const [address = "", prefix = ""] = value.split("/");
    if (kind.startsWith("link/")) {
      if (/^[0-9a-f]{2}(?::[0-9a-f]{2})+$/i.test(value)) current.hwaddr = value;
    } else if (kind === "inet") {
      const bits = prefix === "" ? 32 : Number(prefix);
      const mask = addressText({ version: 4, bits: netmask(4, bits) });
      const label = words[words.length - 1]!;
      const entry = { address, netmask: mask, broadcast: after(words, "brd") ?? null, label };
      if (words.includes("secondary")) {
        (current.secondary ??= []).push({ type: "inet", ...entry });
      } else (current.inet ??= []).push(entry);
    } else if (kind === "inet6") {
      (current.inet6 ??= []).push({
        address,
        prefixlen: prefix === "" ? "128" : prefix,
        scope: after(words, "scope") ?? "",
      });
    }
  }
  return all;
}

export async function readHostInterfaces(context: JobContext): Promise<Interfaces> {
  const program = programPath(context, "ip");
  if (program === undefined) {
    throw new CommandExecutionError("The program ip is missing: install iproute2");
  }
  return parseInterfaces(await run(context, [program, "addr", "show"]));
}
