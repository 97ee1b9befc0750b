import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createToolCallParser } from '@lachesis/sdk/render';

import { runRenderer } from '../../../peers/transformers/run-renderer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { corpora } from '../corpus/corpora.ts';
import { listCalls, readReply } from '../read-reply.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), '..', 'ask_atropos.py');
const TAGS: Readonly<Record<string, string>> = { hermes: 'tool_call', qwen: 'tool_call', longcat: 'longcat_tool_call' };

export const atroposScenario: Scenario = {
  name: 'atropos',
  title: 'the first call of good replies, beside what the real atroposlib reads in the formats it knows',
  async run(context) {
    const python = process.env['LACHESIS_ATROPOS_PYTHON'];
    if (python === undefined) {
      context.reportNotRun({
        name: 'atropos',
        why: 'no LACHESIS_ATROPOS_PYTHON, see .ci/setup',
        bar: 'the same calls',
      });
      return;
    }
    for (const { format, good } of corpora.filter((corpus) => corpus.format in TAGS)) {
      const tag = TAGS[format] ?? '';
      // It turns single quotes into double ones, ends at a tag inside a string, and knows neither `parameters` nor arguments in quotes.
      const asked = good.filter(
        ({ text }) =>
          !/'|1e400|"parameters"|"arguments": "/.test(text) && !new RegExp(`"s":"[^"]*</?${tag}>`).test(text),
      );
      const input = asked.map(({ text }) => `${JSON.stringify({ text, tag })}\n`).join('');
      const answers = await runRenderer({ python, script, input, timeoutMs: 60_000 });
      const others = asked.filter(({ text }, index) => {
        const [call] = listCalls(readReply({ createParser: createToolCallParser, format, pieces: [text] }));
        const found = call === undefined ? null : [call.name, call.arguments];
        return JSON.stringify(found) !== JSON.stringify(JSON.parse(answers[index] ?? 'null'));
      });
      for (const { text } of others.slice(0, 5)) context.log(`${format} ${JSON.stringify(text)}`);
      context.report({
        name: `${format} beside atroposlib`,
        figure: `${others.length} of ${asked.length} first calls differ (${good.length - asked.length} replies left out)`,
        bar: '0, at least 40 asked',
        ok: others.length === 0 && asked.length >= 40,
      });
    }
  },
};
