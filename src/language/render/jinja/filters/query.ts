import { str } from "../../../python/values.ts";
import { type Filter, filter, type Run, Undefined } from "../../../jinja/mod.ts";
import { parseQuery } from "../../jmespath/parse.ts";

function query(data: unknown, expression: string, { budget }: Run): unknown {
  if (data instanceof Undefined) data.fail();
  return parseQuery(expression)(data ?? null, budget) ?? null;
}

/** Salt's filter of JMESPath. */
export const QUERY_FILTERS: Readonly<Record<string, Filter>> = {
  json_query: filter("json_query", ["data", "expr"], ({ data, expr }, run) => query(data, str(expr), run)),
};
