/** What a container needs before it can be made. */
import { entriesOf, isMap, splitInput, str, truthy } from "../../../language/python/values.ts";
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";

type Values = Record<string, unknown>;

/** A map, or a list of names and of maps with one key; undefined for what is neither. */
function mapOf(value: unknown): Values | undefined {
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, of]) => [str(key), of]));
  if (!Array.isArray(value)) return undefined;
  const pairs = value.map((one): [string, unknown] | undefined => {
    if (!isMap(one)) return typeof one === "string" ? [one, null] : undefined;
    const entries = entriesOf(one);
    return entries.length === 1 ? [str(entries[0]![0]), entries[0]![1]] : undefined;
  });
  return pairs.some((pair) => pair === undefined) ? undefined : Object.fromEntries(pairs as [string, unknown][]);
}

/** The place of a container in one network. */
function placeOf(name: string, value: unknown): Values {
  if (value === null) return {};
  const place = mapOf(value);
  if (place === undefined || Object.keys(place).length === 0) {
    throw new CommandExecutionError(`Invalid configuration for network '${name}' (see documentation)`);
  }
  for (const key of ["links", "aliases"].filter((one) => one in place)) place[key] = splitInput(place[key]);
  const missing = Object.keys(place).find((key) => place[key] === null);
  if (missing !== undefined) {
    throw new CommandExecutionError(`Config option '${missing}' for network '${name}' is missing a value`);
  }
  return place;
}

/**
 * Networks by name, each with the container's place in it.
 *
 * @throws {CommandExecutionError} for what is no such list, and for networks that there are not
 */
export async function networksOf(context: StateContext, given: unknown): Promise<Record<string, Values>> {
  if (!truthy(given)) return {};
  const map = mapOf(typeof given === "string" ? splitInput(given) : given);
  if (map === undefined) throw new CommandExecutionError("Invalid network configuration (see documentation)");
  const found = Object.fromEntries(Object.entries(map).map(([name, value]) => [name, placeOf(name, value)]));
  let all: unknown[];
  try {
    all = (await context.call("docker.networks") as Values[]).map((one) => one.Name);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    throw new CommandExecutionError(`Failed to get list of existing networks: ${error.message}.`);
  }
  const missing = Object.keys(found).sort().filter((name) => !all.includes(name));
  if (missing.length === 0) return found;
  throw new CommandExecutionError(`The following networks are not present: ${missing.join(", ")}`);
}

/** The id of an image, which is pulled if it is not there; false in a dry run without it. */
export async function needImage(
  context: StateContext,
  ret: StateReturn,
  image: string,
  timeout: unknown,
): Promise<unknown> {
  const id = await context.call("docker.resolve_image_id", [image]);
  if (id !== false || context.test) return id;
  try {
    ret.changes.image = await context.call("docker.pull", [image], { client_timeout: timeout });
  } catch (error) {
    throw new CommandExecutionError(`Failed to pull ${image}: ${messageOf(error)}`);
  }
  const pulled = await context.call("docker.resolve_image_id", [image]);
  if (pulled !== false) return pulled;
  throw new CommandExecutionError(`Image '${image}' not present despite a docker pull raising no errors`);
}
