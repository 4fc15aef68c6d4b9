// A form whose result is shown while one types, and whose state stands in the address.
import { showProblem } from "./problem.js";

const form = document.querySelector("form[data-live]");
const result = document.getElementById("result");
const status = document.getElementById("status");
const WAIT = form.dataset.live === "submit" ? null : 20; // milliseconds after the last key

let controller = null;
let timer = 0;

/** Tell those who listen to the page what has changed. */
export function say(words) {
  status.textContent = words;
}

/** The fields of the form as the query of an address; an empty field stays, so that it is not filled in again. */
export function readState() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value || document.getElementById(name)) fields.append(name, value);
  }
  return fields;
}

/** Ask the server for the part of the page that changes, and show it. */
export async function refresh(address, { push = false } = {}) {
  controller?.abort();
  controller = new AbortController();
  const { signal } = controller;
  form.setAttribute("aria-busy", "true");
  remember(address, push);
  try {
    let answer = await ask(address, signal);
    if (answer.status === 429 || answer.status === 503) {
      const seconds = Number(answer.headers.get("Retry-After")) || 1;
      await new Promise((go) => setTimeout(go, 1000 * seconds));
      if (signal.aborted) return;
      answer = await ask(address, signal);
    }
    if (answer.redirected && new URL(answer.url).pathname === "/sign-in") {
      location.assign("/sign-in");
      return;
    }
    const html = await answer.text();
    if (signal.aborted) return;
    if ((answer.headers.get("Content-Type") || "").startsWith("text/html")) {
      result.innerHTML = html;
      say(result.querySelector("[data-summary]")?.dataset.summary ?? result.textContent.trim());
    } else {
      showProblem(JSON.parse(html).detail);
    }
  } catch (error) {
    if (error.name !== "AbortError") showProblem("The server does not answer.");
  } finally {
    if (!signal.aborted) form.removeAttribute("aria-busy");
  }
}

function ask(address, signal) {
  return fetch(`${address}&part=1`, { signal, headers: { Accept: "text/html" } });
}

let addressTimer = 0;
let shown = location.search; // the state that the page shows
function remember(address, push) {
  clearTimeout(addressTimer);
  const set = () => {
    history[push ? "pushState" : "replaceState"](null, "", address);
    shown = location.search;
  };
  if (push) set();
  else addressTimer = setTimeout(set, 200); // browsers allow few at once
}

/** Show the result of the form as it is now. */
export function update(options) {
  clearTimeout(timer);
  return refresh(`${location.pathname}?${readState()}`, options);
}

form.addEventListener("input", (event) => {
  if (event.target.dataset.reload !== undefined) return;
  if (WAIT === null && event.target.tagName !== "SELECT") return;
  clearTimeout(timer);
  timer = setTimeout(update, WAIT ?? 0);
});
form.addEventListener("change", (event) => {
  if (event.target.dataset.reload !== undefined) location.assign(`${location.pathname}?${event.target.name}=${event.target.value}`);
  else if (event.target.id === "model") location.assign(`${location.pathname}?model=${encodeURIComponent(event.target.value)}`);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  update({ push: true });
});
// Links inside of the result that only change the result.
result.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-part]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  refresh(link.getAttribute("href"), { push: true }).then(() => {
    const first = result.querySelector("article");
    if (first) {
      first.setAttribute("tabindex", "-1");
      first.focus();
    }
  });
});
window.addEventListener("popstate", () => {
  if (location.search !== shown) location.reload(); // a place on the page, such as #main, is no other state
});
