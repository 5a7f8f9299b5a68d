import { wheelFunctions, type WheelModule } from "../../model/loader/wheel.ts";

/** Minions as the master sees them. */
export const wheel: WheelModule = {
  functions: wheelFunctions({
    "connected()": {
      doc: "The ids of the connected minions.",
      run: (context) => context.connected(),
    },
    "presence()": {
      doc:
        "The ids of the connected minions, when the others were lost, and since when the master has seen them come and go; times are " +
        "seconds since the epoch. `unnamed`: the connections of minions that have not said who they are. Minions of Salt say so with " +
        "the first job after a restart of the master.\n\n    minions.presence",
      run: (context) => {
        const { sinceMs, lostMs, unnamed } = context.lost();
        return {
          connected: context.connected(),
          lost: Object.fromEntries([...lostMs].map(([id, atMs]) => [id, atMs / 1000])),
          since: sinceMs / 1000,
          unnamed,
        };
      },
    },
  }),
};
