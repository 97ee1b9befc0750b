import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { KeyList } from './key-list.tsx';
import { listenForKeys, useKeys } from './keys.ts';
import { NOUNS } from './nouns.ts';
import { Palette } from './palette.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import { ServerState } from './server-state.tsx';

/** The rail of nouns, the page beside it, and what is there on every page: the palette, the keys, the state of the server. */
export function Frame(): ReactNode {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'keys' | undefined>();
  const menu = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => listenForKeys(() => setOpen('palette')), []);
  // On a small screen the rail is a menu, which is done when a page was chosen.
  useEffect(() => {
    if (menu.current?.matches(':popover-open') === true) menu.current.hidePopover();
  }, [path]);
  useKeys(
    [
      ...NOUNS.flat().map(({ to, name, key }) => ({
        keys: `g ${key}`,
        label: `go to ${name}`,
        run: () => void navigate({ to }),
      })),
      { keys: '?', label: 'keys of this page', run: () => setOpen('keys') },
      { keys: 'Escape', label: 'back', run: () => history.back() },
    ],
    'shell',
  );

  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the page
      </a>
      <header className="topbar">
        <button type="button" className="quiet" popoverTarget="rail" aria-label="Pages">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" fill="none" stroke="currentColor" strokeWidth="1.5" />
          </svg>
        </button>
        <Link to="/" className="mark">
          Lachesis
        </Link>
        <button type="button" className="quiet" onClick={() => setOpen('palette')} aria-label="Search">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path
              d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
            />
          </svg>
        </button>
      </header>
      <nav className="rail" id="rail" popover="auto" ref={menu} aria-label="Pages">
        <Link to="/" className="mark">
          Lachesis
        </Link>
        <button type="button" className="search" onClick={() => setOpen('palette')}>
          Search <kbd>{/mac/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        {NOUNS.map((group) => (
          <ul key={group[0]?.to}>
            {group.map(({ to, name, key }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  activeProps={{ className: 'active' }}
                >
                  {name}
                  <kbd aria-hidden="true">g {key}</kbd>
                </Link>
              </li>
            ))}
          </ul>
        ))}
        <div className="rail-foot">
          <ServerState />
          <SchemeSwitch />
          <button type="button" className="quiet" onClick={() => setOpen('keys')}>
            Keys <kbd>?</kbd>
          </button>
        </div>
      </nav>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'keys' && <KeyList onClose={() => setOpen(undefined)} />}
    </div>
  );
}
