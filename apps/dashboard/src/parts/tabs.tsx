import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface TabsProps<Name extends string> {
  label: string;
  /** The word of the search that holds which one is open. */
  name: string;
  views: readonly (readonly [view: Name, title: string])[];
  open: Name;
}

/** Views of one thing. They are addresses, so the way back works. */
export function Tabs<Name extends string>({ label, name, views, open }: TabsProps<Name>): ReactNode {
  return (
    <nav className="tabs" aria-label={label}>
      {views.map(([view, title]) => (
        <Link
          key={view}
          to="."
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={view === open ? 'page' : undefined}
          search={(search) => ({ ...search, [name]: view === views[0]?.[0] ? undefined : view })}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
