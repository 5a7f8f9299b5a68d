import type { Args } from "../../language/python/values.ts";
import { entriesOf, equal, fieldsOf, isMap, listOf, lookup, str, truthy } from "../../language/python/values.ts";
import { dirName } from "../../base/paths.ts";
import { includedFile } from "../../model/config/glob_paths.ts";
import { executionFunction, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import type { Arguments } from "../../model/loader/signature.ts";
import { unifiedDiff } from "../../language/python/difflib.ts";
import { dump } from "../../language/yaml/dump.ts";
import { ownKeywords } from "../keywords.ts";

type Fields = Record<string, unknown>;

/** What a function answers: `{result, comment}`, and of `modify` the changes. */
interface Answer {
  result: boolean;
  comment: string;
  changes?: Fields;
}

/** How long the minion is waited for unless `timeout` says otherwise, in seconds. */
const WAIT_SECONDS = 60;

/** Arguments of a caller, without those of Salt itself. */
export const givenOf = ({ kwargs }: Args): Fields => ownKeywords(kwargs);

const isTest = (args: Args) => truthy(givenOf(args).test ?? false);
const waitOf = (args: Args) => Number(givenOf(args).timeout ?? WAIT_SECONDS);

/** Asks the minion; undefined if there is none, or if it does not answer. */
async function ask(
  context: JobContext,
  args: Args,
  data: Fields,
  answer: string,
): Promise<Fields | undefined> {
  return await context.master?.askLocal?.(
    "manage_beacons",
    data,
    `/salt/minion/minion_${answer}_complete`,
    waitOf(args) * 1000,
  );
}

async function listed(context: JobContext, args: Args, where: Fields = {}): Promise<Fields | undefined> {
  const found = await ask(
    context,
    args,
    { func: "list", include_pillar: true, include_opts: true, ...where },
    "beacons_list",
  );
  return found !== undefined && truthy(found.complete) ? fieldsOf(found.beacons) : undefined;
}

async function list(context: JobContext, args: Args): Promise<unknown> {
  const where = { include_pillar: truthy(args.include_pillar), include_opts: truthy(args.include_opts) };
  const beacons = await listed(context, args, where) ?? null;
  return truthy(args.return_yaml) ? dump({ beacons }, { flow: false }) : beacons;
}

async function available(context: JobContext, args: Args): Promise<unknown[]> {
  const found = await ask(context, args, { func: "list_available" }, "beacons_list_available");
  return Array.isArray(found?.beacons) ? found.beacons : [];
}

async function listAvailable(context: JobContext, args: Args): Promise<unknown> {
  const beacons = await available(context, args);
  if (beacons.length === 0) return { beacons: {} };
  return truthy(args.return_yaml) ? dump({ beacons }, { flow: false }) : beacons;
}

const late = (args: Args, what: string): Answer => ({
  result: false,
  comment: `Did not receive the ${what} event before the timeout of ${str(waitOf(args))}s`,
});

/** Whether the minion would take a configuration; undefined if it would. */
async function invalid(
  context: JobContext,
  args: Args,
  name: string,
  doing: string,
): Promise<Answer | undefined> {
  const data = { name, beacon_data: args.beacon_data, func: "validate_beacon" };
  const found = await ask(context, args, data, "beacon_validation");
  if (found === undefined) return late(args, "beacon validation complete");
  if (truthy(found.valid)) return undefined;
  return { result: false, comment: `Beacon ${name} configuration invalid, not ${doing}.\n${str(found.vcomment)}` };
}

async function add(context: JobContext, args: Args): Promise<Answer> {
  const name = str(args.name);
  const data = listOf(args.beacon_data);
  const now = await listed(context, args);
  if (now === undefined) return late(args, "beacon list complete");
  if (Object.hasOwn(now, name)) return { comment: `Beacon ${name} is already configured.`, result: true };
  const chosen = data.find((item) => isMap(item) && lookup(item, "beacon_module") !== undefined);
  const module = isMap(chosen) ? str(lookup(chosen, "beacon_module")) : name;
  if (!(await available(context, args)).includes(module)) {
    return { comment: `Beacon "${module}" is not available.`, result: false };
  }
  const mistake = await invalid(context, args, name, "adding");
  if (mistake !== undefined) return mistake;
  if (isTest(args)) return { result: true, comment: `Beacon: ${name} would be added.` };
  const found = await ask(context, args, { name, beacon_data: args.beacon_data, func: "add" }, "beacon_add");
  if (found === undefined) return late(args, "beacon add complete");
  if (!truthy(found.complete)) return { result: false, comment: str(found.comment) };
  const kept = listOf(fieldsOf(found.beacons)[name]);
  return data.every((item) => kept.some((one) => equal(one, item)))
    ? { comment: `Added beacon: ${name}.`, result: true }
    : { comment: `Failed to add beacon ${name}.`, result: false };
}

/** The lines that a difference of two configurations is made of: `key:value`. */
function linesOf(items: unknown): string[] {
  return listOf(items).flatMap((item) =>
    isMap(item) ? entriesOf(item).map(([key, value]) => `${str(key)}:${str(value)}\n`) : []
  );
}

async function modify(context: JobContext, args: Args): Promise<Answer> {
  const name = str(args.name);
  const now = await listed(context, args);
  if (now === undefined) return late(args, "beacon list complete");
  if (!Object.hasOwn(now, name)) return { comment: `Beacon ${name} is not configured.`, result: true };
  const mistake = await invalid(context, args, name, "modifying");
  if (mistake !== undefined) return mistake;
  if (isTest(args)) return { comment: `Beacon: ${name} would be modified.`, result: true };
  if (equal(args.beacon_data, now[name])) return { comment: `Job ${name} in correct state`, result: true };
  const diff = unifiedDiff(linesOf(now[name]), linesOf(args.beacon_data)).join("");
  const changes = { diff };
  const found = await ask(context, args, { name, beacon_data: args.beacon_data, func: "modify" }, "beacon_modify");
  if (found === undefined) return { ...late(args, "beacon modify complete "), changes };
  if (!truthy(found.complete)) return { comment: str(found.comment), result: false, changes };
  const done = equal(fieldsOf(found.beacons)[name], args.beacon_data);
  return { comment: done ? `Modified beacon: ${name}.` : "", result: true, changes };
}

async function remove(context: JobContext, args: Args): Promise<Answer> {
  const name = str(args.name);
  if (isTest(args)) return { comment: `Beacon: ${name} would be deleted.`, result: true };
  const found = await ask(context, args, { name, func: "delete" }, "beacon_delete");
  if (found === undefined) return late(args, "beacon delete complete");
  if (!truthy(found.complete)) return { comment: str(found.comment), result: false };
  return Object.hasOwn(fieldsOf(found.beacons), name)
    ? { comment: `Failed to delete beacon ${name}.`, result: false }
    : { comment: `Deleted beacon: ${name}.`, result: true };
}

async function save(context: JobContext, args: Args): Promise<Answer> {
  const { runtime: { fs }, opts } = context;
  const beacons = await listed(context, args, { include_pillar: false }) ?? {};
  const path = includedFile(opts, "beacons.conf");
  if (path === undefined) {
    return { comment: "Unable to write to beacons file: the minion has no configuration files.", result: false };
  }
  try {
    fs.mkdir(dirName(path), 0o755);
    fs.write(path, Object.keys(beacons).length > 0 ? dump({ beacons }, { flow: false }) : "", { mode: 0o644 });
    return { comment: `Beacons saved to ${path}.`, result: true };
  } catch {
    return { comment: `Unable to write to beacons file at ${path}. Check permissions.`, result: false };
  }
}

/** All beacons at once. */
const switchAll = (enabled: boolean) => async (context: JobContext, args: Args): Promise<unknown> => {
  const [verb, done] = enabled ? ["enable", "enabled"] : ["disable", "disabled"];
  const Done = enabled ? "Enabled" : "Disabled";
  if (isTest(args)) return { comment: `Beacons would be ${done}.`, result: true };
  const found = await ask(context, args, { func: verb }, `beacons_${done}`);
  if (found === undefined) return late(args, `beacons ${done} complete`);
  return truthy(fieldsOf(found.beacons).enabled ?? !enabled) === enabled
    ? { comment: `${Done} beacons on minion.`, result: true }
    : { comment: `Failed to ${verb} beacons on minion.`, result: false };
};

const switchOne = (enabled: boolean) => async (context: JobContext, args: Args): Promise<Answer> => {
  const [verb, done, Done] = enabled ? ["enable", "enabled", "Enabled"] : ["disable", "disabled", "Disabled"];
  if (!truthy(args.name)) return { comment: "Beacon name is required.", result: false };
  const name = str(args.name);
  if (isTest(args)) return { comment: `Beacon ${name} would be ${done}.`, result: true };
  const now = await listed(context, args);
  if (now === undefined) return late(args, "beacon list complete");
  if (!Object.hasOwn(now, name)) return { comment: `Beacon ${name} is not currently configured.`, result: false };
  const found = await ask(context, args, { func: `${verb}_beacon`, name }, `beacon_${done}`);
  if (found === undefined) return late(args, `beacon ${done} complete`);
  if (!truthy(found.complete)) return { comment: str(found.comment), result: false };
  const settings = Object.assign({}, ...listOf(fieldsOf(found.beacons)[name]).map(fieldsOf));
  if (truthy(settings.enabled ?? !enabled) === enabled) {
    return { comment: `${Done} beacon ${name} on minion.`, result: true };
  }
  const which = enabled ? `beacon ${name}` : "beacon";
  return { comment: `Failed to ${verb} ${which} on minion.`, result: false };
};

async function reset(context: JobContext, args: Args): Promise<Answer> {
  if (isTest(args)) return { comment: "Beacons would be reset.", result: true };
  const found = await ask(context, args, { func: "reset" }, "beacon_reset");
  if (found === undefined) return late(args, "beacon reset");
  return truthy(found.complete)
    ? { comment: "Beacon configuration reset.", result: true }
    : { comment: str(found.comment), result: false };
}

const fun = <S extends string, R>(signature: S, doc: string, run: (context: JobContext, args: Arguments<S>) => R) =>
  executionFunction({ signature, doc, run });

/** Manages the beacons of this minion: what it watches and tells its masters of. */
export const module: ExecutionModule = {
  functions: {
    list: fun(
      "return_yaml=True, include_pillar=True, include_opts=True, **kwargs",
      "The beacons that are configured.\n\n    salt '*' beacons.list",
      list,
    ),
    list_available: fun(
      "return_yaml=True, **kwargs",
      "The beacons that can run on this minion.\n\n    salt '*' beacons.list_available",
      listAvailable,
    ),
    add: fun(
      "name, beacon_data, **kwargs",
      "Adds a beacon. It is gone after a restart unless beacons.save writes it down.\n\n" +
        "    salt '*' beacons.add ps \"[{'processes': {'sshd': 'stopped'}}]\"",
      add,
    ),
    modify: fun(
      "name, beacon_data, **kwargs",
      "Gives a beacon another configuration.\n\n    salt '*' beacons.modify memusage \"[{'percent': '80%'}]\"",
      modify,
    ),
    delete: fun("name, **kwargs", "Removes a beacon.\n\n    salt '*' beacons.delete ps", remove),
    save: fun(
      "**kwargs",
      "Writes the beacons to `beacons.conf`, for the next start.\n\n    salt '*' beacons.save",
      save,
    ),
    enable: fun("**kwargs", "Enables all beacons.\n\n    salt '*' beacons.enable", switchAll(true)),
    disable: fun("**kwargs", "Disables all beacons.\n\n    salt '*' beacons.disable", switchAll(false)),
    enable_beacon: fun(
      "name, **kwargs",
      "Enables one beacon.\n\n    salt '*' beacons.enable_beacon ps",
      switchOne(true),
    ),
    disable_beacon: fun(
      "name, **kwargs",
      "Disables one beacon.\n\n    salt '*' beacons.disable_beacon ps",
      switchOne(false),
    ),
    reset: fun("**kwargs", "Removes all beacons.\n\n    salt '*' beacons.reset", reset),
  },
};
