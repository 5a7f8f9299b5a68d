/** `salt-run -a` and `salt-run --async`: runs a runner in the master. */
import { isRefusal } from "../../../src/client/client_error.ts";
import { LocalClient } from "../../../src/client/local_client.ts";
import { callRunner, startRunner } from "../../../src/client/runner.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { parseArguments } from "../../../src/model/job/args.ts";
import { credentialsOf } from "../../program/credentials.ts";
import { returnCode, returnParts } from "../../../src/host/runner/streamed_return.ts";
import type { Printer } from "../../terminal/printer.ts";
import { Exit } from "../../program/exit.ts";
import type { ProgramContext } from "../../program/context.ts";

/** Milliseconds to wait for a return, at most: a runner may take hours. */
const MAX_MS = 24 * 3600 * 1000;

/** Makes the master run the runner of the command line, with the caller's credentials; prints its return. */
export async function runInMaster(context: ProgramContext, opts: MasterOpts, printer: Printer): Promise<number> {
  const { runtime, log, options, positionals: [fun = "", ...words] } = context;
  let client: LocalClient;
  try {
    client = await LocalClient.open({ runtime, log, opts });
  } catch (error) {
    throw new Exit(2, messageOf(error));
  }
  await using _client = client;
  const credentials = await credentialsOf(context, opts, client, 0) ?? client.ownCredentials;
  const { positional, keyword } = parseArguments(words, {
    noParse: Array.isArray(options.no_parse) ? options.no_parse : [],
  });
  const request = { fun, arg: positional, kwarg: Object.fromEntries(keyword), credentials };
  try {
    if (options.async === true) {
      const { tag } = await startRunner(client, request);
      // Salt's words, because scripts take the tag at their end; stdout stays empty.
      log.warning(
        "Running in asynchronous mode. Results of this execution may be collected by attaching to the master event bus " +
          "or by examining the master job cache, if configured. This execution is running under tag " + tag,
      );
      return 0;
    }
    const { data } = await callRunner(client, request, { timeoutMs: MAX_MS, clock: runtime.clock });
    const { data: shown, outputter } = returnParts(data.return);
    if (options.quiet !== true) await printer.document(shown, outputter);
    return returnCode(data.return) || (data.success === false ? 1 : 0);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await printer.document(messageOf(error));
    return 1;
  }
}
