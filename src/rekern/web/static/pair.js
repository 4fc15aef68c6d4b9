// What if: the pair before a change is kept in the form, and the server shows what changed.
import { readState, update } from "./live.js";

const form = document.querySelector("form[data-live]");
const names = form.elements.text ? ["text"] : ["source", "target"];
const fields = names.map((name) => form.elements[name]);
const kept = [form.elements.was_source, form.elements.was_target];
const back = document.getElementById("back");

function keep() {
  kept.forEach((input, place) => {
    input.value = fields[place]?.value ?? "";
  });
  show();
}

function show() {
  back.disabled = !kept.some((input) => input.value) || fields.every((field, place) => field.value === kept[place].value);
}

// The first change is compared with what stood there before it.
for (const field of fields) {
  field.addEventListener("focus", () => {
    if (!kept.some((input) => input.value)) keep();
  });
  field.addEventListener("input", show);
}
document.getElementById("keep").addEventListener("click", () => {
  keep();
  update({ push: true });
});
back.addEventListener("click", () => {
  fields.forEach((field, place) => {
    field.value = kept[place].value;
  });
  show();
  fields[0].focus();
  update({ push: true });
});
document.getElementById("swap")?.addEventListener("click", () => {
  [fields[0].value, fields[1].value] = [fields[1].value, fields[0].value];
  show();
  update({ push: true });
});
show();
export { readState };
