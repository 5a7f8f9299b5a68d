/** Repositories of Debian as states name them: lines of `sources.list`, with arguments beside them. */
import { expandedRepo, optionsOf } from "../../modules/aptpkg/repositories.ts";
import type { StateContext } from "../../../model/loader/states.ts";
import { isPpa } from "../../modules/aptpkg/ppa.ts";
import { isTrue, str, truthy } from "../../../language/python/values.ts";

type Keyword = Record<string, unknown>;

/** What `get_repo` is to say of a repository that is as the state wants it. */
export function wantedRepo(context: Pick<StateContext, "grains">, repo: string, keyword: Keyword): Keyword {
  const expanded = expandedRepo(context, repo, keyword);
  const { file, comps, disabled, dist, type, uri, line, architectures, signedby } = expanded;
  // Whoever has added a repository of Launchpad has chosen its file, its address and its key.
  if (isPpa(repo)) return { comps, dist, type };
  return { file, comps, disabled, dist, type, uri, line, architectures, signedby };
}

/** The words of a line but for its options, with the components in order. */
function wordsOf(line: string): string {
  const words = line.replace(/\[[^\]]*\]/, "").split(/\s+/).filter((word) => word !== "");
  return [...words.slice(0, 3), ...words.slice(3).sort()].join(" ");
}

const textOf = (comments: unknown): string =>
  (Array.isArray(comments) ? comments : [comments]).map(str).join(" ").trim();

/** Whether a line is as the state wants it: the order of components and of options is free. */
export function sameLine(wanted: Keyword, there: unknown, keyword: Keyword): boolean {
  if (isTrue(wanted.disabled)) return true;
  const [line = "", ...rest] = str(there).split("#");
  const options = (text: string) => optionsOf(text).sort().join(" ");
  if (wordsOf(str(wanted.line)) !== wordsOf(line) || options(str(wanted.line)) !== options(line)) return false;
  return !truthy(keyword.comments) || rest.join("#").trim() === textOf(keyword.comments);
}

/** A line without slashes at the end of its address. */
export const strippedUri = (repo: string): string =>
  repo.split(/\s+/).filter((word) => word !== "").map((word) =>
    /^(?:https?|ftp):\/\//.test(word) ? word.replace(/\/+$/, "") : word
  ).join(" ");
