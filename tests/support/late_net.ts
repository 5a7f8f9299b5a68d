import type { Connection, Net, SocketAddress } from "../../src/runtime/net.ts";

/**
 * A net whose other side takes connections to one address late: as with a kernel, `dial` resolves before that, and what is written
 * until then is kept.
 *
 * @param taken resolves when the other side takes what was dialed
 */
export function lateNet(net: Net, at: SocketAddress, taken: Promise<void>): Net {
  return {
    ...net,
    async dial(to, options) {
      const connection = await net.dial(to, options);
      if (JSON.stringify(to) !== JSON.stringify(at)) return connection;
      connection.destroy();
      const written: Uint8Array[] = [];
      let later: Connection | undefined;
      return {
        ...connection,
        start: (handlers) =>
          void taken.then(async () => {
            later = await net.dial(to, options);
            later.start(handlers);
            for (const chunk of written) later.write(chunk);
          }),
        write: (chunk) => later?.write(chunk) ?? written.push(chunk) > 0,
        destroy: () => later?.destroy(),
      };
    },
  };
}
