import { Agent, request } from 'node:http';

import type { ClientOptions, ClientResult } from './client-options.ts';

/* Asks for rollouts as fast as they are answered, and prints how many there were as one JSON line. */

const options = JSON.parse(process.argv[2] ?? '{}') as ClientOptions;
const { wire, samples, replyTokens } = options;

const messages = [{ role: 'user', content: 'What is 12 + 30? Think first, then give the number alone on a line.' }];
const isChat = wire === 'chat';
const body = Buffer.from(
  JSON.stringify(
    isChat
      ? { model: 'policy', messages, n: samples, max_tokens: replyTokens, temperature: 1 }
      : {
          input_ids: Array.from({ length: 48 }, (_, index) => 65 + (index % 26)),
          sampling_params: { n: samples, max_new_tokens: replyTokens, temperature: 1 },
          return_logprob: true,
        },
  ),
);
const path = isChat ? '/v1/chat/completions' : '/generate';
const agent = new Agent({ keepAlive: true, maxSockets: options.atOnce });
const failures = new Set<string>();
let rollouts = 0;
let isOver = false;

function ask(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
    const call = request(`${options.url}${path}`, { method: 'POST', agent, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', reject);
      reply.once('end', () => {
        const bytes = Buffer.concat(chunks);
        if (reply.statusCode === 200) resolve(bytes);
        else reject(new Error(`HTTP ${reply.statusCode}: ${bytes.toString().slice(0, 200)}`));
      });
    });
    call.once('error', reject);
    call.end(body);
  });
}

/** What is not whole is not counted. It is looked at once in a while, because reading is work that both servers wait for. */
function countRollouts(bytes: Buffer): number {
  if (isChat) return (JSON.parse(bytes.toString()) as { choices: unknown[] }).choices.length;
  const replies = JSON.parse(bytes.toString()) as { meta_info: { output_token_logprobs: unknown[] } }[];
  return replies.filter(({ meta_info: { output_token_logprobs: tokens } }) => tokens.length === replyTokens).length;
}

let answered = 0;
async function work(): Promise<void> {
  while (!isOver) {
    try {
      const bytes = await ask();
      answered += 1;
      if (answered % 64 === 1 && countRollouts(bytes) !== samples) throw new Error('a reply lacks rollouts');
      rollouts += samples;
    } catch (error) {
      failures.add(error instanceof Error ? error.message : String(error));
      if (failures.size > 5) return;
    }
  }
}

const wait = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const working = Promise.all(Array.from({ length: options.atOnce }, work));
await wait(options.warmUpSeconds);
const [before, startedMs] = [rollouts, performance.now()];
await wait(options.seconds);
const inTime = { rollouts: rollouts - before, seconds: (performance.now() - startedMs) / 1000 };
isOver = true;
await working;
const result: ClientResult = { ...inTime, allRollouts: rollouts, failures: [...failures] };
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
agent.destroy();
