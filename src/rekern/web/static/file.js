// A file is sent as it is; progress, rows and a summary come back line by line. Nothing is stored.
import { showProblem } from "./problem.js";

const form = document.getElementById("file-form");
const input = document.getElementById("file");
const drop = document.getElementById("drop");
const stop = document.getElementById("stop");
const progress = document.getElementById("progress");
const download = document.getElementById("download");
const report = document.getElementById("report");
const result = document.getElementById("result");
const status = document.getElementById("status");
const FORMATS = { tsv: "tsv", tab: "tsv", txt: "tsv", csv: "csv", jsonl: "jsonl", ndjson: "jsonl", json: "json", parquet: "parquet", pq: "parquet" };

let controller = null;
let dropped = null;

drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files.length) {
    input.files = event.dataTransfer.files;
    dropped = event.dataTransfer.files[0];
    send();
  }
});
input.addEventListener("change", () => {
  dropped = null;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});

/** The model, the format and the names of the columns, as the query of an address. */
function readState() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string" && value) fields.append(name, value);
  return fields;
}

form.addEventListener("change", (event) => {
  const address = `${location.pathname}?${readState()}`;
  if (event.target.id === "model") location.assign(address); // another model may need other columns
  else history.replaceState(null, "", address);
});
stop.addEventListener("click", () => controller?.abort());

function offer(link, name, type, pieces) {
  if (link.href) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob(pieces, { type }));
  link.download = name;
  link.hidden = false;
}

async function send() {
  const file = dropped ?? input.files[0];
  if (!file) {
    showProblem("Choose a file first.");
    input.focus();
    return;
  }
  const ending = file.name.split(".").pop().toLowerCase();
  const format = form.elements.format.value || FORMATS[ending];
  if (!format) {
    showProblem(`The ending .${ending} tells no format: choose one.`);
    form.elements.format.focus();
    return;
  }
  if (file.size > Number(form.dataset.most)) {
    showProblem(`The file has ${(file.size / 1e6).toFixed(1)} MB; at most ${form.dataset.most / 1e6} MB can be sent.`);
    return;
  }
  controller?.abort();
  controller = new AbortController();
  stop.disabled = false;
  progress.hidden = false;
  progress.removeAttribute("value");
  download.hidden = report.hidden = true;
  result.replaceChildren();
  status.textContent = "The file is being predicted.";
  const pieces = [];
  let name = "predictions.tsv";
  const query = readState();
  query.set("format", format);
  try {
    const answer = await fetch(`/file?${query}`, { method: "POST", body: file, signal: controller.signal, headers: { "Content-Type": "application/octet-stream" } });
    if (!answer.ok) {
      showProblem((await answer.json()).detail);
      return;
    }
    for await (const event of readLines(answer.body)) {
      if (event.problem) {
        showProblem(event.problem);
        return;
      }
      name = event.name ?? name;
      if (event.table) pieces.push(event.table);
      if (event.total) {
        progress.max = event.total;
        progress.value = event.progress;
      }
      if (event.report) offer(report, "report.html", "text/html", [event.report]);
      if (event.html) {
        result.innerHTML = event.html;
        status.textContent = event.summary;
        offer(download, name, "text/plain", pieces);
      }
    }
  } catch (error) {
    showProblem(error.name === "AbortError" ? "Stopped." : "The server does not answer.");
  } finally {
    stop.disabled = true;
    progress.hidden = true;
  }
}

async function* readLines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
    if (done) return;
  }
}
