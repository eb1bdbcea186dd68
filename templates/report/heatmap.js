/* A text as tokens, each tinted by a class and one of them current. Pointing, clicking and the arrow keys choose it. */
"use strict";

const SIGNS = {"\n": "⏎\n", "\t": "⇥\t", "\r": "␍"};

/* A token's text with its line feeds shown and kept, and characters that act unseen on others by their number. */
function visible(text) {
  return text.replace(/[\n\t\r]|[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (c) => SIGNS[c] || `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/* A number in three significant digits. */
function figure(value) {
  if (value < 0) return `−${figure(-value)}`;
  if (value === 0) return "0";
  if (value < 0.0005) {
    const [mantissa, exponent] = value.toExponential(2).split("e-");
    return `${mantissa} × 10⁻${[...exponent].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
  }
  return value.toFixed(Math.max(2 - Math.floor(Math.log10(value)), 0));
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/* onCurrent(index) runs whenever another token becomes current; nameOf(index) is what a screen reader says of it. */
function createHeatMap(container, {onCurrent, nameOf}) {
  let spans = [];
  let current = -1;

  function show(tokens) {
    current = -1;
    spans = tokens.map((token, i) => {
      const span = document.createElement("span");
      span.className = "t";
      span.textContent = visible(token) || "∅";
      span.dataset.i = i;
      span.tabIndex = i ? -1 : 0;
      span.setAttribute("role", "option");
      return span;
    });
    container.replaceChildren(...spans);
  }

  function tint(classes) {
    spans.forEach((span, i) => { span.dataset.heat = classes[i]; });
  }

  function choose(i, focus) {
    if (!spans[i]) return;
    if (i !== current) {
      const before = spans[current] || spans[0];
      before.tabIndex = -1;
      before.setAttribute("aria-selected", "false");
      current = i;
      spans[i].tabIndex = 0;
      spans[i].setAttribute("aria-selected", "true");
      spans[i].setAttribute("aria-label", nameOf(i));
      onCurrent(i);
    }
    if (focus) spans[i].focus();
  }

  /* The token above or below: on the nearest other line, the one that starts nearest. */
  function acrossLines(direction) {
    const here = spans[current].getClientRects()[0];
    let line = null;
    let best = current;
    let distance = Infinity;
    for (let i = current + direction; spans[i]; i += direction) {
      const box = spans[i].getClientRects()[0];
      if (!box || (box.top - here.top) * direction < here.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > here.height / 2) break;
      if (Math.abs(box.left - here.left) < distance) {
        distance = Math.abs(box.left - here.left);
        best = i;
      }
    }
    return best;
  }

  const moves = {
    ArrowRight: () => Math.min(current + 1, spans.length - 1),
    ArrowLeft: () => Math.max(current - 1, 0),
    ArrowDown: () => acrossLines(1),
    ArrowUp: () => acrossLines(-1),
    Home: () => 0,
    End: () => spans.length - 1,
  };
  const indexOf = (event) => {
    const span = event.target.closest(".t");
    return span ? Number(span.dataset.i) : -1;
  };

  container.setAttribute("role", "listbox");
  container.classList.add("heatmap");
  container.addEventListener("pointerover", (event) => choose(indexOf(event), false));
  container.addEventListener("focusin", (event) => choose(indexOf(event), false));
  container.addEventListener("click", (event) => choose(indexOf(event), true));
  container.addEventListener("keydown", (event) => {
    if (!moves[event.key] || current < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(moves[event.key](), true);
  });

  return {show, tint, choose};
}
