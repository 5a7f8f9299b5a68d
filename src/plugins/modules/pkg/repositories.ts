import type { JobContext } from "../../../loader/context.ts";
import { splitLines } from "../../../python/lines.ts";
import { splitWords } from "../../../python/whitespace.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { paragraphs } from "./dpkg.ts";

/** A repository as one file has it. */
export interface Repository {
  file: string;
  comps: string[];
  disabled: boolean;
  dist: string;
  type: string;
  uri: string;
  line: string;
  architectures: string[];
  signedby: string;
}

/** `deb [arch=amd64 signed-by=/x] http://deb.debian.org/debian bookworm main`, with a `#` in front if it is not used. */
function oneLine(file: string, line: string): Repository | undefined {
  const match = /^\s*(#?)\s*(deb(?:-src)?)\s+(?:\[([^\]]*)\]\s+)?(\S+:\S*)\s+(\S+)\s*([^#]*)/.exec(line);
  if (match === null) return undefined;
  const [, hash, type = "", options = "", uri = "", dist = "", comps = ""] = match;
  const option = (name: string) =>
    splitWords(options).find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return {
    file,
    comps: splitWords(comps),
    disabled: hash !== "",
    dist,
    type,
    uri,
    line: line.trim(),
    architectures: option("arch").split(",").filter((word) => word !== ""),
    signedby: option("signed-by"),
  };
}

/** A file of fields: each paragraph is as many repositories as it has types, addresses and suites. */
function byFields(file: string, text: string): Repository[] {
  return paragraphs(text.replace(/^#.*\n/gm, "")).flatMap((fields) => {
    const list = (name: string) => splitWords(fields[name] ?? "");
    return list("Types").flatMap((type) =>
      list("URIs").flatMap((uri) =>
        list("Suites").map((dist) => ({
          file,
          comps: list("Components"),
          disabled: /^(?:no|false|0)$/i.test(fields.Enabled ?? "yes"),
          dist,
          type,
          uri,
          line: [type, uri, dist, ...list("Components")].join(" "),
          architectures: list("Architectures"),
          signedby: (fields["Signed-By"] ?? "").trim(),
        }))
      )
    );
  });
}

/** All repositories, by address. */
export function listRepos({ runtime: { fs } }: JobContext): Record<string, Repository[]> {
  const directory = "/etc/apt/sources.list.d";
  const paths = [
    "/etc/apt/sources.list",
    ...(isDirectory(fs, directory) ? fs.list(directory).map((name) => `${directory}/${name}`) : []),
  ];
  const found: Record<string, Repository[]> = {};
  for (const path of paths.filter((name) => isFile(fs, name))) {
    const text = fs.readText(path);
    const repositories = path.endsWith(".sources")
      ? byFields(path, text)
      : path.endsWith(".list")
      ? splitLines(text).map((line) => oneLine(path, line)).filter((entry) => entry !== undefined)
      : [];
    for (const repository of repositories) (found[repository.uri] ??= []).push(repository);
  }
  return found;
}
