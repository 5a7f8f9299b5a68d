/** A network between a client and a server that can be cut. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CutProxy extends AsyncDisposable {
  url: string;
  /** Breaks all connections, and refuses others until {@link CutProxy.mend}. */
  cut(): void;
  mend(): void;
  /** Connections that were made so far. */
  readonly made: number;
}

/** @param to the address of the server on the loopback, `http://127.0.0.1:8000`, or with `https:`: what passes is not looked at */
export async function cutProxy(to: string): Promise<CutProxy> {
  const { port: text, protocol } = new URL(to);
  const port = Number(text);
  const sockets = new Set<Socket>();
  let [open, made] = [true, 0];
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    made++;
    const far = connect(port, "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => void (open = true),
    get made() {
      return made;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
