import '../runs/runs.css';
import { RUN_STATES } from '@lachesis/protocol';
import { useMemo, useState, type ReactNode } from 'react';
import { RequestError } from '../api/request.ts';
import { Modal } from '../shell/modal.tsx';
import { Page } from '../shell/page.tsx';
import { ChartView } from './chart-view.tsx';
import type { ChartData } from './chart-data.ts';
import { LedgerBar } from './ledger-bar.tsx';
import { Mark, type MarkShape, type Tone } from './mark.tsx';
import { Sparkline } from './sparkline.tsx';
import { StateWord } from './state-word.tsx';
import { Empty, Loading, Partial, Refused, Stale } from './states.tsx';

const SHAPES: readonly MarkShape[] = ['dot', 'ring', 'half', 'tick', 'cross', 'square', 'triangle', 'dash'];
const TONES: readonly Tone[] = ['plain', 'accent', 'good', 'warn', 'bad'];
const GROUNDS = ['ground', 'surface', 'raised', 'hover', 'accent-soft', 'good-soft', 'warn-soft', 'bad-soft'];
const WORDS = ['text', 'text-soft', 'text-faint', 'accent', 'good', 'warn', 'bad'];
const LEDGER = { run_id: 'k3v9x0ab', buffered: 0, delivered_unconfirmed: 0 };
const MOMENT = Date.UTC(2026, 10, 17, 13, 5);

/** Every part in every state, beside each other, to be judged in both schemes and at every width. */
export function DesignPage(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Page title="Design" command="ui" beside={<span className="soft">every part in every state</span>}>
      <Part title="Colour">
        <div className="swatches">
          {GROUNDS.map((name) => (
            <span key={name} style={{ background: `var(--${name})` }}>
              {name}
            </span>
          ))}
        </div>
        <p className="row">
          {WORDS.map((name) => (
            <span key={name} style={{ color: `var(--${name})` }}>
              {name}
            </span>
          ))}
        </p>
        <div className="swatches" aria-label="The reward scale, from low to high" role="group">
          {[0, 1, 2, 3, 4, 5].map((step) => (
            <span
              key={step}
              style={{ background: `var(--reward-${step})`, color: `var(--on-reward-${step < 3 ? 'low' : 'high'})` }}
            >
              reward {step}
            </span>
          ))}
        </div>
      </Part>
      <Part title="Text">
        <h1>A title has 20 pixels</h1>
        <p>
          Everything else has 13, <span className="soft">and what is beside the point is soft</span>;{' '}
          <code>what a machine says has 12 in mono</code>. 0123456789 are tabular.
        </p>
      </Part>
      <Part title="Marks and words of state">
        <p className="row">
          {SHAPES.map((shape) => (
            <span key={shape}>
              <Mark shape={shape} /> {shape}
            </span>
          ))}
        </p>
        <p className="row">
          {TONES.map((tone) => (
            <span key={tone}>
              <Mark shape="triangle" tone={tone} /> {tone}
            </span>
          ))}
        </p>
        <p className="row">
          {RUN_STATES.map((state) => (
            <StateWord key={state} state={state} />
          ))}
        </p>
      </Part>
      <Part title="Buttons and fields">
        <p className="row">
          <button type="button">Button</button>
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            Opens a dialog
          </button>
          <button type="button" className="quiet">
            quiet
          </button>
          <button type="button" disabled>
            Disabled
          </button>
          <kbd>Ctrl K</kbd>
        </p>
        <div className="fields">
          <label className="field">
            <span>Number</span>
            <input defaultValue="8" />
          </label>
          <label className="field changed">
            <span>Choice</span>
            <select>
              <option>grpo</option>
            </select>
          </label>
          <label className="check">
            <input type="checkbox" defaultChecked /> Yes
          </label>
        </div>
        {isOpen && (
          <Modal label="A dialog" onClose={() => setOpen(false)}>
            <h2>A dialog</h2>
            <p>Escape or a click beside it ends it.</p>
          </Modal>
        )}
      </Part>
      <Part title="Empty, loading, stale, partial, refused">
        <Empty title="No run yet." command="demo">
          A run trains a model, and is seen here from its first step on.
        </Empty>
        <Loading label="Loading, as an example" />
        <Stale since={MOMENT} />
        <Partial>The rollouts of steps 1 to 40 are not kept any more; their rewards are.</Partial>
        <Refused
          error={
            new RequestError({
              status: 409,
              code: 'conflict',
              message: 'No environment is selected.',
              hint: 'Choose one on the page Environments.',
              call: 'GET /config/estimate',
            })
          }
        />
      </Part>
      <Part title="The ledger">
        <LedgerBar
          ledger={{
            ...LEDGER,
            ...{ produced: 640, trained: 512, pending: 40, formed: 16, leased: 32, quarantined: 8 },
            ...{ dropped: { stale: 24, 'too long': 8 }, balanced: true },
          }}
        />
        <LedgerBar
          ledger={{
            ...LEDGER,
            ...{
              produced: 10,
              trained: 7,
              pending: 0,
              formed: 0,
              leased: 0,
              quarantined: 0,
              dropped: {},
              balanced: false,
            },
          }}
        />
      </Part>
      <Part title="Curves">
        <p className="row">
          <Sparkline values={[0, 0.1, 0.15, 0.3, 0.28, 0.5, 0.7]} label="rising" />
          <Sparkline values={[0.2, -0.1, -0.3, 0.1, 0.2, -0.05]} label="both sides of zero" />
          <Sparkline values={[1, 1, 1]} label="flat" />
        </p>
        <Charts />
      </Part>
    </Page>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="stack part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Charts(): ReactNode {
  const charts = useMemo((): [name: string, data: ChartData][] => {
    const steps = Array.from({ length: 60 }, (_, index) => index + 1);
    const values = steps.map((step) => 0.2 + step / 100 + Math.sin(step / 3) / 20);
    const band = {
      low: values.map((value) => value - 0.15),
      high: values.map((value, index) => value + (index === 30 ? 0.4 : 0.12)),
    };
    const marks = [
      { step: 20, kind: 'checkpoint' },
      { step: 33, kind: 'restart' },
      { step: 40, kind: 'promotion' },
    ] as const;
    return [
      ['with a band and marks', { steps, lines: [{ name: 'reward', values, ...band }], marks, at: 12 }],
      [
        'several runs',
        {
          steps,
          lines: [0, 1, 2, 3].map((index) => ({
            name: `run ${index}`,
            values: values.map((value) => value - index / 10),
          })),
        },
      ],
      ['one that never changes', { steps, lines: [{ name: 'flat', values: steps.map(() => 4) }] }],
    ];
  }, []);
  return (
    <div className="chart-grid">
      {charts.map(([name, data]) => (
        <figure key={name}>
          <figcaption>{name}</figcaption>
          <ChartView data={data} cursor="design" label={name} />
        </figure>
      ))}
    </div>
  );
}
