import type { CustomTopRequest, CustomTops } from "../../../model/loader/custom_tops.ts";
import { CUSTOM_TOP_MS, runCustomTop } from "../../../model/loader/custom_tops.ts";
import type { CustomPlace } from "../../../model/loader/custom_file.ts";
import type { AnyMap } from "../../../language/python/values.ts";
import type { PartHandlers } from "../../../feature/supervise/serve_part.ts";
import type { WorkerPool } from "../../../feature/supervise/worker_pool.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";

const KIND = "tops";

/** The part of a master that asks custom modules: more processes than a few modules that hang can hold. */
export const topsPool = { name: KIND, size: 5, limitMs: CUSTOM_TOP_MS + 2000 };

/** Asks custom modules of `master_tops` in worker processes, so that one that never returns holds nothing else. */
export function topsWorkers(workers: Pick<WorkerPool, "call">): CustomTops {
  return async (request, wanted) => {
    const { name, id } = request;
    const packed = await workers.call({
      kind: KIND,
      // A module that ends its process for one minion is refused for that minion alone.
      owner: `${id} ${name}`,
      label: `the states of the custom module ${name} for ${id}`,
      body: encode(request, "bin"),
      wanted,
    });
    return decode(packed as Uint8Array, { mode: "bin" }) as AnyMap;
  };
}

/** Returns the handlers of a worker for custom modules of `master_tops`. */
export function topsHandlers(place: CustomPlace): PartHandlers {
  return {
    [KIND]: async (body) => encode(await runCustomTop(place, decode(body, { mode: "bin" }) as CustomTopRequest), "bin"),
  };
}
