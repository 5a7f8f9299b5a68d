import { Tuple } from "../python/values.ts";

/** A group of `groupby`: a pair whose parts also have names. */
export class GroupTuple extends Tuple<unknown> {
  static make(grouper: unknown): GroupTuple {
    const group = new GroupTuple();
    group.push(grouper, []);
    return group;
  }

  get grouper(): unknown {
    return this[0];
  }

  get list(): unknown {
    return this[1];
  }
}
