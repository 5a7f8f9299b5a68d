import { hasReturn } from "../../../src/client/outcome.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { SaltJob } from "./salt_job.ts";

/** True if the documentation of functions is requested. As in Salt, the function decides, not the option `-d`. */
export function asksForDocumentation({ options, positionals }: ProgramContext): boolean {
  return options.doc === true || positionals[1] === "sys.doc";
}

/** Prints the documentation of functions, collected from all minions: the first text for each name counts. */
export async function printDocumentation({ context, printer, client, request, collect }: SaltJob): Promise<number> {
  const docs = new Map<string, string>();
  for await (const outcome of client.run(request, collect)) {
    if (!hasReturn(outcome) || typeof outcome.return !== "object" || outcome.return === null) continue;
    for (const [name, text] of Object.entries(outcome.return)) {
      if (!docs.get(name) && text) docs.set(name, String(text));
    }
  }
  for (const name of [...docs.keys()].sort()) {
    if (printer.chosen) await printer.document({ [name]: docs.get(name) });
    else context.print(`${name}:\n${docs.get(name)}\n\n`);
  }
  return 0;
}
