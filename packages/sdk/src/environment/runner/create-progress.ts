import { mean } from '@lachesis/protocol';
import type { RunEvent } from './run-event.ts';

export type ProgressMode = 'line' | 'plain' | 'json';

export interface Progress {
  onEvent(event: RunEvent): void;
  /** Leaves the last state on a line of its own. */
  end(): void;
}

export interface ProgressOptions {
  /** `line` rewrites one line of a terminal, `plain` prints one now and then, `json` prints every event. */
  readonly mode: ProgressMode;
  readonly name: string;
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** What is aimed at: groups or items; steps come with their own total. */
  readonly goal?: { readonly count: number; readonly unit: 'groups' | 'items' | 'replies' } | undefined;
}

const REDRAW_MS = 200;
const PLAIN_EVERY_MS = 10_000;
/** Speed and reward are those of the last half minute. */
const WINDOW_MS = 30_000;

/** Shows how a run goes: rollouts a second, reward, failures, and what it waits for. */
export function createProgress({ mode, name, write, now, goal }: ProgressOptions): Progress {
  const startedAt = now();
  const recent: { at: number; reward: number | undefined; hasFailed: boolean }[] = [];
  const counts = { rollouts: 0, failed: 0, groups: 0, dropped: 0, aside: 0 };
  let dropReason = '';
  let asideReason = '';
  let step: string | undefined;
  let state: string | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  let width = 0;
  let hasNews = false;

  function describe(): string {
    const first = recent.findIndex(({ at }) => at >= now() - WINDOW_MS);
    recent.splice(0, first < 0 ? recent.length : first);
    const seconds = Math.max(0.001, Math.min(WINDOW_MS, now() - startedAt) / 1000);
    const rewards = recent.flatMap(({ reward }) => reward ?? []);
    const reward = rewards.length === 0 ? '–' : mean(rewards).toFixed(3);
    const failedShare = counts.rollouts === 0 ? 0 : (100 * counts.failed) / counts.rollouts;
    return [
      name,
      ...(step === undefined ? [] : [step]),
      ...(goal === undefined
        ? []
        : [`${goal.unit === 'groups' ? counts.groups : counts.rollouts}/${goal.count} ${goal.unit}`]),
      `${counts.rollouts} rollouts (${(recent.length / seconds).toFixed(1)}/s)`,
      `reward ${reward}`,
      `failed ${failedShare.toFixed(1)} %`,
      ...(counts.dropped === 0 ? [] : [`${counts.dropped} groups dropped, the last because ${dropReason}`]),
      ...(counts.aside === 0 ? [] : [`${counts.aside} groups are not trained on, the last because ${asideReason}`]),
      ...(state === undefined ? [] : [state]),
    ].join('  ');
  }

  function draw(isForced = false): void {
    const every = mode === 'line' ? REDRAW_MS : PLAIN_EVERY_MS;
    if (mode === 'json' || (!isForced && now() - shownAt < every)) return;
    shownAt = now();
    hasNews = false;
    const text = describe();
    write(mode === 'line' ? `\r${text.padEnd(width)}` : `${text}\n`);
    width = text.length;
  }

  /** A sentence that must not be overwritten. */
  function tell(text: string): void {
    write(mode === 'line' ? `\r${text.padEnd(width)}\n` : `${text}\n`);
    shownAt = Number.NEGATIVE_INFINITY;
  }

  function count(event: RunEvent): void {
    if (event.kind === 'rollout-ended') {
      const { outcome } = event;
      const reward = outcome.kind === 'scored' ? outcome.reward : undefined;
      recent.push({ at: now(), reward, hasFailed: outcome.kind === 'failed' });
      counts.rollouts += 1;
      if (outcome.kind === 'failed') counts.failed += 1;
      state = undefined;
    }
    if (event.kind === 'group-sent' || event.kind === 'group-written') counts.groups += 1;
    if (event.kind === 'group-sent' && event.status === 'quarantined') {
      counts.aside += 1;
      asideReason = event.reason ?? 'the trajectory API put it aside';
    }
    if (event.kind === 'group-dropped') {
      counts.dropped += 1;
      // Without it a run that drops everything looks busy and says nothing.
      dropReason = event.reason;
    }
    if (event.kind === 'step-reached') {
      step = event.totalSteps === undefined ? `step ${event.step}` : `step ${event.step}/${event.totalSteps}`;
    }
  }

  return {
    onEvent(event) {
      if (mode === 'json') return write(`${JSON.stringify(event)}\n`);
      hasNews = true;
      count(event);
      if (event.kind === 'run-waiting') {
        state = `waiting: ${event.reason}`;
        return draw(true);
      }
      if (event.kind === 'run-paused') tell(`paused: ${event.reason}`);
      if (event.kind === 'run-resumed') tell('a rollout succeeded; going on');
      if (event.kind === 'log') tell(event.text);
      draw();
    },
    end() {
      if (mode === 'json') return;
      if (hasNews || mode === 'line') draw(true);
      if (mode === 'line') write('\n');
    },
  };
}
