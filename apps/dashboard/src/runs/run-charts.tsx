import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { extremesQuery, metricsQuery } from '../api/queries.ts';
import { ChartView } from '../parts/chart-view.tsx';
import { writeNumber } from '../parts/format.ts';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { useWords } from '../shell/use-search.ts';
import { chooseSeries, listAsked, stretchOf, toChart, type SeriesChart } from './to-charts.ts';
import { useMarks } from './use-marks.ts';

/** The series of a run over its steps, all with one cursor. What is chosen, the stretch and the cursor stand in the address. */
export function RunCharts({ run }: { run: string }): ReactNode {
  const [words, setWords] = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const chosen = words['charts']?.split(',').filter(Boolean);
  const { data, error, refetch } = useQuery(metricsQuery(run, listAsked(chosen)));
  const marks = useMarks(run);
  const at = toStep(words['step']);
  const from = toStep(words['from']);
  const to = toStep(words['to']);
  const hasBand = words['band'] !== 'off';
  const names = useMemo(() => chosen ?? chooseSeries(data?.series ?? []), [words['charts'], data?.series]);
  const charts = useMemo(
    () =>
      data === undefined
        ? []
        : names.map((name) => {
            const chart = toChart(data, name, marks);
            const range = from !== undefined && to !== undefined ? ([from, to] as const) : undefined;
            return { ...chart, data: { ...chart.data, range, at, hasBand } };
          }),
    [data, names, marks, from, to, at, hasBand],
  );
  const steps = charts[0]?.data.steps ?? [];
  const open = (step: number): void =>
    void navigate({ to: '/runs/$run/steps/$step', params: { run, step: String(step) } });
  /** Of a stretch the step that made its lowest or its highest is opened, whichever is nearer to where somebody pointed. */
  const openNear = async (chart: SeriesChart, step: number, value: number): Promise<void> => {
    const stretch = stretchOf(chart, step);
    if (stretch === undefined) return open(step);
    const { lowest, highest } = await queries.fetchQuery(extremesQuery(run, chart.name, stretch));
    if (lowest === null || highest === null) return open(step);
    open(value < (lowest.value + highest.value) / 2 ? lowest.step : highest.step);
  };
  const first = charts[0];
  const openExtreme = (side: 'low' | 'high'): void => {
    if (at === undefined || first === undefined) return;
    void openNear(first, at, side === 'low' ? -Infinity : Infinity);
  };
  const move = (by: number): void => {
    const index = at === undefined ? (by > 0 ? -1 : steps.length) : steps.findIndex((step) => step >= at);
    const next = steps[Math.min(Math.max(index + by, 0), steps.length - 1)];
    if (next !== undefined) setWords({ step: String(next) });
  };
  useKeys([
    { keys: ',', label: 'step back', run: () => move(-1) },
    { keys: '.', label: 'step on', run: () => move(1) },
    { keys: 'Enter', label: 'groups of the step', run: () => at !== undefined && open(at) },
    { keys: 'L', label: 'the step that made the lowest of the first chart here', run: () => openExtreme('low') },
    { keys: 'H', label: 'the step that made the highest of the first chart here', run: () => openExtreme('high') },
    { keys: 'b', label: 'band on or off', run: () => setWords({ band: hasBand ? 'off' : '' }) },
    { keys: '0', label: 'the whole run', run: () => setWords({ from: '', to: '' }) },
  ]);

  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={6} />;
  return (
    <div className="charts">
      <div className="charts-head">
        <ChartChoice known={data.series} chosen={names} onChoose={(next) => setWords({ charts: next.join(',') })} />
        <p className="soft">
          {from !== undefined && to !== undefined ? (
            <>
              steps {from} to {to}{' '}
              <button type="button" className="quiet" onClick={() => setWords({ from: '', to: '' })}>
                whole run <kbd>0</kbd>
              </button>
            </>
          ) : (
            'Drag over a chart for a stretch of it; click for the rollouts of a step.'
          )}
        </p>
        {at !== undefined && (
          <p>
            at step {at}{' '}
            <button type="button" className="quiet" onClick={() => open(at)}>
              its groups <kbd>↵</kbd>
            </button>
            {first !== undefined && stretchOf(first, at) !== undefined && (
              <>
                {' '}
                of this stretch, the step with the{' '}
                <button type="button" className="quiet" onClick={() => openExtreme('low')}>
                  lowest {first.name} <kbd>L</kbd>
                </button>{' '}
                <button type="button" className="quiet" onClick={() => openExtreme('high')}>
                  highest <kbd>H</kbd>
                </button>
              </>
            )}
          </p>
        )}
      </div>
      {charts.length === 0 ? (
        <Empty title="Nothing was measured yet.">The first points come with the first step.</Empty>
      ) : (
        <div className="chart-grid">
          {charts.map((chart) => (
            <SeriesFigure
              key={chart.name}
              chart={chart}
              run={run}
              last={data.final_metrics[chart.name]}
              description={data.descriptions?.[chart.name]}
              onOpen={(step, value) => void openNear(chart, step, value)}
              onRange={(range) =>
                setWords(range === undefined ? { from: '', to: '' } : { from: String(range[0]), to: String(range[1]) })
              }
            />
          ))}
        </div>
      )}
      <MarkKey marks={marks} />
    </div>
  );
}

const toStep = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

interface SeriesFigureProps {
  chart: SeriesChart;
  run: string;
  last: number | null | undefined;
  description: string | undefined;
  onOpen: (step: number, value: number) => void;
  onRange: (range: readonly [number, number] | undefined) => void;
}

function SeriesFigure({ chart, run, last, description, onOpen, onRange }: SeriesFigureProps): ReactNode {
  const { name, data, band } = chart;
  const at = data.at === undefined ? -1 : data.steps.indexOf(data.at);
  const shown = at >= 0 ? data.lines[0]?.values[at] : last;
  return (
    <figure>
      <figcaption>
        <span className="cut" title={description}>
          {name}
        </span>
        <b>{writeNumber(shown)}</b>
      </figcaption>
      {data.steps.length === 0 ? (
        <p className="chart-empty soft">No number of it yet.</p>
      ) : (
        <ChartView
          data={data}
          cursor={run}
          label={`${name} over ${data.steps.length} points, last ${writeNumber(last)}`}
          onOpen={onOpen}
          onRange={onRange}
        />
      )}
      <p className="soft cut chart-note">{band === undefined ? ' ' : `band: ${band}`}</p>
    </figure>
  );
}

interface ChartChoiceProps {
  known: readonly string[];
  chosen: readonly string[];
  onChoose: (names: readonly string[]) => void;
}

function ChartChoice({ known, chosen, onChoose }: ChartChoiceProps): ReactNode {
  return (
    <>
      <button type="button" popoverTarget="chart-choice">
        Charts{' '}
        <span className="soft">
          {chosen.length} of {known.length}
        </span>
      </button>
      <div id="chart-choice" popover="auto" className="popover">
        <fieldset>
          <legend>Charts in view</legend>
          {known.map((name) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  onChoose(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
      </div>
    </>
  );
}

function MarkKey({ marks }: { marks: readonly { kind: string }[] }): ReactNode {
  const kinds = ['checkpoint', 'restart', 'promotion'].filter((kind) => marks.some((mark) => mark.kind === kind));
  if (kinds.length === 0) return null;
  return (
    <p className="mark-key soft">
      {kinds.map((kind) => (
        <span key={kind}>
          <i className={kind} aria-hidden="true" /> {kind}
        </span>
      ))}
    </p>
  );
}
