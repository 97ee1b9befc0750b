/** Whether a caller would rather have a page than JSON: browsers do when an address is opened, programs and `fetch` do not. */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = readAccept(accept ?? '');
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html > (weights.get('application/json') ?? 0);
}

/** The types that are named, each with how much it is wanted. */
function readAccept(accept: string): Map<string, number> {
  const named = accept.split(',').map((part): [string, number] => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const value = weight === undefined ? 1 : Number(weight.slice(2));
    return [type, Number.isFinite(value) ? value : 0];
  });
  return new Map(named);
}
