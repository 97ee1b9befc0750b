import { createServer } from 'node:http';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/**
 * A server that speaks as OpenAI's. To "item 3 of 8" it answers right three times of eight, in an order of its own; so what an
 * evaluation has to come to is known before it is run.
 */
export async function startCountingModel(context: ScenarioContext): Promise<string> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (text === '') return response.end(JSON.stringify({ object: 'list', data: [] }));
      const body = JSON.parse(text) as { n?: number; messages: { content: string }[] };
      const prompt = body.messages.at(-1)?.content ?? '';
      const match = /item (\d+) of (\d+)/.exec(prompt);
      const [right, of] = [Number(match?.[1]), Number(match?.[2])];
      const choices = Array.from({ length: body.n ?? 1 }, (_, index) => {
        const count = asked.get(prompt) ?? 0;
        asked.set(prompt, count + 1);
        // A step that has no divisor with the count goes through all places once.
        const content = (count * (of - 1)) % of < right ? 'right' : 'wrong';
        return { index, message: { role: 'assistant', content }, finish_reason: 'stop' };
      });
      return response.end(JSON.stringify({ choices }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}/v1`;
}
