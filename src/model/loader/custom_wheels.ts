import { type CustomPlace, loadOrLog } from "./custom_file.ts";
import type { WheelContext, WheelRegistry } from "./wheel.ts";
import { byName } from "./with_custom_files.ts";

/** Wheel modules with the custom ones among them, as the directories are now. One that does not load has no functions. */
export function withCustomWheels(wheels: WheelRegistry, place: CustomPlace): WheelRegistry {
  return byName(wheels, place, "wheel", async (file) => {
    const caller = async (context: object) => {
      const [{ pythonCallerOf }, { returnCodeOf }] = await Promise.all([
        import("./python/python_file.ts"),
        import("./python/return_code.ts"),
      ]);
      return { ...pythonCallerOf(place, place), code: returnCodeOf(context) };
    };
    const loaded = await loadOrLog(place, "wheel", file, undefined, { caller });
    const functions = [...loaded?.functions ?? []].map(([name, { run, signature, doc }]) => [
      name,
      { signature, doc, run: (context: WheelContext, args: Record<string, unknown>) => run(context, args) },
    ]);
    return { wheel: { functions: Object.fromEntries(functions) } };
  });
}
