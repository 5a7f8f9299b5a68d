import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { isDirectory } from "../linux/paths.ts";
import { checkedWords } from "../modules/hg.ts";
import { fails } from "./outcome.ts";

async function updated(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, target, clean, user, identity, rev, opts } = args;
  const revision = async () => str(await context.call("hg.revision", [target], { user, rev: "." }));
  const before = await revision();
  if (before === "") return outcome(name, false, `Seems that ${str(target)} is not a valid hg repo`);
  if (context.test) {
    return outcome(
      name,
      null,
      `Repository ${str(target)} update is probably required (current revision is ${before})`,
    );
  }
  const pulled = str(
    await context.call("hg.pull", [target], { user, identity, opts, repository: name }).catch(fails()),
  );
  if (args.update_head === false) {
    return outcome(
      name,
      true,
      pulled.includes("no changes found")
        ? "No changes found and update_head=False so will skip updating."
        : "Update is probably required but update_head=False so we will skip updating.",
    );
  }
  await context.call("hg.update", [target, truthy(rev) ? rev : "tip"], { force: clean, user }).catch(fails());
  const after = await revision();
  if (before !== after) {
    return outcome(name, true, `Repository ${str(target)} updated.`, { revision: `${before} => ${after}` });
  }
  return pulled.includes("error:")
    ? outcome(name, false, `An error was thrown by hg:\n${pulled}`)
    : outcome(name, true, "");
}

async function cloned(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, target, user, identity, rev, opts } = args;
  const text = await context.call("hg.clone", [target, name], { user, identity, opts }).catch(fails());
  if (!isDirectory(context.runtime.fs, str(target))) return outcome(name, false, str(text));
  if (truthy(rev)) await context.call("hg.update", [target, rev], { user }).catch(fails());
  const revision = await context.call("hg.revision", [], { cwd: target, user });
  return outcome(name, true, `Repository ${str(name)} cloned to ${str(target)}`, { new: name, revision });
}

/** Repositories of Mercurial. */
export const states: StateModule = {
  virtual: (context) => programPath(context, "hg") !== undefined || { unavailable: "Command hg not found" },
  functions: {
    latest: stateFunction({
      signature: `name, rev=None, target=None, clean=False, user=None, identity=None, force: bool=False, opts=False,
        update_head=True`,
      doc: "The directory is a clone of the repository, and up to date.",
      async run(context, args) {
        const { name, rev, target, force, identity } = args;
        const { fs } = context.runtime;
        if (!truthy(target)) return outcome(name, false, '"target option is required');
        checkedWords({ repository: name, target, rev, identity });
        const path = str(target);
        if (isDirectory(fs, `${path}/.hg`)) return await updated(context, args);
        const inTheWay = isDirectory(fs, path);
        if (inTheWay && !force && fs.list(path).length > 0) {
          return outcome(name, false, "Directory exists, and is not empty");
        }
        if (context.test) return outcome(name, null, `Repository ${str(name)} is about to be cloned to ${path}`);
        if (inTheWay) await context.call("file.remove", [path]);
        return await cloned(context, args);
      },
    }),
  },
};
