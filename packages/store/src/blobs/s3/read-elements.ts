/*
 * The little XML that an object store answers with: flat elements whose names are known. Keys that we write need no escaping,
 * and those of others are skipped.
 */

/** The text of the first element of this name, or undefined. */
export function readElement(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** What is inside each element of this name. */
export function readElements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner]) => inner!);
}
