/** The first lines of an answer with one JSON value a line. What comes behind them is not waited for. */
export async function readLines(response: Response, count: number): Promise<unknown[]> {
  const lines: unknown[] = [];
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return lines;
  let rest = '';
  while (lines.length < count) {
    const { done, value } = await reader.read();
    const parts = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (parts.pop() ?? '');
    for (const part of parts) if (part !== '' && lines.length < count) lines.push(JSON.parse(part));
    if (done) return lines;
  }
  await reader.cancel();
  return lines;
}
