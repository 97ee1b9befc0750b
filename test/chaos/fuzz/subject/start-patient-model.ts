import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const REPLY = {
  id: 'one',
  object: 'chat.completion',
  model: 'patient',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'yes' }, text: 'yes' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** An OpenAI-compatible server that says yes to whatever it is sent, so that every 5xx of a gateway before it is the gateway's. */
export async function startPatientModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const body = request.method === 'GET' ? { object: 'list', data: [{ id: 'patient', object: 'model' }] } : REPLY;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
