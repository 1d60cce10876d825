/** Runs first, so the page starts in every browser locale and reports if it cannot start. */

// uPlot formats numbers in the browser's language, even if it is not a valid tag: Chromium names `en-US@posix` for
// LANG=C.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-GB" });
}

function showFailure(reason: unknown): void {
  if (document.querySelector(".summary") !== null) return;
  const text = document.createElement("p");
  text.className = "waiting";
  text.setAttribute("role", "alert");
  text.textContent = `The console could not start: ${String(reason)}`;
  document.body.replaceChildren(text);
}
addEventListener("error", ({ error, message }) => showFailure(error ?? message));
addEventListener("unhandledrejection", ({ reason }) => showFailure(reason));
