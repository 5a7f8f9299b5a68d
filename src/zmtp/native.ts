import { SaltError } from "../errors.ts";
import type { SocketFactory } from "./types.ts";
export function nativeSockets(): Promise<SocketFactory> {
  return Promise.reject(new SaltError("X", "x"));
}
