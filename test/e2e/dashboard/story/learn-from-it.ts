import type { DataRecord, Feedback, RolloutGroup, TrajectoryDetail } from '@lachesis/protocol';
import type { Page } from 'playwright-core';

import { makeTalk, type Talk } from './make-talks.ts';
import type { StoryPlace } from './open-story.ts';
import type { Note } from './tell-story.ts';

/** How somebody does what comes after a run: with the pointer, or with keys alone. */
export interface LearningHands {
  /** From anywhere to a version of a model. */
  goToModel(page: Page, model: string): Promise<void>;
  /** With what is asked before it. */
  promote(page: Page): Promise<void>;
  rollBack(page: Page): Promise<void>;
  /** To a trajectory by its id. */
  goToTrajectory(page: Page, id: string): Promise<void>;
  /** Another reply to the turn in view, and then that the new one is better. */
  reroll(page: Page): Promise<void>;
  preferNew(page: Page): Promise<void>;
  /** A data set of pairs, with this name. */
  makePairs(page: Page, name: string): Promise<void>;
  /** To what was made of a rating. */
  goToRatingLineage(page: Page, feedbackId: string): Promise<void>;
  /** Puts a thing of the graph in the middle. */
  follow(page: Page, thing: { kind: 'feedback' | 'model'; id: string }): Promise<void>;
}

interface Learning {
  readonly page: Page;
  readonly place: StoryPlace;
  readonly hands: LearningHands;
  readonly note: Note;
  /** The run that was stopped. */
  readonly run: string;
  readonly group: RolloutGroup;
}

/** From a rollout to weights that learnt from a rating of it, and back: models, a re-roll, a data set, lineage. */
export async function learnFromIt(told: Learning): Promise<void> {
  await serveModels(told);
  const feedback = await rerollTurn(told);
  const dataset = await makeSet(told, feedback);
  await followRating(told, feedback, dataset);
}

async function serveModels({ page, place, hands, note, run }: Learning): Promise<void> {
  const servedNow = async (): Promise<string> => {
    const { models } = await place.api.listModels({ name: run });
    return models
      .filter(({ is_promoted: isServed }) => isServed)
      .map(({ version }) => version)
      .join(' ');
  };
  const served: string[] = [];
  for (const version of [1, 2]) {
    await hands.goToModel(page, `${run}@${version}`);
    await hands.promote(page);
    // It closes when the server has it; what stood in the title before says the same of another version.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.page-title', { hasText: 'served' }).waitFor();
    served.push(await servedNow());
  }
  await hands.rollBack(page);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  served.push(await servedNow());
  note('promoted, promoted, rolled back', served.join(', '), '1, 2, 1', served.join(', ') === '1, 2, 1');
}

/** What was served answers a turn once more; the tokens before it are those of a rollout that it was trained on. */
async function rerollTurn({ page, place, hands, note, run, group }: Learning): Promise<Feedback> {
  const id = await place.record(makeTalk(toTalk(run, group)));
  await hands.goToTrajectory(page, id);
  await hands.reroll(page);
  await page.getByRole('region', { name: 'Re-rolled' }).locator('.virtual').waitFor();
  const [other = '', turn = ''] = (new URL(page.url()).searchParams.get('against') ?? '').split('.');
  const [told, again] = await Promise.all(
    [id, other].map((each) => place.ask<TrajectoryDetail>(`/v1/trajectories/${each}`)),
  );
  const [own, fresh] = [told?.turns[0], again?.turns[Number(turn)]].map((each) => each?.replies[0]?.tokens);
  const isSame = String(own?.prompt_token_ids) === String(fresh?.prompt_token_ids);
  const by = again?.turns[Number(turn)]?.model;
  note(
    're-rolled from the exact tokens of the turn',
    `${isSame ? 'the same' : 'other'} ${fresh?.prompt_token_ids?.length} tokens, by ${by === `${run}@1` ? 'what is served' : by}`,
    `the same ${own?.prompt_token_ids?.length} tokens, by what is served`,
    isSame && by === `${run}@1`,
  );
  await hands.preferNew(page);
  await page.getByText('the new reply is better. The two are a pair').waitFor();
  const { feedback } = await place.ask<{ feedback: Feedback[] }>(`/v1/feedback?trajectory_id=${other}`);
  const [said] = feedback;
  if (said === undefined) throw new Error('the server has no choice of the new reply');
  return said;
}

async function makeSet({ page, place, hands, note, run }: Learning, said: Feedback): Promise<string> {
  const name = `pairs-${run}`;
  await hands.makePairs(page, name);
  const shown = (await page.getByText(`${name}@1 has`).textContent()) ?? '';
  const rows = await place.readLines<DataRecord>(`/v1/datasets/${name}@1/rows`);
  const row = rows.find((each) => each.kind === 'preference' && each.feedback_ids.includes(said.feedback_id));
  const { tokens } = { ...(row?.extra['lachesis'] as { tokens?: object } | undefined) };
  const hasTokens = tokens !== undefined;
  note(
    'a data set of pairs made in the browser',
    `${shown.trim()} The re-rolled pair ${hasTokens ? 'has' : 'lacks'} its tokens.`,
    `${name}@1 has ${rows.length} rows. The re-rolled pair has its tokens.`,
    shown.includes(` ${rows.length} row`) && hasTokens,
  );
  return `${name}@1`;
}

/** A rating, the data set, the weights; then from the weights to the rating again. */
async function followRating(told: Learning, said: Feedback, dataset: string): Promise<void> {
  const { page, place, hands, note, run } = told;
  const model = await place.train({ dataset, parent: `${run}@1`, name: `taught-${run}` });
  const { forward, names } = await place.api.readLineage(`feedback:${said.feedback_id}`);
  const learnt = forward.nodes.find(({ kind, id }) => kind === 'model' && names[id] === model);
  await hands.goToRatingLineage(page, said.feedback_id);
  await hands.follow(page, { kind: 'model', id: learnt?.id ?? 'nothing' });
  const there = await page.locator('.graph-box.kind-model.middle .graph-label').textContent();
  await hands.follow(page, { kind: 'feedback', id: said.feedback_id });
  const back = await page.locator('.graph-box.kind-feedback.middle').getAttribute('data-key');
  note(
    'a rating followed to weights and back',
    `${there}, ${back}`,
    `${model}, feedback:${said.feedback_id}`,
    there === model && back === `feedback:${said.feedback_id}`,
  );
}

/** As a gateway would have recorded the rollout: its messages, and its tokens before and after the reply began. */
function toTalk(run: string, { sequences }: RolloutGroup): Talk {
  const rollout = sequences.find(({ messages, mask }) => messages !== null && mask?.includes(1) === true);
  const { messages, tokens, mask, logprobs } = rollout ?? {};
  const reply = messages?.at(-1);
  if (!messages || !tokens || !mask || !logprobs || reply === undefined)
    throw new Error('no rollout came with its tokens');
  const start = mask.indexOf(1);
  const [before, after] = [tokens.slice(0, start), tokens.slice(start)] as [number[], number[]];
  return {
    ...{ trajectory: `asked-${run}`, model: `${run}@1`, messages: messages.slice(0, -1) },
    // Digits are said for as long as it is allowed.
    sampling: { max_tokens: after.length },
    reply: {
      ...{ message: reply, finish_reason: 'length', tokens_missing: null },
      tokens: {
        prompt_token_ids: before,
        token_ids: after,
        logprobs: logprobs.slice(start) as number[],
        policy_version: 0,
      },
    },
  };
}
