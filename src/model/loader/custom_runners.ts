import type { RunnerContext } from "./context.ts";
import { customFilesOf, type CustomPlace, known, loadOrLog, logForeign } from "./custom_file.ts";
import type { RunnerModule } from "./family.ts";
import type { Args } from "./signature.ts";

/** Runners by name → how to load them. */
export type RunnerRegistry = Record<string, () => Promise<{ runner: RunnerModule }>>;

/** Runners with the custom ones among them, as the directories are now. One that does not load has no functions. */
export function withCustomRunners(runners: RunnerRegistry, place: CustomPlace): RunnerRegistry {
  const { usable, foreign } = customFilesOf(place, "runners");
  logForeign(place, "runners", foreign);
  return {
    ...runners,
    ...Object.fromEntries(usable.map((file) => [file.name, async () => {
      // A program cannot be sent the pillar of this context: it is an object with methods.
      const loaded = await loadOrLog(place, "runners", file, () => place);
      const own = loaded?.exports.runner as RunnerModule | undefined;
      const virtual = loaded?.virtual(place);
      const name = own?.name ?? (typeof virtual === "string" ? virtual : undefined);
      const named = name === undefined ? {} : { name };
      if (typeof own === "object" && own !== null) {
        const wrapped = Object.entries(own.functions).map(([name, { run, ...rest }]) => [
          name,
          { ...rest, run: (context: RunnerContext, args: Args) => known(() => run(context, args)) },
        ]);
        return { runner: { ...named, functions: Object.fromEntries(wrapped) } };
      }
      return {
        runner: {
          ...named,
          functions: Object.fromEntries(
            [...loaded?.functions ?? []].map(([name, { run, ...rest }]) => [name, {
              ...rest,
              run: (context: RunnerContext, args: Args) => run(context, args),
            }]),
          ),
        },
      };
    }])),
  };
}
