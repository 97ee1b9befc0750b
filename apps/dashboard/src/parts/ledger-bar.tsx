import type { RunLedger } from '@lachesis/protocol';
import type { ReactNode } from 'react';
import { writeCount } from './format.ts';
import { Mark } from './mark.tsx';

const WAITING = [
  ['pending', 'pending'],
  ['buffered', 'buffered'],
  ['formed', 'in a batch'],
  ['leased', 'in training'],
  ['delivered_unconfirmed', 'sent, not confirmed'],
] as const;

/** Where every group that was produced is now, as one bar whose parts add up to it. */
export function LedgerBar({ ledger }: { ledger: RunLedger }): ReactNode {
  const parts = [
    { name: 'trained', count: ledger.trained, look: 'trained' },
    ...WAITING.map(([field, name]) => ({ name, count: ledger[field], look: 'waiting' })),
    ...Object.entries(ledger.dropped).map(([reason, count]) => ({
      name: `dropped: ${reason}`,
      count,
      look: 'dropped',
    })),
    { name: 'quarantined', count: ledger.quarantined, look: 'quarantined' },
  ].filter(({ count }) => count > 0);
  return (
    <div className="ledger">
      <div className="ledger-bar" aria-hidden="true">
        {parts.map(({ name, count, look }) => (
          <span key={name} className={look} style={{ flexGrow: count }} title={`${name} ${count}`} />
        ))}
      </div>
      <p className="ledger-sum">
        <span>
          <b>{writeCount(ledger.produced)}</b> groups produced
        </span>
        {parts.map(({ name, count, look }, index) => (
          <span key={name}>
            <span aria-hidden="true">{index === 0 ? '=' : '+'} </span>
            <i className={`key ${look}`} aria-hidden="true" />
            <b>{writeCount(count)}</b> {name}
          </span>
        ))}
        {!ledger.balanced && (
          <span>
            <Mark shape="triangle" tone="warn" /> does not add up
          </span>
        )}
      </p>
    </div>
  );
}
