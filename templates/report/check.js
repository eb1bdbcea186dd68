/* Narrows the list of rewrites by what a reader chooses; without it, all of them are there. */
"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (!filters) return;
  const selects = [...filters.querySelectorAll("select")];
  const groups = [...document.querySelectorAll(".group")].map((group) => ({
    group, opened: group.open, matches: group.querySelector(".matches"), cases: [...group.querySelectorAll(".case")],
  }));

  const sections = [...document.querySelectorAll(".cases")].map((section) => ({
    section, total: section.querySelector(".total"), whole: section.querySelector(".total").textContent,
  }));

  function matches(one, wanted) {
    return wanted.every(([key, value]) => key === "checks" ? one.dataset.checks.split(" ").includes(value) : one.dataset[key] === value);
  }

  function narrow() {
    const wanted = selects.filter((select) => select.selectedIndex > 0).map((select) => [select.dataset.key, select.value]);
    let all = 0, shown = 0;
    for (const {group, opened, matches: number, cases} of groups) {
      let here = 0;
      for (const one of cases) {
        one.hidden = !matches(one, wanted);
        here += !one.hidden;
      }
      all += cases.length;
      shown += here;
      number.textContent = here.toLocaleString("en");
      group.hidden = wanted.length > 0 && here === 0;
      group.open = wanted.length > 0 ? here > 0 : opened;
    }
    for (const {section, total, whole} of sections) {
      const here = section.querySelectorAll(".case:not([hidden])").length;
      total.textContent = wanted.length > 0 ? `${here.toLocaleString("en")} of ${whole}` : whole;
    }
    document.getElementById("matching").textContent = wanted.length ? `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} match` : "";
  }

  filters.hidden = false;
  filters.addEventListener("change", narrow);
  narrow();
})();
