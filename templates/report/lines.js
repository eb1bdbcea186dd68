/* Reads out the values of a line chart where the pointer is, or where the arrow keys have gone. */
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("data").textContent).charts;

  function figure(value, shares) {
    if (value === null) return "–";
    return shares ? `${Number((100 * value).toPrecision(3))}\u202f%` : String(Number(value.toPrecision(3))).replace("-", "−");
  }

  document.querySelectorAll(".field[data-chart]").forEach((field) => {
    const chart = charts[field.dataset.chart];
    if (!chart) return;
    const readout = field.closest("figure").querySelector(".readout");
    const rule = field.querySelector(".rule");
    let place = -1;

    function show(at) {
      place = Math.min(Math.max(at, 0), chart.steps.length - 1);
      const parts = chart.names.map((name, i) => [name, chart.values[i][place]]).filter(([, value]) => value !== null)
        .map(([name, value]) => (chart.names.length > 1 ? `${name} ` : "") + figure(value, chart.shares));
      readout.textContent = `step ${chart.steps[place]}: ${parts.join(" · ")}`;
      readout.classList.add("shown");
      rule.hidden = false;
      rule.style.left = `${100 * chart.steps[place] / chart.last}%`;
    }

    field.addEventListener("pointermove", (event) => {
      const box = field.getBoundingClientRect();
      const step = chart.last * (event.clientX - box.left) / box.width;
      let nearest = 0;
      chart.steps.forEach((one, i) => { if (Math.abs(one - step) < Math.abs(chart.steps[nearest] - step)) nearest = i; });
      show(nearest);
    });
    const leave = () => { readout.classList.remove("shown"); rule.hidden = true; };
    field.addEventListener("pointerleave", leave);
    field.addEventListener("blur", leave);
    field.addEventListener("keydown", (event) => {
      const moves = {ArrowRight: place + 1, ArrowLeft: place < 0 ? chart.steps.length - 1 : place - 1, Home: 0, End: chart.steps.length - 1};
      if (!(event.key in moves)) return;
      event.preventDefault();
      show(moves[event.key]);
    });
  });
})();
