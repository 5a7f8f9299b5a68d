import { str } from "../../language/python/values.ts";
import { type CustomPlace, loadCustomFile } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";
import type { ExtPillar, ExtPillarRegistry, PillarContext } from "./ext_pillar.ts";
import { parseSignature } from "./signature.ts";
import { byName } from "./with_custom_files.ts";

/** What an external pillar of Python finds: the minion's grains, and functions as templates of pillar have them. */
function callerOf(place: CustomPlace) {
  return async (context: object) => {
    const [{ callableOf }, { pythonCallerOf }] = await Promise.all([
      import("./python/python_renderers.ts"),
      import("./python/python_file.ts"),
    ]);
    const { functions } = context as Partial<PillarContext>;
    return pythonCallerOf(place, context, functions === undefined ? {} : { modules: callableOf(functions) });
  };
}

/** A custom external pillar: `ext_pillar(minion_id, pillar, …)`, with what the configuration has as further arguments. */
async function extPillar(place: CustomPlace, file: CustomFile): Promise<{ pillar: ExtPillar }> {
  const { functions, virtual } = await loadCustomFile(place, "pillar", file, undefined, { caller: callerOf(place) });
  const available = virtual(place);
  if (typeof available === "object") throw new TypeError(`"${file.path}" is not available: ${available.unavailable}`);
  const found = functions.get("ext_pillar");
  if (found === undefined) throw new TypeError(`"${file.path}" has no function "ext_pillar"`);
  const { params: [id, pillar, ...params], ...rest } = parseSignature(found.signature);
  if (id === undefined || pillar === undefined) {
    throw new TypeError(`The function "ext_pillar" of "${file.path}" must take the id of a minion and its pillar`);
  }
  const extra = params.some(({ name }) => name === "extra_minion_data");
  return {
    pillar: {
      signature: { ...rest, params },
      run: async (context, args) => {
        const told = extra ? { extra_minion_data: context.extraMinionData } : {};
        return await found.run({ ...context, pillar: undefined }, {
          ...args,
          ...told,
          [id.name]: str(context.id),
          [pillar.name]: context.pillar,
        });
      },
    },
  };
}

/** External pillars with the custom ones among them, as the directories are now, and behind them those of Salt's package. */
export function withCustomPillars(pillars: ExtPillarRegistry, place: CustomPlace): ExtPillarRegistry {
  return byName(pillars, place, "pillar", (file) => extPillar(place, file));
}
