/* Figures: the library that draws them is large, so it is fetched when a figure comes into view, and not before. */

let library = null;

export function plotly() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.body.dataset.plotly;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => { library = null; reject(new Error("The library that draws figures did not load.")); });
    document.head.append(script);
  });
  return library;
}
