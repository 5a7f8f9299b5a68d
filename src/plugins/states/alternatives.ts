import { type StateContext, stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { str, truthy } from "../../language/python/values.ts";

const answer = (given: object, result: boolean | null, comment: string, changes = {}): StateReturn => ({
  ...given as { name: unknown },
  result,
  changes,
  comment,
});

const has = async (context: StateContext, fun: string, name: unknown, path: unknown) =>
  truthy(await context.call(`alternatives.${fun}`, [name, path]));

const current = (context: StateContext, name: unknown) => context.call("alternatives.show_current", [name]);

/** Alternatives: which of several programs a name stands for. */
export const states: StateModule = {
  functions: stateFunctions({
    "install(name, link, path, priority)": {
      doc: "The program is one of the alternative's, with that priority.",
      async run(context, args) {
        const given = { name: args.name, link: args.link, path: args.path, priority: args.priority };
        const { link } = args;
        const [name, path, priority] = [str(args.name), str(args.path), str(args.priority)];
        if (await has(context, "check_exists", args.name, args.path)) {
          return answer(given, true, `Alternative ${path} for ${name} is already registered`);
        }
        if (!/^[+-]?\d+$/.test(priority)) {
          const why = `expected a number as priority, not '${priority}'`;
          return answer(given, false, `Alternative for ${name} not installed: ${why}`);
        }
        if (context.test) {
          return answer(given, null, `Alternative will be set for ${name} to ${path} with priority ${priority}`);
        }
        const said = await context.call("alternatives.install", [args.name, link, args.path, args.priority]);
        if (!await has(context, "check_exists", args.name, args.path)) {
          return answer(given, false, `Alternative for ${name} not installed: ${str(said)}`);
        }
        const comment = await has(context, "check_installed", args.name, args.path)
          ? `Alternative for ${name} set to path ${path} with priority ${priority}`
          : `Alternative ${path} for ${name} registered with priority ${priority} and not set to default`;
        return answer(given, true, comment, { ...given });
      },
    },
    "remove(name, path)": {
      doc: "The program is none of the alternative's.",
      async run(context, args) {
        const given = { name: args.name, path: args.path };
        const name = str(args.name);
        const there = await has(context, "check_exists", args.name, args.path);
        if (there && context.test) return answer(given, null, `Alternative for ${name} will be removed`);
        if (there) await context.call("alternatives.remove", [args.name, args.path]);
        const now = await current(context, args.name);
        if (!there) {
          return truthy(now)
            ? answer(given, true, `Alternative for ${name} is set to it's default path ${str(now)}`)
            : answer(given, false, `Alternative for ${name} doesn't exist`);
        }
        return truthy(now)
          ? answer(given, true, `Alternative for ${name} removed. Falling back to path ${str(now)}`, { path: now })
          : answer(given, true, `Alternative for ${name} removed`);
      },
    },
    "auto(name)": {
      doc: "Priorities decide what the alternative stands for.",
      async run(context, { name }) {
        const [first = ""] = str(await context.call("alternatives.display", [name])).split("\n");
        if (first.endsWith(" auto mode")) return answer({ name }, true, `${str(name)} already in auto mode`);
        if (context.test) return answer({ name }, null, `${str(name)} will be put in auto mode`);
        return answer({ name }, true, "", { result: await context.call("alternatives.auto", [name]) });
      },
    },
    "set(name, path)": {
      doc: "The alternative stands for that program.",
      async run(context, args) {
        const given = { name: args.name, path: args.path };
        const [name, path] = [str(args.name), str(args.path)];
        if (await current(context, args.name) === args.path) {
          return answer(given, true, `Alternative for ${name} already set to ${path}`);
        }
        const lines = str(await context.call("alternatives.display", [args.name])).split("\n");
        if (!lines.some((line) => line.startsWith(path))) {
          return answer(given, false, `Alternative ${path} for ${name} doesn't exist`);
        }
        if (context.test) return answer(given, null, `Alternative for ${name} will be set to path ${path}`);
        await context.call("alternatives.set", [args.name, args.path]);
        return await current(context, args.name) === args.path
          ? answer(given, true, `Alternative for ${name} set to path ${path}`, { path: args.path })
          : answer(given, true, `Alternative for ${name} not updated`);
      },
    },
  }),
};
