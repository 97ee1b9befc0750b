import { createRecorder, recordFetch, type Recorder } from '@lachesis/sdk/capture';
import OpenAI from 'openai';
import { FORGETFUL, createTinyModel } from '../../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { startScriptedEngine, type ScriptedEngine } from '../../../conformance/inference/scripted-engine.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runAgent as runOpenAiAgent } from '../agents/openai-agent.ts';
import { judgeTrajectory, waitForTrajectory, type Expected } from '../judge-trajectory.ts';
import { runAgent } from '../run-agent.ts';
import { startTextModel } from '../start-text-model.ts';
import { startUp, type Up } from '../start-up.ts';

const IM_END = 257;
const TURNS = 4;

interface Round {
  readonly context: ScenarioContext;
  readonly up: Up;
  readonly home: string;
  readonly known: Set<string>;
}

/** One agent, from its start to what the library holds of it. */
async function showAgent(round: Round, name: string, file: string, baseUrl: string, expected: Expected): Promise<void> {
  const { context, up, home, known } = round;
  context.log(`${name}: ${file}`);
  const printed = await runAgent({ file, baseUrl, home });
  const detail = await waitForTrajectory(up.library, known, TURNS);
  if (detail !== undefined) known.add(detail.summary.trajectory_id);
  const problems = detail === undefined ? ['nothing is recorded'] : judgeTrajectory(detail, expected);
  const reason = expected.tokens === 'all' ? 'tokens and logprobs in each' : `tokens: ${expected.tokens}`;
  context.report({
    name,
    figure:
      problems.length === 0 ? `${detail?.turns.length} turns, ${reason}; it said “${printed}”` : problems.join('; '),
    bar: `${TURNS} turns in one trajectory, 2 tool calls, 2 streams, ${reason}`,
    ok: problems.length === 0,
  });
}

export const agentsScenario: Scenario = {
  name: 'agents',
  title: 'an AI SDK agent, an openai Node agent and a Python openai agent are recorded by a base URL or one line',
  async run(context) {
    const model = await createTinyModel({ template: FORGETFUL });
    context.defer(() => model.remove());
    await using engine = await startAddingEngine();
    const home = await context.scratch();
    const up = await startUp({
      ...{ context, home },
      args: ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory],
    });
    const ours: Round = { context, up, home, known: new Set() };
    const all = { tokens: 'all' };
    await showAgent(ours, 'our server, openai for Node', 'openai-plain.ts', up.baseUrl, all);
    await showAgent(ours, 'our server, openai for Python', 'openai_agent.py', up.baseUrl, all);
    await showAgent(ours, 'our server, AI SDK', 'ai-sdk-plain.ts', up.baseUrl, all);
    await up.process.stop();

    const text = await startTextModel();
    context.defer(() => text.close());
    const textHome = await context.scratch();
    const textUp = await startUp({ context, home: textHome, args: ['--upstream-url', text.url] });
    const theirs: Round = { context, up: textUp, home: textHome, known: new Set() };
    const none = { tokens: 'backend-returns-none' };
    await showAgent(theirs, 'plain upstream, openai for Python', 'openai_agent.py', textUp.baseUrl, none);
    await showAgent(theirs, 'one line, openai for Node', 'openai-recorded.ts', text.url, none);
    await showAgent(theirs, 'one line, AI SDK', 'ai-sdk-recorded.ts', text.url, { tokens: 'recorded-as-text' });

    await runForgetful(text.url, textHome);
    const mutant = await waitForTrajectory(textUp.library, theirs.known, TURNS - 1);
    const problems = mutant === undefined ? [] : judgeTrajectory(mutant, none);
    context.report({
      name: 'mutant that forgets streams',
      figure: problems.length === 0 ? 'not caught' : `caught: ${problems[0]}`,
      bar: 'caught',
      ok: problems.length > 0,
    });
  },
};

/** The seeded fault: a recorder that keeps what comes whole and not what is streamed. */
async function runForgetful(baseURL: string, home: string): Promise<void> {
  const real = createRecorder({ home });
  const recorder: Recorder = {
    ...real,
    record: (draft) => (draft.kind === 'call' && draft.is_stream ? undefined : real.record(draft)),
  };
  await runOpenAiAgent(new OpenAI({ baseURL, apiKey: 'any', fetch: recordFetch(fetch, { recorder }) }));
  await real.close();
}

/** Tokens are bytes: it reads the conversation in them, calls the tool for a question and says the sum after it. */
function startAddingEngine(): Promise<ScriptedEngine> {
  return startScriptedEngine(({ prompt }) => {
    const said = new TextDecoder().decode(Uint8Array.from(prompt.filter((id) => id < 256)));
    const question = [...said.matchAll(/Add (\d+) and (\d+)/g)].at(-1);
    const sum = [...said.matchAll(/sum=(\d+)/g)].at(-1);
    const isAsked = (question?.index ?? -1) > (sum?.index ?? -1);
    const call = `{"name": "add", "arguments": {"a": ${question?.[1]}, "b": ${question?.[2]}}}`;
    const reply = isAsked ? `<tool_call>\n${call}\n</tool_call>` : `It is ${sum?.[1]}.`;
    return [...Buffer.from(reply), IM_END];
  });
}
