import { parseReplyText } from '../../../../packages/sdk/src/render/messages/parse-reply-text.ts';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { callWriters } from '../corpus/call-writer.ts';

const reasoning = { open: '<think>', close: '</think>' };

export const thinkingScenario: Scenario = {
  name: 'thinking',
  title: 'what is written while thinking is no call, also when the thinking has no end',
  run(context) {
    let replies = 0;
    const failures: string[] = [];
    for (const { format, write } of callWriters) {
      const call = write([{ name: 'f', values: [['a', '1']] }], 'start');
      const cases: readonly [text: string, calls: number, startsInReasoning: boolean][] = [
        [`<think>\n${call}\n</think>\n\nNo call.`, 0, false],
        [`<think>\n${call}\n</think>\n\n${call}`, 1, false],
        [`hm ${call}\n</think>\n\n${call}`, 1, false],
        [`hm ${call}\n</think>\n\nNo call.`, 0, true],
        [`<think>\n${call}`, 0, false],
        [`hm\n${call}`, 0, true],
        [call, 1, false],
      ];
      for (const [text, calls, startsInReasoning] of cases) {
        replies += 1;
        const { message, malformedCalls } = parseReplyText({ text, toolFormat: format, reasoning, startsInReasoning });
        const found = message.tool_calls?.length ?? 0;
        if (found === calls && malformedCalls.length === 0) continue;
        failures.push(`${format} ${JSON.stringify(text)}: ${found} calls and ${malformedCalls.length} broken ones`);
      }
    }
    for (const failure of failures.slice(0, 10)) context.log(failure);
    context.report({
      name: 'calls in thinking',
      figure: `${failures.length} of ${replies} replies read otherwise`,
      bar: '0',
      ok: failures.length === 0,
    });
    return Promise.resolve();
  },
};
