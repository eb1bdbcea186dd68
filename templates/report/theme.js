/* Light, dark, or as the system says: the button goes through the three, and the choice is remembered. */
"use strict";
(() => {
  const root = document.documentElement;
  const names = {"": "as the system", light: "light", dark: "dark"};
  const recall = () => { try { return localStorage.getItem("theme") || ""; } catch { return ""; } };
  const remember = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* a file may have no storage */ } };
  const apply = (theme) => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };

  let theme = recall() in names ? recall() : "";
  apply(theme);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const label = button.querySelector("span");
    label.textContent = names[theme];
    button.hidden = false;
    button.addEventListener("click", () => {
      const order = Object.keys(names);
      theme = order[(order.indexOf(theme) + 1) % order.length];
      apply(theme);
      remember(theme);
      label.textContent = names[theme];
    });
  });
})();
