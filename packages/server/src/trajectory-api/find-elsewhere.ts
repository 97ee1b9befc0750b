const INFERENCE = /^\/(v1\/(chat\/completions|completions|models|policy)|generate)$/;
const CONTROL = /^\/(environments|config|runs|test\/inference)(\/|$)/;

/** Tells callers of the other stations where those are when nobody moved them. */
export function findElsewhere(path: string): string | undefined {
  if (INFERENCE.test(path))
    return `This is the trajectory API. The inference server has ${path}, by default on port 8001.`;
  if (CONTROL.test(path)) return `This is the trajectory API. The control API has ${path}, by default on port 8080.`;
  return undefined;
}
