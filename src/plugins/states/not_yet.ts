import type { StateModule } from "../../loader/states.ts";

/** A state module that Salt has and that is not here: whoever asks for it is told why. */
export const notYet = (reason: string): StateModule => ({
  virtual: () => ({ unavailable: reason }),
  functions: {},
});
