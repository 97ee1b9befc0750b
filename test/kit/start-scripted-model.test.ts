import { expect, test } from 'vitest';
import { readToolAnswer, startScriptedModel, type ScriptedMessage } from './start-scripted-model.ts';

interface Reply {
  choices?: { message: ScriptedMessage; finish_reason: string }[];
  error?: { message: string };
}

test('a scripted model calls a tool, reads its answer, and says what it was', async () => {
  const model = await startScriptedModel((conversation) => {
    const answer = readToolAnswer(conversation, 'add') as { sum: number } | undefined;
    if (conversation.length > 3) throw new Error('the script is over');
    return answer === undefined ? { call: 'add', args: { a: 1 } } : { say: `it is ${answer.sum}` };
  });
  const ask = async (messages: ScriptedMessage[]): Promise<Reply> => {
    const init = { method: 'POST', body: JSON.stringify({ model: 'scripted', messages }) };
    return (await (await fetch(`${model.url}/chat/completions`, init)).json()) as Reply;
  };
  try {
    const task = { role: 'user', content: 'Add.' };
    const { choices: [first] = [] } = await ask([task]);
    expect(first?.message.tool_calls).toMatchObject([
      { id: 'call-1', function: { name: 'add', arguments: '{"a":1}' } },
    ]);
    const rest = [first!.message, { role: 'tool', tool_call_id: 'call-1', content: '{"sum":3}' }];
    const { choices: [second] = [] } = await ask([task, ...rest]);
    expect([second?.message.content, second?.finish_reason, model.asked.length]).toEqual(['it is 3', 'stop', 2]);
    expect((await ask([task, ...rest, task])).error?.message).toBe('the script is over');
  } finally {
    await model.close();
  }
});
