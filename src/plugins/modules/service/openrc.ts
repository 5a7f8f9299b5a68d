import type { JobContext } from "../../../model/loader/family.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { run, runAll } from "../../commands.ts";
import { isPattern, type ServiceManager } from "./manager.ts";

/** Services with the runlevels in which they start: lines such as `sshd | default`. */
async function services(context: JobContext): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const line of splitLines(await run(context, ["rc-update", "-v", "show"]))) {
    const [name, levels] = line.split("|").map((part) => part.trim());
    if (name !== undefined && name !== "" && levels !== undefined) found.set(name, splitWords(levels).sort());
  }
  return found;
}

async function runs(context: JobContext, name: string): Promise<boolean> {
  return (await runAll(context, ["rc-service", name, "status"], { ignore_retcode: true })).retcode === 0;
}

/** The words of its scripts; a reload that must not fail is a restart, where a script has no other. */
const VERBS: Readonly<Record<string, string>> = { "force-reload": "reload" };

/** OpenRC, as Alpine and Gentoo have it. */
export const openrc: ServiceManager = {
  async list(context, which) {
    const all = await services(context);
    const names = [...all.keys()].sort();
    if (which === "enabled") return names.filter((name) => all.get(name)!.length > 0);
    if (which === "disabled") return names.filter((name) => all.get(name)!.length === 0);
    if (which === "static") return [];
    if (which === "all") return names;
    const running: string[] = [];
    for (const name of names) if (await runs(context, name)) running.push(name);
    return running;
  },
  available: async (context, name) => (await services(context)).has(name),
  act: async (context, verb, name) => (await runAll(context, ["rc-service", name, VERBS[verb] ?? verb])).retcode === 0,
  async status(context, name) {
    if (!isPattern(name)) return await runs(context, name);
    const found: Record<string, boolean> = {};
    for (const one of (await this.list(context, "all")).filter(compileGlob(name))) {
      found[one] = await runs(context, one);
    }
    return found;
  },
  enable: async (context, name, wanted) =>
    (await runAll(context, ["rc-update", wanted ? "add" : "delete", name])).retcode === 0,
  enabled: async (context, name) => ((await services(context)).get(name) ?? []).length > 0,
  disabled: async (context, name) => (await services(context)).get(name)?.length === 0,
};
