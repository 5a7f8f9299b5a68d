import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { entriesOf, isMap, str } from "../../language/python/values.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "runner()": {
      doc: "The documentation of all functions of runners.",
      run: (context) => context.documentation(),
    },
    "wheel()": {
      doc: "The documentation of all wheel functions.",
      run: (context) => context.documentation("wheel"),
    },
    "execution()": {
      doc: "The documentation of all execution functions of the minions.",
      async run(context) {
        const docs: Record<string, string> = {};
        const answers = await context.command({ tgt: "*", fun: "sys.doc" }) ?? {};
        for (const answer of Object.values(answers)) {
          if (!isMap(answer)) continue;
          for (const [name, text] of entriesOf(answer)) docs[str(name)] ??= str(text);
        }
        return Object.fromEntries(Object.entries(docs).sort(([a], [b]) => a < b ? -1 : 1));
      },
    },
  }),
};
