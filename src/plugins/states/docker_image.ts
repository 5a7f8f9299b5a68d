import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { fails, messageFor } from "./outcome.ts";

type Values = Record<string, unknown>;

/** What is known of an image; null if there is none. @throws {CommandExecutionError} for anything else that fails */
async function known(context: StateContext, image: string): Promise<Values | null> {
  try {
    return await context.call("docker.inspect_image", [image]) as Values;
  } catch (error) {
    if (error instanceof CommandExecutionError && error.message.includes("404")) return null;
    throw error;
  }
}

interface Wanted {
  args: Args;
  /** Without the tag where an image is made of something. */
  name: string;
  full: string;
}

interface Way {
  action: string;
  failed(wanted: Wanted): string;
  run(context: StateContext, wanted: Wanted): Promise<unknown>;
  /** Whether the image is another one than before. */
  changed(before: Values | null, update: Values): boolean;
}

const isAnother = (before: Values | null, update: Values): boolean =>
  before === null || update.Id !== str(before.Id).slice(0, 12);

const BUILD_DEFAULTS = { cache: true, rm: true, api_response: false, fileobj: null, buildargs: null };

const WAYS: Readonly<Record<string, Way>> = {
  build: {
    action: "built",
    failed: ({ args, full }) => `Encountered error building ${str(args.build)} as ${full}`,
    run: (context, { args, name }) => {
      const { kwargs: more } = args.kwargs as Values;
      const given = isMap(more) ? Object.fromEntries(entriesOf(more)) as Values : {};
      const options = Object.fromEntries(
        Object.entries(BUILD_DEFAULTS).map(([key, value]) => [key, key in given ? given[key] : value]),
      );
      const what = { path: args.build, repository: name, tag: str(args.tag), dockerfile: args.dockerfile };
      return context.call("docker.build", [], { ...options, ...what });
    },
    changed: isAnother,
  },
  sls: {
    action: "built",
    failed: ({ args, full }) => `Encountered error using SLS ${str(args.sls)} for building ${full}`,
    run: (context, { args, name }) => {
      const names = ["saltenv", "pillarenv", "pillar"].filter((key) => args[key] !== null);
      const options = Object.fromEntries(names.map((key) => [key, args[key]]));
      const what = { repository: name, tag: str(args.tag), base: args.base, mods: args.sls };
      return context.call("docker.sls_build", [], { ...what, ...options });
    },
    changed: isAnother,
  },
  load: {
    action: "loaded",
    failed: ({ args, full }) => `Encountered error loading ${str(args.load)} as ${full}`,
    run: (context, { args, name }) =>
      context.call("docker.load", [], { path: args.load, repository: name, tag: str(args.tag) }),
    changed: (before, update) => before === null || truthy(update.Layers ?? null),
  },
  pull: {
    action: "pulled",
    failed: ({ full }) => `Encountered error pulling ${full}`,
    run: (context, { args, full }) => {
      const { insecure_registry, client_timeout } = args;
      return context.call("docker.pull", [full], { insecure_registry, client_timeout });
    },
    changed: (before, update) => {
      const { Already_Pulled: there = [null], Pulled: pulled } = (update.Layers ?? {}) as Record<string, unknown[]>;
      if (before !== null && str(before.Id).slice(0, 12) === there[0]) return false;
      return before === null || truthy(pulled ?? null);
    },
  },
};

async function present(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, tag, force } = args;
  const sources = ["build", "load", "sls"].filter((one) => args[one] !== null);
  if (sources.length > 1) return outcome(name, false, "Only one of 'build', 'load', or 'sls' is permitted.");
  if (sources.length === 1 && !truthy(tag)) {
    const comment = "The 'tag' argument is required if any one of 'build', 'load', or 'sls' is used.";
    return outcome(name, false, comment);
  }
  const full = truthy(tag) ? `${str(name)}:${str(tag)}` : str(name);
  const wanted: Wanted = { args, name: sources.length === 1 ? str(name) : full, full };
  const before = await known(context, full).catch(fails("", messageFor(CommandExecutionError)));
  if (before !== null && !truthy(force)) return outcome(name, true, `Image ${full} already present`);
  const way = WAYS[sources[0] ?? "pull"]!;
  if (context.test) return outcome(name, null, `Image ${full} will be ${way.action}`);
  const update = await way.run(context, wanted).catch(fails(`${way.failed(wanted)}: `, messageOf)) as Values;
  const changes = way.changed(before, update) ? update : {};
  const unseen = `Failed to inspect image '${full}' after it was ${way.action}: `;
  await known(context, full).catch(fails(unseen, messageFor(CommandExecutionError), { changes }));
  const comment = Object.keys(changes).length > 0
    ? `Image '${full}' was ${way.action}`
    : `Image '${wanted.name}' was ${way.action}, but there were no changes`;
  return outcome(name, true, comment, changes);
}

const PRESENT = `tag=None, build=None, load=None, force=False, insecure_registry=False, client_timeout=60,
  dockerfile=None, sls=None, base='opensuse/python', saltenv='base', pillarenv=None, pillar=None, **kwargs`;

export const states: StateModule = {
  functions: stateFunctions({
    [`present(name, ${PRESENT})` as const]: {
      doc: "There is an image of that name: pulled, built or loaded.",
      run: present,
    },
    "absent(name=None, images=None, force=False)": {
      doc: "There are no images of these names.",
      async run(context, { name, images, force }) {
        if (!truthy(name) && !truthy(images)) {
          return outcome(name, false, "One of 'name' and 'images' must be provided");
        }
        const targets = images === null ? [name] : images as unknown[];
        const there: string[] = [];
        for (const target of targets) {
          const tag = await context.call("docker.resolve_tag", [target]);
          if (tag !== false) there.push(str(tag));
        }
        const one = there.length === 1;
        if (there.length === 0) {
          const comment = targets.length === 1
            ? `Image ${str(name)} is not present`
            : "All specified images are not present";
          return outcome(name, true, comment);
        }
        if (context.test) {
          const comment = one
            ? `Image ${there[0]} will be removed`
            : `The following images will be removed: ${there.join(", ")}`;
          return outcome(name, null, comment);
        }
        const result = await context.call("docker.rmi", there, { force }) as Values;
        const left = await context.call("docker.list_tags") as string[];
        const failed = there.filter((tag) => left.includes(tag));
        if (failed.length === 0) {
          const comment = one
            ? `Image ${there[0]} was removed`
            : `The following images were removed: ${there.join(", ")}`;
          return outcome(name, true, comment, result);
        }
        if (failed.length < there.length) {
          return outcome(name, false, `The following image(s) failed to be removed: ${failed.join(", ")}`, result);
        }
        const errors = result.Errors as string[] | undefined;
        const why = errors === undefined ? "" : `. The following errors were encountered: ${errors.join("; ")}`;
        return outcome(name, false, `None of the specified images were removed${why}`);
      },
    },
    [`mod_watch(name, sfun=None, ${PRESENT})` as const]: {
      doc: "Pulls, builds or loads the image again.",
      run: async (context, { sfun, ...args }) =>
        sfun === "present"
          ? await present(context, { ...args, force: true })
          : outcome(args.name, false, `watch requisite is not implemented for ${str(sfun)}`),
    },
  }),
};
