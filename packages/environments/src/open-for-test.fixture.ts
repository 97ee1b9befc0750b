import { baseConfigSchema, type EnvironmentDefinition } from '@lachesis/sdk/environment';

type OpenedEnvironment = Awaited<ReturnType<EnvironmentDefinition['open']>>;
type Drawn = NonNullable<Awaited<ReturnType<OpenedEnvironment['drawTrainItem']>>>;

/** Opens an environment with its defaults and grades replies to its items, without a model. */
export async function openForTest(definition: EnvironmentDefinition, fields: Record<string, unknown> = {}) {
  const given = { ...definition.defaults, ...fields };
  const config = { ...baseConfigSchema.parse(given), ...definition.configSchema.parse(fields) };
  const opened = await definition.open({ config });
  const context = {
    config: opened.config,
    state: opened.state,
    split: 'train' as const,
    rolloutId: 'rollout',
    random: undefined as never,
    signal: new AbortController().signal,
    log: () => {},
  };
  const draw = async (index: number): Promise<Drawn> => {
    const drawn = await opened.drawTrainItem(index);
    if (drawn === undefined) throw new Error(`no item ${index}`);
    return drawn;
  };
  const grade = async (drawn: Drawn, finalResponse: string): Promise<number> => {
    const reply = await opened.computeReward(
      drawn,
      {
        messages: [],
        finalResponse,
        finishReason: 'stop',
        tokens: new Int32Array(),
        turnsUsed: 1,
        finishedNaturally: true,
        toolCalls: [],
        toolsUsed: [],
        toolErrors: [],
      },
      context,
    );
    if (typeof reply === 'number') return reply;
    if (!('reward' in reply)) throw new Error(`${reply.kind}: ${reply.reason}`);
    return reply.reward;
  };
  const gradeExamples = async (index: number): Promise<[right: number, wrong: number]> => {
    const drawn = await draw(index);
    const examples = opened.examples?.(drawn.item, context);
    if (examples === undefined) throw new Error('no examples');
    const { right, wrong } = examples;
    if (typeof right !== 'string' || typeof wrong !== 'string') throw new Error('the examples are no texts');
    return [await grade(drawn, right), await grade(drawn, wrong)];
  };
  return { opened, draw, grade, gradeExamples, formatPrompt: (drawn: Drawn) => opened.formatPrompt(drawn, context) };
}
