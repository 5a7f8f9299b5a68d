import { type CustomPlace, loadOrLog } from "./custom_file.ts";
import type { WheelRegistry } from "./wheel.ts";
import { byName } from "./with_custom_files.ts";

/** Wheel modules with the custom ones among them, as the directories are now. One that does not load has no functions. */
export function withCustomWheels(wheels: WheelRegistry, place: CustomPlace): WheelRegistry {
  return byName(wheels, place, "wheel", async (file) => {
    const loaded = await loadOrLog(place, "wheel", file);
    const functions = [...loaded?.functions ?? []].map(([name, { run, signature, doc }]) => [
      name,
      { signature, doc, run: (_context: object, args: Record<string, unknown>) => run(place, args) },
    ]);
    return { wheel: { functions: Object.fromEntries(functions) } };
  });
}
