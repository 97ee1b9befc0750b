import type { LachesisCommand } from '../../kit/lachesis-command.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { storyOfBatch, storyOfInferenceTest, storyOfProcess, type StoryEnd } from '../strict-servers/run-story.ts';
import type { ChatServer } from '../strict-servers/start-chat-server.ts';
import type { ServerName } from './check-request.ts';
import { storyOfJudge, storyOfWrapper } from './use-in-process.ts';

const STORIES = [storyOfWrapper, storyOfProcess, storyOfJudge, storyOfBatch, storyOfInferenceTest] as const;
/** Refusals that came after an answer: what is learnt is learnt before the first one, in each process. */
const listLate = ({ calls }: ChatServer): string[] => {
  const first = calls.findIndex(({ refused }) => refused === undefined);
  return first < 0 ? [] : calls.slice(first).flatMap(({ refused }) => refused ?? []);
};

export interface ServerUse {
  readonly name: string;
  /** What the environment is told that runs there. */
  readonly type: ServerName;
  readonly lachesis: LachesisCommand;
  /** What judges the requests, with its version. */
  readonly source: string;
  /** Ways that are gone at once. */
  readonly atOnce?: number;
  /** For one way. */
  readonly open: () => Promise<ChatServer>;
}

/** Capture, environments, judge, batch and `rl_test_inference` on one kind of server. */
export async function useServer(context: ScenarioContext, use: ServerUse): Promise<void> {
  const { name, type, lachesis, source, atOnce = 1, open } = use;
  const ends: StoryEnd[] = [];
  const late: string[] = [];
  let requests = 0;
  const left = [...STORIES];
  const work = async (): Promise<void> => {
    for (let story = left.shift(); story !== undefined; story = left.shift()) {
      await using server = await open();
      ends.push(await story({ server, folder: await context.scratch(), type, lachesis }));
      late.push(...listLate(server));
      requests += server.calls.length;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const failed = ends.filter((end) => end.failed > 0);
  for (const { way, said } of failed) context.log(`${name}, ${way}: ${said.slice(-2_000)}`);
  context.report({
    name: `${name}: ${ends.map(({ way }) => way).join(', ')}`,
    figure: `${failed.length} of ${ends.length} ways fail, ${requests} requests, ${late.length} refused after the first answer${late.length === 0 ? '' : ` (${[...new Set(late)].join(', ')})`}; ${source}`,
    bar: '0 fail, 0 refused',
    ok: failed.length === 0 && late.length === 0,
  });
}
