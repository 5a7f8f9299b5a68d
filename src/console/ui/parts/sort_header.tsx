import { Icon } from "./icon.tsx";

/** The header of a column; a press sorts by it, another one turns the order round. */
export function SortHeader<Column extends string>(
  { column, label, order, onOrder, wide = false, firstDown = false }: {
    column: Column;
    label: string;
    order: { column: Column; down: boolean } | undefined;
    onOrder(order: { column: Column; down: boolean }): void;
    /** Not on narrow screens. */
    wide?: boolean | undefined;
    /** Whether the largest value comes first at first. */
    firstDown?: boolean;
  },
) {
  const isOn = order?.column === column;
  return (
    <span
      role="columnheader"
      class={wide ? "wide" : ""}
      aria-sort={!isOn ? "none" : order.down ? "descending" : "ascending"}
    >
      <button
        type="button"
        class="sort"
        title={`Sort by ${label.toLowerCase()}`}
        onClick={() => onOrder({ column, down: isOn ? !order.down : firstDown })}
      >
        {label}
        {isOn && <Icon name={order.down ? "down" : "up"} size={12} />}
      </button>
    </span>
  );
}
