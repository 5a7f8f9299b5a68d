import { CommandExecutionError, runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";
import { isRecord } from "../../base/record.ts";
import { codeOf } from "../../base/errors.ts";

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "status(name=None)": {
      doc:
        "How each engine of this master stands: its state, its process, how often it was started again and why, and how many " +
        "events it has had and fired.\n\n    salt-run engines.status\n    salt-run engines.status webhook",
      async run(context, { name }) {
        const answer = await asked(context);
        if (isRecord(answer.error)) throw new CommandExecutionError(String(answer.error.message));
        const engines = isRecord(answer.engines) ? answer.engines : {};
        if (name === null) return engines;
        if (Object.hasOwn(engines, String(name))) return engines[String(name)];
        const known = Object.keys(engines);
        throw new CommandExecutionError(
          `There is no engine "${name}" in this master's configuration: ` +
            (known.length === 0 ? "it has none" : `it has ${known.join(", ")}`),
        );
      },
    },
  }),
};

async function asked(
  context: Parameters<RunnerModule["functions"][string]["run"]>[0],
): Promise<Record<string, unknown>> {
  try {
    return await context.ask("engine_status", {}) as Record<string, unknown>;
  } catch (error) {
    if (codeOf(error) !== "NOT_BRINE") throw error;
    throw new CommandExecutionError("The master on this host is Salt's, which does not report its engines");
  }
}
