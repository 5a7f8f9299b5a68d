/** Runs runners: for `salt-run`, and in the processes that a master starts for them. */
import { messageOf } from "../../base/errors.ts";
import { runNew, runReturn } from "../../model/event/tag.ts";
import type { RunnerContext, RunnerFunction } from "../../model/loader/family.ts";
import { CommandExecutionError, InvalidArgumentsError, SaltInvocationError } from "../../model/loader/family.ts";
import type { RunnerRegistry } from "../../model/loader/custom_runners.ts";
import { ArgumentMismatchError, bindArguments, parseSignature } from "../../model/loader/signature.ts";
import { StreamedMap } from "../../model/loader/streamed_map.ts";
import { traceback } from "../../model/loader/traceback.ts";
import { lowArguments } from "../master/access/low.ts";
import type { MasterRunnerJob } from "../master/jobs/runners.ts";
import { absentRunner } from "./absent_runners.ts";
import { type OpenRunnerContext, openRunnerContext } from "./runner_context.ts";
import type { RunnerCallArguments, RunnerHostOptions, RunsRunner } from "./runner_host_options.ts";
import { RunnerRecord } from "./runner_record.ts";
import { findRunner, runnersOf } from "./runner_registry.ts";
import { keepingEntries, LISTED_BYTES, returnCode, returnParts, succeededIn } from "./streamed_return.ts";

/** The text that replaces secret arguments. */
const HIDDEN = ["** hidden **"];

interface Call {
  fun: string;
  jid: string;
  user: string;
  /** Positional arguments, and a map of the named ones behind them. */
  args: readonly unknown[];
  /** True if the arguments must not be shown to others. */
  secret: boolean;
}

/** The end of a function, in the form of its return event. */
interface End {
  return: unknown;
  success: boolean;
  retcode?: number;
}

/** Arguments as events tell them: functions with arbitrary keywords are told who calls them, where Salt tells it. */
function shownArguments({ signature }: RunnerFunction, { positional, keyword, user, tellsUser }: RunnerCallArguments) {
  const isTold = tellsUser === true && parseSignature(signature).keywords !== undefined;
  const named = { ...Object.fromEntries(keyword), ...(isTold ? { __pub_user: user } : {}) };
  return Object.keys(named).length === 0 ? positional : [...positional, named];
}

const unavailable = (name: string) => new CommandExecutionError(`'${name}' is not available.${absentRunner(name)}`);

/** Runs one runner; {@link RunnerHost.close} ends its connections. */
export class RunnerHost implements RunsRunner {
  /** The runners of Brine and the operator's own. */
  readonly runners: RunnerRegistry;
  readonly #options: RunnerHostOptions;
  readonly #context: RunnerContext;
  readonly #fire: OpenRunnerContext["fire"];
  readonly #record: RunnerRecord;
  readonly #close: () => Promise<void>;

  private constructor(options: RunnerHostOptions, runners: RunnerRegistry, opened: OpenRunnerContext) {
    const { runtime, log, opts, jid } = options;
    this.#options = options;
    this.runners = runners;
    this.#context = opened.context;
    this.#fire = opened.fire;
    this.#record = new RunnerRecord({
      runtime,
      log,
      opts,
      jobs: opened.jobs,
      jid,
      reserved: options.reserved === true,
    });
    this.#close = opened.close;
  }

  /** @throws {ConfigError} if the job cache cannot be opened */
  static async open(options: RunnerHostOptions): Promise<RunnerHost> {
    const runners = runnersOf(options);
    return new RunnerHost(options, runners, await openRunnerContext(options, runners, RunnerHost.open));
  }

  close(): Promise<void> {
    return this.#close();
  }

  async find(name: string): Promise<RunnerFunction | undefined> {
    return await findRunner(this.runners, name);
  }

  missing(name: string, words: readonly unknown[]): string {
    const { jid } = this.#options;
    const text = messageOf(unavailable(name));
    this.#fireReturn(jid, { fun: name, fun_args: words, jid, success: false, return: text, retcode: 254 });
    return text;
  }

  /** Runs a function for a caller of the master. Its return is fired whatever happens, failures included. */
  async answer({ fun, low, user }: Pick<MasterRunnerJob, "fun" | "low" | "user">): Promise<void> {
    const call: Call = { fun: `runner.${fun}`, jid: this.#options.jid, user, args: [], secret: false };
    const failed = (text: string): End => ({
      return: `Exception occurred in runner ${fun}: ${text}`,
      success: false,
      retcode: 1,
    });
    const found = await this.find(fun);
    if (found === undefined) return await this.#endUnknown(call, failed(traceback(unavailable(fun))));
    try {
      const { args, kwargs } = lowArguments(low, fun, parseSignature(found.signature));
      await this.run(found, fun, { positional: [...args], keyword: new Map(Object.entries(kwargs)), user });
    } catch (error) {
      await this.#begin(call);
      await this.#end(call, failed(messageOf(error)));
    }
  }

  /** Ends the call of an unknown function. As in Salt, no `new` event is fired, and the arguments are not recorded. */
  async #endUnknown({ fun, jid, user, args }: Call, end: End): Promise<void> {
    await this.#record.begin();
    await this.#record.end(fun, user, args, { ...end, secret: false });
    this.#fireReturn(jid, { fun, jid, user, ...end });
  }

  async run(found: RunnerFunction, name: string, given: RunnerCallArguments): Promise<number> {
    const { jid } = this.#options;
    const { positional, keyword, user } = given;
    const args = shownArguments(found, given);
    const call: Call = { fun: `runner.${name}`, jid, user, args, secret: found.secret === true };
    await this.#begin(call);
    let result: unknown;
    let showReturn: () => Promise<void>;
    try {
      const signature = parseSignature(found.signature);
      const bound = bindArguments(name.slice(name.indexOf(".") + 1), signature, positional, keyword);
      result = await found.run(this.#context, bound) ?? null;
      showReturn = await this.#endWith(call, result);
    } catch (error) {
      return await this.#fail(call, found, name, error);
    }
    await showReturn();
    return returnCode(result);
  }

  /** Ends a call with the value that its function returned. @returns a function that shows the value, unless it was shown already */
  async #endWith(call: Call, result: unknown): Promise<() => Promise<void>> {
    const { opts: { max_event_size }, screen } = this.#options;
    const { data, outputter } = returnParts(result);
    if (!(data instanceof StreamedMap)) {
      await this.#end(call, { success: succeededIn(result, this.#context.retcode), return: result });
      return () => this.#show(data, outputter);
    }
    // The entries are read while they are printed, and reading them can fail like the function itself.
    const { map, value } = keepingEntries(data, max_event_size);
    if (screen.quiet) { for await (const _entry of map); }
    await this.#show(map, outputter);
    const shaped = (value: unknown) => outputter === undefined ? value : { data: value, outputter };
    const recorded = shaped(value(Math.min(LISTED_BYTES, max_event_size)));
    await this.#end(call, { success: true, return: shaped(value()) }, recorded);
    return () => Promise.resolve();
  }

  /** Ends a call whose function could not be called, or threw. @returns the exit code */
  async #fail(call: Call, { doc }: RunnerFunction, name: string, error: unknown): Promise<number> {
    const isInvalid = error instanceof ArgumentMismatchError || error instanceof SaltInvocationError ||
      error instanceof InvalidArgumentsError;
    const text = isInvalid
      ? `\nPassed invalid arguments: ${messageOf(error)}\n\nUsage:\n${doc === "" ? "None" : doc}`
      : `Exception occurred in runner ${name}: ${traceback(error)}`;
    await this.#end(call, { success: false, return: text, ...(isInvalid ? {} : { retcode: 1 }) });
    await this.#show(text);
    if (!isInvalid) this.#options.screen.failed?.(name, error);
    return isInvalid ? 0 : 1;
  }

  /** Takes the jid, then fires the event of the beginning. */
  async #begin({ fun, jid, user, secret, args }: Call): Promise<void> {
    await this.#record.begin();
    this.#fire(runNew(jid), { fun, jid, user, fun_args: secret ? HIDDEN : args });
  }

  /** Puts the end of a function on record, then fires it. @param recorded the return on record, where it is another */
  async #end(call: Call, end: End, recorded: unknown = end.return): Promise<void> {
    const { fun, jid, user, secret, args } = call;
    await this.#record.end(fun, user, args, { ...end, return: recorded, secret });
    this.#fireReturn(jid, { fun, jid, user, fun_args: secret ? HIDDEN : args, ...end });
  }

  #fireReturn(jid: string, data: Record<string, unknown>): void {
    this.#options.onReturn?.(data);
    this.#fire(runReturn(jid), data);
  }

  async #show(data: unknown, own?: string): Promise<void> {
    const { screen } = this.#options;
    if (!screen.quiet) await screen.show(data, own);
  }
}
