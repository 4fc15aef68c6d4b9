// The description of the API, drawn from /openapi.json.
const result = document.getElementById("result");

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function findSchema(schema, all) {
  const name = schema?.$ref?.split("/").pop();
  return name ? all.components.schemas[name] : schema;
}

function nameType(schema) {
  if (!schema) return "";
  if (schema.anyOf) return [...new Set(schema.anyOf.map(nameType))].filter((one) => one && one !== "null").join(" or ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (schema.const) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${nameType(schema.items) || "values"}`;
  return schema.type ?? "";
}

function listFields(rows) {
  const body = rows.map(([name, type, about]) =>
    make("tr", {}, make("td", {}, make("code", {}, name)), make("td", {}, type), make("td", {}, about)),
  );
  const head = make("tr", {}, ...["field", "type", "meaning"].map((one) => make("th", {}, one)));
  const table = make("table", { class: "list" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Fields" }, table);
}

function describe(path, method, operation, all) {
  const card = make("article", { class: "card api" });
  card.append(make("h2", {}, make("span", { class: "method" }, method.toUpperCase()), " ", make("code", {}, path)));
  card.append(make("p", {}, make("strong", {}, operation.summary ?? ""), ` ${(operation.description ?? "").replaceAll("`", "").replaceAll("\n\n", " ")}`));
  const schema = findSchema(operation.requestBody?.content["application/json"]?.schema, all);
  const rows = (operation.parameters ?? []).map((one) => [one.name, nameType(one.schema), one.schema.default === undefined ? "" : `by default ${one.schema.default}`]);
  for (const [name, field] of Object.entries(schema?.properties ?? {})) rows.push([name, nameType(field), field.description ?? ""]);
  if (rows.length) card.append(listFields(rows));
  const example = schema?.examples?.[0];
  const address = `${location.origin}${path}`;
  const command = example
    ? `curl ${address} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(example)}'`
    : `curl ${address}`;
  card.append(make("pre", { tabindex: "0", role: "region", "aria-label": `Example of ${path}` }, command));
  return card;
}

const answer = await fetch("/openapi.json");
const all = await answer.json();
result.replaceChildren(
  ...Object.entries(all.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation, all)),
  ),
);
