export { isRecord } from "../../base/record.ts";

/**
 * A load as received: its fields are checked where they are used.
 *
 * @internal
 */
export type Load = Record<string, unknown>;
