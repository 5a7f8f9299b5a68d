import { fleetQuery, type FleetView } from "../../fleet_view.ts";
import { href } from "../../route.ts";
import { DeletableItem, Menu, MenuSection, SaveAs } from "../parts/menu.tsx";
import { useStore } from "../store/store_context.ts";

/** Views of the fleet that the user has saved: target, filters, columns and order. */
export function ViewMenu({ view }: { view: FleetView }) {
  const { saved } = useStore();
  const { views } = saved.current.value;
  return (
    <Menu icon="eye" label="Views" title="Saved views: target, filters, columns and order">
      {(close) => (
        <MenuSection title="Saved views">
          {views.map(({ name, query }) => (
            <DeletableItem
              key={name}
              name={name}
              note={query.tgt ?? ""}
              onClick={() => {
                close();
                location.hash = href("fleet", "", query);
              }}
              onDelete={() => saved.deleteView(name)}
            />
          ))}
          <SaveAs label="Name of this view" onSave={(name) => saved.saveView({ name, query: fleetQuery(view) })} />
          <p class="hint">The address of this page has the view, too: bookmark or send it.</p>
        </MenuSection>
      )}
    </Menu>
  );
}
