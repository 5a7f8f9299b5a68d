import { outcome, type StateContext, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { programPath, run } from "../commands.ts";
import { exists } from "../linux/paths.ts";
import { tuneWords } from "../modules/disk/devices.ts";

/** What blockdev calls each parameter when it is asked. */
const QUESTIONS: Readonly<Record<string, string>> = {
  "read-ahead": "getra",
  "filesystem-read-ahead": "getfra",
  "read-only": "getro",
  "read-write": "getro",
};

const fieldOf = (map: unknown, key: string): unknown => isMap(map) ? lookup(map, key) : undefined;

const TRIES = 10;
const PAUSE_MS = 3000;

/** The type of the file system on a device, empty if there is none. */
const typeOf = (context: StateContext, name: unknown): Promise<string> =>
  run(context, ["blkid", "-o", "value", "-s", "TYPE", str(name)], { ignore_retcode: true });

/** Block devices. */
export const states: StateModule = {
  functions: stateFunctions({
    "tuned(name, **kwargs)": {
      doc: "The device has these parameters: read-ahead, filesystem-read-ahead, read-only, read-write.",
      async run(context, { name, kwargs }) {
        if (!truthy(await context.call("file.is_blkdev", [name]))) {
          return outcome(name, false, `Changes to ${str(name)} cannot be applied. Not a block device.`);
        }
        const wanted = kwargs;
        if (context.test) {
          tuneWords(wanted);
          return outcome(name, null, `Changes to ${str(name)} will be applied `);
        }
        const before = await context.call("disk.dump", [name]);
        const after = await context.call("disk.tune", [name], wanted);
        if (!truthy(after)) return outcome(name, false, `Failed to modify block device ${str(name)}`);
        const changes: Record<string, string> = {};
        for (const [key, value] of Object.entries(wanted)) {
          const question = Object.hasOwn(QUESTIONS, key) ? QUESTIONS[key]! : undefined;
          if (question === undefined) continue;
          const [was, is] = [fieldOf(before, question), fieldOf(after, question)];
          if (was === is) continue;
          // What can be read and written is what is not read-only.
          const shown = (one: unknown) => typeof value === "boolean" ? (one === "1") !== (key === "read-write") : one;
          changes[key] = `Changed from ${str(shown(was))} to ${str(shown(is))}`;
        }
        return Object.keys(changes).length > 0
          ? outcome(name, true, `Block device ${str(name)} successfully modified `, changes)
          : outcome(name, true, `Block device ${str(name)} already in correct state`);
      },
    },
    "formatted(name, fs_type='ext4', force=False, **kwargs)": {
      doc: "The device has a file system of that type; it is made if there is another one or none.",
      async run(context, args) {
        const { name, force } = args;
        const type = str(args.fs_type);
        if (!/^[\w.+-]+$/.test(type)) {
          throw new SaltInvocationError(
            `Cannot format with "${type}": expected the name of a file system, such as ext4`,
          );
        }
        if (!exists(context.runtime.fs, str(name))) return outcome(name, false, `${str(name)} does not exist`);
        if (await typeOf(context, name) === type) {
          return outcome(name, true, `${str(name)} already formatted with ${type}`);
        }
        if (programPath(context, `mkfs.${type}`) === undefined) return outcome(name, false, `Invalid fs_type: ${type}`);
        if (context.test) return outcome(name, null, `Changes to ${str(name)} will be applied `);
        await context.call("disk.format", [name, args.fs_type], { force, ...args.kwargs as object });
        for (let tries = 1; tries <= TRIES; tries++) {
          const found = await typeOf(context, name);
          if (found === type) {
            // As Salt says it: what is there now, and not what was.
            return outcome(name, true, `${str(name)} has been formatted with ${type}`, { new: type, old: found });
          }
          // The system may need a moment to see it.
          if (found !== "" || tries === TRIES) break;
          await context.runtime.clock.sleep(PAUSE_MS, context.signal);
        }
        return outcome(name, false, `Failed to format ${str(name)}`);
      },
    },
  }),
};
