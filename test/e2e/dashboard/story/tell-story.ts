import type { RolloutGroup, RunStatus } from '@lachesis/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

import { learnFromIt, type LearningHands } from './learn-from-it.ts';
import type { StoryPlace } from './open-story.ts';

/** How long anything is waited for: a run that trains on a busy machine takes its time until its first step. */
export const LONG_MS = 600_000;
const RATED = 10;

/** How somebody does a thing on the page: with the pointer, or with keys alone. */
export interface Hands extends LearningHands {
  /** From the first page to the run's own page, with the number of steps in the form. */
  start(page: Page, steps: number): Promise<void>;
  openStep(page: Page): Promise<void>;
  openGroup(page: Page): Promise<void>;
  showTokens(page: Page): Promise<void>;
  compare(page: Page): Promise<void>;
  goToRating(page: Page): Promise<void>;
  goToPairs(page: Page): Promise<void>;
  /** To the run, and through what is asked before it is stopped. */
  stop(page: Page, run: string): Promise<void>;
}

/** One thing that was done, and what the server said of it. */
interface Done {
  readonly name: string;
  readonly figure: string;
  readonly bar: string;
  readonly ok: boolean;
}

/** What was done, what the server said of it, and what it should say. */
export type Note = (name: string, figure: unknown, bar: unknown, ok: boolean) => void;

/** The story once: each thing is done on the page, and the server is asked whether it is so. */
export async function tellStory(options: {
  readonly page: Page;
  readonly place: StoryPlace;
  readonly hands: Hands;
  readonly steps: number;
  readonly log: (text: string) => void;
}): Promise<{ done: readonly Done[]; run: string }> {
  const { page, place, hands, steps, log } = options;
  const done: Done[] = [];
  const note: Note = (name, figure, bar, ok) => {
    log(`${name}: ${String(figure)}`);
    done.push({ name, figure: String(figure), bar: String(bar), ok });
  };
  const began = await countSaid(place);

  await hands.start(page, steps);
  await page.waitForURL(/\/runs\/[a-z0-9]{8}$/);
  const run = new URL(page.url()).pathname.split('/')[2] ?? '';
  const started = await place.api.readRun(run);
  note('a run started with the form', `${started.total_steps} steps`, `${steps} steps`, started.total_steps === steps);

  const first = await waitForPoints(page, 0);
  const later = await waitForPoints(page, first);
  note('live points', `${first}, then ${later}`, 'more, without a reload', later > first);

  await hands.openStep(page);
  await page.waitForURL(/\/steps\/\d+/);
  await hands.openGroup(page);
  await page.waitForURL(/\/groups\//);
  const group = new URL(page.url()).pathname.split('/')[4] ?? '';
  const said = await place.ask<RolloutGroup>(`/runs/${run}/groups/${group}?tokens=true`);
  await page
    .getByRole('heading', { name: /^Rollout \d/ })
    .first()
    .waitFor();
  const rollouts = await page.getByRole('heading', { name: /^Rollout \d/ }).count();
  note('rollouts of the group behind the point', rollouts, said.sequences.length, rollouts === said.sequences.length);

  await hands.showTokens(page);
  await page.locator('.tokens-line .token').first().waitFor();
  const tokens = await page.locator('.tokens-line .token').count();
  const lengths = said.sequences.map(({ length }) => length);
  note('tokens of a rollout', tokens, `one of ${[...new Set(lengths)].join(', ')}`, lengths.includes(tokens));

  await hands.compare(page);
  await page.waitForURL(/\/compare/);
  const shared = await page.getByText(/The first [\d,]+ tokens are the same/).textContent();
  note('two rollouts compared', shared?.slice(0, 40).trim(), 'the tokens they share', shared !== null);

  await hands.goToRating(page);
  for (let rated = 0; rated < RATED; rated += 1) {
    await page.getByRole('region', { name: 'Conversation' }).waitFor();
    await page.keyboard.press(rated % 2 === 0 ? 'u' : 'd');
    await page.getByText(new RegExp(`^${rated + 1} rated`)).waitFor();
  }
  await page.getByText(`${RATED} rated · all kept`).waitFor();
  await hands.goToPairs(page);
  await page.getByRole('region', { name: 'Right' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByText('1 rated · all kept').waitFor();
  const now = await countSaid(place);
  const [thumbs, choices] = [now.thumb - began.thumb, now.choice - began.choice];
  note('rated by keys', `${thumbs} ratings, ${choices} choice`, `${RATED} and 1`, thumbs === RATED && choices === 1);

  // To go back to one there have to be two.
  await waitForModels(place, run, 2);
  await hands.stop(page, run);
  await page.locator('.state-word', { hasText: 'stopped' }).waitFor();
  const { status } = await place.api.readRun(run);
  note('stopped', status, 'stopped', status === ('stopped' satisfies RunStatus['status']));
  await learnFromIt({ page, place, hands, note, run, group: said });
  return { done, run };
}

/** The number of points of the chart of rewards, once there are more than so many. */
async function waitForPoints(page: Page, past: number): Promise<number> {
  // The policy of the page refuses code of strings, and with it every function that the browser would be asked to wait for.
  const fewer = Array.from({ length: past + 1 }, (_, count) => count).join('|');
  const chart = page.getByRole('img', { name: new RegExp(`^reward/mean over (?!(?:${fewer}) points)`) });
  await chart.waitFor();
  return Number(/over (\d+) points/.exec((await chart.getAttribute('aria-label')) ?? '')?.[1]);
}

/** Until a run has registered so many checkpoints. */
async function waitForModels(place: StoryPlace, run: string, count: number): Promise<void> {
  for (const end = Date.now() + LONG_MS; Date.now() < end; await sleep(500)) {
    if ((await place.api.listModels({ name: run })).models.length >= count) return;
  }
  throw new Error(`run ${run} has not registered ${count} checkpoints`);
}

async function countSaid(place: StoryPlace): Promise<{ thumb: number; choice: number }> {
  const { feedback } = await place.ask<{ feedback: { feedback: { kind: string } }[] }>('/v1/feedback');
  const count = (kind: string): number => feedback.filter((each) => each.feedback.kind === kind).length;
  return { thumb: count('thumb'), choice: count('choice') };
}
