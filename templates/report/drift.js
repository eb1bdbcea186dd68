/* The reader of the drift report: one response at a time, tinted by drift under one kind or on average. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data.responses.length) return;
  const $ = (id) => document.getElementById(id);
  const MEAN = -1;
  let response = data.responses[0];
  let kind = MEAN;
  let token = 0;

  const spaces = (text) => "␣".repeat(text.length);
  const probability = (surprise) => figure(Math.exp(-surprise / 1000));
  const tokenDrift = (units) => (units > 0 && units < 5 ? "< 0.0005" : figure(units / 10000));
  const drifts = (of) => (of === MEAN ? response.drift : response.drift_by_kind[of]);
  const heat = (drift) => data.edges.filter((edge) => drift / 10000 >= edge).length;

  const map = createHeatMap($("tokens"), {
    onCurrent: (i) => { token = i; inspect(); },
    nameOf: (i) => {
      const d = drifts(kind);
      return `${visible(response.tokens[i]).trim() || "space"}, drift ${d ? tokenDrift(d[i]) : "unknown"}`;
    },
  });
  $("tokens").setAttribute("aria-label", "Tokens of the response; arrow keys move between them");

  function inspect() {
    const shown = element("p", undefined, "current");
    shown.append(element("code", visible(response.tokens[token]).trimEnd().replace(/^ +/, spaces) || spaces(response.tokens[token]) || "∅", "token"));
    const note = `${data.categories[response.categories[token]]} · token ${response.first + token + 1} of ${response.total}`;
    const table = element("table");
    const head = table.createTHead().insertRow();
    ["under", "p", "drift"].forEach((name) => head.append(element("th", name)));
    const body = table.createTBody();
    const row = (name, p, drift, isCurrent) => {
      const made = body.insertRow();
      made.append(element("th", name), element("td", p), element("td", drift === null ? "–" : tokenDrift(drift)));
      if (drift !== null) made.lastChild.dataset.heat = heat(drift);
      if (isCurrent) made.className = "chosen";
    };
    row("original", response.surprise ? probability(response.surprise[token]) : "–", null, false);
    data.kinds.forEach((name, k) => {
      const surprise = response.surprise_by_kind[k];
      const many = response.rewrites[k] > 1 ? ` (mean of ${response.rewrites[k]})` : "";
      const drift = response.drift_by_kind[k];
      row(name + many, surprise ? probability(surprise[token]) : "–", drift ? drift[token] : null, k === kind);
    });
    row("mean of kinds", "", response.drift[token], kind === MEAN);
    $("inspector").replaceChildren(shown, element("p", note, "note"), table);
  }

  function paint() {
    const values = drifts(kind);
    map.tint(response.tokens.map((_, i) => (values ? heat(values[i]) : 0)));
    const mean = kind === MEAN ? response.mean : response.means[kind];
    const name = kind === MEAN ? "on average over the kinds" : `under ${data.kinds[kind]}`;
    const verdict = response.correct === null ? "" : response.correct ? "right" : "wrong";
    const answer = response.answer === null ? "no answer" : `answer ${visible(response.answer)}`;
    const ending = response.stop === "length" ? "cut at the limit" : "";
    $("response-facts").textContent = [mean === null ? `This problem has no rewrite of ${data.kinds[kind]}`
      : `Mean drift ${figure(mean)} ${name}`, answer, verdict, ending].filter(Boolean).join(" · ");
    inspect();
    showPrompts();
  }

  /* The original with one rewrite's steps applied: n > 0 keeps n characters, n < 0 drops them, a text comes in. */
  function difference(original, steps) {
    const made = element("p", undefined, "text");
    let at = 0;
    for (const step of steps) {
      if (typeof step === "string") { made.append(element("ins", visible(step))); continue; }
      const part = visible(original.slice(at, at + Math.abs(step)));
      made.append(step > 0 ? part : element("del", part));
      at += Math.abs(step);
    }
    return made;
  }

  function showPrompts() {
    const prompt = data.prompts[response.problem];
    const parts = [element("h4", "original"), element("p", visible(prompt.text), "text")];
    for (const rewrite of prompt.rewrites) {
      if (kind !== MEAN && rewrite.kind !== data.kinds[kind]) continue;
      parts.push(element("h4", rewrite.kind), difference(prompt.text, rewrite.steps));
    }
    if (prompt.answer !== null) parts.push(element("p", `Reference answer: ${visible(prompt.answer)}`, "note"));
    if (prompt.cut) parts.push(element("p", "Only the beginning is shown.", "note"));
    $("prompts").replaceChildren(...parts);
  }

  function open(index, place = 0, focus = false) {
    response = data.responses[index];
    token = place;
    $("pick").value = index;
    $("previous").disabled = index === 0;
    $("next").disabled = index === data.responses.length - 1;
    $("response-name").textContent = `${response.problem}, sample ${response.sample}`;
    const last = response.first + response.tokens.length;
    $("response-cut").textContent = response.tokens.length < response.total
      ? `Shown: tokens ${response.first + 1} to ${last} of ${response.total}, around the one that drifts most.` : "";
    map.show(response.tokens);
    paint();
    map.choose(place, focus);
  }

  function sharpest() {
    const values = drifts(kind) || response.drift;
    return values.indexOf(Math.max(...values));
  }

  const groups = {most: "Most drifting", random: "Drawn at random", moment: "With a sharp moment"};
  for (const [why, label] of Object.entries(groups)) {
    const group = element("optgroup");
    group.label = label;
    data.responses.forEach((one, i) => {
      if (one.why !== why) return;
      const mark = one.correct === null ? "" : one.correct ? " · right" : " · wrong";
      const option = element("option", `${one.problem}, sample ${one.sample} · drift ${figure(one.mean)}${mark}`);
      option.value = i;
      group.append(option);
    });
    if (group.children.length) $("pick").append(group);
  }
  $("pick").addEventListener("change", () => open(Number($("pick").value)));
  $("previous").addEventListener("click", () => open(Number($("pick").value) - 1));
  $("next").addEventListener("click", () => open(Number($("pick").value) + 1));
  $("sharpest").addEventListener("click", () => map.choose(sharpest(), true));
  document.querySelectorAll("input[name=kind]").forEach((input) => input.addEventListener("change", () => {
    kind = Number(input.value);
    paint();
  }));
  document.querySelectorAll("a[data-response]").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    open(Number(link.dataset.response), Number(link.dataset.place), true);
    document.activeElement.scrollIntoView({block: "center"});
  }));
  const checked = document.querySelector("input[name=kind]:checked");
  kind = checked ? Number(checked.value) : MEAN;
  $("reader").hidden = false;
  open(0, sharpest());
})();
