/** Runs first, so that the page starts in every browser locale. */

// uPlot formats numbers in the browser's language, even if it is not a valid tag: Chromium names `en-US@posix` for
// LANG=C.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-GB" });
}
