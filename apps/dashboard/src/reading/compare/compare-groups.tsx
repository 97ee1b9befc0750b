import type { RolloutGroup } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { Empty, Loading, Refused } from '../../parts/states.tsx';
import { useKeys } from '../../shell/keys.ts';
import { Page } from '../../shell/page.tsx';
import { useWords } from '../../shell/use-search.ts';
import { sortSequences, toOutline, writeRolloutsCommand } from '../group-page.tsx';
import { mountGroupStrip } from '../groups/mount-group-strip.ts';
import { readCells } from '../groups/read-cells.ts';
import { makeRewardScale } from '../groups/shade-reward.ts';
import { Mounted } from '../mounted.tsx';
import { groupQuery } from '../queries.ts';
import { showText } from '../show-text.ts';
import { readGroupName } from './name-group.ts';
import { compareSequences, Sides } from './sides.tsx';

type Sequence = RolloutGroup['sequences'][number];

/** Two groups: their rollouts as strips, the best first, and one of each beside the other. */
export function CompareGroups({ groups }: { groups: readonly string[] }): ReactNode {
  const [words, setWords] = useWords();
  const [left, right] = [readGroupName(groups[0]), readGroupName(groups[1])];
  const queries = [
    useQuery(groupQuery(left.run, left.group, true)),
    useQuery(groupQuery(right.run, right.group, true)),
  ];
  const [ofLeft, ofRight] = queries.map(({ data }) => data);
  const sorted = useMemo(
    () => [ofLeft, ofRight].map((group) => sortSequences(group?.sequences ?? [])),
    [ofLeft, ofRight],
  );
  // Without a choice the best of both.
  const chosen = sorted.map((sequences, side) => {
    const word = words[side === 0 ? 'a' : 'b'];
    return sequences.find(({ rollout }) => String(rollout) === word) ?? sequences[0];
  });
  const move = (by: number): void => {
    const next = sorted.map((sequences, side) => {
      const at = sequences.indexOf(chosen[side] as Sequence) + by;
      return sequences[Math.max(0, Math.min(sequences.length - 1, at))]?.rollout;
    });
    setWords({ a: String(next[0]), b: String(next[1]) });
  };
  useKeys([
    { keys: 'j', label: 'the next best of both', run: () => move(1) },
    { keys: 'k', label: 'the better ones of both', run: () => move(-1) },
  ]);
  const found = useMemo(() => {
    const [one, other] = chosen;
    return one === undefined || other === undefined ? undefined : compareSequences(one, other);
  }, [chosen[0], chosen[1]]);
  const scores = sorted.flat().flatMap(({ score }) => (score === null ? [] : [score]));
  const longest = Math.max(1, ...sorted.flat().map(({ length }) => length));

  return (
    <Page title="Compare groups" command={writeRolloutsCommand(left.run, ofLeft)}>
      {groups.length !== 2 && <Empty title="Two groups are needed." command="rollouts <run> --step <n>" />}
      {queries.map(({ error, refetch }, side) =>
        error === null ? null : <Refused key={side} error={error} onRetry={() => void refetch()} />,
      )}
      {queries.some(({ isPending }) => isPending) && <Loading rows={10} />}
      {ofLeft !== undefined && ofRight !== undefined && (
        <div className="diff-columns">
          {[ofLeft, ofRight].map((group, side) => (
            <GroupHead
              key={side}
              group={group}
              sequences={sorted[side] ?? []}
              scores={scores}
              longest={longest}
              selected={chosen[side]?.rollout}
              onOpen={(rollout) => setWords({ [side === 0 ? 'a' : 'b']: String(rollout) })}
            />
          ))}
        </div>
      )}
      {found !== undefined && <Sides {...found} />}
    </Page>
  );
}

interface GroupHeadProps {
  group: RolloutGroup;
  sequences: readonly Sequence[];
  /** Of both groups: one scale of colours. */
  scores: readonly number[];
  longest: number;
  selected: number | undefined;
  onOpen: (rollout: number) => void;
}

function GroupHead({ group, sequences, scores, longest, selected, onOpen }: GroupHeadProps): ReactNode {
  const options = {
    cells: readCells(toOutline(sequences)),
    scale: makeRewardScale(Math.min(0, ...scores), Math.max(1, ...scores)),
    ...{ longest, selected },
    onOpen: ({ rollout }: { rollout: number }) => onOpen(rollout),
  };
  return (
    <div className="diff-side stack">
      <h2 className="cut">
        <Link to="/runs/$run/groups/$group" params={{ run: group.run_id, group: group.group_id }}>
          {showText(group.item)}
        </Link>
      </h2>
      <p className="soft">
        run {group.run_id}
        {group.step === null ? '' : ` · step ${group.step}`}
        {group.policy_version === null ? '' : ` · policy version ${group.policy_version}`}
      </p>
      <Mounted mount={mountGroupStrip} options={options} />
    </div>
  );
}
