import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, type ReactNode } from 'react';
import { Loading, Partial, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Mounted } from './mounted.tsx';
import { groupQuery } from './queries.ts';
import { TOKEN_COLOURS, type TokenColour } from './tokens/colour-tokens.ts';
import { mountTokenView, type TokenView } from './tokens/mount-token-view.ts';
import { readSequenceTokens, type TokenColumns } from './tokens/token-columns.ts';

/** The tokens of one sequence of a group. */
export function SequenceTokens({ run, group, index }: { run: string; group: string; index: number }): ReactNode {
  const query = useQuery(groupQuery(run, group, true));
  const tokens = useMemo(() => {
    const sequence = query.data?.sequences[index];
    return sequence === undefined ? undefined : readSequenceTokens(sequence);
  }, [query.data, index]);
  if (query.isPending) return <Loading rows={12} label="Loading tokens" />;
  if (query.isError) return <Refused error={query.error} onRetry={() => void query.refetch()} />;
  if (tokens === undefined) return <Partial>This rollout came without its tokens.</Partial>;
  return (
    <>
      {query.data.sequences[index]?.pieces === null && (
        <Partial>No tokenizer of this model is on the server’s machine: tokens are shown by their ids.</Partial>
      )}
      <Tokens tokens={tokens} />
    </>
  );
}

/** A token view whose colours and place are in the address. */
export function Tokens({ tokens }: { tokens: TokenColumns }): ReactNode {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = useRef<TokenView>(undefined);
  const colour = TOKEN_COLOURS.find((each) => each === search['colour']) ?? 'logprob';
  const newest = useRef(search);
  newest.current = search;
  const options = useMemo(
    () => ({
      tokens,
      colour,
      onColour: (next: TokenColour) =>
        void navigate({ to: '.', search: { ...newest.current, colour: next }, replace: true }),
    }),
    [tokens, colour, navigate],
  );
  useKeys(
    TOKEN_COLOURS.map((each, index) => ({
      keys: String(index + 1),
      label: `colour by ${each}`,
      run: () => view.current?.setColour(each),
    })),
  );
  return <Mounted mount={mountTokenView} options={options} handle={view} />;
}
