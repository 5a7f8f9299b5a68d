import { Icon } from "./icon.tsx";

/** The header of a column; a click sorts by the column, another one reverses the order. */
export function SortHeader<Column extends string>(
  { column, label, order, onOrder, wide = false, firstDown = false }: {
    column: Column;
    label: string;
    order: { column: Column; down: boolean } | undefined;
    onOrder(order: { column: Column; down: boolean }): void;
    /** True if the column is hidden on narrow screens. */
    wide?: boolean | undefined;
    /** True if the first click puts the largest value first. */
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
