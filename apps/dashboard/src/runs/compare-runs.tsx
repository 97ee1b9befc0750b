import './runs.css';
import type { RunComparison } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { comparisonQuery } from '../api/queries.ts';
import { ChartView } from '../parts/chart-view.tsx';
import type { ChartData } from '../parts/chart-data.ts';
import { writeNumber, writeValue } from '../parts/format.ts';
import { StateWord } from '../parts/state-word.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';

/** Runs beside each other: curves over each other, settings that differ, evaluations in pairs. The first is compared with. */
export function CompareRuns({ runs }: { runs: readonly string[] }): ReactNode {
  const [words] = useWords();
  const { data, error, refetch } = useQuery(comparisonQuery(runs, words['series']));
  return (
    <Page title="Compare runs" command={`runs compare ${runs.join(' ')}`}>
      {runs.length < 2 && <Empty title="Two runs are needed." command="runs compare <run> <run>" />}
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {runs.length > 1 && data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && (
        <>
          <ul className="compared">
            {data.runs.map(({ run_id, environment, status }, index) => (
              <li key={run_id}>
                <i className={`line-key line-${(index % 4) + 1}`} aria-hidden="true" />
                <Link to="/runs/$run" params={{ run: run_id }} className="mono">
                  {run_id}
                </Link>
                <span className="cut">{environment}</span>
                <StateWord state={status} />
              </li>
            ))}
          </ul>
          <div className="chart-grid">
            {data.series.map((series) => (
              <CurveFigure key={series.name} series={series} runs={data.runs.map(({ run_id }) => run_id)} />
            ))}
          </div>
          <Differences comparison={data} />
          <Evaluations comparison={data} />
        </>
      )}
    </Page>
  );
}

interface CurveFigureProps {
  series: RunComparison['series'][number];
  runs: readonly string[];
}

function CurveFigure({ series, runs }: CurveFigureProps): ReactNode {
  const data = useMemo((): ChartData => {
    const curves = runs.map((run) => new Map((series.runs[run] ?? []).map(({ step, value }) => [step, value])));
    const steps = [...new Set(curves.flatMap((curve) => [...curve.keys()]))].toSorted((left, right) => left - right);
    return {
      steps,
      lines: runs.map((run, index) => ({ name: run, values: steps.map((step) => curves[index]?.get(step) ?? null) })),
    };
  }, [series, runs]);
  return (
    <figure>
      <figcaption>
        <span className="cut">{series.name}</span>
      </figcaption>
      {data.steps.length === 0 ? (
        <p className="chart-empty soft">None of them has it.</p>
      ) : (
        <ChartView data={data} cursor="compare" label={`${series.name} of ${runs.join(', ')}`} />
      )}
    </figure>
  );
}

function Differences({ comparison: { runs, settings } }: { comparison: RunComparison }): ReactNode {
  return (
    <section className="stack">
      <h2>Settings that differ</h2>
      {settings.length === 0 ? (
        <p className="soft">None.</p>
      ) : (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Settings that differ">
          <table>
            <thead>
              <tr>
                <th>Setting</th>
                {runs.map(({ run_id }) => (
                  <th key={run_id} className="mono">
                    {run_id}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {settings.map(({ name, values }) => (
                <tr key={name}>
                  <td className="mono nowrap">{name}</td>
                  {values.map((value, index) => (
                    <td key={runs[index]?.run_id} className="mono wide">
                      {writeValue(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Evaluations({ comparison: { evaluations } }: { comparison: RunComparison }): ReactNode {
  return (
    <section className="stack">
      <h2>Evaluations in pairs</h2>
      {evaluations.length === 0 ? (
        <p className="soft">They have no evaluation in common.</p>
      ) : (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Evaluations in pairs">
          <table>
            <thead>
              <tr>
                <th>Against the first</th>
                <th>Series</th>
                <th className="number">Difference</th>
                <th>95 %</th>
                <th className="number">Better</th>
                <th className="number">Worse</th>
                <th className="number">Pairs</th>
              </tr>
            </thead>
            <tbody>
              {evaluations.map(({ right, series, difference, interval, better, worse, items, paired_by }) => (
                <tr key={`${right} ${series}`}>
                  <td className="mono">{right}</td>
                  <td>{series}</td>
                  <td className="number">{writeNumber(difference)}</td>
                  <td className="nowrap">
                    {interval === null ? '–' : `${writeNumber(interval[0])} to ${writeNumber(interval[1])}`}
                  </td>
                  <td className="number">{better}</td>
                  <td className="number">{worse}</td>
                  <td className="number">
                    {items} <span className="soft">by {paired_by}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
