import type { StateContext } from "../../../model/loader/states.ts";
import { entriesOf, isMap } from "../../../language/python/values.ts";
import { traverse } from "../../../language/python/traverse.ts";
import { readCall } from "./call_text.ts";

const SLOT = "__slot__:";

const isSlot = (value: unknown): value is string => typeof value === "string" && value.startsWith(SLOT);

/** True if {@link fillSlots} would find a slot among these arguments: most chunks have none. */
export function hasSlots(args: Record<string, unknown>): boolean {
  for (const name of Object.keys(args)) if (holdsSlot(args[name], 2)) return true;
  return false;
}

/** True for a slot, and for a list or map with one, down to a depth. */
function holdsSlot(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return isSlot(value);
  if (Array.isArray(value)) return value.some((item) => holdsSlot(item, depth - 1));
  return isMap(value) && entriesOf(value).some(([, item]) => holdsSlot(item, depth - 1));
}

/**
 * Replaces slots by the returns of their functions: in texts, items of lists, values of maps, and values of maps in lists. Lists and
 * maps with a slot are copied, so that the chunk keeps its slots for another attempt.
 */
export async function fillSlots(context: StateContext, args: Record<string, unknown>): Promise<void> {
  for (const name of Object.keys(args)) {
    const value = args[name];
    // Fast path: most arguments are not slots, lists or maps.
    if (typeof value !== "object" && !isSlot(value)) continue;
    if (isSlot(value)) args[name] = await evaluate(context, value);
    else if (isMap(value)) args[name] = await filledMap(context, value);
    else if (Array.isArray(value) && value.some((item) => isSlot(item) || isMap(item))) {
      const filled = value.slice();
      for (const [at, item] of value.entries()) {
        if (isSlot(item)) filled[at] = await evaluate(context, item);
        else if (isMap(item)) filled[at] = await filledMap(context, item);
      }
      args[name] = filled;
    }
  }
}

async function filledMap(context: StateContext, map: object): Promise<unknown> {
  const entries = entriesOf(map as Map<unknown, unknown>);
  if (!entries.some(([, value]) => isSlot(value))) return map;
  const filled: [unknown, unknown][] = [];
  for (const [key, value] of entries) filled.push([key, isSlot(value) ? await evaluate(context, value) : value]);
  // Keep the class of the map: it decides how the map is shown.
  return map instanceof Map
    ? new (map.constructor as MapConstructor)(filled)
    : Object.fromEntries(filled as [string, unknown][]);
}

/** Calls the function of a slot. @returns the slot itself if it is malformed */
async function evaluate(context: StateContext, slot: string): Promise<unknown> {
  const [, kind, ...rest] = slot.split(":");
  const text = rest.join(":");
  const call = kind === "salt" && rest.length > 0 ? readCall(text) : undefined;
  if (call === undefined || "message" in await context.functions.find(call.fun)) {
    context.log.warning("malformed slot", { slot, example: "__slot__:salt:test.arg('arg', kw='kwarg')" });
    return slot;
  }
  const value = part(text, await context.call(call.fun, call.args, call.keyword));
  return appended(context, text, value);
}

/** Takes the part of the return that `.key.key` after the call names. */
function part(text: string, value: unknown): unknown {
  const call = text.split("~")[0]!;
  const path = call.slice(call.lastIndexOf(")") + 1);
  const dot = path.indexOf(".");
  return dot < 0 ? value : traverse(value, path.slice(dot + 1).trim(), ".") ?? null;
}

/** Appends the text after ` ~ ` in the slot to the value, if the value is a text. */
function appended({ log }: StateContext, text: string, value: unknown): unknown {
  const at = text.indexOf("~");
  if (at < 0) return value;
  if (typeof value !== "string") {
    log.error("ignoring the append of a slot: the value is not a string");
    return value;
  }
  const more = text.slice(at + 1).trim();
  const [, inner] = /^(?:"([^]*)"|'([^]*)')$/.exec(more)?.filter((one) => one !== undefined) ?? [];
  return value + (inner ?? more);
}
