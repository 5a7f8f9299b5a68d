/** Files of repositories, `*.repo`: sections with `key=value`. */
import { entriesOf, isMap, str } from "../../../language/python/values.ts";

/** One repository: values by key; comments in it as a list. */
export type RepoSection = Record<string, unknown>;

export interface RepoFile {
  /** Comments before the first section, each line with its end. */
  header: string;
  sections: Map<string, RepoSection>;
}

/** Reads a file. Keys are in small letters; further lines of a value begin with blanks. */
export function parseRepoFile(text: string): RepoFile {
  const sections: RepoFile["sections"] = new Map();
  let header = "";
  let section: RepoSection | undefined;
  let key: string | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const head = /^\[(.+)\]$/.exec(line);
    if (head !== null) {
      sections.set(head[1]!, section = sections.get(head[1]!) ?? {});
      key = undefined;
    } else if (line.startsWith("#")) {
      if (section === undefined) header += `${line}\n`;
      else section.comments = [...(section.comments ?? []) as string[], line.slice(1).trimStart()];
    } else if (line === "" || line.startsWith(";")) key = line === "" ? undefined : key;
    else if (section !== undefined && key !== undefined && /^\s/.test(raw)) {
      section[key] = `${str(section[key])}\n${line}`;
    } else if (section !== undefined) {
      const at = line.search(/[=:]/);
      key = (at < 0 ? line : line.slice(0, at)).trim().toLowerCase();
      section[key] = at < 0 ? null : line.slice(at + 1).trim();
    }
  }
  return { header, sections };
}

const commentLines = (comments: unknown): string =>
  (Array.isArray(comments) ? comments : [comments]).map((one) => `# ${str(one).replace(/^#+/, "").trimStart()}\n`)
    .join("");

const valueText = (value: unknown): string =>
  typeof value === "boolean" ? (value ? "1" : "0") : str(value).split("\n").join("\n ");

export function formatRepoFile({ header, sections }: RepoFile): string {
  return header + [...sections].map(([name, section]) => {
    const { comments = [], ...values } = isMap(section) ? Object.fromEntries(entriesOf(section)) : {};
    const lines = Object.entries(values).map(([key, value]) => `${key}=${valueText(value)}\n`);
    return `[${name}]\n${lines.join("")}${commentLines(comments)}\n`;
  }).join("");
}
