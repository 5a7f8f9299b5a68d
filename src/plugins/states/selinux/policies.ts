/** The states of policies: `selinux.fcontext_policy_*`, `port_policy_*`. */
import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";

type Answer = Record<string, unknown>;

const FILE = ["name", "filetype", "sel_type", "sel_user", "sel_level"];

const pick = (args: Args, names: readonly string[]): Answer =>
  Object.fromEntries(names.map((name) => [name, args[name]]));

const ask = async (context: StateContext, fun: string, keyword: Answer) =>
  await context.call(`selinux.${fun}`, [], keyword) as Answer | null;

export async function filesPresent(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, filetype, sel_type: type } = args;
  const words = await context.call("selinux.filetype_id_to_string", [filetype]);
  const now = await ask(context, "fcontext_get_policy", pick(args, FILE));
  if (truthy(now) && now!.sel_type === type) {
    return outcome(
      name,
      true,
      `SELinux policy for "${str(name)}" already present with specified filetype "${str(words)}" and sel_type ` +
        `"${str(type)}".`,
    );
  }
  if (context.test) return outcome(name, null, "");
  const done = await ask(context, "fcontext_add_policy", pick(args, FILE));
  if (done!.retcode !== 0) return outcome(name, false, `Error adding new rule: ${str(done)}`);
  const key = str(name);
  return outcome(
    name,
    true,
    "",
    truthy(now)
      ? { old: { [key]: { sel_type: now!.sel_type } }, new: { [key]: { sel_type: type } } }
      : { old: {}, new: { [key]: { filetype: words, sel_type: type } } },
  );
}

export async function filesAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, filetype, sel_type: type } = args;
  const now = await ask(context, "fcontext_get_policy", pick(args, FILE));
  if (!truthy(now)) {
    return outcome(
      name,
      true,
      `SELinux policy for "${str(name)}" already absent with specified filetype "${str(filetype)}" and sel_type ` +
        `"${str(type)}".`,
    );
  }
  const changes = { old: { [str(name)]: now }, new: {} };
  if (context.test) return outcome(name, null, "", changes);
  const wanted = { ...pick(args, FILE), sel_type: truthy(type) ? type : now!.sel_type };
  const done = await ask(context, "fcontext_delete_policy", wanted);
  return done!.retcode === 0
    ? outcome(name, true, "", changes)
    : outcome(name, false, `Error removing policy: ${str(done)}`, changes);
}

export const filesApplied = stateFunction({
  signature: "name, recursive=False",
  doc: "The file, or all below a directory, have the labels of the policy.",
  async run(context, { name, recursive }) {
    if (await context.call("selinux.fcontext_policy_is_applied", [name, recursive]) === "") {
      return outcome(name, true, `SElinux policies are already applied for filespec "${str(name)}"`);
    }
    if (context.test) return outcome(name, null, "");
    const done = await context.call("selinux.fcontext_apply_policy", [name, recursive]) as Answer;
    return done.retcode === 0
      ? outcome(name, true, "", (done.changes ?? {}) as Answer)
      : outcome(name, false, str(done));
  },
});

async function port(context: StateContext, args: Args, present: boolean): Promise<StateReturn> {
  const { name, sel_type: type, protocol, port: number } = args;
  const wanted = pick(args, ["name", "sel_type", "protocol", "port"]);
  const before = await ask(context, "port_get_policy", wanted);
  if (truthy(before) === present) {
    const comment =
      `SELinux policy for "${str(name)}" already ${present ? "present" : "absent"} with specified sel_type ` +
      `"${str(type)}", protocol "${str(protocol)}" and port "${str(number)}".`;
    return outcome(name, true, comment);
  }
  if (context.test) return outcome(name, null, "");
  const done = present
    ? await ask(context, "port_add_policy", { ...wanted, sel_range: args.sel_range })
    : await ask(context, "port_delete_policy", pick(args, ["name", "protocol", "port"]));
  if (done!.retcode !== 0) {
    return outcome(name, false, `Error ${present ? "adding new" : "deleting"} policy: ${str(done)}`);
  }
  return outcome(name, true, "", { old: before, new: await ask(context, "port_get_policy", wanted) });
}

export const portPresent = stateFunction({
  signature: "name, sel_type, protocol=None, port=None, sel_range=None",
  doc: "There is a policy that gives the port that type.",
  run: (context, args) => port(context, args, true),
});
export const portAbsent = stateFunction({
  signature: "name, sel_type=None, protocol=None, port=None",
  doc: "There is no policy for the port.",
  run: (context, args) => port(context, args, false),
});
