import { joinMessages } from '@lachesis/protocol/conversation';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { CompareGroups } from './compare/compare-groups.tsx';
import { compareSequences, Sides, type Side } from './compare/sides.tsx';
import { writeRolloutsCommand } from './group-page.tsx';
import { writeScore } from './groups/mount-group-strip.ts';
import { nameTrajectoryOutcome } from './lists/trajectory-row.ts';
import { groupQuery, trajectoryQuery } from './queries.ts';
import { showText } from './show-text.ts';
import './reading.css';

/** Two trajectories, two rollouts of a group, or two groups: messages aligned, then the shared tokens, then words. */
export function ComparePage(): ReactNode {
  const { a, b, run, group, groups } = useSearch({ strict: false });
  if (groups !== undefined) return <CompareGroups groups={groups.split(',')} />;
  if (a === undefined || b === undefined) return <NothingChosen />;
  if (run !== undefined && group !== undefined)
    return <CompareRollouts run={run} group={group} a={Number(a)} b={Number(b)} />;
  return <CompareTrajectories a={a} b={b} />;
}

/** Where two of each kind are marked. */
function NothingChosen(): ReactNode {
  return (
    <Page title="Compare" command="trajectories diff">
      <Empty title="Nothing is chosen yet.">
        Mark two rows with <kbd>x</kbd> and press <kbd>=</kbd>: of <Link to="/runs">runs</Link>,{' '}
        <Link to="/trajectories">trajectories</Link> or <Link to="/models">models</Link>, or of the groups of a step. In
        a group <kbd>=</kbd> compares a rollout with the best.
      </Empty>
    </Page>
  );
}

function CompareTrajectories({ a, b }: { a: string; b: string }): ReactNode {
  const [left, right] = [useQuery(trajectoryQuery(a)), useQuery(trajectoryQuery(b))];
  const sides = useMemo(() => {
    if (left.data === undefined || right.data === undefined) return undefined;
    const toSide = ({ summary, turns }: typeof left.data): Side => {
      const { shape, word } = nameTrajectoryOutcome(summary);
      const reward = summary.reward === null ? '' : ` · reward ${writeScore(summary.reward)}`;
      return {
        name: summary.trajectory_id,
        facts: `${shape} ${showText(word)} · ${showText(summary.model ?? 'no model')} · ${summary.turn_count} turns${reward}`,
        messages: joinMessages(turns),
      };
    };
    return [toSide(left.data), toSide(right.data)] as const;
  }, [left.data, right.data]);
  return (
    <Page title="Compare" command={`trajectories diff ${a} ${b}`}>
      {(left.isPending || right.isPending) && <Loading rows={10} />}
      {left.isError && <Refused error={left.error} onRetry={() => void left.refetch()} />}
      {right.isError && <Refused error={right.error} onRetry={() => void right.refetch()} />}
      {sides !== undefined && <Sides sides={sides} />}
    </Page>
  );
}

interface CompareRolloutsProps {
  run: string;
  group: string;
  a: number;
  b: number;
}

function CompareRollouts({ run, group, a, b }: CompareRolloutsProps): ReactNode {
  const query = useQuery(groupQuery(run, group, true));
  const found = useMemo(() => {
    const [left, right] = [a, b].map((rollout) => query.data?.sequences.find((each) => each.rollout === rollout));
    if (left === undefined || right === undefined) return undefined;
    return compareSequences(left, right);
  }, [query.data, a, b]);
  return (
    <Page
      title="Compare"
      command={writeRolloutsCommand(run, query.data)}
      actions={
        <Link className="button" to="/runs/$run/groups/$group" params={{ run, group }}>
          Group
        </Link>
      }
    >
      {query.isPending && <Loading rows={10} />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && found === undefined && <Empty title="The group has no such rollout." />}
      {found !== undefined && <Sides {...found} />}
    </Page>
  );
}
