/** The probe runner `goldrun.py` of the recorded runs. */
import { CommandExecutionError, type RunnerContext, type RunnerModule, SaltInvocationError } from "../../../../src/model/loader/family.ts";
import { typedArguments } from "../modules/gold.ts";

const raise = (name: string, message: string) => {
  throw Object.assign(new Error(message), { name });
};

const plain = (run: (context: RunnerContext) => unknown) => ({ signature: "", doc: "", run });

export const runner: RunnerModule = {
  functions: {
    ident: { signature: "x=1", doc: "\n    Hand back the argument.\n    ", run: (_context, { x }) => x },
    boom: plain(() => raise("ZeroDivisionError", "division by zero")),
    cmderr: plain(() => {
      throw new CommandExecutionError("runner failure");
    }),
    invoc: plain(() => {
      throw new SaltInvocationError("runner bad call");
    }),
    need: { signature: "a, b", doc: "", run: (_context, { a, b }) => [a, b] },
    ret_none: plain(() => null),
    ret_false: plain(() => false),
    ret_dict: plain(() => ({ b: [1, null], a: "x" })),
    rc: { signature: "code=5", doc: "", run: () => "set" },
    args: {
      signature: "*a, **k",
      doc: "",
      run: (_context, { a, k }) => typedArguments(a as unknown[], k as Record<string, unknown>, "__"),
    },
    // Salt catches a runner's SystemExit as it does any exception.
    sysexit: plain(() => raise("SystemExit", "7")),
    progress: plain(async (context) => {
      await context.progress?.({ message: "half way", outputter: "pprint" });
      return "done";
    }),
  },
};
