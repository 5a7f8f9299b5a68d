import { MAX_SOCKET_MESSAGE, NOT_TEXT } from "../http.ts";
import type { WebSocketHandlers, WebSocketPeer } from "../http.ts";

interface BunSocket {
  data: SocketData;
  send(text: string): number;
  getBufferedAmount(): number;
  close(code?: number, reason?: string): void;
}

export interface SocketData {
  handlers: WebSocketHandlers;
  peer?: WebSocketPeer;
}

export class BunWebSockets {
  readonly #open = new Set<BunSocket>();

  readonly options = {
    idleTimeout: 0,
    sendPings: true,
    maxPayloadLength: MAX_SOCKET_MESSAGE,
    open: (socket: BunSocket) => {
      this.#open.add(socket);
      const peer = peerOf(socket);
      socket.data.peer = peer;
      socket.data.handlers.onOpen?.(peer);
    },
    message: (socket: BunSocket, message: string | Uint8Array) => {
      if (typeof message === "string") socket.data.handlers.onMessage?.(message, socket.data.peer!);
      else socket.close(NOT_TEXT, "Expected text");
    },
    close: (socket: BunSocket) => {
      this.#open.delete(socket);
      socket.data.handlers.onClose?.();
    },
  };

  closeAll(code: number): void {
    for (const socket of this.#open) socket.close(code);
  }
}

function peerOf(socket: BunSocket): WebSocketPeer {
  return {
    send: (text) => void socket.send(text),
    get buffered() {
      return socket.getBufferedAmount();
    },
    close: (code, reason) => socket.close(code, reason),
  };
}
