import { iterate } from "../../python/iterate.ts";
import { asMarkup, escaped, Markup } from "../markup.ts";
import { str } from "../../python/values.ts";
import type { Method, MethodTable } from "./method.ts";
import { TEXT_METHODS } from "./text.ts";

/** The methods of a markup whose resulting texts are markup as well. */
const KEEPING = new Set(
  ("capitalize casefold center expandtabs format join ljust lower lstrip partition removeprefix removesuffix replace rjust rpartition " +
    "rsplit rstrip split splitlines strip swapcase title upper zfill").split(" "),
);

const textOf = (item: unknown) => item instanceof Markup ? item : str(item);

/** Adapts a method of a text for markup: texts that `join`, `format` and `replace` insert are escaped. */
export function ofMarkup(name: string, method: Method): Method {
  if (!KEEPING.has(name)) return method;
  return {
    call(self, args, keywords) {
      const given = name === "join"
        ? args.map((items) => Array.from(iterate(items), (item) => escaped(textOf(item))))
        : name === "format"
        ? args.map(escaped)
        : name === "replace"
        ? [args[0], escaped(args[1]), ...args.slice(2)]
        : args;
      const named = name === "format" ? new Map([...keywords].map(([key, value]) => [key, escaped(value)])) : keywords;
      return asMarkup(method.call(self, given, named));
    },
  };
}

export const MARKUP_METHODS: MethodTable = Object.fromEntries(
  Object.entries(TEXT_METHODS).map(([name, method]) => [name, ofMarkup(name, method)]),
);
