import type { ChatMessage } from '@lachesis/protocol';
import { joinMessages } from '@lachesis/protocol/conversation';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, type ReactNode } from 'react';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { countShared } from './compare/count-shared.ts';
import { mountTurnDiff, type TurnDiff } from './compare/mount-turn-diff.ts';
import { readMessages, writeRolloutsCommand } from './group-page.tsx';
import { writeScore } from './groups/mount-group-strip.ts';
import { nameTrajectoryOutcome } from './lists/trajectory-row.ts';
import { Mounted } from './mounted.tsx';
import { groupQuery, trajectoryQuery } from './queries.ts';
import { showText } from './show-text.ts';
import './reading.css';

/** Two trajectories, or two rollouts of a group: messages aligned, then the shared tokens, then words. */
export function ComparePage(): ReactNode {
  const { a, b, run, group } = useSearch({ strict: false });
  if (a === undefined || b === undefined)
    return (
      <Page title="Compare" command="trajectories diff">
        <Empty title="Nothing is chosen yet.">
          Mark two rows of <Link to="/trajectories">the list</Link> with <kbd>x</kbd> and press <kbd>=</kbd>.
        </Empty>
      </Page>
    );
  if (run !== undefined && group !== undefined)
    return <CompareRollouts run={run} group={group} a={Number(a)} b={Number(b)} />;
  return <CompareTrajectories a={a} b={b} />;
}

interface Side {
  name: string;
  facts: string;
  messages: readonly ChatMessage[];
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
    const toSide = (sequence: typeof left): Side => ({
      name: `rollout ${sequence.rollout + 1}`,
      facts: `reward ${sequence.score === null ? '–' : writeScore(sequence.score)} · advantage ${
        sequence.advantage === null ? '–' : writeScore(sequence.advantage)
      } · ${sequence.length.toLocaleString('en')} tokens`,
      messages: readMessages(sequence),
    });
    const [ofLeft, ofRight] = [left.tokens, right.tokens].map((tokens) => tokens?.map((token) => token ?? -1));
    const shared = ofLeft === undefined || ofRight === undefined ? undefined : countShared(ofLeft, ofRight);
    return { sides: [toSide(left), toSide(right)] as const, shared };
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
      {found !== undefined && <Sides sides={found.sides} shared={found.shared} />}
    </Page>
  );
}

function Sides({ sides, shared }: { sides: readonly [Side, Side]; shared?: number | undefined }): ReactNode {
  const diff = useRef<TurnDiff>(undefined);
  useKeys([
    { keys: 'n', label: 'next difference', run: () => diff.current?.step(1) },
    { keys: 'p', label: 'previous difference', run: () => diff.current?.step(-1) },
  ]);
  const options = useMemo(() => ({ left: sides[0].messages, right: sides[1].messages }), [sides]);
  return (
    <>
      <div className="diff-columns">
        {sides.map((side, index) => (
          <div key={index} className="diff-side">
            <h2 className="cut">{side.name}</h2>
            <p className="soft">{side.facts}</p>
          </div>
        ))}
      </div>
      {shared !== undefined && (
        <p>
          The first {shared.toLocaleString('en')} tokens are the same, one by one. <kbd>n</kbd> <kbd>p</kbd> go from
          difference to difference.
        </p>
      )}
      <Mounted mount={mountTurnDiff} options={options} handle={diff} className="tall" />
    </>
  );
}
