// The search of the site: an index that was made with it, read at the first key press. Nothing leaves the page.
const form = document.querySelector(".search");
const input = form.querySelector("input");
const list = form.querySelector(".found");
const root = document.documentElement.dataset.root;
const menu = document.querySelector(".menu");
const narrow = matchMedia("(max-width: 50rem)");
form.hidden = false;
menu.open = !narrow.matches;
narrow.addEventListener("change", () => menu.open = !narrow.matches);

// The menu is longer than most windows: it begins where the page is.
const pages = document.querySelector("nav");
const current = pages.querySelector("[aria-current]");
if (current && !narrow.matches) pages.scrollTop = current.offsetTop - pages.offsetTop - pages.clientHeight / 2;

let index;

/** Loads a script of the site. */
function script(name) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = `${root}/${name}`;
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error(`Cannot load ${name}`)));
    document.head.append(element);
  });
}

/** The index, once. */
function loaded() {
  index ??= (async () => {
    await script("minisearch.js");
    await script("search-index.js");
    const { options, data } = globalThis.brineSearch;
    return globalThis.MiniSearch.loadJS(data, options);
  })();
  return index;
}

function show(results) {
  list.replaceChildren(
    ...results.slice(0, 12).map(({ id, page, heading, text }) => {
      const link = document.createElement("a");
      link.href = `${root}/${id}`;
      const title = document.createElement("b");
      title.textContent = heading === page ? page : `${page} › ${heading}`;
      const excerpt = document.createElement("small");
      excerpt.textContent = text;
      link.append(title, excerpt);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  if (results.length === 0) list.textContent = "Nothing found.";
  list.hidden = false;
}

let asked = 0;
input.addEventListener("focus", () => loaded().catch(() => {}));
input.addEventListener("input", async () => {
  const turn = ++asked;
  const words = input.value.trim();
  if (words === "") return void (list.hidden = true);
  try {
    const results = (await loaded()).search(words);
    // A later letter may have been answered first.
    if (turn === asked) show(results);
  } catch (error) {
    list.textContent = `The search does not work: ${error.message}`;
    list.hidden = false;
  }
});

function choose(step) {
  const links = [...list.querySelectorAll("a")];
  const at = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
  links[at]?.removeAttribute("aria-selected");
  const next = links[(at + step + links.length) % links.length];
  next?.setAttribute("aria-selected", "true");
  next?.scrollIntoView({ block: "nearest" });
}

input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(1);
  else if (event.key === "ArrowUp") choose(-1);
  else if (event.key === "Escape") list.hidden = true;
  else return;
  event.preventDefault();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  (list.querySelector('[aria-selected="true"]') ?? list.querySelector("a"))?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea")) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener("click", (event) => {
  if (!form.contains(event.target)) list.hidden = true;
});
