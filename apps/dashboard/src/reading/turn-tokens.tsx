import type { TrajectoryTurn } from '@lachesis/protocol';
import { messageText } from '@lachesis/protocol/conversation';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Tokens } from './sequence-tokens.tsx';
import { turnTokensQuery } from './queries.ts';
import { readTurnTokens } from './tokens/token-columns.ts';

const MISSING: Readonly<Record<string, string>> = {
  'backend-returns-none': 'The upstream returns no token ids: a closed API, or a server that was not asked for them.',
  'no-logprobs': 'The upstream returned ids without log probabilities.',
  'length-mismatch': 'Ids and log probabilities differ in length, so neither can be trusted.',
  interrupted: 'The reply did not arrive whole.',
  failed: 'The call failed, so that there is no reply.',
  'recorded-as-text': 'It was recorded as text, by an application or an import.',
  redacted: 'The text held a secret, and its tokens spell it.',
};

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
      <label className="turn-choice">
        <span className="soft">Reply of</span>
        <select value={current.turn_index} onChange={({ target }) => onTurn(Number(target.value))}>
          {replied.map((each) => (
            <option key={each.turn_id} value={each.turn_index}>
              turn {each.turn_index + 1}: {messageText(each.replies[0]?.message ?? { role: '' }).slice(0, 60)}
            </option>
          ))}
        </select>
      </label>
      {missing !== null && <Partial>{MISSING[missing] ?? missing}</Partial>}
      {missing === null && query.isPending && <Loading rows={12} label="Loading tokens" />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.text === null && (
        <Partial>No tokenizer of this model is on the server’s machine: tokens are shown by their ids.</Partial>
      )}
      {missing === null && tokens !== undefined && <Tokens tokens={tokens} />}
    </>
  );
}
