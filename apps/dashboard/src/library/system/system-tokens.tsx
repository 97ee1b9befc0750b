import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { writeMoment } from '../../parts/format.ts';
import { Mark, type MarkShape, type Tone } from '../../parts/mark.tsx';
import { Empty, Loading, Refused } from '../../parts/states.tsx';
import { tokensQuery, type TokenList } from '../queries.ts';

type Token = TokenList['tokens'][number];

const WHOSE: Readonly<Record<string, string>> = { person: 'somebody', process: 'a process', session: 'a page' };

/** Who may call this server, and with what; secrets are known to nobody any more. */
export function SystemTokens(): ReactNode {
  const { data, error, refetch } = useQuery(tokensQuery());
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={5} />;
  if (data.tokens.length === 0) {
    return (
      <Empty
        title="No token was made: this server is open to this machine."
        command="token create --name laptop --scope admin"
      >
        The first one closes it.
      </Empty>
    );
  }
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="Tokens">
      <table>
        <thead>
          <tr>
            <th>Token</th>
            <th>State</th>
            <th>Held by</th>
            <th>May</th>
            <th>Run</th>
            <th className="number">Made</th>
            <th className="number">Used last</th>
            <th className="number">Expires</th>
          </tr>
        </thead>
        <tbody>
          {data.tokens.toReversed().map((token) => (
            <TokenRow key={token.token_id} token={token} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TokenRow({ token }: { token: Token }): ReactNode {
  const [shape, tone, state] = describeState(token);
  const when = (at: number | null, none: string): string => (at === null ? none : writeMoment(at));
  return (
    <tr>
      <td>
        {token.name} <span className="soft mono nowrap">{token.token_id.slice(0, 8)}</span>
      </td>
      <td className="nowrap">
        <Mark shape={shape} tone={tone} /> {state}
      </td>
      <td className="nowrap">{WHOSE[token.kind] ?? token.kind}</td>
      <td className="mono">{token.scopes.join(' ')}</td>
      <td className="mono">{token.run ?? 'all'}</td>
      <td className="number soft nowrap">{writeMoment(token.created_at)}</td>
      <td className="number soft nowrap">{when(token.last_used_at, 'never')}</td>
      <td className="number soft nowrap">{when(token.expires_at, 'never')}</td>
    </tr>
  );
}

function describeState({ revoked_at: revokedAt, expires_at: expiresAt }: Token): readonly [MarkShape, Tone, string] {
  if (revokedAt !== null) return ['cross', 'bad', 'revoked'];
  return expiresAt !== null && expiresAt <= Date.now() ? ['square', 'plain', 'expired'] : ['tick', 'good', 'good'];
}
