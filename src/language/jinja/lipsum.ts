import { PythonError } from "../python/python_error.ts";
import { Markup } from "./markup.ts";

const WORDS =
  "a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class commodo congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus dapibus diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo libero ligula litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris metus mi molestie mollis montes morbi mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra nulla nullam nunc odio orci ornare parturient pede pellentesque penatibus per pharetra phasellus placerat platea porta porttitor posuere potenti praesent pretium primis proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien scelerisque sed sem semper senectus sit sociis sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempor tempus tincidunt torquent tortor tristique turpis ullamcorper ultrices ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae vivamus viverra volutpat vulputate"
    .split(" ");

/** The most words that one call may make. */
const MAX_WORDS = 1_000_000;

/** Jinja2's `lipsum`: paragraphs of filler text. */
export function lipsum(paragraphs: number, html: boolean, min: number, max: number): unknown {
  if (max <= min) throw new PythonError("ValueError", `empty range for randrange() (${min}, ${max}, ${max - min})`);
  if (paragraphs * max > MAX_WORDS) throw new PythonError("ValueError", `lipsum makes ${MAX_WORDS} words at most`);
  const texts = Array.from({ length: paragraphs }, () => {
    const count = min + Math.floor(Math.random() * (max - min));
    const words: string[] = [];
    let starts = true;
    for (let at = 0; at < count; at++) {
      let word = WORDS[Math.floor(Math.random() * WORDS.length)]!;
      if (starts) word = word[0]!.toUpperCase() + word.slice(1);
      starts = at === count - 1 || Math.random() < 0.08;
      words.push(starts ? `${word}.` : word);
    }
    return words.join(" ");
  });
  return html ? new Markup(texts.map((text) => `<p>${text}</p>`).join("\n")) : texts.join("\n\n");
}
