/* The reader of the training report: one completion at a time, tinted by credit, advantage, drift or surprise. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data.responses.length) return;
  const $ = (id) => document.getElementById(id);
  const SCALES = {credit: 1000, drift: 10000, surprise: 1000};
  const NAMES = {credit: "credit u, size", advantage: "advantage Ã, size", drift: "drift", surprise: "surprise, nats"};
  let response = data.responses[0];
  let view = "credit";
  let token = 0;

  /* The value of a token in a view, or null where there is none. */
  function value(of, i) {
    if (of === "advantage") {
      if (response.advantage === null) return null;
      return response.advantage + (response.credit ? response.lambda * response.credit[i] / SCALES.credit : 0);
    }
    return response[of] ? response[of][i] / SCALES[of] : null;
  }
  const shown = (of, i) => { const found = value(of, i); return found === null ? "–" : figure(found); };
  const heat = (of, i) => { const size = Math.abs(value(of, i) ?? 0); return data.edges[of].filter((edge) => size >= edge).length; };

  const map = createHeatMap($("tokens"), {
    onCurrent: (i) => { token = i; inspect(); },
    nameOf: (i) => `${visible(response.tokens[i]).trim() || "space"}, ${NAMES[view]} ${shown(view, i)}`,
  });
  $("tokens").setAttribute("aria-label", "Tokens of the response; arrow keys move between them");

  function inspect() {
    if (!response.tokens.length) { $("inspector").replaceChildren(element("p", "The response is empty.", "note")); return; }
    const text = visible(response.tokens[token]).trimEnd() || "␣".repeat(response.tokens[token].length) || "∅";
    const line = element("p", undefined, "current");
    line.append(element("code", text.replace(/^ +/, (spaces) => "␣".repeat(spaces.length)), "token"));
    const table = element("table");
    const body = table.createTBody();
    const row = (name, text, of) => {
      const made = body.insertRow();
      made.append(element("th", name), element("td", text));
      if (of) made.lastChild.dataset.heat = heat(of, token);
      if (of === view) made.className = "chosen";
    };
    row("advantage A of the response", response.advantage === null ? "–" : figure(response.advantage));
    row("credit u", shown("credit", token), "credit");
    row("λ u", response.credit ? figure(response.lambda * value("credit", token)) : "–");
    row("advantage Ã = A + λ u", shown("advantage", token), "advantage");
    row("drift, mean of kinds", shown("drift", token), "drift");
    row("surprise, nats", shown("surprise", token), "surprise");
    row("probability p", response.surprise ? figure(Math.exp(-value("surprise", token))) : "–");
    $("inspector").replaceChildren(line, element("p", `token ${response.first + token + 1} of ${response.total}`, "note"), table);
  }

  function ramp() {
    const parts = [element("span", `${NAMES[view]}: below ${data.edges[view][0]}`), element("i", undefined, "h0")];
    data.edges[view].forEach((edge, i) => parts.push(element("i", undefined, `h${i + 1}`), element("span", String(edge))));
    parts.push(element("span", "and above", "last"));
    $("ramp").replaceChildren(...parts);
  }

  /* A view that the response has no values for stays unchosen. */
  function paint() {
    document.querySelectorAll("input[name=view]").forEach((input) => {
      input.disabled = input.value === "advantage" ? response.advantage === null : !response[input.value];
      input.checked = input.value === view;
    });
    map.tint(response.tokens.map((_, i) => heat(view, i)));
    ramp();
    inspect();
  }

  function strongest() {
    const sizes = response.tokens.map((_, i) => Math.abs(value(view, i) ?? 0));
    return Math.max(sizes.indexOf(Math.max(...sizes)), 0);
  }

  function open(index, focus = false) {
    response = data.responses[index];
    const can = (of) => (of === "advantage" ? response.advantage !== null : Boolean(response[of]));
    if (!can(view)) view = ["credit", "advantage", "surprise"].find(can) || "surprise";
    fill(response.step);
    $("step").value = response.step;
    $("pick").value = index;
    $("previous").disabled = index === 0;
    $("next").disabled = index === data.responses.length - 1;
    $("response-name").textContent = `${visible(response.problem)}, sample ${response.sample}`;
    const ending = {length: "cut at the limit", eos: ""}[response.stop] ?? "";
    $("response-facts").textContent = [`Step ${response.step}`, response.reward === null ? "no reward" : `reward ${figure(response.reward)}`,
      response.advantage === null ? "left out of its group" : `advantage ${figure(response.advantage)}`,
      `λ ${figure(response.lambda)}`, response.credit ? "" : "not probed", ending].filter(Boolean).join(" · ");
    const last = response.first + response.tokens.length;
    $("response-cut").textContent = response.tokens.length < response.total
      ? `Shown: tokens ${response.first + 1} to ${last} of ${response.total}, around the one with the largest credit.` : "";
    const parts = [element("h4", response.kind), element("p", visible(data.prompts[response.prompt]), "text")];
    if (response.answer !== null) parts.push(element("p", `Reference answer: ${visible(response.answer)}`, "note"));
    $("prompts").replaceChildren(...parts);
    map.show(response.tokens);
    token = 0;
    paint();
    map.choose(strongest(), focus);
  }

  /* The picker holds the responses of one step. */
  function fill(step) {
    const options = data.responses.flatMap((one, i) => {
      if (one.step !== step) return [];
      const reward = one.reward === null ? "no reward" : `reward ${figure(one.reward)}`;
      const option = element("option", `${visible(one.problem)}, sample ${one.sample} · ${reward}`);
      option.value = i;
      return [option];
    });
    $("pick").replaceChildren(...options);
  }

  for (const step of new Set(data.responses.map((one) => one.step))) {
    const option = element("option", String(step));
    option.value = step;
    $("step").append(option);
  }
  $("step").addEventListener("change", () => open(data.responses.findIndex((one) => one.step === Number($("step").value))));
  $("pick").addEventListener("change", () => open(Number($("pick").value)));
  $("previous").addEventListener("click", () => open(Number($("pick").value) - 1));
  $("next").addEventListener("click", () => open(Number($("pick").value) + 1));
  $("sharpest").addEventListener("click", () => map.choose(strongest(), true));
  document.querySelectorAll("input[name=view]").forEach((input) => input.addEventListener("change", () => {
    view = input.value;
    paint();
  }));
  $("reader").hidden = false;
  open(0);
})();
