import type { ChatMessage, RolloutGroup } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, type ReactNode } from 'react';
import { writeMoment } from '../parts/format.ts';
import { Loading, Partial, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { Facts } from './facts.tsx';
import { mountGroupStrip, writeScore, writeSigned } from './groups/mount-group-strip.ts';
import { nameOutcome, readCells } from './groups/read-cells.ts';
import { makeRewardScale, shadeReward } from './groups/shade-reward.ts';
import { Mounted } from './mounted.tsx';
import { groupQuery } from './queries.ts';
import { SequenceTokens } from './sequence-tokens.tsx';
import { showText } from './show-text.ts';
import { mountTranscript } from './transcript/mount-transcript.ts';
import { readMessageEvents } from './transcript/read-events.ts';
import './reading.css';

type Sequence = RolloutGroup['sequences'][number];

/** One task, and what became of it each time: rollouts side by side, the best advantage first; or the tokens of one. */
export function GroupPage(): ReactNode {
  const { run = '', group = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useQuery(groupQuery(run, group, false));
  const columns = useRef<HTMLDivElement>(null);
  const isTokens = search['view'] === 'tokens';
  const selected = search['rollout'] === undefined ? undefined : Number(search['rollout']);

  const change = (next: Record<string, string | undefined>): void =>
    void navigate({
      to: '/runs/$run/groups/$group',
      params: { run, group },
      search: { ...search, ...next },
      replace: true,
    });

  const sequences = useMemo(() => sortSequences(query.data?.sequences ?? []), [query.data]);
  const at = Math.max(
    0,
    sequences.findIndex(({ rollout }) => rollout === selected),
  );
  const current = sequences[at];
  const move = (by: number): void => {
    const next = sequences[Math.max(0, Math.min(sequences.length - 1, at + by))];
    if (next === undefined) return;
    change({ rollout: String(next.rollout) });
    columns.current?.children[sequences.indexOf(next)]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const step = query.data?.step ?? null;
  const compareTo = sequences[at === 0 ? 1 : 0];
  const compare = (): void => {
    if (current === undefined || compareTo === undefined) return;
    void navigate({ to: '/compare', search: { run, group, a: String(compareTo.rollout), b: String(current.rollout) } });
  };
  useKeys([
    { keys: 'j', label: 'next rollout', run: () => move(1) },
    { keys: 'k', label: 'previous rollout', run: () => move(-1) },
    { keys: 't', label: 'tokens on and off', run: () => change({ view: isTokens ? undefined : 'tokens' }) },
    { keys: '=', label: 'compare with the best', run: compare },
    {
      keys: 'Escape',
      label: 'back to the step',
      run: () => {
        if (step !== null) void navigate({ to: '/runs/$run/steps/$step', params: { run, step: String(step) } });
      },
    },
  ]);

  const scores = sequences.flatMap(({ score }) => (score === null ? [] : [score]));
  const scale = makeRewardScale(Math.min(0, ...scores), Math.max(1, ...scores));
  const stripOptions = useMemo(() => {
    const cells = readCells(toOutline(sequences));
    return {
      cells,
      scale: makeRewardScale(scale.low, scale.high),
      longest: Math.max(1, ...cells.map(({ length }) => length)),
      selected: current?.rollout,
      onOpen: ({ rollout }: { rollout: number }) => change({ rollout: String(rollout) }),
    };
    // `change` is made anew each time and does the same.
  }, [sequences, current?.rollout, scale.low, scale.high]);

  const data = query.data;
  return (
    <Page
      title={data === undefined ? 'Group' : showText(data.item)}
      command={writeRolloutsCommand(run, data)}
      actions={
        <>
          {step !== null && (
            <Link className="button" to="/runs/$run/steps/$step" params={{ run, step: String(step) }}>
              Step {step}
            </Link>
          )}
          <button
            type="button"
            aria-pressed={isTokens}
            onClick={() => change({ view: isTokens ? undefined : 'tokens' })}
          >
            Tokens <kbd>t</kbd>
          </button>
          <button type="button" onClick={compare} disabled={compareTo === undefined}>
            Compare <kbd>=</kbd>
          </button>
        </>
      }
    >
      {query.isPending && <Loading rows={8} />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {data !== undefined && (
        <>
          <Facts
            facts={[
              ['environment', data.environment],
              ['policy version', data.policy_version],
              ['rollouts', sequences.length],
              ['received', writeMoment(data.received_at)],
            ]}
          />
          <Mounted mount={mountGroupStrip} options={stripOptions} />
          {isTokens && current !== undefined ? (
            <SequenceTokens run={run} group={group} index={data.sequences.indexOf(current)} />
          ) : (
            <div className="columns" ref={columns}>
              {sequences.map((sequence, index) => (
                <section
                  key={index}
                  className="column"
                  aria-label={`Rollout ${sequence.rollout + 1}`}
                  aria-current={sequence === current}
                >
                  <header className="column-head">
                    <span className={`cell ${shadeReward(sequence.score, scale)}`}>
                      {sequence.score === null ? 'no score' : writeScore(sequence.score)}
                    </span>
                    <h2>Rollout {sequence.rollout + 1}</h2>
                    <span className="soft">
                      advantage {sequence.advantage === null ? '–' : writeSigned(sequence.advantage)} ·{' '}
                      {sequence.length.toLocaleString('en')} tokens · <OutcomeWord sequence={sequence} />
                    </span>
                  </header>
                  <Conversation sequence={sequence} />
                </section>
              ))}
            </div>
          )}
        </>
      )}
    </Page>
  );
}

/** The line of the terminal that prints a group. */
export function writeRolloutsCommand(run: string, group: RolloutGroup | undefined): string {
  if (group === undefined) return `rollouts ${run}`;
  return `rollouts ${run}${group.step === null ? '' : ` --step ${group.step}`} --item ${JSON.stringify(group.item)}`;
}

function OutcomeWord({ sequence }: { sequence: Sequence }): ReactNode {
  const { shape, word } = nameOutcome(sequence.score, sequence.advantage, sequence.left_out, sequence.trained_tokens);
  return (
    <>
      {shape} {word}
    </>
  );
}

function Conversation({ sequence }: { sequence: Sequence }): ReactNode {
  const options = useMemo(() => ({ events: readMessageEvents(readMessages(sequence)) }), [sequence]);
  if (sequence.messages === null && sequence.text === null)
    return <Partial>Neither messages nor a tokenizer: only the tokens of this rollout are known.</Partial>;
  return <Mounted mount={mountTranscript} options={options} className="column-body" />;
}

/** The conversation; where the environment sent none, the tokens as text. */
export function readMessages({ messages, text }: Pick<Sequence, 'messages' | 'text'>): ChatMessage[] {
  return messages ?? [{ role: 'text', content: text ?? '' }];
}

/** The best advantage first, what has none last. */
export const sortSequences = (sequences: readonly Sequence[]): Sequence[] =>
  sequences.toSorted(
    (one, other) => (other.advantage ?? -Infinity) - (one.advantage ?? -Infinity) || one.rollout - other.rollout,
  );

export const toOutline = (sequences: readonly Sequence[]) => ({
  rollouts: sequences.map(({ rollout }) => rollout),
  scores: sequences.map(({ score }) => score),
  advantages: sequences.map(({ advantage }) => advantage),
  lengths: sequences.map(({ length }) => length),
  left_out: sequences.map(({ left_out: leftOut }) => leftOut),
  trained_tokens: sequences.map(({ trained_tokens: trained }) => trained),
});
