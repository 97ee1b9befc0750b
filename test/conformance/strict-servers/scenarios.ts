import { sendInDialect, type ChatDialect } from '../../../packages/sdk/src/clients/chat-dialect.ts';
import { request } from '../../../packages/sdk/src/clients/request.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import {
  storyOfBatch,
  storyOfCapture,
  storyOfEvaluation,
  storyOfInferenceTest,
  storyOfProcess,
  type StoryEnd,
} from './run-story.ts';
import type { ChatServer } from './start-chat-server.ts';
import { startStrictServer, type Manner } from './start-strict-server.ts';

type Story = (place: { server: ChatServer; folder: string }) => Promise<StoryEnd>;

const STORIES: readonly (readonly [Story, Manner])[] = [
  [storyOfProcess, 'pydantic'],
  [storyOfEvaluation, 'openai'],
  [storyOfInferenceTest, 'groq'],
  [storyOfBatch, 'silent'],
  [storyOfCapture, 'openai'],
];

async function tell(context: ScenarioContext, story: Story, manner: Manner): Promise<void> {
  await using server = await startStrictServer(manner);
  const { way, failed, all, said } = await story({ server, folder: await context.scratch() });
  const refused = server.calls.filter((call) => call.refused !== undefined);
  // Those that were on their way when the first refusal came are refused too, and sent again.
  const late = server.calls.findLastIndex((call) => call.refused !== undefined);
  const answeredBefore = server.calls.slice(0, Math.max(0, late)).filter((call) => call.refused === undefined).length;
  const isOk = failed === 0 && answeredBefore === 0;
  if (!isOk) context.log(said.slice(-3_000));
  context.report({
    name: `${way}, refusals as ${manner} words them`,
    figure: `${failed} of ${all} failed; ${refused.length} refusals, ${answeredBefore} answers before the last of them`,
    bar: '0 failed, none refused after the first answer',
    ok: isOk,
  });
}

export const scenarios: Scenario[] = [
  {
    name: 'ways',
    title: 'A server that refuses unknown fields: capture, environments, inference tests and batches work.',
    run: async (context) => {
      for (const [story, manner] of STORIES) await tell(context, story, manner);
    },
  },
  {
    name: 'mutants',
    title: 'A client that learns nothing from a refusal is caught.',
    run: async (context) => {
      await using server = await startStrictServer('openai');
      // As a policy sends it, with a dialect that never learns in the place of the real one.
      const forgetful: ChatDialect = { adapt: (body) => ({ ...body }), learn: () => false };
      const asked = { model: 'strict', messages: [{ role: 'user', content: '?' }], return_token_ids: true };
      const send = (): Promise<boolean> =>
        sendInDialect(forgetful, asked, (body) =>
          request({ url: server.url, method: 'POST', path: '/chat/completions', body, parse: (reply) => reply }),
        ).then(
          () => true,
          () => false,
        );
      const answers = [await send(), await send(), await send()];
      const failed = answers.filter((isOk) => !isOk).length;
      context.report({
        name: 'a client that sends its extra fields for ever',
        figure: `${failed} of ${answers.length} failed`,
        bar: 'caught: at least one failed',
        ok: failed > 0,
      });
    },
  },
];
