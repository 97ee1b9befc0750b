import type { TrajectoryTurn } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Tokens } from './sequence-tokens.tsx';
import { turnTokensQuery } from './queries.ts';
import { sayMissing } from './say-missing.ts';
import { readTurnTokens } from './tokens/token-columns.ts';
import { TurnChoice } from './turn-choice.tsx';

interface TurnTokensProps {
  trajectory: string;
  turns: readonly TrajectoryTurn[];
  turn: number | undefined;
  onTurn: (turn: number) => void;
}

/** The tokens of one reply, and why a reply has none. */
export function TurnTokens({ trajectory, turns, turn, onTurn }: TurnTokensProps): ReactNode {
  const replied = turns.filter(({ replies }) => replies.length > 0);
  const current = replied.find(({ turn_index: index }) => index === turn) ?? replied.at(-1);
  const missing = current?.replies[0]?.tokens_missing ?? null;
  const query = useQuery(turnTokensQuery(trajectory, missing === null ? (current?.turn_index ?? -1) : -1));
  const tokens = useMemo(() => (query.data === undefined ? undefined : readTurnTokens(query.data)), [query.data]);
  if (current === undefined) return <Empty title="No reply of a model was recorded." />;
  return (
    <>
      <TurnChoice turns={replied} current={current} onTurn={onTurn} />
      {missing !== null && <Partial>{sayMissing(missing)}</Partial>}
      {missing === null && query.isPending && <Loading rows={12} label="Loading tokens" />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.text === null && (
        <Partial>No tokenizer of this model is on the server’s machine: tokens are shown by their ids.</Partial>
      )}
      {missing === null && tokens !== undefined && <Tokens tokens={tokens} />}
    </>
  );
}
