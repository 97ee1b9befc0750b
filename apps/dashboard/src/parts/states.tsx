import { TOKEN_PREFIX } from '@lachesis/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { RequestError } from '../api/request.ts';
import { readRefusedCode, tradeCode, writeToken } from '../api/session.ts';
import { CommandLine } from './command-line.tsx';
import { Mark } from './mark.tsx';

interface EmptyProps {
  /** What is not there, as a sentence. */
  title: string;
  children?: ReactNode;
  /** What fills it, without `lachesis` before it. */
  command?: string;
}

/** Nothing is there yet: says so, and shows the command that changes it. */
export function Empty({ title, children, command }: EmptyProps): ReactNode {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children !== undefined && <p className="soft">{children}</p>}
      {command !== undefined && <CommandLine command={command} />}
    </div>
  );
}

/** On its way: holds the place that the answer will take, so that nothing jumps. */
export function Loading({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }): ReactNode {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** Refused: what the server said, and what it says to do. */
export function Refused({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const refusal = error instanceof RequestError ? error : undefined;
  if (refusal?.status === 401) return <SignIn />;
  return (
    <div className="state refused" role="alert">
      <h2>
        <Mark shape="cross" tone="bad" /> {error instanceof Error ? error.message : 'That went wrong.'}
      </h2>
      {refusal?.hint !== undefined && <p>{refusal.hint}</p>}
      {refusal !== undefined && (
        <p className="soft mono">
          {refusal.call}
          {refusal.status === undefined ? '' : ` · ${refusal.status}`} · {refusal.code}
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Ask again
        </button>
      )}
    </div>
  );
}

/** A stream or an answer that stopped coming: what is in view is from then. */
export function Stale({ since }: { since: number }): ReactNode {
  return (
    <p className="note warn" role="status">
      <Mark shape="triangle" tone="warn" /> The server stopped answering. This is from{' '}
      {new Date(since).toLocaleTimeString()}; it goes on by itself.
    </p>
  );
}

/** Only a part is there, with the reason in words. */
export function Partial({ children }: { children: ReactNode }): ReactNode {
  return (
    <p className="note">
      <Mark shape="half" /> {children}
    </p>
  );
}

/** The server asks for a token and this tab has none that is good. */
export function SignIn(): ReactNode {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(readRefusedCode);
  const enter = async (): Promise<void> => {
    const given = text.trim().replace(/^.*#/, '');
    // A token is kept as it is; everything else is a code to trade.
    const isToken = given.startsWith(TOKEN_PREFIX);
    if (isToken) writeToken(given);
    const refused = isToken ? undefined : await tradeCode(given);
    setProblem(refused);
    if (refused === undefined) await queries.invalidateQueries();
  };
  return (
    <form
      className="state"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <h2>This server asks who you are.</h2>
      <p className="soft">Open the page with a fresh code:</p>
      <CommandLine command="ui" />
      <label className="field">
        <span>or paste a code or a token</span>
        <input value={text} onChange={({ target }) => setText(target.value)} autoComplete="off" spellCheck={false} />
      </label>
      {problem !== undefined && (
        <p className="note bad" role="alert">
          <Mark shape="cross" tone="bad" /> {problem}
        </p>
      )}
      <button type="submit" disabled={text.trim() === ''}>
        Open
      </button>
    </form>
  );
}
