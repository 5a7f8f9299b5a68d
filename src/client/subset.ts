import type { CollectOptions } from "./job_collector.ts";
import type { LocalClient } from "./local_client.ts";
import type { PublishRequest } from "./publish_request.ts";

/**
 * Chooses `count` minions of a target at random, among those that answer and have the function.
 *
 * @param random returns a number in [0, 1)
 * @example
 * ```ts
 * await using salt = await connect();
 * const three = await chooseSubset(salt, { tgt: "*", fun: "test.ping" }, 3);
 * console.log(await salt.command({ tgt: three, fun: "test.ping" }));
 * ```
 * @throws {ClientError} as {@link LocalClient.publish}
 */
export async function chooseSubset(
  client: LocalClient,
  request: PublishRequest,
  count: number,
  options: CollectOptions = {},
  random: () => number = Math.random,
): Promise<string[]> {
  const { tgt, tgt_type, kwargs, credentials } = request;
  const functions = await client.command({ tgt, tgt_type, fun: "sys.list_functions", kwargs, credentials }, options);
  const needed = [request.fun].flat();
  const able = Object.keys(functions).filter((id) => {
    const names = functions[id];
    return Array.isArray(names) && needed.every((fun) => names.includes(fun));
  });
  for (let at = able.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [able[at], able[other]] = [able[other]!, able[at]!];
  }
  return able.slice(0, count);
}
