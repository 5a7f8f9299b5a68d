import { splitWords, strip, stripStart } from "../../../language/python/text.ts";

/** An address of a hosts file with all its names, or a line that is a comment. */
interface HostEntry {
  /** Of a comment: `comment-<n>`. */
  ip: string;
  aliases: string[];
  /** What stands behind the last line of the address that has a comment. */
  comment?: string;
  line?: string;
}

/** The entries in the order in which their addresses come first; lines of one address are one entry. */
export function hostEntries(text: string): HostEntry[] {
  const entries = new Map<string, HostEntry>();
  let comments = 0;
  for (const line of text.split(/\r\n|[\r\n]/).map(strip)) {
    if (line === "") continue;
    if (line.startsWith("#")) {
      const ip = `comment-${comments++}`;
      entries.set(ip, { ip, aliases: [], line });
      continue;
    }
    const at = line.indexOf("#");
    const comment = at < 0 ? "" : stripStart(line.slice(at + 1));
    const [ip = "", ...aliases] = splitWords(at < 0 ? line : line.slice(0, at));
    const entry = entries.get(ip) ?? { ip, aliases: [] };
    entry.aliases.push(...aliases);
    if (comment !== "") entry.comment = comment;
    entries.set(ip, entry);
  }
  return [...entries.values()];
}

/** Writes the whole file anew: one line for each address, with tabs. */
export function renderHosts(entries: readonly HostEntry[]): string {
  return entries.map(({ ip, aliases, comment, line }) => {
    if (line !== undefined) return `${line}\n`;
    return `${strip(`${ip}\t\t${aliases.join(" ")}${comment === undefined ? "" : `\t\t# ${comment}`}`)}\n`;
  }).join("");
}

/** Words of a line of bytes: between white space of ASCII alone. */
const bytesWords = (line: string) => line.split(/[ \t-\r]+/).filter((word) => word !== "");

const bytesStrip = (text: string) => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, "");

const addressOf = (line: string): string | undefined => {
  const words = bytesWords(line);
  return words.length === 0 || words[0]!.startsWith("#") ? undefined : words[0];
};

const linesOf = (text: string) => text.split(/(?<=\n)/).filter((line) => line !== "");

/** Puts one line, of bytes as the text, in the place of all lines of an address, or at the end; no names take it out. */
export function withNames(text: string, ip: string, names: string, comment: string | undefined): string {
  const line = strip(names) === "" ? "" : `${ip}\t\t${names}${comment === undefined ? "" : `\t\t# ${comment}`}\n`;
  let done = false;
  const lines = linesOf(text).map((existing) => {
    if (addressOf(existing) !== ip) return existing;
    const replacement = done ? "" : line;
    done = true;
    return replacement;
  });
  if (!done) {
    const last = lines.length - 1;
    if (last >= 0 && !lines[last]!.endsWith("\n")) lines[last] += "\n";
    lines.push(line);
  }
  return lines.join("");
}

/** Takes a name from each line of an address, bytes as the text; a line without a name goes. */
export function withoutAlias(text: string, ip: string, alias: string): string {
  return linesOf(text).map((line) => {
    if (addressOf(line) !== ip) return line;
    const at = line.indexOf("#");
    const comment = at < 0 ? "" : bytesStrip(line.slice(at + 1));
    const names = bytesWords(at < 0 ? line : line.slice(0, at)).slice(1).filter((name) => name !== alias);
    if (names.length === 0) return "";
    return `${ip}\t\t${names.map((name) => `${name} `).join("")}${comment === "" ? "" : `# ${comment}`}\n`;
  }).join("");
}
