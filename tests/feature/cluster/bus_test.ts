import { systemClock } from "../../../src/base/async/clock.ts";
import { MemoryBroker } from "../../../src/feature/cluster/memory_wire.ts";
import type { BusWire } from "../../../src/feature/cluster/bus.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { type BusBed, busContract } from "../../contract/bus_contract.ts";

const runtime = { ...await currentRuntime(), clock: systemClock };

busContract("memory", () => {
  const broker = new MemoryBroker(runtime.clock);
  const wires: BusWire[] = [];
  const bed: BusBed = {
    runtime,
    wire: () => {
      const wire = broker.wire();
      wires.push(wire);
      return Promise.resolve(wire);
    },
    overheard: () => Promise.resolve(broker.seen.filter(({ channel }) => channel === "all").map(({ bytes }) => bytes)),
    inject: (bytes) => Promise.resolve(broker.publish("all", bytes)),
    injectRecord: (stream, bytes, id = `stranger ${Math.random()}`) =>
      Promise.resolve(void broker.append(stream, bytes, id)),
    ids: (stream) => Promise.resolve([...broker.stream(stream).ids.keys()]),
    records: (stream) => Promise.resolve([...broker.stream(stream).records.values()]),
    down: () => Promise.resolve(wires.forEach((wire) => broker.cut(wire))),
    up: () => Promise.resolve(wires.forEach((wire) => broker.mend(wire))),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return Promise.resolve(bed);
});
