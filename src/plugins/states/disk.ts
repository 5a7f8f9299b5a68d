import { stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { roundFloat } from "../../language/python/arithmetic.ts";
import { type Float, isMap, lookup, str, toFloat, truthy } from "../../language/python/values.ts";
import { isDirectory } from "../linux/paths.ts";

interface Bound {
  /** Undefined if it is none. */
  value?: number;
  /** What is wrong with it. */
  comment: string;
}

function boundOf(name: string, given: unknown, absolute: boolean): Bound {
  if (given === null) return { comment: "" };
  const text = typeof given === "string"
    ? given.replace(absolute ? /^[ KB]+|[ KB]+$/g : /^[ %]+|[ %]+$/g, "")
    : str(given);
  if (!/^[+-]?\d+$/.test(text)) return { comment: `${name} must be an integer ` };
  const value = Number(text);
  const within = absolute || (value >= 0 && value <= 100);
  return { value, comment: within ? "" : `${name} must be in the range [0, 100] ` };
}

type Amount = number | Float;

interface Space {
  used: Amount;
  available: Amount;
  data: unknown;
}

const field = (map: unknown, name: string): number => Number(str(isMap(map) ? lookup(map, name) : 0));

function ofMount(data: unknown, absolute: boolean): Space {
  if (absolute) return { used: field(data, "used"), available: field(data, "available"), data };
  const used = Number(str(isMap(data) ? lookup(data, "capacity") : "0").replace("%", ""));
  return { used, available: 100 - used, data };
}

function ofDirectory(data: unknown, name: unknown, absolute: boolean): Space {
  const usage = isMap(data) ? lookup(data, name) : undefined;
  const [total, available] = [field(usage, "total"), field(usage, "available")];
  if (absolute) return { used: total - available, available, data };
  if (total === 0) return { used: 0, available: 0, data };
  const percent = (part: number) => toFloat(roundFloat(part / total * 100, 1));
  return { used: percent(total - available), available: percent(available), data };
}

/** What is wrong with an amount; undefined if nothing is. */
function complaint(
  amount: Amount,
  { minimum, maximum }: { minimum: number | undefined; maximum: number | undefined },
  what: string,
  unit: string,
): string | undefined {
  const wrong = (side: string, bound: number) =>
    `Disk ${what} space is ${side} of ${bound} ${unit} at ${str(amount)} ${unit}`;
  if (minimum !== undefined && Number(amount) < minimum) return wrong("below minimum", minimum);
  if (maximum !== undefined && Number(amount) > maximum) return wrong("above maximum", maximum);
  return undefined;
}

/** How full disks are. */
export const states: StateModule = {
  functions: stateFunctions({
    "status(name, maximum=None, minimum=None, absolute=False, free=False)": {
      doc:
        "The mount point or directory is neither fuller than `maximum` nor emptier than `minimum`, in percent, or with " +
        "`absolute` in kilobytes; with `free` it is what is free that counts. Nothing is changed.",
      async run(context, args) {
        const { name } = args;
        const [absolute, free] = [truthy(args.absolute), truthy(args.free)];
        const ret = (result: boolean, comment: string, data: unknown = {}): StateReturn => ({
          name,
          result,
          comment,
          changes: {},
          data,
        });
        const bounds = (["maximum", "minimum"] as const).map((one) => boundOf(one, args[one], absolute));
        const [maximum, minimum] = bounds.map(({ value }) => value);
        const crossed = minimum !== undefined && maximum !== undefined && minimum >= maximum;
        const wrong = bounds.map(({ comment }) => comment).join("") +
          (crossed ? "minimum must be less than maximum " : "");
        if (wrong !== "") return ret(false, wrong);
        const mounts = await context.call("disk.usage");
        const mount = isMap(mounts) ? lookup(mounts, name) : undefined;
        if (mount === undefined && !isDirectory(context.runtime.fs, str(name))) {
          return ret(
            false,
            `Disk mount ${str(name)} not present. Directory ${str(name)} does not exist or is not a directory`,
          );
        }
        const space = mount === undefined
          ? ofDirectory(await context.call("status.diskusage", [name]), name, absolute)
          : ofMount(mount, absolute);
        const unit = absolute ? "KB" : "%";
        const problem = complaint(
          free ? space.available : space.used,
          { minimum, maximum },
          free ? "available" : "used",
          unit,
        );
        return ret(problem === undefined, problem ?? "Disk used space in acceptable range", space.data);
      },
    },
  }),
};
