/** Functions to call when a session or login ends. */
export interface EndListeners {
  add(onEnd: () => void): void;
  delete(onEnd: () => void): void;
}
