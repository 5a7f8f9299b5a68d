/** The probe module `gold.py` of the recorded runs: the same names, signatures, documentation, returns and failures. */
import type { ExecutionModule } from "../../../../src/model/loader/family.ts";
import { toFloat, toInteger, Tuple, typeName } from "../../../../src/language/python/values.ts";
import { module as basic } from "../../../host/minion/gold.ts";

declare const process: { exit(code: number): never };

/** The value and the name of its type in Python. */
export const typed = (value: unknown) => [typeName(value), value];

/** The arguments that a call publishes beside its own are left out. */
export function typedArguments(args: unknown[], keywords: Record<string, unknown>, hidden: string) {
  const own = Object.entries(keywords).filter(([name]) => !name.startsWith(hidden));
  return { a: args.map(typed), k: Object.fromEntries(own.map(([name, value]) => [name, typed(value)])) };
}

const returning = (make: () => unknown) => ({ signature: "", doc: "", run: make });

export const module: ExecutionModule = {
  functions: {
    ...basic.functions,
    ret_empty_dict: returning(() => ({})),
    ret_empty_list: returning(() => []),
    ret_empty_str: returning(() => ""),
    ret_multi: returning(() => "line one\nline two\n\n  indented\n"),
    ret_unicode: returning(() => ({ clé: "naïve ☃", 日本: ["語", "ß"] })),
    ret_mixed: returning(() =>
      new Map<unknown, unknown>([
        ["b", [1, 2.5, null, true, [], {}, ""]],
        ["a", { z: "text", y: { x: "multi\nline" } }],
        [3, "int key"],
      ])
    ),
    ret_set: returning(() => new Set(["one"])),
    ret_bytes: returning(() => new TextEncoder().encode("bytes")),
    ret_tuple: returning(() => Tuple.from([1, 2])),
    ret_big: returning(() => toInteger(2n ** 70n)),
    ret_nan: returning(() => [Infinity, 1e300, 1, 0.1, 100000, 1e22].map(toFloat)),
    slow: {
      signature: "n=3",
      doc: "",
      async run(context, { n }) {
        await context.runtime.clock.sleep(Number(n) * 1000);
        return "slept";
      },
    },
    sysexit: returning(() => process.exit(4)),
    args: {
      signature: "*a, **k",
      doc: "",
      run: (_context, { a, k }) => typedArguments(a as unknown[], k as Record<string, unknown>, "__pub_"),
    },
  },
};
