/** The values of an answer with one JSON value a line, as they come. Who stops early ends the answer. */
export async function* walkLines(response: Response): AsyncGenerator<unknown, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value ?? '')).split('\n');
      rest = done ? '' : (parts.pop() ?? '');
      for (const part of parts) if (part !== '') yield JSON.parse(part);
      if (done) return;
    }
  } finally {
    // One that broke off has told so already.
    await reader.cancel().catch(() => undefined);
  }
}

/** The first lines of such an answer. What comes behind them is not waited for. */
export async function readLines(response: Response, count: number): Promise<unknown[]> {
  const lines: unknown[] = [];
  if (count <= 0) return lines;
  for await (const line of walkLines(response)) if (lines.push(line) === count) break;
  return lines;
}
