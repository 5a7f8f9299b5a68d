/** What nft knows and does; the answers of this module are maps of `comment` and `result`. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { splitLines } from "../../../language/python/text.ts";
import { parseOrderedJson } from "../../../language/python/json.ts";
import { run } from "../../commands.ts";
import { chainName, ruleFamily, ruleWords } from "./rule.ts";

export interface NftAnswer {
  comment: string;
  result: boolean;
}

export const no = (comment: string): NftAnswer => ({ comment, result: false });
export const yes = (comment: string): NftAnswer => ({ comment, result: true });

/** Runs nft; what it prints, which is nothing where it did what it was told. */
export const nft = async (context: JobContext, words: readonly string[]): Promise<string> =>
  await run(context, ["nft", ...words]);

const NUMERIC = ["--numeric", "--numeric", "--numeric"];

/** The value of an answer in JSON; undefined if it is none. */
function jsonList(text: string): unknown[] | undefined {
  try {
    const data = parseOrderedJson(text);
    const list = isMap(data) ? lookup(data, "nftables") : undefined;
    return Array.isArray(list) ? list : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const entry = (item: unknown, kind: string): Args | undefined => {
  const found = isMap(item) ? lookup(item, kind) : undefined;
  return isMap(found) ? Object.fromEntries(found instanceof Map ? found : Object.entries(found)) : undefined;
};

/** The tables of a family, as nft describes them. */
export async function tables(context: JobContext, family: string): Promise<Args[]> {
  const list = jsonList(await nft(context, ["--json", ...NUMERIC, "list", "tables", family])) ?? [];
  return list.map((item) => entry(item, "table")).filter((table) => table !== undefined);
}

export async function tableTexts(context: JobContext, family: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { name } of await tables(context, family)) {
    texts.push(await nft(context, [...NUMERIC, "list", "table", family, str(name)]));
  }
  return texts;
}

/** All that nft knows of a family. */
export const ruleset = async (context: JobContext, family: string): Promise<unknown[]> =>
  jsonList(await nft(context, [...NUMERIC, "--json", "list", "ruleset", family])) ?? [];

/** A chain as nft describes it. */
export async function chainOf(context: JobContext, { table, chain, family }: Args): Promise<Args | undefined> {
  const chains = (await ruleset(context, ruleFamily(family))).map((item) => entry(item, "chain"));
  return chains.find((one) => one !== undefined && one.table === str(table) && one.name === str(chain));
}

export async function checkTable(context: JobContext, { table, family }: Args): Promise<NftAnswer> {
  if (!truthy(table)) return no("Table needs to be specified");
  const line = `table ${ruleFamily(family)} ${chainName(table, "table")}`;
  const lines = splitLines(await nft(context, ["list", "tables", ruleFamily(family)]));
  const what = `Table ${str(table)} in family ${str(family)}`;
  return lines.some((one) => one.trim() === line) ? yes(`${what} exists`) : no(`${what} does not exist`);
}

export async function checkChain(context: JobContext, { table, chain, family }: Args): Promise<NftAnswer> {
  if (!truthy(chain)) return no("Chain needs to be specified");
  const head = `chain ${chainName(chain, "chain")} {`;
  const text = await nft(context, ["list", "table", ruleFamily(family), chainName(table, "table")]);
  const what = `Chain ${str(chain)} in table ${str(table)} in family ${str(family)}`;
  return text.includes(head) ? yes(`${what} exists`) : no(`${what} does not exist`);
}

/** The first of these that says no. */
export async function firstNo(
  context: JobContext,
  args: Args,
  ...checks: ((context: JobContext, args: Args) => Promise<NftAnswer>)[]
): Promise<NftAnswer | undefined> {
  for (const check of checks) {
    const answer = await check(context, args);
    if (!answer.result) return answer;
  }
  return undefined;
}

/** A rule as it is compared: nft lists a set of one value without braces. */
const compared = (rule: string): string => rule.replace(/[{}]/g, " ").replace(/\s+/g, " ").trim();

async function handleIn(context: JobContext, { table, chain, rule, family }: Args, flags: string[]) {
  const wanted = compared(ruleWords(rule).join(" "));
  const words = ["list", "chain", ruleFamily(family), chainName(table, "table"), chainName(chain, "chain")];
  for (const line of splitLines(await nft(context, [...flags, "--handle", ...words]))) {
    const [, text = "", handle] = /^(.*) # handle (\d+)$/.exec(line) ?? [];
    if (handle !== undefined && compared(text) === wanted) return handle;
  }
  return undefined;
}

export async function nftCheck(context: JobContext, args: Args): Promise<NftAnswer> {
  const { table, chain, rule, family } = args;
  if (!truthy(chain)) return no("Chain needs to be specified");
  if (!truthy(rule)) return no("Rule needs to be specified");
  const refused = await firstNo(context, args, checkTable, checkChain);
  if (refused !== undefined) return refused;
  const what = `Rule ${str(rule)} in chain ${str(chain)} in table ${str(table)} in family ${str(family)}`;
  return await handleIn(context, args, []) === undefined ? no(`${what} does not exist`) : yes(`${what} exists`);
}

/** The number by which nft knows a rule. */
export async function ruleHandle(
  context: JobContext,
  args: Args,
): Promise<NftAnswer | { result: boolean; handle: string }> {
  if (!truthy(args.chain)) return no("Chain needs to be specified");
  if (!truthy(args.rule)) return no("Rule needs to be specified");
  const refused = await firstNo(context, args, checkTable, checkChain, nftCheck);
  if (refused !== undefined) return refused;
  const handle = await handleIn(context, args, NUMERIC);
  return handle === undefined
    ? { result: false, comment: `Could not find rule ${str(args.rule)}` }
    : { result: true, handle };
}
