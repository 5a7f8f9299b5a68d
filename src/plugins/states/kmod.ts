import { outcome, type StateContext, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";

const wanted = ({ name, mods }: Args): string[] => (Array.isArray(mods) ? mods : [name]).map(str);

/** `Kernel module a is …` or `Kernel modules a, b are …` */
const says = (names: readonly string[], what: string): string =>
  names.length === 1 ? `Kernel module ${names[0]} is ${what}` : `Kernel modules ${names.join(", ")} are ${what}`;

const listed = async (context: StateContext, persistent: boolean): Promise<string[]> =>
  await context.call("kmod.mod_list", persistent ? [true] : []) as string[];

/** How the modules of a state fared. */
class Tally {
  readonly done: string[] = [];
  readonly undone: string[] = [];
  readonly failed: [string, string][] = [];
  readonly changes: Record<string, string> = {};

  /** @param returned names of what changed, or the complaint */
  note(module: string, returned: unknown, change: string): void {
    if (!Array.isArray(returned)) {
      this.failed.push([module, str(returned)]);
      return;
    }
    for (const name of returned) this.changes[str(name)] = change;
    (returned.length > 0 ? this.done : this.undone).push(module);
  }

  get result(): boolean {
    return this.undone.length === 0 && this.failed.length === 0;
  }

  /** @param verbs such as "Loaded" and "load" */
  lines(done: string, verb: string): string[] {
    const plural = (names: string[]) => `kernel module${names.length > 1 ? "s" : ""} ${names.join(", ")}`;
    return [
      ...(this.done.length > 0 ? [`${done} ${plural(this.done)}`] : []),
      ...(this.undone.length > 0 ? [`Failed to ${verb} ${plural(this.undone)}`] : []),
      ...this.failed.map(([module, complaint]) => `Failed to ${verb} kernel module ${module}: ${complaint}`),
    ];
  }
}

/** Lines of a comment, below one another. */
const joined = (lines: readonly string[]): string =>
  lines.reduce((all, line) => all === "" ? line : `${all.trimEnd()}\n${line}`, "");

/** Modules of the Linux kernel. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, persist=False, mods=None)": {
      doc: "The kernel module is loaded, or those of `mods`; with `persist` also when the system starts.",
      async run(context, args) {
        const mods = wanted(args);
        let loaded = await listed(context, false);
        if (truthy(args.persist)) {
          const kept = await listed(context, true);
          loaded = loaded.filter((name) => kept.includes(name));
        }
        const asked = [...new Set(mods)];
        const already = asked.filter((name) => loaded.includes(name));
        const comments = already.length > 0 ? [says(already, "already present")] : [];
        if (already.length === mods.length) return outcome(args.name, true, joined(comments));
        const missing = asked.filter((name) => !already.includes(name));
        if (context.test) return outcome(args.name, null, joined([...comments, says(missing, "set to be loaded")]));
        const available = await context.call("kmod.available") as string[];
        const unavailable = missing.filter((name) => !available.includes(name));
        if (unavailable.length > 0) comments.push(says(unavailable, "unavailable"));
        const tally = new Tally();
        for (const module of missing.filter((name) => !unavailable.includes(name))) {
          // One before it has loaded it, too.
          if (module in tally.changes) tally.done.push(module);
          else tally.note(module, await context.call("kmod.load", [module, args.persist]), "loaded");
        }
        comments.push(...tally.lines("Loaded", "load"));
        const result = unavailable.length === 0 && tally.result;
        return outcome(args.name, result, joined(comments), tally.changes);
      },
    },
    "absent(name, persist=False, comment=True, mods=None)": {
      doc: "The kernel module is not loaded, or those of `mods`; with `persist` also not when the system starts.",
      async run(context, args) {
        const mods = wanted(args);
        const loaded = await listed(context, false);
        if (truthy(args.persist)) loaded.push(...await listed(context, true));
        const there = [...new Set(mods)].filter((name) => loaded.includes(name));
        if (there.length === 0) return outcome(args.name, true, says(mods, "already removed"));
        if (context.test) return outcome(args.name, null, says(there, "set to be removed"));
        const tally = new Tally();
        for (const module of there) {
          tally.note(module, await context.call("kmod.remove", [module, args.persist, args.comment]), "removed");
        }
        return outcome(args.name, tally.result, joined(tally.lines("Removed", "remove")), tally.changes);
      },
    },
  }),
};
