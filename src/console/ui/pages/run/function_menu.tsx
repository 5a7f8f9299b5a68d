import { href } from "../../../route.ts";
import { argumentText } from "../../../job_arguments.ts";
import type { Favourite } from "../../../saved.ts";
import { DeletableItem, Menu, MenuItem, MenuSection, SaveAs } from "../../parts/menu.tsx";
import type { TargetValue } from "../../../preview.ts";
import { useStore } from "../../store/store_context.ts";

/** Functions to choose from: favorites with their arguments, and recently used ones. */
export function FunctionMenu(
  { command, target }: {
    /** The current contents of the form. */
    command: Omit<Favourite, "name">;
    target: TargetValue;
  },
) {
  const store = useStore();
  const { where, fun, arg, kwarg } = command;
  const { favourites, recent } = store.saved.current.value;
  const used = recent.filter(({ where, fun }, at) =>
    recent.findIndex((other) => other.fun === fun && other.where === where) === at
  ).slice(0, SHOWN);
  return (
    <Menu icon="star" label="Favorites" title="Saved and recent functions with arguments">
      {(close) => {
        const take = (address: string) => {
          close();
          location.hash = address;
        };
        return (
          <>
            <MenuSection title="Favorites">
              {favourites.map((one) => (
                <DeletableItem
                  key={one.name}
                  name={one.name}
                  note={`${one.fun} ${textOfArguments(one)}`}
                  onClick={() => take(runFavourite(one, target))}
                  onDelete={() => store.saved.deleteFavourite(one.name)}
                />
              ))}
              {fun === ""
                ? favourites.length === 0 && <p class="hint">Choose a function to save it with its arguments.</p>
                : (
                  <>
                    <SaveAs
                      label={`Name of ${fun} with these arguments`}
                      onSave={(name) => store.saved.saveFavourite({ name, where, fun, arg, kwarg })}
                    />
                    <p class="hint">Arguments are kept in this browser: save no passwords.</p>
                  </>
                )}
            </MenuSection>
            {used.length > 0 && (
              <MenuSection title="Recent">
                {used.map(({ where, fun }) => (
                  <MenuItem
                    key={`${where} ${fun}`}
                    onClick={() => take(href("run", "", { where, fun, tgt: target.tgt, tgt_type: target.type }))}
                  >
                    <span class="mono">{fun}</span> {where !== "minions" && <span class="muted small">{where}</span>}
                  </MenuItem>
                ))}
              </MenuSection>
            )}
          </>
        );
      }}
    </Menu>
  );
}

const SHOWN = 10;

const textOfArguments = ({ arg, kwarg }: Favourite) =>
  argumentText([...arg, { ...kwarg, __kwarg__: true }]).slice(0, 80);

/** The address of the form with a favourite filled in. */
export function runFavourite({ where, fun, arg, kwarg }: Favourite, target?: TargetValue): string {
  return href("run", "", {
    where,
    fun,
    tgt: target?.tgt ?? "",
    tgt_type: target?.type ?? "",
    arg: JSON.stringify(arg),
    kwarg: Object.keys(kwarg).length > 0 ? JSON.stringify(kwarg) : "",
  });
}
