/** The length of a slice in milliseconds: longer work is cut into slices, so that the page answers keys and clicks between them. */
const SLICE_MS = 16;

interface Pauses {
  /** True once the current slice is over. */
  due(): boolean;
  /** Lets the browser do waiting work; then the next slice begins. */
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
