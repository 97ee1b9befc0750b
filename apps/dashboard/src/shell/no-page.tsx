import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function NoPage(): ReactNode {
  return (
    <div className="page">
      <div className="state">
        <h1>There is no page at this address.</h1>
        <p>
          <Link to="/">Go to Now</Link>, or press <kbd>Ctrl K</kbd> and type what you look for.
        </p>
      </div>
    </div>
  );
}
