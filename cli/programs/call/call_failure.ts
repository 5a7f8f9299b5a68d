/** Reports a failed function of `salt-call`: on stderr in Salt's words, with Salt's exit codes. */
import { messageOf } from "../../../src/base/errors.ts";
import { InvocationError } from "../../../src/model/job/args.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../../src/model/loader/family.ts";
import type { FunctionTable } from "../../../src/model/loader/loader.ts";
import { ArgumentMismatchError } from "../../../src/model/loader/signature.ts";
import { traceback } from "../../../src/model/loader/traceback.ts";
import { MissingFunctionError, similarDocumentation } from "../../../src/host/minion/processes/execute_job.ts";
import { render } from "../../../src/plugins/outputters/mod.ts";
import { adviseNearest } from "../../complete/nearest_function.ts";
import type { ProgramContext } from "../../program/context.ts";
import { Exit } from "../../program/exit.ts";
import type { Printer } from "../../terminal/printer.ts";

/** Exit code for an unknown function. */
const NOT_AVAILABLE = 255;

interface FailedCall {
  context: ProgramContext;
  printer: Printer;
  functions: FunctionTable;
  fun: string;
}

/** Reports the reason for a failed function. @returns the exit code @throws {Exit} `error` itself, if it is an Exit */
export async function reportCallFailure({ context, printer, functions, fun }: FailedCall, error: unknown) {
  const { complain, log } = context;
  if (error instanceof Exit) throw error;
  if (error instanceof MissingFunctionError) {
    const similar = await similarDocumentation(functions, fun, messageOf(error));
    if (similar === undefined) {
      complain(error.message);
      await adviseNearest(context, "modules", fun);
      return NOT_AVAILABLE;
    }
    await printer.document({ local: similar });
  } else if (error instanceof CommandNotFoundError) {
    complain(`Command required for '${fun}' not found: ${error.message}`);
  } else if (error instanceof CommandExecutionError) {
    complain(`Error running '${fun}': ${error.message}${await additionalInfo(error)}`);
  } else if (error instanceof InvocationError) {
    complain(error.message);
  } else if (
    error instanceof SaltInvocationError || error instanceof ArgumentMismatchError ||
    error instanceof InvalidArgumentsError
  ) {
    const found = await functions.find(fun);
    complain(`\nPassed invalid arguments: ${error.message}.\n\nUsage:`);
    context.print(`${"message" in found || found.function.doc === "" ? "None" : found.function.doc}\n`);
  } else {
    const text = traceback(error);
    log.error(`An un-handled exception was caught by Salt's global exception handler:\n${text}`);
    // Python prints the traceback itself, even if the log does not show it.
    complain(text.trimEnd());
  }
  return 1;
}

async function additionalInfo({ message, info }: CommandExecutionError): Promise<string> {
  if (info === undefined || info === null) return "";
  const stop = /[.!?]$/.test(message) ? "" : ".";
  return `${stop} Additional info follows:\n\n${(await render("nested", info)).text}`;
}
