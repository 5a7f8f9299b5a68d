/** Blocks of code in the documents, and what stands beside them for tests. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** The documents whose commands are run here. */
export const DOCUMENTS: string[] = [
  "README.md",
  ...readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md")).sort().map((name) => `docs/${name}`),
];

export interface Block {
  file: string;
  /** Of its first line of code. */
  line: number;
  language: string;
  text: string;
  /** Comments right before it: `<!-- until: True -->` is `["until", "True"]`. */
  notes: [name: string, value: string][];
}

/** What a comment before a block of commands may say. */
export const NOTES = ["not run", "until", "exit", "saved as"] as const;

/** The blocks of code of a document, in order. */
export function blocksOf(file: string, markdown: string = readFileSync(path.join(ROOT, file), "utf8")): Block[] {
  const found = markdown.matchAll(/((?:^<!-- [^\n]* -->\n+)*)^( *)```(\w*)\n([\s\S]*?)^\2```$/gm);
  return [...found].map((match) => {
    const [whole, comments = "", indent = "", language = "", text = ""] = match;
    const before = markdown.slice(0, match.index + whole.indexOf("```"));
    return {
      file,
      line: before.split("\n").length + 1,
      language,
      text: text.replace(new RegExp(`^${indent}`, "gm"), ""),
      notes: [...comments.matchAll(/^<!-- ([^:]+): (.*) -->$/gm)].map(([, name, value]) => [name!, value!]),
    };
  });
}

export interface Commands extends Block {
  /** Why no test runs it. */
  notRun: string | undefined;
  /** It is run again until it prints this. */
  until: RegExp | undefined;
  exit: number;
  /** It is the text of this file, not commands. */
  savedAs: string | undefined;
  /** What it prints, as the block behind it has it: `…` is anything in a line, a line of `…` any lines. */
  prints: string | undefined;
}

/** The commands of a document. */
export function commandsOf(file: string, markdown?: string): Commands[] {
  const blocks = blocksOf(file, markdown);
  return blocks.flatMap((block, at) => {
    const notes = Object.fromEntries(block.notes);
    // States and templates are files that the commands behind them use.
    if (block.language !== "sh" && notes["saved as"] === undefined) return [];
    const next = blocks[at + 1];
    return [{
      ...block,
      notRun: notes["not run"],
      until: notes.until === undefined ? undefined : new RegExp(notes.until),
      exit: Number(notes.exit ?? 0),
      savedAs: notes["saved as"],
      prints: next?.language === "text" ? next.text : undefined,
    }];
  });
}

/** A pattern for what a document says that a command prints. */
export function printed(text: string): RegExp {
  const literal = (line: string) =>
    line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*");
  const lines = text.trimEnd().split("\n").map((line) =>
    line.trim() === "…" ? "(?:.*\n)*?" : `${literal(line.trimEnd())} *\n`
  );
  return new RegExp(`^\\n*${lines.join("")}\\s*$`);
}
