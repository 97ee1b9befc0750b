import { createTinyModel, CHATML } from '../../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { runClient } from '../../../peers/openai/run-client.ts';
import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { startScriptedEngine, type EngineSample, type EngineSequence } from '../scripted-engine.ts';

const SCRIPT = new URL('../managed_server.py', import.meta.url);
const IM_END = 257;
const MASKED = -100;

interface Node {
  tokens: number[];
  masked: number[];
  logprobs: number[];
  text: string;
  finish: string;
}

export const managedScenario: Scenario = {
  name: 'managed',
  title: 'the managed server of atroposlib 0.4.0 with its server types vllm, sglang and openai',
  async run(context) {
    const model = await createTinyModel({ template: CHATML });
    context.defer(() => model.remove());
    for (const serverType of ['vllm', 'sglang', 'openai']) {
      // Bytes that are no text on their own among them: what is decoded and encoded again would be others.
      await using engine = await startScriptedEngine(({ count, index }) => [
        ...Buffer.from(`reply ${count}.${index} `),
        ...[0xc3, 0x28, 0x21, 0x20, 0x6f, 0x6b],
        IM_END,
      ]);
      await using server = await startInference({
        args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory],
      });
      const lines = await runClient({
        script: SCRIPT,
        args: [server.url, serverType, 'byte'],
        cwd: await context.scratch(),
        timeoutMs: 90_000,
        env: { ATROPOS_ALLOW_DUMMY_MANAGED_SERVER: '1' },
      });
      const facts = new Map(lines.map(({ name, got }) => [String(name), got]));
      const checks = serverType === 'openai' ? checkTexts(facts) : checkNodes(facts, engine.samples, serverType);
      report(context, serverType, checks);
    }
  },
};

type Check = readonly [what: string, holds: boolean];

/** Tokens and log probabilities are those of the engine, the prompt masked, over two turns and a group. */
function checkNodes(facts: ReadonlyMap<string, unknown>, samples: readonly EngineSample[], type: string): Check[] {
  const [first] = (facts.get('first') ?? []) as Node[];
  const [second] = (facts.get('second') ?? []) as Node[];
  const group = (facts.get('group nodes') ?? []) as Node[];
  const inGroup = samples.find((sample) => sample.samples === 12);
  const isFirst = first !== undefined && samples.some((sample) => isNode(first, sample, sample.sequences[0]));
  const later = samples.find((sample) => second?.tokens.join() === [...sample.prompt, ...whole(sample)].join());
  return [
    ...checkTexts(facts),
    ['the first turn', isFirst],
    [
      'the second turn begins with the tokens of the first',
      startsWith(later?.prompt ?? [], first?.tokens ?? [Number.NaN]),
    ],
    [
      'the second turn keeps mask and log probabilities of the first',
      startsWith(second?.masked ?? [], first?.masked ?? [Number.NaN]) &&
        startsWith(second?.logprobs ?? [], first?.logprobs ?? [Number.NaN]),
    ],
    ['the group in one call', inGroup !== undefined && group.length === 12],
    [
      'each of the group ends with its stop',
      inGroup !== undefined &&
        group.every(
          (node, index) => isNode(node, inGroup, cutAt(inGroup.sequences[index], 0x21)) && node.finish === 'stop',
        ),
    ],
    ...(type === 'vllm'
      ? ([
          ['log probabilities of a prompt', JSON.stringify(facts.get('prompt logprobs')) === '[[[],[105],[106]],3]'],
        ] as const)
      : []),
  ];
}

/** The texts, which every server type gets. */
function checkTexts(facts: ReadonlyMap<string, unknown>): Check[] {
  const isReply = (text: unknown): boolean => typeof text === 'string' && /^reply \d+\.\d+ \uFFFD\(!( ok)?/.test(text);
  const all = (name: string, length: number): boolean => {
    const texts = facts.get(name);
    return Array.isArray(texts) && texts.length === length && texts.every(isReply);
  };
  return [
    ['the server counts as healthy', facts.get('healthy') === true],
    ['the text of a reply', isReply(facts.get('reply'))],
    ['chat without tracking', all('plain', 2)],
    ['completions', all('text', 2)],
  ];
}

const whole = ({ sequences }: EngineSample): readonly number[] => sequences[0]?.tokens ?? [];

function isNode(node: Node, { prompt }: EngineSample, sequence: EngineSequence | undefined): boolean {
  if (sequence === undefined) return false;
  return (
    node.tokens.join() === [...prompt, ...sequence.tokens].join() &&
    node.masked.join() === [...prompt.map(() => MASKED), ...sequence.tokens].join() &&
    node.logprobs.join() === [...prompt.map(() => 1), ...sequence.logprobs].join()
  );
}

function cutAt(sequence: EngineSequence | undefined, token: number): EngineSequence | undefined {
  if (sequence === undefined) return undefined;
  const end = sequence.tokens.indexOf(token) + 1;
  return { tokens: sequence.tokens.slice(0, end), logprobs: sequence.logprobs.slice(0, end) };
}

const startsWith = (list: readonly number[], start: readonly number[]): boolean =>
  start.every((value, index) => list[index] === value);

function report(context: ScenarioContext, serverType: string, checks: readonly Check[]): void {
  const wrong = checks.filter(([, holds]) => !holds);
  for (const [what] of wrong) context.log(`${serverType}: not so: ${what}`);
  context.report({
    name: `managed server, ${serverType}`,
    figure: `${checks.length - wrong.length} of ${checks.length} checks`,
    bar: 'all',
    ok: wrong.length === 0,
  });
}
