import type { StateContext } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { tryIterate } from "../../../language/python/iterate.ts";
import { decodeUtf8 } from "../../../language/python/utf8.ts";
import { failed, type FileReturn, newRet } from "./ret.ts";

/** One value as a list of texts: a text, an iterable of values, or any other value. */
export function textList(value: unknown): string[] {
  if (value instanceof Uint8Array) return [decodeUtf8(value)];
  if (typeof value === "string") return [value];
  if (isMap(value)) return [str(value)];
  const items = tryIterate(value);
  return items === undefined ? [str(value)] : Array.from(items, (item) => typeof item === "string" ? item : str(item));
}

type PairedSource = [source: unknown, hash: unknown];

/** `source`, or `sources` with `source_hashes`, as pairs. @returns a complaint if both are given */
export function pairedSources(args: Args): PairedSource[] | string {
  const listed = (value: unknown) => truthy(value) ? Array.from(tryIterate(value) ?? [value]) : [];
  const [sources, hashes] = [listed(args.sources), listed(args.source_hashes)];
  if (truthy(args.source) && sources.length > 0) return "source and sources are mutually exclusive";
  if (truthy(args.source_hash) && hashes.length > 0) return "source_hash and source_hashes are mutually exclusive";
  if (truthy(args.source)) return [[args.source, args.source_hash]];
  return sources.map((source, at) => [source, hashes[at] ?? null]);
}

const mapOfText = (value: unknown): Record<string, unknown> =>
  isMap(value) ? Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), of])) : {};

/** The rendered texts of sources, or the failed return of the first that there is none of. */
export async function templateTexts(
  context: StateContext,
  sources: readonly PairedSource[],
  args: Args,
): Promise<string[] | FileReturn> {
  const texts: string[] = [];
  const variables = { ...mapOfText(args.defaults), ...mapOfText(args.context) };
  for (const [source] of sources) {
    const rendered = await context.call("cp.get_template", [source, ""], {
      template: args.template,
      saltenv: context.saltenv,
      context: variables,
    });
    if (!truthy(rendered)) return failed(newRet(source), `Failed to load template file ${str(source)}`);
    const text = decodeUtf8(context.runtime.fs.read(str(rendered)));
    if (text === "") {
      return failed(newRet(source), `Failed to read rendered template file ${str(rendered)} (${str(source)})`);
    }
    texts.push(text);
  }
  return texts;
}
