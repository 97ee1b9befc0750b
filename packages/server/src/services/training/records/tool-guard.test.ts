import { makeConversation } from '@lachesis/protocol';
import { loadTokenizer } from '@lachesis/sdk/render';
import { expect, onTestFinished, test } from 'vitest';
import { writeByteModel } from '../../models/byte-model.fixture.ts';
import { createToolGuard } from './tool-guard.ts';

const messages = [
  { role: 'user' as const, content: 'a' },
  { role: 'assistant' as const, content: 'b' },
];
const plain = makeConversation({ id: 'plain', messages });
const tools = [{ type: 'function' as const, function: { name: 'look', description: 'Looks.', parameters: {} } }];

async function open(settings: { allow_dropped_tools?: boolean; use_recorded_tokens?: boolean } = {}) {
  const model = await writeByteModel();
  onTestFinished(() => model.remove());
  const tokenizer = await loadTokenizer({ directory: model.directory });
  const guard = createToolGuard(tokenizer, { allow_dropped_tools: false, use_recorded_tokens: false, ...settings });
  return { guard, place: model.directory };
}

test('a row with tools that the template leaves out is refused with the name of row and template', async () => {
  const { guard, place } = await open();
  guard(plain);
  expect(() => guard({ ...plain, id: 'offered', tools })).toThrow(
    `The row offered has tools, and the chat template of ${place} leaves out tools: the model would never see them.`,
  );
});

test('calls that the template writes are trained on, and whoever says so trains without the tools', async () => {
  const call = { id: '1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
  const { guard } = await open();
  guard(
    makeConversation({ id: 'c', messages: [messages[0]!, { role: 'assistant', content: null, tool_calls: [call] }] }),
  );
  (await open({ allow_dropped_tools: true })).guard({ ...plain, tools });
  const recorded = { token_ids: [1, 2], mask: [0, 1] as (0 | 1)[], logprobs: null };
  (await open({ use_recorded_tokens: true })).guard({ ...plain, tools, tokens: recorded });
});
