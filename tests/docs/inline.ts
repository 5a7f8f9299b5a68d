/** Commands in the running text of the documents: `salt '*' test.ping`. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { DOCUMENTS, ROOT } from "./blocks.ts";

/** What a command begins with. A word of English among them is one only with something behind it. */
const PROGRAMS =
  /^(?:salt(?:-[a-z]+)?|brine|npm|npx|node|deno|bun|sh|curl|docker|podman|apt|apt-get|apk|dpkg|dnf5?|systemctl|journalctl|install|kill|man|sha256sum|source|sqlite3|ss|sudo|usermod|useradd|chown|chmod|cp|mv|rm|tar|rsync|ssh|git|openssl|python3|sysctl|redis-cli|psql) /;

/** Each command once, with the documents that have it. */
export function inlineCommands(
  texts: Iterable<[file: string, markdown: string]> = DOCUMENTS.map((
    file,
  ) => [file, readFileSync(path.join(ROOT, file), "utf8")]),
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [file, markdown] of texts) {
    const prose = markdown.replace(/^( *)```[\s\S]*?^\1```/gm, "");
    for (const [, code] of prose.matchAll(/(?<!`)`([^`\n]+(?:\n(?!\n)[^`\n]+)*)`(?!`)/g)) {
      // In a table a bar has a backslash before it.
      const command = code!.replace(/\s+/g, " ").replaceAll("\\|", "|").trim();
      if (!PROGRAMS.test(command)) continue;
      const files = found.get(command) ?? [];
      if (!files.includes(file)) files.push(file);
      found.set(command, files);
    }
  }
  return found;
}
