import { useEffect, type ReactNode } from 'react';
import { CommandLine } from '../parts/command-line.tsx';

interface PageProps {
  title: string;
  /** What follows `lachesis` in the terminal to see the same. */
  command: string;
  /** Stands beside the title: a state, a count. */
  beside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** What every page is: a title, the line of the terminal that prints the same, and its content. */
export function Page({ title, command, beside, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Lachesis`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1>{title}</h1>
          {beside}
          {actions !== undefined && <div className="actions">{actions}</div>}
        </div>
        <CommandLine command={command} hasKey />
      </header>
      {children}
    </div>
  );
}
