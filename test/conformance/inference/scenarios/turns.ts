import { loadTokenizer, type Tokenizer } from '@lachesis/sdk/render';

import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { fiveFamilies } from '../five-families.ts';
import { makeOddTokens } from '../odd-tokens.ts';
import { startScriptedEngine } from '../scripted-engine.ts';

const CONVERSATIONS = 6;
/** One that often has another tokenisation for what was sampled, and one that keeps every reply as it is; `--full`: all five. */
const SHORT_FAMILIES = new Set(['qwen3', 'deepseek_v3']);
const TURNS = 3;
/** Templates cut white space off a reply or write another stop than the one sampled, and then the text is another. */
const LEAST_KEPT = 0.5;

interface Tally {
  turns: number;
  /** The next prompt begins with the last prompt and its reply, token for token. */
  kept: number;
  /** It says something else than before, which is the template's doing. */
  rewritten: number;
}

export const turnsScenario: Scenario = {
  name: 'turns',
  title: 'a conversation of several turns stays one sequence of sampled tokens',
  async run(context) {
    let [lost, turns, kept, keptWithout] = [0, 0, 0, 0];
    for (const family of fiveFamilies) {
      if (!context.full && !SHORT_FAMILIES.has(family.name)) continue;
      const { sent, withheld } = await converseBothWays(family);
      context.log(
        `${family.name}: ${sent.kept} of ${sent.turns} kept, ${sent.rewritten} rewritten; without ${withheld.kept}`,
      );
      lost += sent.turns - sent.kept - sent.rewritten;
      turns += sent.turns;
      kept += sent.kept;
      keptWithout += withheld.kept;
    }
    context.report({
      name: 'turns with their history',
      figure: `${kept} of ${turns} begin with what was sampled, ${lost} were encoded anew although their text was kept`,
      bar: `0 encoded anew, at least ${LEAST_KEPT * 100} % kept`,
      ok: lost === 0 && kept >= LEAST_KEPT * turns,
    });
    context.report({
      name: 'turns without it',
      figure: `${keptWithout} of ${turns} begin with what was sampled`,
      bar: 'fewer than with it',
      ok: keptWithout < kept,
    });
  },
};

async function converseBothWays({ directory }: { directory: string }): Promise<{ sent: Tally; withheld: Tally }> {
  const tokenizer = await loadTokenizer({ directory });
  await using engine = await startScriptedEngine(({ count, index }) =>
    makeOddTokens(tokenizer, count * 64 + index, 3 + (count % 20)),
  );
  await using server = await startInference({
    args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', directory],
  });
  const sent = await converse(server.url, tokenizer, true);
  return { sent, withheld: await converse(server.url, tokenizer, false) };
}

async function converse(url: string, tokenizer: Tokenizer, sendsHistory: boolean): Promise<Tally> {
  const tally: Tally = { turns: 0, kept: 0, rewritten: 0 };
  for (let conversation = 0; conversation < CONVERSATIONS; conversation += 1) {
    let messages: unknown[] = [{ role: 'user', content: `Question ${conversation}?` }];
    let history: number[] | undefined;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const sent = sendsHistory && history !== undefined ? { history_token_ids: history } : {};
      const reply = await ask(url, { messages, ...sent });
      if (history !== undefined) {
        tally.turns += 1;
        if (startsWith(reply.prompt_token_ids, history)) tally.kept += 1;
        else if (!(await tokenizer.decode(reply.prompt_token_ids)).startsWith(await tokenizer.decode(history)))
          tally.rewritten += 1;
      }
      const [choice] = reply.choices;
      history = [...reply.prompt_token_ids, ...choice!.token_ids];
      messages = [...messages, choice!.message, { role: 'user', content: `And ${turn}?` }];
    }
  }
  return tally;
}

const startsWith = (tokens: readonly number[], prefix: readonly number[]): boolean =>
  prefix.every((token, index) => tokens[index] === token);

async function ask(
  url: string,
  body: object,
): Promise<{ prompt_token_ids: number[]; choices: { token_ids: number[]; message: unknown }[] }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'policy', max_tokens: 64, return_token_ids: true, ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Awaited<ReturnType<typeof ask>>;
}
