import { MAX_SOCKET_MESSAGE, NOT_TEXT, TOO_LARGE } from "../http.ts";
import type { WebSocketHandlers, WebSocketPeer } from "../http.ts";

/** The socket of a peer, as `Deno.upgradeWebSocket` returns it. */
export interface DenoSocket {
  bufferedAmount: number;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export class DenoWebSockets {
  readonly #open = new Set<DenoSocket>();

  /** Calls the handlers of an upgrade for its socket. */
  attach(socket: DenoSocket, handlers: WebSocketHandlers): void {
    const peer = peerOf(socket);
    let closed = false;
    const end = () => {
      if (closed) return;
      closed = true;
      this.#open.delete(socket);
      handlers.onClose?.();
    };
    socket.onopen = () => {
      this.#open.add(socket);
      handlers.onOpen?.(peer);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") socket.close(NOT_TEXT, "Expected text");
      // Deno has no limit of its own.
      else if (data.length > MAX_SOCKET_MESSAGE) socket.close(TOO_LARGE, "The message is too large");
      else handlers.onMessage?.(data, peer);
    };
    socket.onclose = end;
    socket.onerror = end;
  }

  closeAll(code: number): void {
    for (const socket of this.#open) socket.close(code);
  }
}

function peerOf(socket: DenoSocket): WebSocketPeer {
  return {
    send: (text) => socket.send(text),
    get buffered() {
      return socket.bufferedAmount;
    },
    close: (code, reason) => socket.close(code, reason),
  };
}
