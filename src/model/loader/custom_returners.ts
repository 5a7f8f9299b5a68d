import { entriesOf, isMap } from "../../language/python/values.ts";
import { type CustomPlace, loadCustomFile, type LoadedFile } from "./custom_file.ts";
import type { ReturnerContext, ReturnerModule, ReturnerRegistry } from "./family.ts";
import { bindArguments, parseSignature } from "./signature.ts";
import { byName } from "./with_custom_files.ts";

/** Functions of a returner: Brine's name → Salt's name, which programs use. */
const RETURNER_FUNCTIONS: Record<string, string> = {
  returner: "returner",
  saveLoad: "save_load",
  getLoad: "get_load",
  getJid: "get_jid",
  getJids: "get_jids",
  eventReturn: "event_return",
};

function returnerModule({ exports, functions }: LoadedFile, path: string): ReturnerModule {
  const { returner } = exports;
  if (typeof returner === "object" && returner !== null) return returner as ReturnerModule;
  const callOf = (name: string) => {
    const found = functions.get(name) ?? functions.get(RETURNER_FUNCTIONS[name]!);
    return found &&
      ((context: ReturnerContext, ...args: unknown[]) =>
        found.run(context, bindArguments(name, parseSignature(found.signature), args, new Map())));
  };
  const give = callOf("returner");
  const [saveLoad, getLoad, getJid, getJids, eventReturn] = ["saveLoad", "getLoad", "getJid", "getJids", "eventReturn"]
    .map(callOf);
  if (give === undefined && eventReturn === undefined) {
    throw new TypeError(`"${path}" has no function "returner", and no "event_return"`);
  }
  const mapOf = (value: unknown) => isMap(value) ? Object.fromEntries(entriesOf(value)) : {};
  return {
    listed: functions,
    returner: async (context, ret) => {
      if (give === undefined) throw new TypeError(`Cannot send returns to "${path}": it has no function "returner"`);
      await give(context, ret);
    },
    // As in Salt, one list of events, each with its data and tag.
    ...(eventReturn && {
      eventReturn: async (context, { events }) =>
        void await eventReturn(context, events.map(({ id, tag, data }) => ({ data, tag, id }))),
    }),
    ...(saveLoad && { saveLoad: async (...args) => void await saveLoad(...args) }),
    ...(getLoad && {
      getLoad: async (context, jid) => {
        const got = await getLoad(context, jid);
        return isMap(got) ? mapOf(got) : undefined;
      },
    }),
    ...(getJid && { getJid: async (context, jid) => mapOf(await getJid(context, jid)) }),
    ...(getJids && {
      async *getJids(context) {
        for (const [jid, text] of Object.entries(mapOf(await getJids(context)))) yield [jid, mapOf(text)];
      },
    }),
  };
}

/** Adds the custom returners that the directories have now to the registry. */
export function withCustomReturners(returners: ReturnerRegistry, place: CustomPlace): ReturnerRegistry {
  return byName(returners, place, "returners", async (file) => {
    const loaded = await loadCustomFile(place, "returners", file);
    const virtual = loaded.virtual(place);
    if (typeof virtual === "object") {
      return { returner: { virtual: () => virtual, returner: () => Promise.resolve() } };
    }
    const returner = returnerModule(loaded, file.path);
    return { returner: typeof virtual === "string" ? { ...returner, name: virtual } : returner };
  });
}
