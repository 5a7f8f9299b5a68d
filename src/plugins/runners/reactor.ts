import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { CommandExecutionError, runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap, repr, str } from "../../language/python/values.ts";

/** Asks the running reactor. @throws {CommandExecutionError} in Salt's words, if there is none */
async function ask(
  { reactor }: RunnerContext,
  operation: Parameters<NonNullable<RunnerContext["reactor"]>["ask"]>[0],
  fields: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  if (reactor === undefined || !reactor.isConfigured) throw new CommandExecutionError("Reactor system is not running.");
  const answer = await reactor.ask(operation, fields);
  if (answer !== undefined) return answer;
  throw new CommandExecutionError("The reactor has not answered within 30 s: see the log of the master");
}

function mapOfData(data: unknown): Record<string, unknown> {
  if (data === null) return {};
  if (!isMap(data)) throw new SaltInvocationError(`The data of an event must be a map, not ${repr(data)}`);
  return Object.fromEntries(entriesOf(data).map(([key, value]) => [str(key), value]));
}

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "list(saltenv='base', test=None)": {
      doc: "The reactors in use: each a glob of tags and its SLS files.\n\n    salt-run reactor.list",
      run: async (context) => (await ask(context, "list")).reactors,
    },
    "add(event: str, reactors, saltenv='base', test=None)": {
      doc: "Adds a reactor until the master is started again, or its configuration is read again.\n\n" +
        "    salt-run reactor.add 'my/deploy/*' reactors='/srv/reactor/deploy.sls'",
      async run(context, { event, reactors }) {
        const list = typeof reactors === "string" ? [reactors] : reactors;
        if (!Array.isArray(list)) {
          throw new SaltInvocationError(`reactors must be an SLS file or a list of them, not ${repr(reactors)}`);
        }
        return (await ask(context, "add", { event, reactors: list.map(str) })).result;
      },
    },
    "delete(event: str, saltenv='base', test=None)": {
      doc: "Deletes the reactor of a glob of tags, until the configuration is read again.\n\n" +
        "    salt-run reactor.delete 'my/deploy/*'",
      run: async (context, { event }) => (await ask(context, "delete", { event })).result,
    },
    "is_leader()": {
      doc: "True if this reactor acts on events.\n\n    salt-run reactor.is_leader",
      run: async (context) => (await ask(context, "is_leader")).result,
    },
    "set_leader(value=True)": {
      doc: "Has this reactor act on events, or leave them to that of another master.\n\n" +
        "    salt-run reactor.set_leader False",
      run: async (context, { value }) => (await ask(context, "set_leader", { id: context.id, value })).result,
    },
    "status()": {
      doc: "What the reactor did lately: counts, and the latest reactions with what they have started.\n\n" +
        "    salt-run reactor.status",
      async run(context) {
        const { _stamp, ...status } = await ask(context, "status");
        return status;
      },
    },
    "test(tag: str, data=None, reactors=None)": {
      doc:
        "What would react to an event, without calling it: the SLS files, the calls with their arguments, and what is wrong.\n" +
        "Templates are rendered, so functions that they call are really called.\n\n" +
        "    salt-run reactor.test salt/minion/web1/start '{id: web1}'\n" +
        "    salt-run reactor.test my/tag reactors=/srv/reactor/new.sls\n\n" +
        "reactors: SLS files to try instead of those that are in use.",
      async run(context, { tag, data, reactors }) {
        const { reactor } = context;
        if (reactor === undefined) throw new CommandExecutionError("There is no reactor on this host");
        const list = reactors === null ? undefined : [reactors].flat().map(str);
        return await reactor.test(tag, mapOfData(data), list);
      },
    },
  }),
};
