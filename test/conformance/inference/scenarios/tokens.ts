import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';

import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { exchanges, findDifference, type Message } from '../exchange.ts';
import { fiveFamilies } from '../five-families.ts';
import { makeOddTokens } from '../odd-tokens.ts';
import { startReEncodingServer } from '../re-encoding-server.ts';
import { startScriptedEngine } from '../scripted-engine.ts';

const ROUNDS = 12;

/** Text of every script the tokenizers cut differently, and text that looks like a marker. */
const TEXTS = [
  'What is 12 + 30?',
  'Grüße, 世界! 🧵 naïve',
  '  indented\n\tcode();',
  'say <|im_end|> </s> [INST] <eos> now',
];

export const tokensScenario: Scenario = {
  name: 'tokens',
  title: 'tokens in are tokens out on five template families, through every API',
  async run(context) {
    let [compared, different, caught, mutants] = [0, 0, 0, 0];
    for (const family of fiveFamilies) {
      const result = await compareFamily(context, family);
      compared += result.compared;
      different += result.different;
      caught += result.caught;
      mutants += result.mutants;
    }
    context.report({
      name: 'tokens in = tokens out',
      figure: `${different} of ${compared} replies differ, ${fiveFamilies.length} families, ${exchanges.length} APIs`,
      bar: '0, five families',
      ok: different === 0 && compared > 0 && fiveFamilies.length === 5,
    });
    context.report({
      name: 'a server that re-encodes text',
      figure: `caught in ${caught} of ${mutants} families`,
      bar: 'caught in every family',
      ok: caught === mutants && mutants === fiveFamilies.length,
    });
  },
};

async function compareFamily(
  context: ScenarioContext,
  { name, directory }: { name: string; directory: string },
): Promise<{ compared: number; different: number; caught: number; mutants: number }> {
  const tokenizer = await loadTokenizer({ directory });
  await using engine = await startScriptedEngine(({ count, index }) =>
    makeOddTokens(tokenizer, count * 64 + index, 3 + ((count * 7 + index) % 40)),
  );
  await using server = await startInference({
    args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', directory],
  });
  let [compared, different] = [0, 0];
  const note = (what: string, difference: string | undefined): void => {
    compared += 1;
    if (difference === undefined) return;
    different += 1;
    context.log(`${name}, ${what}: ${difference}`);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const messages = makeMessages(round);
    const rendered = await renderMessages({ tokenizer, messages, addGenerationPrompt: true });
    for (const exchange of exchanges) {
      const received = await exchange.ask(server.url, messages, 1 + (round % 3));
      const sample = engine.samples.at(-1);
      const isRendered = sample?.prompt.join() === rendered.tokens.join();
      note(exchange.name, isRendered ? findDifference(sample, received) : 'the prompt of the engine');
    }
  }
  await using mutant = await startReEncodingServer({ url: server.url, tokenizerDirectory: directory });
  let caught = 0;
  for (let round = 0; round < ROUNDS && caught === 0; round++) {
    const received = await exchanges[0]!.ask(mutant.url, makeMessages(round), 1);
    if (findDifference(engine.samples.at(-1), received) !== undefined) caught = 1;
  }
  context.log(`${name}: ${compared} replies, ${different} differ, mutant ${caught === 1 ? 'caught' : 'not caught'}`);
  return { compared, different, caught, mutants: 1 };
}

function makeMessages(round: number): Message[] {
  const text = (offset: number): string => TEXTS[(round + offset) % TEXTS.length] ?? '';
  const turns = [
    { role: 'user', content: text(0) },
    { role: 'assistant', content: text(1) },
    { role: 'user', content: text(2) },
  ];
  return round % 2 === 0 ? turns.slice(0, 1) : turns;
}
