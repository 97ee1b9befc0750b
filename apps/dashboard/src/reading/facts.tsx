import type { ReactNode } from 'react';

type Fact = readonly [name: string, value: ReactNode];

/** Numbers and words with their names above. What is not known says so and keeps its place. */
export function Facts({ facts }: { facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === null || value === undefined
              ? '–'
              : typeof value === 'number'
                ? value.toLocaleString('en')
                : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
