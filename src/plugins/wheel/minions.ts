import type { WheelModule } from "../../loader/wheel.ts";

/** Minions as the master sees them. */
export const wheel: WheelModule = {
  functions: {
    connected: {
      signature: "",
      doc: "The ids of the connected minions.",
      run: (context) => context.connected(),
    },
  },
};
