/** Work longer than this is cut into slices, so that the page goes on answering keys and clicks between them. */
const SLICE_MS = 16;

export interface Pauses {
  /** True once the current slice is over. */
  due(): boolean;
  /** Lets the browser do what waits; then the next slice begins. */
  next(): Promise<void>;
}

export function pauses(): Pauses {
  let until = performance.now() + SLICE_MS;
  return {
    due: () => performance.now() >= until,
    next: async () => {
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + SLICE_MS;
    },
  };
}
