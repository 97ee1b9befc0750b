import type { RolloutOutline } from '@lachesis/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useRef, type ReactNode } from 'react';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';
import { nameGroup } from './compare/name-group.ts';
import { Facts } from './facts.tsx';
import { makeGroupRow } from './groups/make-group-row.ts';
import { mountGroupStrip, writeScore } from './groups/mount-group-strip.ts';
import { countOutcomes, readCells } from './groups/read-cells.ts';
import { makeRewardScale } from './groups/shade-reward.ts';
import { mountPickList, type PickList } from './lists/mount-pick-list.ts';
import { Mounted } from './mounted.tsx';
import { stepQuery } from './queries.ts';
import './reading.css';

/** One step: what it was trained on, group by group, and what brought nothing. */
export function StepPage(): ReactNode {
  const { run = '', step = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const query = useInfiniteQuery(stepQuery(run, step));
  const list = useRef<PickList>(undefined);
  const first = query.data?.pages[0]?.step;
  const groups = useMemo(() => query.data?.pages.flatMap((page) => page.groups) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;

  const [words, setWords] = useWords();
  const marked = useMemo(() => words['marked']?.split(',').filter(Boolean) ?? [], [words['marked']]);
  // A mark is kept on the way to another step: the same task is compared with itself some steps later.
  const goTo = (other: number): void => {
    const search = { marked: words['marked'] };
    if (other >= 0) void navigate({ to: '/runs/$run/steps/$step', params: { run, step: String(other) }, search });
  };
  const mark = (): void => {
    const group = groups[list.current?.selected ?? -1]?.group_id;
    if (group === undefined) return;
    const name = nameGroup(run, group);
    const next = marked.includes(name) ? marked.filter((each) => each !== name) : [...marked, name].slice(-2);
    setWords({ marked: next.join(',') });
  };
  const compare = (): void => {
    if (marked.length === 2) void navigate({ to: '/compare', search: { groups: marked.join(',') } });
  };
  useKeys([
    { keys: 'j', label: 'next group', run: () => list.current?.move(1) },
    { keys: 'k', label: 'previous group', run: () => list.current?.move(-1) },
    { keys: 'Enter', label: 'open the group', run: () => list.current?.open() },
    { keys: 'x', label: 'mark the group', run: mark },
    { keys: '=', label: 'compare the two marked', run: compare },
    { keys: ',', label: 'the step before', run: () => goTo(Number(step) - 1) },
    { keys: '.', label: 'the step behind', run: () => goTo(Number(step) + 1) },
    { keys: 'Escape', label: 'back to the run', run: () => void navigate({ to: '/runs/$run', params: { run } }) },
  ]);

  const options = useMemo(() => {
    const cells = groups.map(readCells);
    const longest = Math.max(1, ...cells.flat().map(({ length }) => length));
    const scale = makeRewardScale(first?.lowest_reward ?? null, first?.highest_reward ?? null);
    const open = (index: number, rollout?: number): void => {
      const group = groups[index]?.group_id;
      if (group === undefined) return;
      const search = rollout === undefined ? {} : { rollout: String(rollout) };
      void navigate({ to: '/runs/$run/groups/$group', params: { run, group }, search });
    };
    return {
      count: groups.length,
      height: () => 72,
      label: 'Groups of this step',
      source: `${run} ${step}`,
      onOpen: open,
      onRange: (_: number, last: number) => {
        if (last >= groups.length - 20 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
      },
      render: (index: number) => {
        const own = cells[index] ?? [];
        const group = groups[index] as RolloutOutline;
        const row = makeGroupRow(group, own, marked.includes(nameGroup(run, group.group_id)));
        const strip = {
          cells: own,
          scale,
          longest,
          onOpen: ({ rollout }: { rollout: number }) => open(index, rollout),
        };
        mountGroupStrip(row, strip);
        return row;
      },
    };
  }, [groups, first, run, step, marked, navigate, hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <Page
      title={`Step ${step}`}
      command={`rollouts ${run} --step ${step}`}
      beside={first !== undefined && <span className="soft">{first.state}</span>}
      actions={
        <>
          <button type="button" onClick={compare} disabled={marked.length < 2}>
            Compare {marked.length} of 2 <kbd>=</kbd>
          </button>
          <Link className="button" to="/runs/$run" params={{ run }}>
            Run {run}
          </Link>
          <button type="button" onClick={() => goTo(Number(step) - 1)} aria-label="The step before">
            ←
          </button>
          <button type="button" onClick={() => goTo(Number(step) + 1)} aria-label="The step behind">
            →
          </button>
        </>
      }
    >
      {query.isPending && <Loading rows={8} />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {first !== undefined && (
        <>
          <Facts
            facts={[
              ['policy version', first.policy_version],
              ['groups', first.groups],
              ['rollouts', first.rollouts],
              ['mean reward', writeReward(first.mean_reward)],
              ['lowest', writeReward(first.lowest_reward)],
              ['highest', writeReward(first.highest_reward)],
              ['trained tokens', first.trained_tokens],
              ['trainer logprobs', first.has_trainer_logprobs ? 'kept' : 'not kept'],
            ]}
          />
          {!first.is_kept && (
            <Partial>The rollouts of this step were let go of: `rollout_retention_gb` says how many are kept.</Partial>
          )}
          <Outcomes groups={groups} hasMore={hasNextPage} />
          {groups.length === 0 ? (
            <Empty title="No group of this step is kept." command={`rollouts ${run}`} />
          ) : (
            <Mounted mount={mountPickList} options={options} handle={list} className="tall" />
          )}
        </>
      )}
    </Page>
  );
}

const writeReward = (reward: number | null): string | null => (reward === null ? null : writeScore(reward));

/** How many rollouts of what is in view ended how. */
function Outcomes({ groups, hasMore }: { groups: readonly RolloutOutline[]; hasMore: boolean }): ReactNode {
  const counts = useMemo(() => countOutcomes(groups.flatMap(readCells)), [groups]);
  return (
    <ul className="outcomes" aria-label="How rollouts ended">
      {counts.map(({ outcome, count }) => (
        <li key={outcome.word}>
          <span aria-hidden="true">{outcome.shape}</span> {count.toLocaleString('en')} {outcome.word}
        </li>
      ))}
      {hasMore && <li className="soft">in the {groups.length} groups read so far</li>}
    </ul>
  );
}
