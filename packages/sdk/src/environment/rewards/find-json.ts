/** The JSON of a reply: the whole of it, the last fenced block, or the last object or array in the text. */
export function findJson(text: string, { allowText }: { allowText: boolean }): { value: unknown } | undefined {
  const whole = parse(text);
  if (whole !== undefined || !allowText) return whole;
  const fences = [...text.matchAll(/```(?:json)?[ \t]*\n(?<body>[\s\S]*?)```/g)];
  return parse(fences.at(-1)?.groups?.['body'] ?? '') ?? findLast(text);
}

/** Ends that are tried before we say that there is none: a reply full of brackets must not take quadratic time. */
const MAX_TRIES = 50;

/** From each closing bracket at the end back to where it opened. Brackets in strings may mislead it, and then nothing is found. */
function findLast(text: string): { value: unknown } | undefined {
  let tries = 0;
  for (let end = text.length - 1; end >= 0 && tries < MAX_TRIES; end -= 1) {
    if (text[end] !== '}' && text[end] !== ']') continue;
    tries += 1;
    const start = findOpening(text, end);
    const found = start === undefined ? undefined : parse(text.slice(start, end + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findOpening(text: string, end: number): number | undefined {
  let depth = 0;
  for (let at = end; at >= 0; at -= 1) {
    const character = text[at];
    if (character === '}' || character === ']') depth += 1;
    if (character === '{' || character === '[') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // What a model wrote is no JSON: that is the answer to the question, and nothing to report.
    return undefined;
  }
}
