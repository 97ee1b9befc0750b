import type { ChatMessage } from '@lachesis/protocol';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { RenderError, type Tokenizer, loadTokenizer, parseJson, renderTraining } from '@lachesis/sdk/render';

import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { type FamilyCase, families } from '../families.ts';
import { digestIds, readGoldens } from '../goldens.ts';
import { makeConversations } from '../make-conversations.ts';
import { MASK_TEMPLATE, makeMaskCases } from '../mask-cases.ts';

export const masksScenario: Scenario = {
  name: 'masks',
  title:
    'training masks: those of Python where a template marks its replies, and what the model would sample elsewhere',
  async run(context) {
    await compareWithPython(context);
    let replies = 0;
    let reported = 0;
    let wrong = 0;
    for (const family of families) {
      if (family.directory === undefined) continue;
      const result = await checkFamily(await loadTokenizer({ directory: family.directory }), family, context);
      replies += result.replies;
      reported += result.reported;
      wrong += result.wrong;
    }
    context.report({
      name: 'masks by family',
      figure: `${wrong} wrong of ${replies} replies; ${reported} reported as not exact`,
      bar: '0 wrong',
      ok: wrong === 0 && replies > 500,
    });
  },
};

async function compareWithPython(context: ScenarioContext): Promise<void> {
  const { family, cases } = makeMaskCases();
  const goldens = await readGoldens<string[]>('masks');
  const directory = await context.scratch();
  await symlink(join(family.directory ?? '', 'tokenizer.json'), join(directory, 'tokenizer.json'));
  await symlink(join(family.directory ?? '', 'tokenizer_config.json'), join(directory, 'tokenizer_config.json'));
  await writeFile(join(directory, 'chat_template.jinja'), MASK_TEMPLATE);
  const tokenizer = await loadTokenizer({ directory });
  let differences = 0;
  for (const [index, { messages }] of cases.entries()) {
    const { tokens, mask } = await renderTraining({ tokenizer, messages, trainOn: 'all-assistant' });
    if (digestIds([...tokens, ...mask]) !== goldens[index]) differences += 1;
  }
  context.report({
    name: 'masks by marks',
    figure: `${differences} differences from Python in ${cases.length} conversations`,
    bar: '0',
    ok: differences === 0 && cases.length > 20 && goldens.length === cases.length,
  });
}

/** A reply that is masked exactly begins behind its prompt, ends with a stop token, and holds its own text and no other. */
async function checkFamily(
  tokenizer: Tokenizer,
  family: FamilyCase,
  context: ScenarioContext,
): Promise<{ replies: number; reported: number; wrong: number }> {
  const count = { replies: 0, reported: 0, wrong: 0 };
  const kinds = new Map<string, number>();
  for (const { json, name } of makeConversations({ ...family, count: 80 })) {
    const { messages, tools } = parseJson(json) as unknown as { messages: ChatMessage[]; tools: null };
    const rendered = await renderTraining({
      tokenizer,
      messages,
      tools: tools ?? undefined,
      trainOn: 'all-assistant',
    }).catch((error: unknown) => {
      if (RenderError.isInstance(error)) return undefined;
      throw error;
    });
    if (rendered === undefined) continue;
    for (const { kind } of rendered.issues) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'assistant') continue;
      count.replies += 1;
      const span = rendered.spans.find(({ messageIndex }) => messageIndex === index);
      if (span === undefined || rendered.issues.some(({ messageIndex }) => messageIndex === index)) {
        count.reported += 1;
        continue;
      }
      const ids = rendered.tokens.subarray(span.start, span.end);
      const text = await tokenizer.decode(ids);
      const stops = ids.filter((id) => tokenizer.stopTokens.has(id)).length;
      const isWhole = stops === 1 && tokenizer.stopTokens.has(ids.at(-1) ?? -1);
      if (isWhole && holdsReply(text, message, tokenizer)) continue;
      count.wrong += 1;
      context.log(`${name}, message ${index}: ${JSON.stringify(text)}`);
    }
  }
  const issues = [...kinds].map(([kind, times]) => `${kind} ${times}`).join(', ');
  context.log(`${family.name}: ${count.replies} replies, issues: ${issues || 'none'}`);
  return count;
}

/** The tokens of a reply hold its text and nothing else; those of a call hold what it calls. */
function holdsReply(text: string, message: ChatMessage, tokenizer: Tokenizer): boolean {
  const stops = [...tokenizer.stopTokens].map(
    (id) => tokenizer.addedTokens.find((token) => token.id === id)?.text ?? '',
  );
  const said = squash(stops.reduce((rest, stop) => rest.replaceAll(stop, ''), text.split('</think>').at(-1) ?? ''));
  const calls = message.tool_calls ?? [];
  if (calls.length > 0) return calls.every((call) => said.includes(squash(call.function.name)));
  // Content that is neither text nor parts prints as Python prints a dict; render/templates compares that.
  if (typeof message.content !== 'string' && !Array.isArray(message.content)) return true;
  return said === squash(readContent(message.content).split('</think>').at(-1) ?? '');
}

function readContent(content: unknown): string {
  if (Array.isArray(content)) return content.map((part: { text?: string }) => part.text ?? '').join('');
  return typeof content === 'string' ? content : String(content);
}

/** Templates differ in the white space they strip, and tokenizers in the form they give to accents. */
function squash(text: string): string {
  // oxlint-disable-next-line no-control-regex -- Python counts these as white space
  return text.normalize('NFC').replaceAll(/[\s\u0085\u001c-\u001f]/g, '');
}
